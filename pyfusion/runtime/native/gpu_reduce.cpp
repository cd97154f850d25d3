// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: the shape of the tree, and its one or two steps.
#include "gpu_error.h"
#include "gpu_kernel.h"

namespace pf::gpu {
namespace {

constexpr int64_t kBlocks = 2048;                    // enough to fill a device
constexpr int64_t kFewSteps = 16, kManySteps = 64;   // of one thread
constexpr int64_t kColumnThreads = 32;
constexpr int64_t kScratchAlign = 256;

int64_t power_at_least(int64_t n) {
  return n <= 1 ? 1 : int64_t{1} << (64 - __builtin_clzll(static_cast<unsigned long long>(n - 1)));
}
int log2_of(int64_t power) { return __builtin_ctzll(static_cast<unsigned long long>(power)); }

// See PF_REDUCE in pyfusion_gpu.h. All but most_k1 follows from the logical shape alone.
struct Tree {
  bool row;
  int64_t k1, r, k2;
  int64_t threads;         // T
  int64_t rows_a_block;    // row
  int64_t column_blocks;   // col
  int64_t chunk, chunks;
  int64_t finish_threads;  // Tf
  int64_t most_k1;         // of one launch

  int64_t blocks(int64_t k1_part) const { return row ? ceil_div(k1_part, rows_a_block) : k1_part * column_blocks; }
};

int make_tree(const Kernel& kernel, const int64_t* extents, Tree& t) {
  const Variant& variant = kernel.variants[PF_REDUCE];
  const int64_t block = variant.block, v = variant.vector;
  t.row = kernel.kind == PF_ROW;
  t.k1 = product(kernel.nk1, extents);
  t.r = product(kernel.nr, extents + kernel.nk1);
  t.k2 = product(kernel.nk2, extents + kernel.nk1 + kernel.nr);
  if (t.k2 >= kIndexEnd || (kernel.nr > 1 && t.r >= kIndexEnd))
    return fail(PF_TOO_LARGE, "a reduction of %lld elements, or %lld results side by side, is too large",
                static_cast<long long>(t.r), static_cast<long long>(t.k2));
  int64_t steps, unit;
  if (t.row) {
    const int64_t groups = ceil_div(t.r, v);
    t.threads = std::clamp<int64_t>(power_at_least(ceil_div(groups, 8)), 1, block);
    t.rows_a_block = block / t.threads;
    t.column_blocks = 0;
    steps = ceil_div(groups, t.threads);
    unit = t.threads * v;
  } else {
    t.threads = std::clamp<int64_t>(power_at_least(ceil_div(t.k2, v)), 1, std::min(kColumnThreads, block));
    t.rows_a_block = 0;
    t.column_blocks = ceil_div(t.k2, t.threads * v);
    unit = block / t.threads;
    steps = ceil_div(t.r, unit);
  }
  const int64_t blocks = t.blocks(t.k1);
  int64_t c = 1;
  if (blocks < kBlocks && steps > kFewSteps) c = std::min(ceil_div(steps, kFewSteps), ceil_div(kBlocks, blocks));
  c = std::max(c, ceil_div(steps, kManySteps));
  t.chunk = std::max<int64_t>(1, ceil_div(steps, c)) * unit;
  t.chunks = std::max<int64_t>(1, ceil_div(t.r, t.chunk));
  const int64_t finish_block = kernel.variants[PF_FINISH].block;
  t.finish_threads = std::clamp<int64_t>(power_at_least(ceil_div(t.chunks, 8)), 1, finish_block);

  const int64_t most_blocks = kernel.most_blocks(block) / t.chunks;
  if (t.row) {
    t.most_k1 = std::min(kIndexEnd - 1, most_blocks * t.rows_a_block);
  } else {
    t.most_k1 = std::min((kIndexEnd - 1) / t.k2, most_blocks / t.column_blocks);
  }
  if (t.most_k1 < 1)
    return fail(PF_TOO_LARGE, "a reduction of %lld elements is too large", static_cast<long long>(t.r));
  return PF_OK;
}

struct Scratch {
  int64_t bytes, places;  // the offset of the places
};

int scratch_of(const Kernel& kernel, const Tree& tree, Scratch& scratch) {
  scratch = {0, 0};
  if (tree.chunks == 1) return PF_OK;
  // Both factors are below 2^56.
  __int128 partials = static_cast<__int128>(tree.chunks) * std::min(tree.k1, tree.most_k1) * tree.k2;
  __int128 places = (partials * kernel.acc_itemsize + kScratchAlign - 1) / kScratchAlign * kScratchAlign;
  __int128 bytes = kernel.places ? places + partials * 8 : places;
  if (bytes >= (__int128{1} << 56)) return fail(PF_TOO_LARGE, "the partial results of a reduction are too large");
  scratch = {static_cast<int64_t>(bytes), static_cast<int64_t>(places)};
  return PF_OK;
}

// Collapsed dimensions, in their order: lead, reduced, trail. Operands of the finish part lack the reduced ones.
struct Part {
  int rank, n;
  int64_t* ext;
  int fill() const { return rank - n; }
};

struct Plan {
  Launch* launch;
  Tree tree;
  Part lead, reduced, trail;
  bool vectors;
  char *partials, *places;
};

// Each part's strides are kept where the part begins in the operand's uncollapsed dimensions.
bool collapse_parts(Plan& plan) {
  Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  Arena& arena = *launch.arena;
  const int nk1 = kernel.nk1, nr = kernel.nr, nk2 = kernel.nk2;
  const int64_t* extents = launch.extents;
  int64_t* ext = arena.take<int64_t>(static_cast<size_t>(kernel.rank()));
  if (!ext) return false;
  plan.lead = {nk1, 0, ext};
  plan.reduced = {nr, 0, ext + nk1};
  plan.trail = {nk2, 0, ext + nk1 + nr};
  Group groups[2] = {{launch.range, kernel.n_range, 0}, {launch.finish, kernel.n_finish, 0}};
  plan.lead.n = collapse(arena, nk1, extents, groups, 2, 0, plan.lead.ext);
  if (plan.tree.r == 0) {  // nothing is read
    plan.reduced.n = 1;
    plan.reduced.ext[0] = 0;
    for (int i = 0; i < kernel.n_range; ++i)
      if (launch.range[i].str) launch.range[i].str[nk1] = 0;
  } else {
    groups[0].first = nk1;
    plan.reduced.n = collapse(arena, nr, extents + nk1, groups, 1, nk1, plan.reduced.ext);
  }
  // Both kinds of operand keep them at the same place, whatever they lack.
  groups[0].first = nk1 + nr;
  groups[1].first = nk1;
  plan.trail.n = collapse(arena, nk2, extents + nk1 + nr, groups, 2, nk1 + nr, plan.trail.ext);
  return plan.lead.n >= 0 && plan.reduced.n >= 0 && plan.trail.n >= 0;
}

bool vectors_fit(const Plan& plan) {
  const Kernel& kernel = *plan.launch->kernel;
  const int64_t v = kernel.variants[PF_REDUCE].vector;
  const Part& last = plan.tree.row ? plan.reduced : plan.trail;
  if (plan.tree.r == 0 || (last.n ? last.ext[last.n - 1] : 1) % v != 0) return false;
  const Part* parts[3] = {&plan.lead, &plan.reduced, &plan.trail};
  const int starts[3] = {0, kernel.nk1, kernel.nk1 + kernel.nr};
  for (int i = 0; i < kernel.n_range; ++i) {
    const Bound& b = plan.launch->range[i];
    if (b.operand->dense() && !aligned(b.ptr, access_bytes(v, b))) return false;
    if (!b.operand->strided()) continue;
    const int inner = (plan.tree.row ? kernel.nk1 : kernel.nk1 + kernel.nr) + last.n - 1;
    if (!b.operand->inner) {
      if (last.n && b.str[inner] != 0) return false;
      continue;
    }
    if (!aligned(b.ptr, access_bytes(v, b))) return false;
    for (int p = 0; p < 3; ++p) {
      for (int d = 0; d < parts[p]->n; ++d) {
        const int at = starts[p] + d;
        const bool is_inner = parts[p] == &last && d == last.n - 1;
        if (is_inner ? b.str[at] != 1 : b.str[at] % v != 0) return false;
      }
    }
  }
  return true;
}

void put_strides(Call& call, const Part& part, const int64_t* str) { call.filled(part.fill(), 0, str, part.n); }

void put_range(Plan& plan, const Boxes& boxes, int64_t first_k) {
  Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  const int64_t first = first_k * plan.tree.r, size = plan.tree.k1 * plan.tree.r * plan.tree.k2;
  for (int i = 0; i < kernel.n_range; ++i) {
    const Bound& b = launch.range[i];
    launch.call.operand(b, b.operand->strided() ? boxes.offset(b.str) : first, size);
    if (!b.operand->strided()) continue;
    put_strides(launch.call, plan.lead, b.str);
    put_strides(launch.call, plan.reduced, b.str + kernel.nk1);
    put_strides(launch.call, plan.trail, b.str + kernel.nk1 + kernel.nr);
  }
}

void put_finish(Plan& plan, const Boxes& boxes, int64_t first_k, int64_t k) {
  Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  for (int i = 0; i < kernel.n_finish; ++i) {
    const Bound& b = launch.finish[i];
    launch.call.operand(b, b.operand->strided() ? boxes.offset(b.str) : first_k, plan.tree.k1 * plan.tree.k2);
    if (!b.operand->strided()) continue;
    put_strides(launch.call, plan.lead, b.str);
    put_strides(launch.call, plan.trail, b.str + kernel.nk1 + kernel.nr);
  }
  const int64_t partials = plan.tree.chunks > 1 ? plan.tree.chunks * k : 0;
  launch.call.memref(plan.partials, partials);
  if (kernel.places) launch.call.memref(plan.places, partials);
}

int launch_reduce(Plan& plan, const Boxes& boxes, int64_t k1, int64_t first_k) {
  Launch& launch = *plan.launch;
  const Tree& t = plan.tree;
  const int64_t blocks = t.blocks(k1);
  if (int code = begin(launch, PF_REDUCE, t.chunks * blocks)) return code;
  Call& call = launch.call;
  call.integer(k1);
  call.integer(t.r);
  if (!t.row) call.integer(t.k2);
  call.integer(log2_of(t.threads));
  if (!t.row) call.div(t.column_blocks);
  call.div(blocks);
  call.integer(t.chunk);
  call.integer(t.chunks);
  call.integer(plan.vectors);
  call.divs(plan.lead.fill(), boxes.extents(), plan.lead.n);
  call.divs(plan.reduced.fill(), plan.reduced.ext, plan.reduced.n);
  call.divs(plan.trail.fill(), plan.trail.ext, plan.trail.n);
  put_range(plan, boxes, first_k);
  put_finish(plan, boxes, first_k, k1 * t.k2);
  return run(launch, PF_REDUCE);
}

int launch_finish(Plan& plan, const Boxes& boxes, int64_t k1, int64_t first_k) {
  Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  const Tree& t = plan.tree;
  const int64_t k = k1 * t.k2, results = kernel.variants[PF_FINISH].block / t.finish_threads;
  if (int code = begin(launch, PF_FINISH, ceil_div(k, results))) return code;
  Call& call = launch.call;
  call.integer(k);
  call.integer(t.r);
  call.integer(t.chunks);
  call.integer(log2_of(t.finish_threads));
  int64_t kept[kMaxDims];  // the uncollapsed number of them
  int n = 0;
  auto take = [&](const Part& part, const int64_t* ext) {
    for (int d = 0; d < part.fill(); ++d) kept[n++] = 1;
    for (int d = 0; d < part.n; ++d) kept[n++] = ext[d];
  };
  take(plan.lead, boxes.extents());
  take(plan.trail, plan.trail.ext);
  call.divs(0, kept, n);
  put_finish(plan, boxes, first_k, k);
  return run(launch, PF_FINISH);
}

}  // namespace

int64_t reduction_scratch(const Kernel& kernel, const int64_t* extents) {
  Tree tree;
  Scratch scratch;
  int code = make_tree(kernel, extents, tree);
  if (!code) code = scratch_of(kernel, tree, scratch);
  return code ? code : scratch.bytes;
}

int launch_reduction(Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  Plan plan{};
  plan.launch = &launch;
  Scratch scratch;
  if (int code = make_tree(kernel, launch.extents, plan.tree)) return code;
  if (int code = scratch_of(kernel, plan.tree, scratch)) return code;
  if (scratch.bytes > 0) {
    if (!launch.scratch)
      return fail(PF_INVALID, "no scratch memory, of %lld bytes", static_cast<long long>(scratch.bytes));
    plan.partials = static_cast<char*>(launch.scratch);
    if (kernel.places) plan.places = plan.partials + scratch.places;
  }
  if (!collapse_parts(plan)) return fail(PF_NO_MEMORY, "out of memory on the host");
  plan.vectors = vectors_fit(plan);

  // The parts use the same scratch memory, one after the other.
  int64_t lin[kMaxDims];
  int64_t linear = plan.tree.k2;
  for (int d = plan.lead.n - 1; d >= 0; --d) {
    lin[d] = linear;
    linear *= plan.lead.ext[d];
  }
  Boxes boxes(plan.lead.n, plan.lead.ext, plan.tree.most_k1);
  if (!boxes.single()) gpu_counters.splits.fetch_add(1, std::memory_order_relaxed);
  while (boxes.next()) {
    int64_t k1 = 1;
    for (int d = 0; d < plan.lead.n; ++d) k1 *= boxes.extents()[d];
    const int64_t first_k = boxes.offset(lin);
    if (int code = launch_reduce(plan, boxes, k1, first_k)) return code;
    if (plan.tree.chunks == 1) continue;
    if (int code = launch_finish(plan, boxes, k1, first_k)) return code;
  }
  return PF_OK;
}

}  // namespace pf::gpu
