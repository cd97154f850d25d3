// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of GPU kernels, on CUDA and on HIP: part of libpyfusion_rt. The drivers are loaded at first use; nothing
// here needs their headers. Every function is safe to call from any thread, never throws, never aborts and prints
// nothing: it returns a code, and pf_gpu_error has the text of the last error of the calling thread.
#ifndef PYFUSION_GPU_H
#define PYFUSION_GPU_H

#include "pyfusion_rt.h"

// Codes beside those of pyfusion_rt.h.
enum {
  PF_TOO_LARGE = -5,     // more elements than the kernels can count and no dimension to split; nothing has run
  PF_NO_DRIVER = -6,     // no driver library, one without a function that is needed, or it does not start
  PF_NO_DEVICE = -7,     // no device of that number
  PF_BAD_BINARY = -8,    // the driver does not take the kernel's code
  PF_DEVICE_ERROR = -9,  // any other error of the driver
};

enum { PF_CUDA = 0, PF_HIP = 1 };

// --- drivers ------------------------------------------------------------------------------------------------
// PYFUSION_CUDA_LIBRARY and PYFUSION_HIP_LIBRARY override the file that is loaded.
PF_API int32_t pf_gpu_count(int32_t api);  // of devices (0: a driver but no device), or a code
// Writes at most n bytes with the final 0; returns the length of the whole, or a code.
PF_API int32_t pf_gpu_name(int32_t api, int32_t device, char* buffer, int32_t n);
PF_API int32_t pf_gpu_arch(int32_t api, int32_t device, char* buffer, int32_t n);  // "sm_90", "gfx942"
PF_API int32_t pf_gpu_error(char* buffer, int32_t n);

// --- kernels ------------------------------------------------------------------------------------------------
// The host functions of a kernel, compiled from MLIR or not, take one array of pointers to their arguments. A kernel
// has one for each variant it was compiled for:
enum {
  PF_FLAT = 0,     // element-wise, without strided operands
  PF_ROWS = 1,     // element-wise, vectors along the inner dimension
  PF_STRIDED = 2,  // element-wise, any strides
  PF_TILE = 3,     // element-wise, operands that are contiguous along different dimensions
  PF_REDUCE = 4,   // the range part of a reduction (and its finish part where one step does)
  PF_FINISH = 5,   // the finish part, of partial results
};
//
// Arguments: stream (pointer), grid (blocks along x), integer parameters, then operands. Integers have 64 bits. An
// operand is a memref<?xT> (a pointer to a pointer to {allocated, aligned, offset = 0, size, stride = 1}), for a
// PF_IN_STRIDED followed by its strides in elements, one for each dimension of its part; a PF_SCALAR is its word.
// Below, e and s are extents and strides after collapsing, which keeps the number of dimensions: leading extents of 1
// (strides 0) fill up. "divs" are three integers (extent d, magic, shift) for each dimension that is named:
//   x / d = (umulhi32(x, magic) + x) >> shift  for 0 <= x < 2^31, the sum in 32 bits, unsigned.
//
//  PF_FLAT     n, aligned
//  PF_ROWS     groups, divs of dimensions 1..R-1 (the last in groups of V), [first]
//  PF_STRIDED  total, divs of dimensions 1..R-1, [first]
//  PF_TILE     ea, eb, div(tiles along a), div(tiles along b), divs of dimensions 1..R-3, linear strides of dimensions
//              0..R-2, mask, mirror, [first]; dimensions are ordered [batch..., b, a] here, for strides of operands, too
//              mirror: the extents a and b are equal, and tile (i, j) is followed by (j, i), so that an operand read both
//              ways comes from memory once. With n = tiles along b, rounded up to even, block / 2 counts n / 2 rows of
//              n + 1 tiles (the two divs), rows r and n - 1 - r of the lower triangle; odd blocks are (j, i).
//    [first], the linear index of the first element, only with PF_SPEC_IOTA.
//    With an inner flag of 0 the stride along the inner dimension is 0 in PF_ROWS: another variant is chosen else.
//  PF_REDUCE   row: K, R, log2T, div(row blocks), chunk, chunks, vec, divs of kept dimensions 1.., of reduced 1..
//              col: K1, R, K2, log2T, div(column blocks), div(K1 * column blocks), chunk, chunks, vec,
//                   divs of lead dimensions 1.., of reduced 1.., of trail 1..
//              range operands (strides over all dimensions), finish operands (over the kept ones), partials, [places]
//  PF_FINISH   K, R, chunks, log2Tf, divs of kept dimensions 1..; finish operands, partials, [places]
//    partials are [chunks][K] accumulators, places (only with PF_PLACES) [chunks][K] int64; null when chunks is 1.
//    The shape of the tree follows from the logical shape, and V, for floats, from the type that is summed. For row, with B the threads of a block:
//      G = ceil(R / V); T = clamp(pow2ceil(ceil(G / 8)), 1, B); blocks = ceil(K / (B / T)); steps = ceil(G / T)
//    and for col: T = clamp(pow2ceil(ceil(K2 / V)), 1, 32); column blocks = ceil(K2 / (T * V));
//      blocks = K1 * column blocks; steps = ceil(R / (B / T));
//    for both: c = blocks < 2048 and steps > 16 ? min(ceil(steps / 16), ceil(2048 / blocks)) : 1;
//      c = max(c, ceil(steps / 64)); chunk = ceil(steps / c) * (row: T * V, col: B / T);
//      chunks = max(1, ceil(R / chunk)); Tf = clamp(pow2ceil(ceil(chunks / 8)), 1, B of PF_FINISH).
//    When the grid or the number of results is too large for one launch, there is one for each part of the outermost
//    kept dimension; K and K1 are then those of the part, chunk and chunks those of the whole.
//    R >= 2^31 with more than one (static) reduced dimension, or K2 >= 2^31, is PF_TOO_LARGE.
//
// spec = [kind, nk1, nr, nk2, acc_itemsize, api, device, flags, n_functions, (variant, V, U, block)...,
//         n_range, (role, itemsize, inner)..., n_finish, (role, itemsize, inner)...]
// kind: PF_ELEMENTWISE (R = nk1, the other two 0), PF_ROW (nk2 = 0) or PF_COL, the last two with PF_PLACES perhaps.
// V: elements of a vector access; U: vectors of a thread (PF_STRIDED: elements; PF_TILE: the edge of a tile);
// block: threads of a block. V, block and the edge are powers of two.
// inner: 1 when the operand varies along the inner dimension, the last of those that vectors run along (row: reduced).
enum { PF_SPEC_IOTA = 1 };
// functions: n_functions addresses in the order of the spec. Needed are: PF_FLAT without strided operands, PF_STRIDED
// with some, PF_REDUCE and PF_FINISH for a reduction. Touches no driver. Returns a handle (> 0) or a code.
PF_API int64_t pf_gpu_kernel_create(void* const* functions, const int64_t* spec);
PF_API int32_t pf_gpu_kernel_destroy(int64_t handle);
// Loads the code of every function on the kernel's device now, which the first launch would do else.
PF_API int32_t pf_gpu_preload(int64_t handle);
// words = [extents, range operands, finish operands] as for pf_launch (pyfusion_rt.h), with pointers of the device;
// those of the outputs are given. scratch: device memory of pf_gpu_scratch bytes, aligned to 256, in use until the
// stream has passed the launch; may be null when that is 0. Asynchronous: PF_OK says that all was put on the stream.
PF_API int32_t pf_gpu_launch(int64_t handle, const int64_t* words, void* stream, void* scratch);
PF_API int64_t pf_gpu_scratch(int64_t handle, const int64_t* words);  // bytes, or a code
// Calls of pf_gpu_launch that succeeded, then kernels put on a stream, by variant (six), launches that were split,
// code loaded, functions looked up. They only grow. Writes at most n, returns how many there are.
PF_API int32_t pf_gpu_counters(int64_t* out, int32_t n);

