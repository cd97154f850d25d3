// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of host functions, and the walk of spaces that are too large for one of their calls.
#include "gpu_error.h"
#include "gpu_kernel.h"

namespace pf::gpu {

size_t Call::bytes_for(int arguments) {
  const auto n = static_cast<size_t>(arguments);
  return Arena::bytes_for<void*>(n) + Arena::bytes_for<int64_t>(n) + Arena::bytes_for<Descriptor*>(n) +
         Arena::bytes_for<Descriptor>(n);
}

bool Call::reserve(Arena& arena, int arguments) {
  const auto n = static_cast<size_t>(arguments);
  capacity_ = arguments;
  args_ = arena.take<void*>(n);
  words_ = arena.take<int64_t>(n);
  pointers_ = arena.take<Descriptor*>(n);
  descriptors_ = arena.take<Descriptor>(n);
  return descriptors_ != nullptr;
}

void Call::start(void* stream, int64_t grid) {
  n_ = memrefs_ = 0;
  integer(reinterpret_cast<int64_t>(stream));
  integer(grid);
}

// Granlund and Montgomery, "Division by invariant integers using multiplication": the form for 31 bits.
void Call::div(int64_t d) {
  if (d < 1) d = 1;  // an extent of 0, which nobody divides by
  const int shift = d == 1 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(d - 1));
  const uint64_t rest = (uint64_t{1} << shift) - static_cast<uint64_t>(d);
  integer(d);
  integer(static_cast<uint32_t>((rest << 32) / static_cast<uint64_t>(d) + 1));
  integer(shift);
}

void Call::memref(void* data, int64_t size) {
  Descriptor& d = descriptors_[memrefs_];
  d = {static_cast<char*>(data), static_cast<char*>(data), 0, size, 1};
  pointers_[memrefs_] = &d;
  args_[n_++] = &pointers_[memrefs_++];
}

void Call::operand(const Bound& bound, int64_t offset, int64_t size) {
  if (bound.operand->role == PF_SCALAR) {
    args_[n_++] = bound.ptr;
  } else if (bound.operand->role == PF_UNIFORM) {
    memref(bound.ptr, 1);
  } else {
    memref(bound.ptr + offset * bound.operand->itemsize, size);
  }
}

void Call::set_zeros() {
  descriptors_[0] = {nullptr, nullptr, 0, 0, 1};
  pointers_[0] = &descriptors_[0];
  for (int i = 0; i < capacity_; ++i) args_[i] = &pointers_[0];
}

Boxes::Boxes(int n, const int64_t* extents, int64_t most, int64_t unit)
    : n_(n), split_(n - 1), unit_(unit), extents_(extents) {
  int64_t inner = 1, whole;
  while (split_ >= 0 && !__builtin_mul_overflow(inner, extents[split_], &whole) && whole <= most) {
    inner = whole;
    --split_;
  }
  for (int d = 0; d < n; ++d) {
    at_[d] = 0;
    box_[d] = d < split_ ? 1 : extents[d];
  }
  if (split_ >= 0) {
    step_ = most / inner;
    box_[split_] = std::min(step_, extents[split_]);
  }
}

bool Boxes::next() {
  if (!started_) return started_ = true;
  if (split_ < 0) return false;
  int d = split_;
  at_[d] += step_;
  while (at_[d] >= extents_[d]) {
    at_[d] = 0;
    if (--d < 0) return false;
    ++at_[d];
  }
  box_[split_] = std::min(step_, extents_[split_] - at_[split_]);
  return true;
}

int begin(Launch& launch, int variant, int64_t grid) {
  if (grid > launch.kernel->most_blocks(launch.kernel->variants[variant].block))
    return fail(PF_TOO_LARGE, "a grid of %lld blocks is too large", static_cast<long long>(grid));
  launch.call.start(launch.stream, grid);
  return PF_OK;
}

int run(Launch& launch, int variant) {
  launch.call.run(launch.kernel->variants[variant].fn);
  const int code = target().code;
  if (!code) gpu_counters.variants[variant].fetch_add(1, std::memory_order_relaxed);
  return code;
}

int collapse(Arena& arena, int n, const int64_t* extents, const Group* groups, int n_groups, int at, int64_t* ext) {
  size_t most = 0;
  for (int g = 0; g < n_groups; ++g) most += static_cast<size_t>(groups[g].count);
  auto** from = arena.take<const int64_t*>(most);
  auto** to = arena.take<int64_t*>(most);
  if (!from || !to) return -1;
  int count = 0;
  for (int g = 0; g < n_groups; ++g) {
    for (int i = 0; i < groups[g].count; ++i) {
      const Bound& bound = groups[g].bound[i];
      if (!bound.strides) continue;
      from[count] = bound.strides + groups[g].first;
      to[count++] = bound.str + at;
    }
  }
  return merge_dims(n, extents, count, from, ext, to);
}

}  // namespace pf::gpu
