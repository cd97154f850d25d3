// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels by handles, numbers that callers give back: what is no live kernel is told from one.
#ifndef PYFUSION_HANDLES_H
#define PYFUSION_HANDLES_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>

namespace pf {

inline bool valid_size(int64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }
inline bool count_in(int64_t n, int64_t most) { return n >= 0 && n <= most; }

// Of one kind of kernel, which has `magic`, a word that is kMagic while it lives.
template <class Kernel>
class Handles {
 public:
  static Handles& get() {
    static Handles* h = new Handles;  // kernels are destroyed until the very end of the process
    return *h;
  }
  int64_t add(std::unique_ptr<Kernel> kernel) {
    std::lock_guard<std::mutex> guard(mutex);
    live_.insert(kernel.get());
    return reinterpret_cast<int64_t>(kernel.release());
  }
  static Kernel* find(int64_t handle) {
    if (handle <= 4096 || handle % static_cast<int64_t>(alignof(Kernel)) != 0) return nullptr;
    auto* kernel = reinterpret_cast<Kernel*>(handle);
    return kernel->magic.load(std::memory_order_relaxed) == Kernel::kMagic ? kernel : nullptr;
  }
  // False: not a live kernel.
  bool remove(int64_t handle) {
    std::lock_guard<std::mutex> guard(mutex);
    auto* kernel = reinterpret_cast<Kernel*>(handle);
    if (live_.erase(kernel) == 0) return false;
    kernel->magic.store(0, std::memory_order_relaxed);
    delete kernel;
    return true;
  }

  std::mutex mutex;  // held around a fork as well

 private:
  std::unordered_set<Kernel*> live_;
};

}  // namespace pf

#endif  // PYFUSION_HANDLES_H
