// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: how the operands are presented, and how kept elements and chunks are shared among the threads. Neither the
// chunks nor the tree depend on it, so that neither do the results.
#include "reduce.h"

#include <algorithm>

#include "counters.h"
#include "pack.h"
#include "scratch.h"

namespace pf {
namespace {

constexpr int64_t kBlockPartials = 512 << 10;  // bytes of partials of a block that one thread finishes by itself
constexpr int64_t kSharedPartials = 32 << 20;  // the same when the threads share them
constexpr int64_t kWideColumns = 16384;        // stripes narrower than rows are read much slower
constexpr int64_t kTileBytes = 24 << 10, kWideTileBytes = 192 << 10, kMostTileBytes = 1536 << 10;
constexpr int64_t kSquareRowBytes = 128;  // of a column that is read at once

size_t plan_memory(const Kernel& kernel) {
  using A = Arena;
  const auto n_range = static_cast<size_t>(kernel.n_range), n_finish = static_cast<size_t>(kernel.n_finish);
  const auto rank = static_cast<size_t>(kernel.rank());
  // Per range operand: strides of all dimensions, of the kept ones, merged with the others', and two merges of its own.
  return A::bytes_for<RangeOperand>(n_range) + A::bytes_for<FinishOperand>(n_finish) + 2 * A::bytes_for<void*>(n_range) +
         (2 + 7 * n_range + 2 * n_finish) * A::bytes_for<int64_t>(rank);
}

Dims merged(Arena& arena, int rank, const int64_t* extents, const int64_t* strides) {
  Dims dims;
  dims.ext = arena.take<int64_t>(static_cast<size_t>(rank));
  dims.str = arena.take<int64_t>(static_cast<size_t>(rank));
  dims.n = merge_dims(rank, extents, 1, &strides, dims.ext, &dims.str);
  return dims;
}

const int64_t* full_strides(const Kernel& kernel, const Launch& launch, int i, int64_t* dense) {
  if (launch.range[i].strides) return launch.range[i].strides;
  int64_t stride = 1;
  for (int d = kernel.rank() - 1; d >= 0; --d) {
    dense[d] = stride;
    stride *= launch.extents[d];
  }
  return dense;
}

// Reads the layouts of all operands.
void read_layouts(ReducePlan& plan, Arena& arena) {
  const Launch& launch = *plan.launch;
  const Kernel& kernel = *launch.kernel;
  const int nk1 = kernel.nk1, nr = kernel.nr, nk = nk1 + kernel.nk2;
  const auto rank = static_cast<size_t>(kernel.rank());
  plan.range = arena.take<RangeOperand>(static_cast<size_t>(kernel.n_range));
  plan.finish = arena.take<FinishOperand>(static_cast<size_t>(kernel.n_finish));
  auto** in = arena.take<const int64_t*>(static_cast<size_t>(kernel.n_range));
  auto** out = arena.take<int64_t*>(static_cast<size_t>(kernel.n_range));
  auto* kept_extents = arena.take<int64_t>(rank);
  plan.k_ext = arena.take<int64_t>(rank);
  std::copy_n(launch.extents, nk1, kept_extents);
  std::copy_n(launch.extents + nk1 + nr, kernel.nk2, kept_extents + nk1);

  plan.n_range = 0;
  for (int i = 0; i < kernel.n_range; ++i) {
    if (!kernel.range_operands()[i].tiled()) continue;
    const int64_t* strides = full_strides(kernel, launch, i, arena.take<int64_t>(rank));
    auto* kept = arena.take<int64_t>(rank);
    std::copy_n(strides, nk1, kept);
    std::copy_n(strides + nk1 + nr, kernel.nk2, kept + nk1);
    RangeOperand& operand = plan.range[plan.n_range];
    operand = RangeOperand{};
    operand.index = i;
    operand.itemsize = kernel.range_operands()[i].itemsize;
    operand.ptr = launch.range[i].ptr;
    operand.kept = merged(arena, nk, kept_extents, kept);
    // Nothing is read along reduced dimensions of extent 0.
    if (launch.r_total > 0) operand.reduced = merged(arena, nr, launch.extents + nk1, strides + nk1);
    in[plan.n_range] = kept;
    operand.k_str = out[plan.n_range] = arena.take<int64_t>(rank);
    ++plan.n_range;
  }
  plan.kn = merge_dims(nk, kept_extents, plan.n_range, in, plan.k_ext, out);

  plan.n_finish = 0;
  for (int i = 0; i < kernel.n_finish; ++i) {
    const Bound& bound = launch.finish[i];
    if (!bound.strides) continue;
    Dims kept = merged(arena, nk, kept_extents, bound.strides);
    if (kept.contiguous()) continue;
    plan.finish[plan.n_finish++] = {i, kernel.finish_operands()[i].itemsize, bound.ptr, kept, 0};
  }
}

// Decides which operands are packed and how many kept elements a call covers.
void choose_tiles(ReducePlan& plan) {
  const int64_t r_total = plan.launch->r_total;
  const bool row_form = plan.row_form;
  plan.chunk = row_form ? kRowChunk : kColChunk;
  plan.nchunks = std::max<int64_t>(1, (r_total + plan.chunk - 1) / plan.chunk);
  plan.run = plan.kn ? plan.k_ext[plan.kn - 1] : 1;
  plan.across_runs = plan.kn > 1 && (row_form ? plan.run < 16 && r_total < 512 : plan.run < 64);
  const int64_t longest = std::max<int64_t>(1, std::min(plan.chunk, r_total));
  int64_t bytes = 0;
  int64_t smallest = 8;
  bool squares = false;
  for (int i = 0; i < plan.n_range; ++i) {
    RangeOperand& operand = plan.range[i];
    if (row_form) {
      operand.packed = !operand.reduced.contiguous() || (plan.across_runs && !operand.kept.single_stride());
    } else {
      bool unit = plan.across_runs ? operand.kept.contiguous() : plan.kn == 0 || operand.k_str[plan.kn - 1] == 1;
      operand.packed = !unit || !operand.reduced.single_stride();
    }
    operand.packed = operand.packed && r_total > 0;  // else nothing may be read
    if (!operand.packed) continue;
    plan.packed_bytes += operand.itemsize;
    const Dims &rows = operand.rows(row_form), &cols = operand.cols(row_form);
    operand.one_row = rows.constant();
    if (operand.one_row) continue;
    bytes += operand.itemsize;
    smallest = std::min<int64_t>(smallest, operand.itemsize);
    squares |= transposed(operand.itemsize, rows.inner_extent(), rows.inner_stride(), cols.inner_stride());
  }
  if (row_form) {
    plan.tile = plan.launch->k_total;
    if (bytes) {
      int64_t row = bytes * longest;
      plan.tile = kTileBytes / row;
      if (squares) plan.tile = std::max(plan.tile, std::min(kSquareRowBytes / smallest, kMostTileBytes / row));
      plan.tile = std::max<int64_t>(plan.tile, 1);
    }
  } else {
    plan.tile = kWideColumns;
    if (bytes) plan.tile = std::clamp<int64_t>(kWideTileBytes / (longest * bytes) / 64 * 64, 64, 4096);
  }
}

// Cuts the kept elements in blocks of about len that respect the runs.
void cut_blocks(ReducePlan& plan, int64_t len) {
  const int64_t k_total = plan.launch->k_total;
  plan.group = k_total;
  bool whole_runs = false;
  if (plan.kn > 1 && !plan.across_runs) {
    whole_runs = len >= 2 * plan.run;
    if (whole_runs) {
      len -= len % plan.run;
    } else {
      plan.group = plan.run;
    }
  }
  plan.len = std::min(len, plan.group);
  if (!whole_runs) {  // of about one size
    int64_t count = (plan.group + plan.len - 1) / plan.len;
    plan.len = (plan.group + count - 1) / count;
  }
  plan.blocks_per_group = (plan.group + plan.len - 1) / plan.len;
  plan.blocks = k_total / plan.group * plan.blocks_per_group;
}

void plan_scratch(ReducePlan& plan) {
  const int64_t longest = std::max<int64_t>(1, std::min(plan.chunk, plan.launch->r_total));
  const int64_t tile = std::min(plan.tile, plan.len);
  int64_t at = 0;
  for (int i = 0; i < plan.n_range; ++i) {
    RangeOperand& operand = plan.range[i];
    if (!operand.packed) continue;
    int64_t rows = plan.row_form ? tile : longest, cols = plan.row_form ? longest : tile;
    int64_t line = 64 / operand.itemsize;
    operand.ld = (cols + line - 1) / line * line;
    if (operand.one_row) {
      rows = 1;
    } else if (operand.ld * operand.itemsize % 1024 == 0) {
      operand.ld += line;  // rows at a pitch of a power of two would share cache sets
    }
    operand.scratch = at;
    at += rows * operand.ld * operand.itemsize;
  }
  plan.range_bytes = at;
  for (int i = 0; i < plan.n_finish; ++i) {
    plan.finish[i].scratch = at;
    at += (plan.len * plan.finish[i].itemsize + 63) / 64 * 64;
  }
  plan.finish_bytes = at - plan.range_bytes;
}

// --- each thread reduces and finishes blocks of its own ------------------------------------------------------------

void block_body(const void* context, Parts& parts) {
  const auto& plan = *static_cast<const ReducePlan*>(context);
  Scratch scratch(Slot::Tiles, static_cast<size_t>(plan.range_bytes + plan.finish_bytes + plan.partial_bytes));
  if (!scratch.data()) return;
  Reducer reducer(plan, scratch.data());
  int64_t part;
  while (parts.take(part)) {
    const int64_t stop = part_begin(plan.blocks, parts.count(), part + 1);
    for (int64_t block = part_begin(plan.blocks, parts.count(), part); block < stop; ++block) {
      int64_t begin = plan.block_begin(block), end = plan.block_end(block);
      Partials partials = make_partials(*plan.launch->kernel, scratch.data() + plan.range_bytes + plan.finish_bytes,
                                        plan.nchunks * (end - begin), begin, end - begin);
      reducer.reduce(begin, end, 0, plan.nchunks, partials);
      reducer.finish(begin, end, partials);
    }
  }
}

int run_blocks(ReducePlan& plan, double ns_per_kept) {
  counters.reduce_blocks.add(1);
  if (!reserve_scratch(Slot::Tiles, static_cast<size_t>(plan.range_bytes + plan.finish_bytes + plan.partial_bytes)))
    return PF_NO_MEMORY;
  Split split = split_work(plan.blocks, ns_per_kept * static_cast<double>(plan.len));
  return run_parallel(split.parts, split.threads, block_body, &plan) ? PF_OK : PF_NO_MEMORY;
}

// --- the threads share blocks by chunks, then finish them ----------------------------------------------------------

struct ChunkJob {
  const ReducePlan* plan;
  Partials partials;
  int64_t first_block, blocks, groups;  // groups of chunks
};

void chunk_body(const void* context, Parts& parts) {
  const auto& job = *static_cast<const ChunkJob*>(context);
  const ReducePlan& plan = *job.plan;
  Scratch scratch(Slot::Tiles, static_cast<size_t>(plan.range_bytes + plan.finish_bytes));
  if (!scratch.data()) return;
  Reducer reducer(plan, scratch.data());
  int64_t part;
  while (parts.take(part)) {
    int64_t group = part / job.blocks, block = job.first_block + part - group * job.blocks;
    reducer.reduce(plan.block_begin(block), plan.block_end(block), part_begin(plan.nchunks, job.groups, group),
                   part_begin(plan.nchunks, job.groups, group + 1), job.partials);
  }
}

void finish_body(const void* context, Parts& parts) {
  const auto& job = *static_cast<const ChunkJob*>(context);
  const ReducePlan& plan = *job.plan;
  Scratch scratch(Slot::Tiles, static_cast<size_t>(plan.range_bytes + plan.finish_bytes));
  if (!scratch.data()) return;
  Reducer reducer(plan, scratch.data());
  int64_t part;
  while (parts.take(part)) {
    const int64_t stop = part_begin(job.blocks, parts.count(), part + 1);
    for (int64_t block = part_begin(job.blocks, parts.count(), part); block < stop; ++block)
      reducer.finish(plan.block_begin(job.first_block + block), plan.block_end(job.first_block + block), job.partials);
  }
}

int run_chunks(ReducePlan& plan, double ns_per_kept) {
  counters.reduce_chunks.add(1);
  const Kernel& kernel = *plan.launch->kernel;
  const int64_t acc = partial_itemsize(kernel);
  const int64_t per_round = std::clamp<int64_t>(kSharedPartials / (plan.nchunks * acc * plan.len), 1, plan.blocks);
  const int64_t elements = std::min(per_round * plan.len, plan.launch->k_total) * plan.nchunks;
  Scratch partials(Slot::Partials, static_cast<size_t>(partials_bytes(kernel, elements)));
  if (!partials.data() || !reserve_scratch(Slot::Tiles, static_cast<size_t>(plan.range_bytes + plan.finish_bytes)))
    return PF_NO_MEMORY;
  for (int64_t first = 0; first < plan.blocks; first += per_round) {
    ChunkJob job{&plan, {}, first, std::min(per_round, plan.blocks - first), 1};
    const int64_t begin = plan.block_begin(first), end = plan.block_end(first + job.blocks - 1);
    job.partials = make_partials(kernel, partials.data(), plan.nchunks * (end - begin), begin, end - begin);
    const double kept = static_cast<double>(end - begin);
    Split split = split_work(job.blocks * plan.nchunks, ns_per_kept * kept / static_cast<double>(job.blocks * plan.nchunks));
    job.groups = std::min(plan.nchunks, (split.parts + job.blocks - 1) / job.blocks);
    if (!run_parallel(job.groups * job.blocks, split.threads, chunk_body, &job)) return PF_NO_MEMORY;
    Split last = split_work(job.blocks, 0.5 * static_cast<double>(plan.nchunks) * kept / static_cast<double>(job.blocks));
    if (!run_parallel(last.parts, last.threads, finish_body, &job)) return PF_NO_MEMORY;
  }
  return PF_OK;
}

}  // namespace

int launch_reduction(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  size_t bytes = plan_memory(kernel);
  Scratch memory(Slot::Plan, bytes);
  if (!memory.data()) return PF_NO_MEMORY;
  Arena arena(memory.data(), bytes);
  ReducePlan plan{};
  plan.launch = &launch;
  plan.row_form = kernel.kind == PF_ROW;
  read_layouts(plan, arena);
  choose_tiles(plan);

  const int64_t r_total = std::max<int64_t>(launch.r_total, 1), acc = partial_itemsize(kernel);
  const double ns_per_element = 0.1 + 0.04 * static_cast<double>(kernel.bytes_per_element) +
                                0.1 * static_cast<double>(kernel.cost + plan.packed_bytes);
  const double ns_per_kept = ns_per_element * static_cast<double>(r_total) + 1;
  counters.packed_bytes.add(plan.packed_bytes * launch.r_total * launch.k_total);

  const int64_t wide = plan.row_form ? 1 : kWideColumns, narrow = plan.row_form ? 1 : 64;
  const double ns_per_chunk = ns_per_kept / static_cast<double>(plan.nchunks);
  const int threads = split_work(launch.k_total * plan.nchunks, ns_per_chunk).threads;
  int64_t len = plan.row_form ? std::clamp<int64_t>((1 << 16) / r_total, 1, 4096) : kWideColumns;
  if (plan.nchunks == 1 && threads > 1) len = std::clamp(launch.k_total / (4 * threads), narrow, len);
  const int64_t alone = std::min(len, kBlockPartials / (plan.nchunks * acc));
  const bool enough = alone >= std::min(wide, launch.k_total) &&
                      (threads == 1 || launch.k_total / alone >= 2 * threads);
  if (plan.nchunks == 1 || enough) {
    cut_blocks(plan, alone);
    plan_scratch(plan);
    plan.partial_bytes = partials_bytes(kernel, plan.nchunks * plan.len);
    return run_blocks(plan, ns_per_kept);
  }
  cut_blocks(plan, std::clamp(kSharedPartials / (plan.nchunks * acc), narrow, len));
  plan_scratch(plan);
  return run_chunks(plan, ns_per_kept);
}

}  // namespace pf
