// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_POOL_H
#define PYFUSION_POOL_H

#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace pf {

// Keeps freed blocks by size class and hands them out again: the page faults of a fresh large block cost more than the
// kernel that fills it.
class Pool {
 public:
  static Pool& get();  // never destroyed: buffers are freed until the very end of the process

  void* allocate(int64_t bytes);
  int free(void* block);
  int64_t set_limit(int64_t bytes);
  int64_t set_capacity(int64_t bytes);
  int64_t trim(int64_t keep);

  // Around a fork, so that the child finds the tables whole.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  Pool();

  struct Block {
    char* ptr;
    int64_t bytes;
    int size_class;
    bool used;
    Block *newer, *older;             // among all kept blocks, by the time of their release
    Block *class_prev, *class_next;   // among the kept blocks of one class, last released first
  };

  Block* take_cached(int size_class, int64_t bytes);
  Block* take_fresh(int size_class, int64_t bytes);
  void link(Block* block);
  void unlink(Block* block);

  static constexpr int kClasses = 512;
  std::mutex mutex_;
  std::unordered_map<const void*, Block> blocks_;
  Block* class_head_[kClasses] = {};
  Block *newest_ = nullptr, *oldest_ = nullptr;
  int64_t cached_ = 0, in_use_ = 0;
  int64_t limit_, capacity_;
};

}  // namespace pf

#endif  // PYFUSION_POOL_H
