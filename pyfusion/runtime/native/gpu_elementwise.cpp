// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise kernels: which variant suits the operands of a launch.
#include <cstdlib>

#include "gpu_error.h"
#include "gpu_kernel.h"

namespace pf::gpu {
namespace {

constexpr int64_t kTileWorthwhile = 16;  // elements along both dimensions
constexpr int kMaskBits = 32;

struct Plan {
  Launch* launch;
  int rank;             // the kernel's
  int n;                // dimensions after collapsing
  int64_t* ext;
  int64_t* lin;         // strides of the dense operands
  int64_t total;        // elements of the whole
  int n_operands;

  const Bound* begin() const { return launch->range; }
  const Bound* end() const { return launch->range + n_operands; }
};

bool dense_aligned(const Plan& plan, int64_t vector) {
  for (const Bound& b : plan)
    if (b.operand->dense() && !aligned(b.ptr, access_bytes(vector, b))) return false;
  return true;
}

int launch_flat(Plan& plan) {
  Launch& launch = *plan.launch;
  const Variant& variant = launch.kernel->variants[PF_FLAT];
  const int64_t each = variant.block * variant.vector * variant.unroll;
  // A range counts from 0 in each launch: a kernel with one is not split.
  const int64_t most = launch.kernel->iota ? plan.total : launch.kernel->most_blocks(variant.block) * each;
  if (plan.total > most) gpu_counters.splits.fetch_add(1, std::memory_order_relaxed);
  const bool whole = dense_aligned(plan, variant.vector);
  for (int64_t first = 0; first < plan.total; first += most) {
    const int64_t count = std::min(most, plan.total - first);
    if (int code = begin(launch, PF_FLAT, ceil_div(count, each))) return code;
    launch.call.integer(count);
    launch.call.integer(whole);
    for (const Bound& b : plan) launch.call.operand(b, first, plan.total);
    if (int code = run(launch, PF_FLAT)) return code;
  }
  return PF_OK;
}

bool rows_fit(const Plan& plan, const Variant& variant) {
  const int64_t v = variant.vector;
  const int inner = plan.n - 1;
  if ((plan.n ? plan.ext[inner] : 1) % v != 0 || !dense_aligned(plan, v)) return false;
  for (const Bound& b : plan) {
    if (!b.operand->strided() || plan.n == 0) continue;
    if (!b.operand->inner) {
      if (b.str[inner] != 0) return false;
      continue;
    }
    if (b.str[inner] != 1 || !aligned(b.ptr, access_bytes(v, b))) return false;
    for (int d = 0; d < inner; ++d)
      if (b.str[d] % v != 0) return false;
  }
  return true;
}

// A box of PF_ROWS or PF_STRIDED.
int launch_box(Plan& plan, int which, const Boxes& boxes) {
  Launch& launch = *plan.launch;
  const Variant& variant = launch.kernel->variants[which];
  const int fill = plan.rank - plan.n;
  int64_t count = 1;
  for (int d = 0; d < plan.n; ++d) count *= boxes.extents()[d];
  if (int code = begin(launch, which, ceil_div(count, variant.block * variant.unroll))) return code;
  const int64_t first = boxes.offset(plan.lin);
  Call& call = launch.call;
  call.integer(count);
  call.divs(fill, boxes.extents(), plan.n);
  if (launch.kernel->iota) call.integer(first);
  for (const Bound& b : plan) {
    call.operand(b, b.operand->strided() ? boxes.offset(b.str) : first, plan.total);
    if (b.operand->strided()) call.filled(fill, 0, b.str, plan.n);
  }
  return run(launch, which);
}

// Operands that vary along the inner dimension, but are not close together there.
template <class Each>
void for_each_crossing(const Plan& plan, Each each) {
  int k = 0;
  for (const Bound& b : plan) {
    if (!b.operand->strided() || !b.operand->inner) continue;
    if (k < kMaskBits && std::abs(b.str[plan.n - 1]) > 1) each(b, k);
    ++k;
  }
}

// The dimension along which most of them are contiguous, or -1.
int crossing_dim(const Plan& plan) {
  if (plan.n < 2 || plan.ext[plan.n - 1] < kTileWorthwhile) return -1;
  int best = -1, most = 0;
  for (int d = plan.n - 2; d >= 0; --d) {
    if (plan.ext[d] < kTileWorthwhile) continue;
    int votes = 0;
    for_each_crossing(plan, [&](const Bound& b, int) { votes += b.str[d] == 1; });
    if (votes > most) most = votes, best = d;
  }
  return best;
}

// A box of PF_TILE, whose dimensions are taken in the order [others..., b, the last].
int launch_tiles(Plan& plan, int b_dim, const Boxes& boxes) {
  Launch& launch = *plan.launch;
  const int64_t edge = launch.kernel->variants[PF_TILE].unroll;
  const int batch_dims = plan.n - 2, fill = plan.rank - plan.n;
  int64_t extents[kMaxDims], strides[kMaxDims];
  auto in_order = [&](const int64_t* values, int64_t* out) {
    int n = 0;
    for (int d = 0; d < plan.n - 1; ++d)
      if (d != b_dim) out[n++] = values[d];
    out[n++] = values[b_dim];
    out[n] = values[plan.n - 1];
  };
  in_order(boxes.extents(), extents);
  int64_t batch = 1;
  for (int d = 0; d < batch_dims; ++d) batch *= extents[d];
  const int64_t ea = extents[batch_dims + 1], eb = extents[batch_dims];
  const int64_t tiles_a = ceil_div(ea, edge), tiles_b = ceil_div(eb, edge);
  // In a square the tiles (i, j) and (j, i) follow on each other, see the header.
  const bool mirror = ea == eb;
  const int64_t rows = mirror ? ceil_div(tiles_b, 2) : tiles_b, columns = mirror ? 2 * rows + 1 : tiles_a;
  if (int code = begin(launch, PF_TILE, batch * rows * columns * (mirror ? 2 : 1))) return code;
  int64_t mask = 0;
  for_each_crossing(plan, [&](const Bound& b, int k) {
    if (b.str[b_dim] == 1) mask |= int64_t{1} << k;
  });
  const int64_t first = boxes.offset(plan.lin);
  Call& call = launch.call;
  call.integer(ea);
  call.integer(eb);
  call.div(columns);
  call.div(rows);
  call.divs(fill, extents, batch_dims);
  in_order(plan.lin, strides);
  call.filled(fill, 0, strides, plan.n - 1);
  call.integer(mask);
  call.integer(mirror);
  if (launch.kernel->iota) call.integer(first);
  for (const Bound& b : plan) {
    call.operand(b, b.operand->strided() ? boxes.offset(b.str) : first, plan.total);
    if (!b.operand->strided()) continue;
    in_order(b.str, strides);
    call.filled(fill, 0, strides, plan.n);
  }
  return run(launch, PF_TILE);
}

int launch_boxes(Plan& plan, int which, int b_dim, Boxes& boxes) {
  if (!boxes.single()) gpu_counters.splits.fetch_add(1, std::memory_order_relaxed);
  while (boxes.next()) {
    const int64_t* box = boxes.extents();
    const bool tiles = which == PF_TILE && box[b_dim] >= kTileWorthwhile && box[plan.n - 1] >= kTileWorthwhile;
    int code = tiles               ? launch_tiles(plan, b_dim, boxes)
               : which == PF_ROWS ? launch_box(plan, PF_ROWS, boxes)
                                  : launch_box(plan, PF_STRIDED, boxes);
    if (code) return code;
  }
  return PF_OK;
}

}  // namespace

int launch_elementwise(Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  Plan plan{};
  plan.launch = &launch;
  plan.rank = kernel.nk1;
  plan.n_operands = kernel.n_range;
  plan.total = product(plan.rank, launch.extents);
  if (kernel.range_strided == 0) return launch_flat(plan);

  const auto rank = static_cast<size_t>(plan.rank);
  plan.ext = launch.arena->take<int64_t>(rank);
  plan.lin = launch.arena->take<int64_t>(rank);
  Group group{launch.range, kernel.n_range, 0};
  plan.n = collapse(*launch.arena, plan.rank, launch.extents, &group, 1, 0, plan.ext);
  if (plan.n < 0) return fail(PF_NO_MEMORY, "out of memory on the host");
  int64_t linear = 1;
  for (int d = plan.n - 1; d >= 0; --d) {
    plan.lin[d] = linear;
    linear *= plan.ext[d];
  }
  const Variant& rows = kernel.variants[PF_ROWS];
  if (rows.fn && rows_fit(plan, rows)) {
    if (plan.n) plan.ext[plan.n - 1] /= rows.vector;
    Boxes boxes(plan.n, plan.ext, kIndexEnd - 1, rows.vector);
    return launch_boxes(plan, PF_ROWS, -1, boxes);
  }
  const int b_dim = kernel.variants[PF_TILE].fn ? crossing_dim(plan) : -1;
  Boxes boxes(plan.n, plan.ext, kIndexEnd - 1);
  return launch_boxes(plan, b_dim >= 0 ? PF_TILE : PF_STRIDED, b_dim, boxes);
}

}  // namespace pf::gpu
