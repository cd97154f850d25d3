// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "counters.h"
#include "fpenv.h"
#include "kernel.h"
#include "pool.h"
#include "pyfusion_rt.h"

namespace pf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMaxThreads = 1024;
constexpr auto kSpin = std::chrono::microseconds(30);

inline void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

// Waits a short while for the condition: a sleeping thread takes longer to wake than a short kernel to run.
template <class Condition>
bool spin_until(Condition done) {
  auto start = Clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      relax();
    }
  } while (Clock::now() - start < kSpin);
  return done();
}

class ThreadPool {
 public:
  // Held by the one launch that uses the pool.
  bool acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

  void resize(int workers);
  bool run(int64_t count, int threads, Body body, const void* context);

 private:
  void work(uint64_t seen);
  void wake(int threads);

  std::atomic<bool> busy_{false};
  std::vector<std::thread> workers_;
  std::atomic<bool> spin_{true};

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::atomic<uint64_t> epoch_{0};  // counts jobs; changes under the mutex
  std::atomic<int> active_{0};      // workers inside the job; changes under the mutex
  int sleeping_ = 0;
  int places_ = 0;  // workers that may still join
  bool stop_ = false;
  Body body_ = nullptr;
  const void* context_ = nullptr;
  Parts* parts_ = nullptr;
};

void ThreadPool::wake(int threads) {
  for (int i = std::min(threads, sleeping_); i > 0; --i) wake_.notify_one();
}

void ThreadPool::work(uint64_t seen) {
  for (;;) {
    if (spin_) spin_until([&] { return epoch_.load(std::memory_order_acquire) != seen; });
    std::unique_lock<std::mutex> lock(mutex_);
    while (epoch_.load(std::memory_order_relaxed) == seen) {
      ++sleeping_;
      wake_.wait(lock);
      --sleeping_;
    }
    if (stop_) return;
    seen = epoch_.load(std::memory_order_relaxed);
    if (places_ == 0) continue;
    --places_;
    active_.fetch_add(1, std::memory_order_relaxed);
    wake(std::min(places_, 2));  // each wakes two more, so that many threads start in a few steps
    Body body = body_;
    const void* context = context_;
    Parts* parts = parts_;
    lock.unlock();
    {
      DefaultFpEnv env;
      body(context, *parts);
    }
    lock.lock();
    if (active_.fetch_sub(1, std::memory_order_release) == 1) idle_.notify_one();
  }
}

bool ThreadPool::run(int64_t count, int threads, Body body, const void* context) {
  Parts parts(count);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    body_ = body;
    context_ = context;
    parts_ = &parts;
    places_ = threads - 1;
    epoch_.fetch_add(1, std::memory_order_release);
    wake(std::min(places_, 2));
  }
  body(context, parts);
  {
    // Nobody joins from here on. A worker that has not woken up is not waited for.
    std::lock_guard<std::mutex> lock(mutex_);
    places_ = 0;
  }
  auto finished = [&] { return active_.load(std::memory_order_acquire) == 0; };
  if (!(spin_ && spin_until(finished))) {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, finished);
  }
  return parts.all_taken();
}

void ThreadPool::resize(int workers) {
  if (static_cast<int>(workers_.size()) > workers) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      epoch_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    stop_ = false;
  }
  if (static_cast<int>(workers_.size()) == workers) return;
  spin_ = workers < available_cpus();  // more threads than CPUs: spinning would keep others from running
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
  try {
    uint64_t seen = epoch_.load(std::memory_order_relaxed);
    while (static_cast<int>(workers_.size()) < workers) workers_.emplace_back(&ThreadPool::work, this, seen);
  } catch (const std::system_error&) {  // the system allows no more: go on with fewer
  } catch (const std::bad_alloc&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Never destroyed: at exit the workers sleep on it. A forked child has none of the threads and starts afresh.
std::atomic<ThreadPool*> current{nullptr};
std::atomic<int> wanted{0};

ThreadPool* pool() {
  ThreadPool* found = current.load(std::memory_order_acquire);
  if (found) return found;
  auto* fresh = new (std::nothrow) ThreadPool;
  if (fresh && !current.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) {
    delete fresh;
    return found;
  }
  return fresh;
}

int default_threads() {
  if (const char* text = std::getenv("PYFUSION_THREADS")) {
    char* end;
    long value = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && value > 0) return static_cast<int>(std::min<long>(value, kMaxThreads));
  }
  return std::min(available_cpus(), kMaxThreads);
}

void before_fork() {
  lock_kernels();
  Pool::get().lock();
}
void after_fork_parent() {
  Pool::get().unlock();
  unlock_kernels();
}
void after_fork_child() {
  after_fork_parent();
  current.store(nullptr, std::memory_order_release);
}

const int at_fork_registered = pthread_atfork(before_fork, after_fork_parent, after_fork_child);

}  // namespace

int thread_limit() {
  int n = wanted.load(std::memory_order_relaxed);
  if (n > 0) return n;
  int fresh = default_threads();
  wanted.compare_exchange_strong(n, fresh);
  return wanted.load(std::memory_order_relaxed);
}

bool run_parallel(int64_t count, int threads, Body body, const void* context) {
  DefaultFpEnv env;
  ThreadPool* shared = count > 1 && threads > 1 ? pool() : nullptr;
  if (!shared || !shared->acquire()) {
    Parts parts(count);
    body(context, parts);
    return parts.all_taken();
  }
  shared->resize(thread_limit() - 1);
  counters.parallel_launches.add(1);
  bool done = shared->run(count, threads, body, context);
  shared->release();
  return done;
}

}  // namespace pf

int32_t pf_set_threads(int32_t n) {
  n = n <= 0 ? pf::default_threads() : std::min(n, pf::kMaxThreads);
  pf::wanted.store(n);
  return n;
}

int32_t pf_threads(void) { return pf::thread_limit(); }