// --- what compiled host code calls --------------------------------------------------------------------------
// The names and signatures that MLIR gives them. Constructors of JIT-ed code (ExecutionEngine.initialize runs them)
// call the first two before a device is chosen: they only remember the code, which stays the caller's and in place
// until mgpuModuleUnload. It is loaded when a launch first needs it, once for each device. Errors become that of the
// pf_gpu_launch that is under way.
PF_API void* mgpuModuleLoad(void* data, uint64_t bytes);
PF_API void* mgpuModuleLoadJIT(char* text, int32_t optimization);  // text ends with 0
PF_API void mgpuModuleUnload(void* module);
PF_API void* mgpuModuleGetFunction(void* module, const char* name);
PF_API void mgpuLaunchKernel(void* function, int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                             int64_t block_y, int64_t block_z, int32_t shared_bytes, void* stream, void** parameters,
                             void** extra, uint64_t n_parameters);
// A launch_func without a stream makes one, waits and destroys it. Here it has the stream of the pf_gpu_launch that is
// under way, and the other two do nothing.
PF_API void* mgpuStreamCreate(void);
PF_API void mgpuStreamSynchronize(void* stream);
PF_API void mgpuStreamDestroy(void* stream);
// Kernels need nothing else: these are errors.
PF_API void mgpuLaunchClusterKernel(void* function, int64_t cluster_x, int64_t cluster_y, int64_t cluster_z,
                                    int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                                    int64_t block_z, int32_t shared_bytes, void* stream, void** parameters,
                                    void** extra, uint64_t n_parameters);
PF_API void mgpuStreamWaitEvent(void* stream, void* event);
PF_API void* mgpuEventCreate(void);
PF_API void mgpuEventDestroy(void* event);
PF_API void mgpuEventSynchronize(void* event);
PF_API void mgpuEventRecord(void* event, void* stream);
PF_API void* mgpuMemAlloc(uint64_t bytes, void* stream, uint8_t host_shared);
PF_API void mgpuMemFree(void* pointer, void* stream);
PF_API void mgpuMemcpy(void* to, void* from, uint64_t bytes, void* stream);
PF_API void mgpuMemset32(void* to, uint32_t value, uint64_t count, void* stream);
PF_API void mgpuMemset16(void* to, uint16_t value, uint64_t count, void* stream);
PF_API void mgpuSetDefaultDevice(int32_t device);

#endif  // PYFUSION_GPU_H
