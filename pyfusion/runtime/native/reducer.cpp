// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of one thread in a reduction: presents tiles to the range part, then the partials to the finish part.
#include <algorithm>

#include "pack.h"
#include "reduce.h"

namespace pf {

Reducer::Reducer(const ReducePlan& plan, char* scratch) : plan_(plan), scratch_(scratch) {
  const Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  const Operand* operands = kernel.range_operands();
  for (int i = 0; i < kernel.n_range; ++i) {
    if (operands[i].tiled()) {
      range_.set_tile(i, launch.range[i].ptr, 0, 0, 0);
    } else if (operands[i].role == PF_SCALAR) {
      range_.set_word(i, launch.range[i].ptr);
    } else {
      range_.set_line(i, launch.range[i].ptr, 1);
    }
  }
  int next = kernel.n_range + 1;
  if (kernel.places) {
    range_.set_word(next + 1, &first_);
    next += 2;
  }
  range_.set_word(next, &rows_);
  range_.set_word(next + 1, &cols_);

  operands = kernel.finish_operands();
  for (int i = 0; i < kernel.n_finish; ++i) {
    if (operands[i].role == PF_SCALAR) {
      finish_.set_word(1 + i, launch.finish[i].ptr);
    } else {
      finish_.set_line(1 + i, launch.finish[i].ptr, launch.k_total);
    }
  }
  count_ = launch.r_total;
  next = kernel.n_finish + (kernel.places ? 2 : 1);
  finish_.set_word(next, &count_);
  finish_.set_word(next + 1, &begin_);
  finish_.set_word(next + 2, &end_);
  for (int i = 0; i < plan.n_range; ++i) packed_cols_[i] = {-1, -1};
}

void Reducer::present(const RangeOperand& operand, int i, int64_t k_begin, int64_t k_end, int64_t r_begin,
                      int64_t r_end) {
  const int size = operand.itemsize;
  if (!operand.packed) {
    int64_t offset, k_stride, r_stride = operand.reduced.n ? operand.reduced.str[0] : 0;
    if (plan_.across_runs) {
      offset = operand.kept.locate(k_begin);
      k_stride = operand.kept.n ? operand.kept.str[0] : 0;
    } else {
      Dims merged;
      merged.n = plan_.kn;
      merged.ext = plan_.k_ext;
      merged.str = const_cast<int64_t*>(operand.k_str);
      offset = merged.locate(k_begin);
      k_stride = plan_.kn ? operand.k_str[plan_.kn - 1] : 0;
    }
    offset += r_begin * r_stride;
    range_.set_tile(operand.index, const_cast<char*>(operand.ptr) + offset * size, rows_, cols_,
                    plan_.row_form ? k_stride : r_stride);
    return;
  }
  const bool row_form = plan_.row_form;
  const Dims &row_dims = operand.rows(row_form), &col_dims = operand.cols(row_form);
  const int64_t row_begin = row_form ? k_begin : r_begin, row_end = row_form ? k_end : r_end;
  const int64_t col_begin = row_form ? r_begin : k_begin, col_end = row_form ? r_end : k_end;
  char* tile = scratch_ + operand.scratch;
  if (operand.one_row) {
    auto& packed = packed_cols_[i];
    if (packed.begin != col_begin || packed.end != col_end)
      pack_flat(size, tile, operand.ptr, col_dims, col_begin, col_end);
    packed = {col_begin, col_end};
    range_.set_tile(operand.index, tile, rows_, cols_, 0);
    return;
  }
  for (int64_t row = row_begin; row < row_end;) {
    int64_t inner = 0;
    int64_t offset = row_dims.locate(row, &inner);
    int64_t n = std::min(row_end - row, row_dims.inner_extent() - inner);
    pack_tile(size, tile + (row - row_begin) * operand.ld * size, operand.ld, operand.ptr + offset * size, n,
              row_dims.inner_stride(), col_dims, col_begin, col_end);
    row += n;
  }
  range_.set_tile(operand.index, tile, rows_, cols_, operand.ld);
}

void Reducer::reduce(int64_t k_begin, int64_t k_end, int64_t chunk_begin, int64_t chunk_end, const Partials& partials) {
  const Kernel& kernel = *plan_.launch->kernel;
  const int64_t r_total = plan_.launch->r_total;
  for (int64_t a = k_begin, b; a < k_end; a = b) {
    b = std::min(k_end, a + plan_.tile);
    if (plan_.kn > 1 && !plan_.across_runs) b = std::min(b, a - a % plan_.run + plan_.run);
    for (int64_t c = chunk_begin; c < chunk_end; ++c) {
      const int64_t r_begin = c * plan_.chunk, r_end = std::min(r_begin + plan_.chunk, r_total);
      rows_ = plan_.row_form ? b - a : r_end - r_begin;
      cols_ = plan_.row_form ? r_end - r_begin : b - a;
      for (int i = 0; i < plan_.n_range; ++i) present(plan_.range[i], i, a, b, r_begin, r_end);
      const int64_t at = c * partials.ld + a - partials.base;
      range_.set_line(kernel.n_range, partials.data + at * kernel.acc_itemsize, b - a);
      if (kernel.places) {
        first_ = r_begin;
        range_.set_line(kernel.n_range + 1, partials.places + at * 8, b - a);
      }
      kernel.range(range_.args);
    }
  }
}

void Reducer::finish(int64_t k_begin, int64_t k_end, const Partials& partials) {
  const Kernel& kernel = *plan_.launch->kernel;
  begin_ = k_begin;
  end_ = k_end;
  finish_.set_tile(0, partials.data - partials.base * kernel.acc_itemsize, plan_.nchunks, k_end, partials.ld);
  if (kernel.places)
    finish_.set_tile(kernel.n_finish + 1, partials.places - partials.base * 8, plan_.nchunks, k_end, partials.ld);
  for (int i = 0; i < plan_.n_finish; ++i) {
    const FinishOperand& operand = plan_.finish[i];
    char* tile = scratch_ + operand.scratch;
    pack_flat(operand.itemsize, tile, operand.ptr, operand.kept, k_begin, k_end);
    finish_.move(1 + operand.index, tile - k_begin * operand.itemsize);
  }
  kernel.finish(finish_.args);
}

}  // namespace pf
