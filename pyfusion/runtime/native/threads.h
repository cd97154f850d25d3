// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_THREADS_H
#define PYFUSION_THREADS_H

#include <atomic>
#include <cstdint>

namespace pf {

// The parts of one job; each is taken by exactly one thread.
class Parts {
 public:
  explicit Parts(int64_t count) : count_(count) {}
  bool take(int64_t& part) {
    part = next_.fetch_add(1, std::memory_order_relaxed);
    return part < count_;
  }
  int64_t count() const { return count_; }
  bool all_taken() const { return next_.load(std::memory_order_relaxed) >= count_; }

 private:
  std::atomic<int64_t> next_{0};
  const int64_t count_;
};

// Called once on each thread that joins; takes parts until there are none. A thread that lacks the memory to work returns
// without taking any.
using Body = void (*)(const void* context, Parts& parts);

// Runs the parts on the caller and up to threads - 1 others, in the default floating-point environment. When another
// thread of the program has the pool, the caller does it all. False: some parts have not run (no memory for scratch).
bool run_parallel(int64_t parts, int threads, Body body, const void* context);

// The number of threads a launch may use.
int thread_limit();

// CPUs that this process may use, from its affinity mask and its container's quota.
int available_cpus();

}  // namespace pf

#endif  // PYFUSION_THREADS_H
