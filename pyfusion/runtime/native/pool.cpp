// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>

#include "counters.h"
#include "pyfusion_rt.h"

namespace pf {
namespace {

constexpr int64_t kAlign = 64;
constexpr int64_t kSmall = 1024;          // up to here classes are multiples of 64 bytes
constexpr int64_t kMapped = 1 << 20;      // from here on blocks are mapped directly
constexpr int64_t kHugePage = 2 << 20;
// Mapped blocks start at different lines of their first page, or the streams of a kernel would share cache sets.
constexpr int64_t kColours = 16, kColourStep = 192, kColourBytes = 4096;
constexpr int64_t kMaxBytes = int64_t{1} << 56;
constexpr int kStepsLog2 = 3;             // eight classes a doubling: at most an eighth is wasted

// The size class of a request and the bytes its blocks have.
struct SizeClass {
  int index;
  int64_t bytes;
};

SizeClass size_class(int64_t bytes) {
  if (bytes <= kSmall) {
    int64_t units = std::max<int64_t>(1, (bytes + kAlign - 1) / kAlign);
    return {static_cast<int>(units - 1), units * kAlign};
  }
  int log2 = 63 - __builtin_clzll(static_cast<unsigned long long>(bytes - 1));  // bytes in (2^log2, 2^(log2+1)]
  int64_t step = int64_t{1} << (log2 - kStepsLog2);
  int64_t units = (bytes + step - 1) / step;  // 9..16
  int index = 16 + (log2 - 10) * 8 + static_cast<int>(units - 9);
  return {index, units * step};
}

void* map_pages(int64_t bytes) {
  bytes += kColourBytes;
  int64_t align = bytes >= 2 * kHugePage ? kHugePage : 0;
  void* raw = mmap(nullptr, static_cast<size_t>(bytes + align), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (!align) return raw;
  auto start = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (start + kHugePage - 1) & ~static_cast<uintptr_t>(kHugePage - 1);
  if (aligned > start) munmap(raw, aligned - start);
  uintptr_t tail = start + align - aligned;
  if (tail) munmap(reinterpret_cast<void*>(aligned + bytes), tail);
  void* block = reinterpret_cast<void*>(aligned);
#ifdef MADV_HUGEPAGE
  madvise(block, static_cast<size_t>(bytes), MADV_HUGEPAGE);  // a hint: fewer faults
#endif
  return block;
}

void* system_allocate(int64_t bytes) {
  if (bytes >= kMapped) {
    static std::atomic<int64_t> mapped{0};
    void* pages = map_pages(bytes);
    if (!pages) return nullptr;
    return static_cast<char*>(pages) + mapped.fetch_add(1, std::memory_order_relaxed) % kColours * kColourStep;
  }
  void* block = nullptr;
  return posix_memalign(&block, kAlign, static_cast<size_t>(bytes)) == 0 ? block : nullptr;
}

void system_free(void* block, int64_t bytes) {
  if (bytes >= kMapped) {
    auto pages = reinterpret_cast<uintptr_t>(block) & ~static_cast<uintptr_t>(kColourBytes - 1);
    munmap(reinterpret_cast<void*>(pages), static_cast<size_t>(bytes + kColourBytes));
  } else {
    std::free(block);
  }
}

int64_t container_memory() {
  int64_t bytes = std::numeric_limits<int64_t>::max();
  if (FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "re")) {
    long long value;
    if (std::fscanf(file, "%lld", &value) == 1 && value > 0) bytes = value;
    std::fclose(file);
  }
  return bytes;
}

int64_t default_limit() {
  int64_t memory = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (memory <= 0) memory = int64_t{4} << 30;
  return std::min(std::min(memory, container_memory()) / 4, int64_t{2} << 30);
}

}  // namespace

Pool::Pool() : limit_(default_limit()), capacity_(kMaxBytes) { blocks_.reserve(1024); }

Pool& Pool::get() {
  static Pool* pool = new Pool;
  return *pool;
}

void Pool::link(Block* block) {
  block->newer = nullptr;
  block->older = newest_;
  (newest_ ? newest_->newer : oldest_) = block;
  newest_ = block;
  Block*& head = class_head_[block->size_class];
  block->class_prev = nullptr;
  block->class_next = head;
  if (head) head->class_prev = block;
  head = block;
  cached_ += block->bytes;
  counters.bytes_cached.add(block->bytes);
}

void Pool::unlink(Block* block) {
  (block->newer ? block->newer->older : newest_) = block->older;
  (block->older ? block->older->newer : oldest_) = block->newer;
  if (block->class_prev) {
    block->class_prev->class_next = block->class_next;
  } else {
    class_head_[block->size_class] = block->class_next;
  }
  if (block->class_next) block->class_next->class_prev = block->class_prev;
  cached_ -= block->bytes;
  counters.bytes_cached.add(-block->bytes);
}

Pool::Block* Pool::take_cached(int size_class, int64_t bytes) {
  // A slightly larger block is better than fresh pages.
  int last = bytes >= kMapped ? std::min(size_class + 2, kClasses - 1) : size_class;
  for (int c = size_class; c <= last; ++c) {
    if (Block* block = class_head_[c]) {
      if (block->bytes > capacity_ - in_use_) continue;
      unlink(block);
      return block;
    }
  }
  return nullptr;
}

Pool::Block* Pool::take_fresh(int size_class, int64_t bytes) {
  void* memory = system_allocate(bytes);
  if (!memory) return nullptr;
  Block* block;
  try {
    block = &blocks_[memory];
  } catch (const std::bad_alloc&) {
    system_free(memory, bytes);
    return nullptr;
  }
  *block = Block{static_cast<char*>(memory), bytes, size_class, false, nullptr, nullptr, nullptr, nullptr};
  counters.fresh_blocks.add(1);
  return block;
}

void* Pool::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > kMaxBytes) return nullptr;
  SizeClass wanted = size_class(bytes);
  for (bool retried = false;; retried = true) {
    {
      std::lock_guard<std::mutex> guard(mutex_);
      if (wanted.bytes > capacity_ - in_use_) return nullptr;
      Block* block = take_cached(wanted.index, wanted.bytes);
      if (!block) block = take_fresh(wanted.index, wanted.bytes);
      if (block) {
        block->used = true;
        in_use_ += block->bytes;
        counters.bytes_in_use.add(block->bytes);
        counters.allocations.add(1);
        return block->ptr;
      }
    }
    if (retried || trim(0) == 0) return nullptr;
  }
}

