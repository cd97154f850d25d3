// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_REDUCE_H
#define PYFUSION_REDUCE_H

#include "dims.h"
#include "kernel.h"
#include "threads.h"

namespace pf {

// Part of the contract: the tree of a sum depends on these and the logical shape alone.
constexpr int64_t kRowChunk = 16384;  // reduced elements a chunk, when the last dimension is reduced
constexpr int64_t kColChunk = 256;    // reduced rows a chunk, when it is kept

// An operand of the range part: a 2-D tile, kept by reduced (row form) or reduced by kept (col form).
struct RangeOperand {
  int index;  // in the range operands
  int itemsize;
  bool packed;
  bool one_row;  // every row of the tile is the same: one is packed, with row stride 0
  const char* ptr;
  const int64_t* k_str;  // along the kept dimensions that all operands together can merge
  Dims kept, reduced;    // merged for itself alone
  int64_t scratch, ld;   // its tile in the thread's scratch, elements from row to row
  const Dims& rows(bool row_form) const { return row_form ? kept : reduced; }
  const Dims& cols(bool row_form) const { return row_form ? reduced : kept; }
};

// A strided operand of the finish part, packed in flat order over the kept elements.
struct FinishOperand {
  int index;  // in the finish operands
  int itemsize;
  const char* ptr;
  Dims kept;
  int64_t scratch;
};

struct ReducePlan {
  const Launch* launch;
  bool row_form;
  int n_range, n_finish;
  RangeOperand* range;
  FinishOperand* finish;

  int kn;  // kept dimensions merged for all range operands
  int64_t* k_ext;
  int64_t run;  // the innermost of them: rows (columns) that a direct operand walks with one stride
  bool across_runs;  // runs are so short that tiles span several; what cannot follow is packed
  int64_t chunk, nchunks;

  // Kept elements are worked on in blocks of at most len; group is the run that blocks do not cross.
  int64_t group, len, blocks_per_group, blocks;
  int64_t tile;  // kept elements in one call
  int64_t range_bytes, finish_bytes, partial_bytes;  // of a thread's scratch
  int64_t packed_bytes;  // per element, for the statistics

  int64_t block_begin(int64_t block) const {
    int64_t g = block / blocks_per_group;
    int64_t begin = g * group + (block - g * blocks_per_group) * len;
    return begin < launch->k_total ? begin : launch->k_total;
  }
  int64_t block_end(int64_t block) const { return block + 1 < blocks ? block_begin(block + 1) : launch->k_total; }
};

// The partial results of some kept elements: [nchunks, ld], where column 0 is the kept element base.
struct Partials {
  char *data, *places;
  int64_t base, ld;
};

// Of one partial result, its place included.
inline int64_t partial_itemsize(const Kernel& kernel) { return kernel.acc_itemsize + (kernel.places ? 8 : 0); }
// Memory for count of them, and the places in it.
inline int64_t partials_bytes(const Kernel& kernel, int64_t count) {
  int64_t bytes = (count * kernel.acc_itemsize + 63) / 64 * 64;
  return bytes + (kernel.places ? 8 * count : 0);
}
inline Partials make_partials(const Kernel& kernel, char* data, int64_t count, int64_t base, int64_t ld) {
  return {data, data + (count * kernel.acc_itemsize + 63) / 64 * 64, base, ld};
}

// One thread's view of a reduction.
class Reducer {
 public:
  Reducer(const ReducePlan& plan, char* scratch);
  void reduce(int64_t k_begin, int64_t k_end, int64_t chunk_begin, int64_t chunk_end, const Partials& partials);
  void finish(int64_t k_begin, int64_t k_end, const Partials& partials);

 private:
  void present(const RangeOperand& operand, int i, int64_t k_begin, int64_t k_end, int64_t r_begin, int64_t r_end);

  const ReducePlan& plan_;
  char* scratch_;
  int64_t first_, rows_, cols_, count_, begin_, end_;
  struct {
    int64_t begin, end;
  } packed_cols_[PF_MAX_OPERANDS];
  Frame range_, finish_;
};

}  // namespace pf

#endif  // PYFUSION_REDUCE_H
