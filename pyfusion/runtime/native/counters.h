// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_COUNTERS_H
#define PYFUSION_COUNTERS_H

#include <atomic>
#include <cstdint>

namespace pf {

struct Counter {
  std::atomic<int64_t> value{0};
  void add(int64_t n) { value.fetch_add(n, std::memory_order_relaxed); }
  int64_t get() const { return value.load(std::memory_order_relaxed); }
};

// In the order of pf_stats.
struct Counters {
  Counter launches, allocations, output_bytes, bytes_in_use, bytes_cached;
  Counter fresh_blocks, parallel_launches;
  Counter flat, packed_flat, rows, tiles, reduce_blocks, reduce_chunks;
  Counter packed_bytes;
};

extern Counters counters;

}  // namespace pf

#endif  // PYFUSION_COUNTERS_H