int Pool::free(void* ptr) {
  if (!ptr) return PF_OK;
  bool over;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    auto found = blocks_.find(ptr);
    if (found == blocks_.end() || !found->second.used) return PF_UNKNOWN_POINTER;
    Block* block = &found->second;
    block->used = false;
    in_use_ -= block->bytes;
    counters.bytes_in_use.add(-block->bytes);
    link(block);
    over = cached_ > limit_;
  }
  if (over) trim(-1);
  return PF_OK;
}

// Releases the oldest kept blocks until at most keep bytes (-1: the limit) are left.
int64_t Pool::trim(int64_t keep) {
  int64_t released = 0;
  for (;;) {
    char* ptr;
    int64_t bytes;
    {
      std::lock_guard<std::mutex> guard(mutex_);
      Block* block = oldest_;
      if (!block || cached_ <= (keep < 0 ? limit_ : keep)) return released;
      unlink(block);
      ptr = block->ptr;
      bytes = block->bytes;
      blocks_.erase(ptr);
    }
    system_free(ptr, bytes);  // outside the lock: giving many pages back takes a while
    released += bytes;
  }
}

int64_t Pool::set_limit(int64_t bytes) {
  int64_t previous;
  {
    std::lock_guard<std::mutex> guard(mutex_);
    previous = limit_;
    if (bytes < 0) return previous;
    limit_ = bytes;
  }
  trim(-1);
  return previous;
}

int64_t Pool::set_capacity(int64_t bytes) {
  std::lock_guard<std::mutex> guard(mutex_);
  int64_t previous = capacity_;
  if (bytes >= 0) capacity_ = bytes;
  return previous;
}

}  // namespace pf

void* pf_alloc(int64_t bytes) { return pf::Pool::get().allocate(bytes); }
int32_t pf_free(void* block) { return pf::Pool::get().free(block); }
int64_t pf_pool_limit(int64_t bytes) { return pf::Pool::get().set_limit(bytes); }
int64_t pf_pool_capacity(int64_t bytes) { return pf::Pool::get().set_capacity(bytes); }
int64_t pf_trim(void) { return pf::Pool::get().trim(0); }
