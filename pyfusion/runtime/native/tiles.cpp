// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two tile modes of element-wise launches, as each thread runs them.
#include <algorithm>

#include "elementwise.h"
#include "pack.h"
#include "scratch.h"

namespace pf {

// --- flat tiles: a range of the flat logical space, packed in flat order -------------------------------------------

void flat_tiles_body(const void* context, Parts& parts) {
  const auto& plan = *static_cast<const TilePlan*>(context);
  const Launch& launch = *plan.launch;
  Scratch scratch(Slot::Tiles, static_cast<size_t>(plan.scratch_bytes));
  if (!scratch.data()) return;
  int64_t begin, end, part;
  Frame frame;
  fill_frame(launch, frame, &begin, &end);
  bool first = true;
  while (parts.take(part)) {
    if (first) {
      for (int i = 0; i < plan.n_strided; ++i) {
        const TiledOperand& operand = plan.strided[i];
        if (operand.how != How::Periodic) continue;
        // One period, then copies of what is there.
        char* tile = scratch.data() + operand.scratch;
        pack_flat(operand.itemsize, tile, operand.ptr, operand.own, 0, operand.period);
        int64_t have = operand.period, want = plan.length + operand.period;
        while (have < want) {
          int64_t n = std::min(have, want - have);
          pack_line(operand.itemsize, tile + have * operand.itemsize, tile, n, 1);
          have += n;
        }
      }
      first = false;
    }
    const int64_t stop = std::min(part_begin(plan.units, parts.count(), part + 1) * kGrain, launch.k_total);
    for (begin = part_begin(plan.units, parts.count(), part) * kGrain; begin < stop; begin = end) {
      end = std::min(begin + plan.length, stop);
      for (int i = 0; i < plan.n_strided; ++i) {
        const TiledOperand& operand = plan.strided[i];
        char* tile = scratch.data() + operand.scratch;
        if (operand.how == How::Periodic) {
          tile += begin % operand.period * operand.itemsize;
        } else if (!operand.store) {
          pack_flat(operand.itemsize, tile, operand.ptr, operand.own, begin, end);
        }
        frame.move(operand.index, tile - begin * operand.itemsize);
      }
      launch.kernel->range(frame.args);
      for (int i = 0; i < plan.n_strided; ++i) {
        const TiledOperand& operand = plan.strided[i];
        if (operand.store)
          unpack_flat(operand.itemsize, operand.ptr, scratch.data() + operand.scratch, operand.own, begin, end);
      }
    }
  }
}

// --- boxes: some rows of one dimension by some columns of the innermost one, a call a row --------------------------

namespace {

// What a thread knows of an operand in the box at hand.
struct Cursor {
  char* at;             // the element at the box's first row and column
  const char* packed;   // the source of the line in the scratch, null: none
  int64_t packed_cols;
};

void run_box(const TilePlan& plan, int64_t box, char* scratch, Frame& frame, Cursor* cursors, int64_t& begin, int64_t& end) {
  const int inner = plan.n - 1, row_dim = plan.row_dim;
  int64_t rest = box / plan.col_tiles;
  const int64_t col = (box - rest * plan.col_tiles) * plan.cols;
  const int64_t cols = std::min(plan.cols, plan.ext[inner] - col);
  int64_t outer = rest / plan.row_tiles;
  const int64_t row = (rest - outer * plan.row_tiles) * plan.rows;
  const int64_t rows = row_dim < 0 ? 1 : std::min(plan.rows, plan.ext[row_dim] - row);

  int64_t index[kMaxDims];
  int64_t flat = 0, row_pitch = 0, extent = 1;
  for (int d = inner; d >= 0; --d) {
    if (d == inner) {
      index[d] = col;
    } else if (d == row_dim) {
      index[d] = row;
      row_pitch = extent;
    } else {
      int64_t above = outer / plan.ext[d];
      index[d] = outer - above * plan.ext[d];
      outer = above;
    }
    flat += index[d] * extent;
    extent *= plan.ext[d];
  }
  for (int i = 0; i < plan.n_strided; ++i) {
    const TiledOperand& operand = plan.strided[i];
    int64_t offset = 0;
    for (int d = 0; d <= inner; ++d) offset += index[d] * operand.str[d];
    cursors[i].at = operand.ptr + offset * operand.itemsize;
    if (operand.how == How::Square && !operand.store)
      pack_transposed(operand.itemsize, scratch + operand.scratch, plan.cols, cursors[i].at, rows, cols,
                      operand.str[row_dim], operand.str[inner]);
  }
  for (int64_t r = 0; r < rows; ++r) {
    begin = flat + r * row_pitch;
    end = begin + cols;
    for (int i = 0; i < plan.n_strided; ++i) {
      const TiledOperand& operand = plan.strided[i];
      char* line;
      if (operand.how == How::Square) {
        line = scratch + operand.scratch + r * plan.cols * operand.itemsize;
      } else {
        line = cursors[i].at + (row_dim < 0 ? 0 : r * operand.str[row_dim] * operand.itemsize);
        if (operand.how == How::Line) {
          char* tile = scratch + operand.scratch;
          if (!operand.store && (cursors[i].packed != line || cursors[i].packed_cols < cols)) {
            pack_line(operand.itemsize, tile, line, cols, operand.str[inner]);
            cursors[i].packed = line;
            cursors[i].packed_cols = cols;
          }
          line = tile;
        }
      }
      frame.move(operand.index, line - begin * operand.itemsize);
    }
    plan.launch->kernel->range(frame.args);
    for (int i = 0; i < plan.n_strided; ++i) {
      const TiledOperand& operand = plan.strided[i];
      if (operand.store && operand.how == How::Line)
        unpack_line(operand.itemsize, cursors[i].at + (row_dim < 0 ? 0 : r * operand.str[row_dim] * operand.itemsize),
                    scratch + operand.scratch, cols, operand.str[inner]);
    }
  }
  for (int i = 0; i < plan.n_strided; ++i) {
    const TiledOperand& operand = plan.strided[i];
    if (operand.store && operand.how == How::Square)  // its rows are one element apart: what it is read as has columns
      pack_transposed(operand.itemsize, cursors[i].at, operand.str[inner], scratch + operand.scratch, cols, rows, 1,
                      plan.cols);
  }
}

}  // namespace

void boxes_body(const void* context, Parts& parts) {
  const auto& plan = *static_cast<const TilePlan*>(context);
  Scratch scratch(Slot::Tiles, static_cast<size_t>(plan.scratch_bytes));
  if (!scratch.data()) return;
  int64_t begin, end, part;
  Frame frame;
  fill_frame(*plan.launch, frame, &begin, &end);
  Cursor cursors[PF_MAX_OPERANDS];
  for (int i = 0; i < plan.n_strided; ++i) cursors[i].packed = nullptr;
  while (parts.take(part)) {
    const int64_t stop = part_begin(plan.units, parts.count(), part + 1);
    for (int64_t box = part_begin(plan.units, parts.count(), part); box < stop; ++box)
      run_box(plan, box, scratch.data(), frame, cursors, begin, end);
  }
}

}  // namespace pf
