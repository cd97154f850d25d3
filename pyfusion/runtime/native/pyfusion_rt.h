// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native run time of pyfusion: buffers, threads and kernel launches. A plain C ABI, loaded through ctypes.
// Every function is safe to call from any thread, never throws and never aborts.
#ifndef PYFUSION_RT_H
#define PYFUSION_RT_H

#include <stdint.h>

#if defined(__GNUC__)
#define PF_API extern "C" __attribute__((visibility("default")))
#else
#define PF_API extern "C"
#endif

enum {
  PF_OK = 0,
  PF_NO_MEMORY = -1,        // nothing has run and nothing is left allocated
  PF_INVALID = -2,          // malformed spec, negative extent, null pointer, ...
  PF_UNKNOWN_POINTER = -3,  // not a live block of the pool (or freed twice)
  PF_UNKNOWN_KERNEL = -4,   // not a live kernel handle
};

// PF_PLACES is added to the kind of a reduction that finds places (argmax): it has a second array of partial
// results, of int64, beside the first, and is given the place of the first element of a tile. Range:
// [operands, partials, places, first place, rows, columns]; finish: [partials, operands, places, count, begin, end].
enum { PF_ELEMENTWISE = 0, PF_ROW = 1, PF_COL = 2, PF_PLACES = 4 };

enum {
  PF_IN_DENSE = 0,    // word: pointer
  PF_IN_STRIDED = 1,  // words: pointer, then one stride per dimension in elements
  PF_OUT = 2,         // word: pointer, or 0 to have it allocated (the pointer is written back)
  PF_INOUT = 3,       // word: pointer to a dense buffer that is read and written
  PF_UNIFORM = 4,     // word: pointer to one element
  PF_SCALAR = 5,      // word: the bits of the value
  PF_OUT_STRIDED = 6,  // words as PF_IN_STRIDED, of memory that is written; of element-wise kernels of the CPU alone.
                       // It may also be an operand that is read, at the same pointer, with the same strides.
};

enum { PF_MAX_OPERANDS = 256, PF_MAX_RANK = 64 };

PF_API int32_t pf_abi_version(void);
// The function of a kernel that copies one operand to one result of 1, 2, 4 or 8 bytes an element; null for others.
PF_API void* pf_copy_function(int32_t itemsize);
PF_API const char* pf_error_text(int32_t code);

// --- memory pool --------------------------------------------------------------------------------------------
// Blocks are aligned to 64 bytes. A freed block is kept for reuse; the kept bytes are bounded, oldest go first.
PF_API void* pf_alloc(int64_t bytes);  // null when out of memory; 0 bytes give a distinct block
PF_API int32_t pf_free(void* block);   // null is fine
// Both set a bound when bytes >= 0 and return the previous one.
PF_API int64_t pf_pool_limit(int64_t bytes);     // on the kept bytes; default: a quarter of memory, at most 2 GiB
PF_API int64_t pf_pool_capacity(int64_t bytes);  // on the bytes in use; default: unbounded
PF_API int64_t pf_trim(void);                    // releases every kept block, returns their bytes

// --- threads ------------------------------------------------------------------------------------------------
// n <= 0 asks for the default (PYFUSION_THREADS, else the CPUs this process may use). Returns the number in force.
PF_API int32_t pf_set_threads(int32_t n);
PF_API int32_t pf_threads(void);

// --- kernels ------------------------------------------------------------------------------------------------
// spec = [kind, nk1, nr, nk2, acc_itemsize, cost, n_range, (role, itemsize)..., n_finish, (role, itemsize)...]
// cost is the work per element beyond its memory traffic, in units of about 0.1 ns of one core.
// Returns a handle (> 0) or a negative error code.
PF_API int64_t pf_kernel_create(void* range_fn, void* finish_fn, const int64_t* spec);
PF_API int32_t pf_kernel_destroy(int64_t handle);
// words = [extents, range operands, finish operands]; see the roles.
PF_API int32_t pf_launch(int64_t handle, int64_t* words);
PF_API void pf_set_timing(int32_t on);
PF_API int64_t pf_last_ns(int64_t handle);  // of the last launch made with timing on, else 0

// --- counters -----------------------------------------------------------------------------------------------
// [kernels launched, allocations, bytes bound as outputs, bytes in use, bytes kept]; they only grow, save the last two.
PF_API void pf_counters(int64_t* five);
// The five above, then: blocks taken from the system, launches that used several threads, launches by tile mode
// (flat, packed flat, rows, transposed tiles, reductions by block, reductions by chunk), bytes packed.
// Writes at most n, returns how many there are.
PF_API int32_t pf_stats(int64_t* out, int32_t n);

#endif  // PYFUSION_RT_H
