// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters.h"

#include "pyfusion_gpu.h"
#include "pyfusion_rt.h"

namespace pf {
Counters counters;
}

namespace {
const pf::Counter* const kAll[] = {
    &pf::counters.launches,      &pf::counters.allocations,   &pf::counters.output_bytes,
    &pf::counters.bytes_in_use,  &pf::counters.bytes_cached,  &pf::counters.fresh_blocks,
    &pf::counters.parallel_launches, &pf::counters.flat,      &pf::counters.packed_flat,
    &pf::counters.rows,          &pf::counters.tiles,         &pf::counters.reduce_blocks,
    &pf::counters.reduce_chunks, &pf::counters.packed_bytes,
};
constexpr int32_t kCount = sizeof(kAll) / sizeof(kAll[0]);
}  // namespace

int32_t pf_stats(int64_t* out, int32_t n) {
  for (int32_t i = 0; i < n && i < kCount; ++i) out[i] = kAll[i]->get();
  return kCount;
}

void pf_counters(int64_t* five) { pf_stats(five, 5); }

int32_t pf_abi_version(void) { return 3; }

const char* pf_error_text(int32_t code) {
  switch (code) {
    case PF_OK: return "ok";
    case PF_NO_MEMORY: return "out of memory";
    case PF_INVALID: return "invalid argument";
    case PF_UNKNOWN_POINTER: return "not a live block of the pool";
    case PF_UNKNOWN_KERNEL: return "not a live kernel";
    case PF_TOO_LARGE: return "too many elements for a GPU kernel";
    case PF_NO_DRIVER: return "no GPU driver";
    case PF_NO_DEVICE: return "no such GPU";
    case PF_BAD_BINARY: return "the GPU driver does not take the code";
    case PF_DEVICE_ERROR: return "error of the GPU driver";
    default: return "unknown error";
  }
}
