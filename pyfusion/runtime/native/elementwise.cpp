// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise launches: what each operand looks like, and which tile mode suits all of them.
#include "elementwise.h"

#include <algorithm>
#include <cstdlib>

#include "counters.h"
#include "pack.h"
#include "scratch.h"

namespace pf {

void fill_frame(const Launch& launch, Frame& frame, int64_t* begin, int64_t* end) {
  const Operand* operands = launch.kernel->range_operands();
  const int n = launch.kernel->n_range;
  for (int i = 0; i < n; ++i) {
    if (operands[i].role == PF_SCALAR) {
      frame.set_word(i, launch.range[i].ptr);
    } else {
      frame.set_line(i, launch.range[i].ptr, launch.k_total);
    }
  }
  frame.set_word(n, begin);
  frame.set_word(n + 1, end);
}

namespace {

double ns_per_element(const Kernel& kernel, int64_t packed_bytes) {
  return 0.05 + 0.02 * static_cast<double>(kernel.bytes_per_element) + 0.1 * static_cast<double>(kernel.cost) +
         0.1 * static_cast<double>(packed_bytes);
}

// --- all operands dense -------------------------------------------------------------------------------------

struct FlatJob {
  const Launch* launch;
  int64_t units;
};

void flat_body(const void* context, Parts& parts) {
  const auto& job = *static_cast<const FlatJob*>(context);
  const Launch& launch = *job.launch;
  int64_t begin, end, part;
  Frame frame;
  fill_frame(launch, frame, &begin, &end);
  while (parts.take(part)) {
    begin = part_begin(job.units, parts.count(), part) * kGrain;
    end = std::min(part_begin(job.units, parts.count(), part + 1) * kGrain, launch.k_total);
    launch.kernel->range(frame.args);
  }
}

int launch_flat(const Launch& launch) {
  counters.flat.add(1);
  FlatJob job{&launch, (launch.k_total + kGrain - 1) / kGrain};
  Split split = split_work(job.units, ns_per_element(*launch.kernel, 0) * kGrain);
  return run_parallel(split.parts, split.threads, flat_body, &job) ? PF_OK : PF_NO_MEMORY;
}

// --- some are not -------------------------------------------------------------------------------------------

bool is_dense(int rank, const int64_t* extents, const int64_t* strides) {
  int64_t expected = 1;
  for (int d = rank - 1; d >= 0; --d) {
    if (extents[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= extents[d];
  }
  return true;
}

int run_tiles(TilePlan& plan, int threads, Body body) {
  if (!reserve_scratch(Slot::Tiles, static_cast<size_t>(plan.scratch_bytes))) return PF_NO_MEMORY;
  counters.packed_bytes.add(plan.packed_bytes * plan.launch->k_total);
  return run_parallel(plan.parts, threads, body, &plan) ? PF_OK : PF_NO_MEMORY;
}

// Whether tiles of the operand are better copied across rows of that dimension.
bool is_square(const TilePlan& plan, const TiledOperand& operand, int row_dim) {
  const int64_t row_stride = operand.str[row_dim];
  if (operand.store && row_stride != 1) return false;
  return transposed(operand.itemsize, plan.ext[row_dim], row_stride, operand.str[plan.n - 1]);
}

// The dimension along which the operand is closest together, if that is not the inner one and worth a transposition.
int better_row(const TilePlan& plan, const TiledOperand& operand) {
  const int inner = plan.n - 1;
  int best = -1;
  for (int d = 0; d < inner; ++d) {
    if (!is_square(plan, operand, d)) continue;
    if (best < 0 || std::abs(operand.str[d]) < std::abs(operand.str[best])) best = d;
  }
  return best;
}

// Whether the kernel also reads what it writes: compiled loops take results for memory of their own.
bool is_read(const TilePlan& plan, const TiledOperand& result) {
  for (int i = 0; i < plan.n_strided; ++i)
    if (!plan.strided[i].store && plan.strided[i].ptr == result.ptr) return true;
  return false;
}

// Sets plan.row_dim and how each operand is presented: lines, or squares across row_dim when operands ask for it.
// Returns whether there are squares.
bool choose_rows(TilePlan& plan) {
  const int inner = plan.n - 1;
  int64_t votes[kMaxDims] = {};
  bool squares = false;
  for (int i = 0; i < plan.n_strided; ++i) {
    TiledOperand& operand = plan.strided[i];
    operand.how = operand.str[inner] == 1 && !(operand.store && is_read(plan, operand)) ? How::Direct : How::Line;
    int row = operand.how == How::Line ? better_row(plan, operand) : -1;
    if (row >= 0) votes[row] += operand.itemsize, squares = true;
  }
  plan.row_dim = inner - 1;  // -1 when there is only the inner dimension
  if (!squares) return false;
  plan.row_dim = static_cast<int>(std::max_element(votes, votes + inner) - votes);
  for (int i = 0; i < plan.n_strided; ++i) {
    TiledOperand& operand = plan.strided[i];
    if (operand.how == How::Line && is_square(plan, operand, plan.row_dim)) operand.how = How::Square;
  }
  return true;
}

int plan_boxes(TilePlan& plan) {
  const Kernel& kernel = *plan.launch->kernel;
  const bool squares = choose_rows(plan);
  const int64_t inner = plan.ext[plan.n - 1];
  const int64_t height = plan.row_dim < 0 ? 1 : plan.ext[plan.row_dim];
  int64_t line_bytes = 0, square_bytes = 0, smallest = 8;
  for (int i = 0; i < plan.n_strided; ++i) {
    const TiledOperand& operand = plan.strided[i];
    if (operand.how == How::Line) line_bytes += operand.itemsize;
    if (operand.how == How::Square) {
      square_bytes += operand.itemsize;
      smallest = std::min<int64_t>(smallest, operand.itemsize);
    }
  }
  plan.packed_bytes = line_bytes + square_bytes;
  auto even = [](int64_t extent, int64_t most) {  // tiles of about one size, in whole cache lines
    if (extent <= most) return extent;
    int64_t tiles = (extent + most - 1) / most;
    return ((extent + tiles - 1) / tiles + 63) / 64 * 64;
  };
  if (squares) {
    plan.rows = std::min(height, 256 / smallest);
    plan.cols = even(inner, std::max<int64_t>(64, kSquareBudget / (plan.rows * square_bytes) / 64 * 64));
    counters.tiles.add(1);
  } else {
    int64_t most = line_bytes ? std::clamp<int64_t>(kTileBudget / line_bytes / 64 * 64, 128, 4096) : 128 << 10;
    plan.cols = even(inner, most);
    plan.rows = std::clamp<int64_t>((16 << 10) / plan.cols, 1, height);
    counters.rows.add(1);
  }
  int64_t scratch = 0;
  for (int i = 0; i < plan.n_strided; ++i) {
    TiledOperand& operand = plan.strided[i];
    operand.scratch = scratch;
    int64_t elements = operand.how == How::Line ? plan.cols : operand.how == How::Square ? plan.rows * plan.cols : 0;
    scratch += (elements * operand.itemsize + 63) / 64 * 64;
  }
  plan.scratch_bytes = scratch;
  plan.row_tiles = (height + plan.rows - 1) / plan.rows;
  plan.col_tiles = (inner + plan.cols - 1) / plan.cols;
  plan.tiles = plan.launch->k_total / inner / height * plan.row_tiles * plan.col_tiles;
  plan.units = plan.tiles;
  double per_tile = ns_per_element(kernel, plan.packed_bytes) * static_cast<double>(plan.rows * plan.cols);
  Split split = split_work(plan.units, per_tile);
  plan.parts = split.parts;
  return split.threads;
}

// The flat index distance after which an operand repeats: its outer dimensions of stride 0 do not count.
int64_t period_of(const Dims& dims) {
  int64_t period = 1;
  for (int d = dims.n - 1; d >= 0; --d) {
    bool outer_constant = true;
    for (int k = 0; k <= d; ++k) outer_constant = outer_constant && dims.str[k] == 0;
    if (outer_constant) break;
    period *= dims.ext[d];
  }
  return period;
}

int plan_flat_tiles(TilePlan& plan) {
  const Kernel& kernel = *plan.launch->kernel;
  plan.packed_bytes = 0;
  for (int i = 0; i < plan.n_strided; ++i) plan.packed_bytes += plan.strided[i].itemsize;
  plan.length = std::clamp<int64_t>(kTileBudget / plan.packed_bytes / 64 * 64, 128, 4096);
  int64_t scratch = 0;
  for (int i = 0; i < plan.n_strided; ++i) {
    TiledOperand& operand = plan.strided[i];
    operand.period = period_of(operand.own);
    operand.how = !operand.store && operand.period <= plan.length / 2 ? How::Periodic : How::Flat;
    operand.scratch = scratch;
    int64_t elements = plan.length + (operand.how == How::Periodic ? operand.period : 0);
    scratch += (elements * operand.itemsize + 63) / 64 * 64;
  }
  plan.scratch_bytes = scratch;
  plan.units = (plan.launch->k_total + kGrain - 1) / kGrain;
  Split split = split_work(plan.units, ns_per_element(kernel, plan.packed_bytes) * kGrain);
  plan.parts = split.parts;
  counters.packed_flat.add(1);
  return split.threads;
}

int launch_tiled(const Launch& launch, int n_strided, const int* which) {
  const Kernel& kernel = *launch.kernel;
  const auto rank = static_cast<size_t>(kernel.rank());
  const auto count = static_cast<size_t>(n_strided);
  using A = Arena;
  size_t bytes = A::bytes_for<TiledOperand>(count) + 2 * A::bytes_for<void*>(count) +
                 (1 + 3 * count) * A::bytes_for<int64_t>(rank);
  Scratch memory(Slot::Plan, bytes);
  if (!memory.data()) return PF_NO_MEMORY;
  Arena arena(memory.data(), bytes);
  TilePlan plan;
  plan.launch = &launch;
  plan.n_strided = n_strided;
  plan.strided = arena.take<TiledOperand>(count);
  auto** in = arena.take<const int64_t*>(count);
  auto** out = arena.take<int64_t*>(count);
  plan.ext = arena.take<int64_t>(rank);
  for (int i = 0; i < n_strided; ++i) {
    const Bound& bound = launch.range[which[i]];
    TiledOperand& operand = plan.strided[i];
    operand.index = which[i];
    operand.itemsize = kernel.operands[static_cast<size_t>(which[i])].itemsize;
    operand.ptr = bound.ptr;
    operand.store = kernel.operands[static_cast<size_t>(which[i])].role == PF_OUT_STRIDED;
    in[i] = bound.strides;
    operand.str = out[i] = arena.take<int64_t>(rank);
  }
  plan.n = merge_dims(kernel.rank(), launch.extents, n_strided, in, plan.ext, out);
  // One dimension is walked line by line at any length.
  if (plan.n > 1 && plan.ext[plan.n - 1] <= kShortInner) {
    for (int i = 0; i < n_strided; ++i) {
      Dims& own = plan.strided[i].own;
      own.ext = arena.take<int64_t>(rank);
      own.str = arena.take<int64_t>(rank);
      own.n = merge_dims(kernel.rank(), launch.extents, 1, &in[i], own.ext, &own.str);
    }
    int threads = plan_flat_tiles(plan);
    return run_tiles(plan, threads, flat_tiles_body);
  }
  int threads = plan_boxes(plan);
  return run_tiles(plan, threads, boxes_body);
}

bool reads_a_result(const Launch& launch) {
  const Operand* operands = launch.kernel->range_operands();
  const int n = launch.kernel->n_range;
  for (int i = 0; i < n; ++i) {
    if (operands[i].role != PF_OUT_STRIDED) continue;
    for (int k = 0; k < n; ++k)
      if (operands[k].role == PF_IN_STRIDED && launch.range[k].ptr == launch.range[i].ptr) return true;
  }
  return false;
}

}  // namespace

int launch_elementwise(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  if (!kernel.strided || launch.k_total == 1) return launch_flat(launch);
  int which[PF_MAX_OPERANDS];
  int n_strided = 0;
  const bool aliased = reads_a_result(launch);  // dense or not, it goes through the scratch
  for (int i = 0; i < kernel.n_range; ++i) {
    const int64_t* strides = launch.range[i].strides;
    if (strides && (aliased || !is_dense(kernel.rank(), launch.extents, strides))) which[n_strided++] = i;
  }
  return n_strided ? launch_tiled(launch, n_strided, which) : launch_flat(launch);
}

}  // namespace pf
