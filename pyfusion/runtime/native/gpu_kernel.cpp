// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of GPU kernels and the frame of a launch: reading the spec and the words.
#include "gpu_kernel.h"

#include <cstdlib>
#include <new>

#include "gpu_driver.h"
#include "gpu_error.h"
#include "handles.h"

namespace pf::gpu {

Counters gpu_counters;

namespace {

constexpr size_t kStackFrame = 16 << 10;  // a frame that is larger comes from the heap

bool power_in(int64_t n, int64_t most) { return n >= 1 && n <= most && (n & (n - 1)) == 0; }

int unknown_kernel() { return fail(PF_UNKNOWN_KERNEL, "not a live kernel"); }

bool read_operands(const int64_t* spec, int64_t n, bool range_of_reduction, Operand* out, int* strided) {
  *strided = 0;
  for (int64_t i = 0; i < n; ++i, spec += 3) {
    const int64_t role = spec[0], size = spec[1], inner = spec[2];
    if (role < PF_IN_DENSE || role > PF_SCALAR || !valid_size(size) || !count_in(inner, 1)) return false;
    if (range_of_reduction && (role == PF_OUT || role == PF_INOUT)) return false;
    out[i] = {static_cast<int8_t>(role), static_cast<int8_t>(size), inner != 0};
    *strided += role == PF_IN_STRIDED;
  }
  return true;
}

bool read_variants(void* const* functions, const int64_t* spec, int64_t n, Variant* out) {
  for (int64_t i = 0; i < n; ++i, spec += 4) {
    const int64_t which = spec[0], vector = spec[1], unroll = spec[2], block = spec[3];
    if (!count_in(which, kVariants - 1) || out[which].fn || !functions[i]) return false;
    if (!power_in(vector, 1024) || !power_in(block, 1024) || unroll < 1 || unroll > 1024) return false;
    if (which == PF_TILE && !power_in(unroll, 1024)) return false;
    out[which] = {reinterpret_cast<HostFn>(functions[i]), vector, unroll, block};
  }
  return true;
}

bool complete(const Kernel& k) {
  auto has = [&](int which) { return k.variants[which].fn != nullptr; };
  if (k.kind != PF_ELEMENTWISE)
    return has(PF_REDUCE) && has(PF_FINISH) && !has(PF_FLAT) && !has(PF_ROWS) && !has(PF_STRIDED) && !has(PF_TILE);
  if (has(PF_REDUCE) || has(PF_FINISH)) return false;
  if (k.range_strided == 0) return has(PF_FLAT);
  return has(PF_STRIDED) && !has(PF_FLAT) && (!has(PF_TILE) || k.nk1 >= 2);
}

// What a launch needs at most.
void size_frame(Kernel& k) {
  const int rank = k.rank(), operands = k.n_range + k.n_finish, strided = k.range_strided + k.finish_strided;
  k.most_arguments = 24 + 4 * (rank + 2) + operands + strided * (rank + 2);
  const auto r = static_cast<size_t>(rank), n = static_cast<size_t>(operands), s = static_cast<size_t>(strided);
  k.frame_bytes = Call::bytes_for(k.most_arguments) + Arena::bytes_for<Bound>(n) + s * Arena::bytes_for<int64_t>(r) +
                  3 * Arena::bytes_for<int64_t>(r) + 6 * Arena::bytes_for<void*>(n);
}

int64_t create(void* const* functions, const int64_t* spec) {
  if (!functions || !spec) return fail(PF_INVALID, "no functions or no spec");
  auto invalid = [](const char* what) { return fail(PF_INVALID, "invalid kernel spec: %s", what); };
  int64_t kind = spec[0], nk1 = spec[1], nr = spec[2], nk2 = spec[3], acc = spec[4];
  const bool places = kind == (PF_ROW | PF_PLACES) || kind == (PF_COL | PF_PLACES);
  if (places) kind &= ~PF_PLACES;
  const bool reduction = kind == PF_ROW || kind == PF_COL;
  if (kind != PF_ELEMENTWISE && !reduction) return invalid("kind");
  if (!count_in(nk1, PF_MAX_RANK) || !count_in(nr, PF_MAX_RANK) || !count_in(nk2, PF_MAX_RANK) ||
      nk1 + nr + nk2 > PF_MAX_RANK || (kind != PF_COL && nk2 != 0) || (!reduction && nr != 0))
    return invalid("dimensions");
  if (reduction ? !valid_size(acc) : acc != 0) return invalid("accumulator");
  if (spec[5] != PF_CUDA && spec[5] != PF_HIP) return invalid("api");
  if (!count_in(spec[6], kMaxDevices - 1)) return invalid("device");
  if (spec[7] != 0 && (spec[7] != PF_SPEC_IOTA || reduction)) return invalid("flags");

  std::unique_ptr<Kernel> kernel(new Kernel);
  kernel->kind = static_cast<int>(kind);
  kernel->nk1 = static_cast<int>(nk1);
  kernel->nr = static_cast<int>(nr);
  kernel->nk2 = static_cast<int>(nk2);
  kernel->acc_itemsize = static_cast<int>(acc);
  kernel->api = static_cast<int>(spec[5]);
  kernel->device = static_cast<int>(spec[6]);
  kernel->iota = spec[7] & PF_SPEC_IOTA;
  kernel->places = places;
  const int64_t n_functions = spec[8];
  if (!count_in(n_functions, kVariants) || !read_variants(functions, spec + 9, n_functions, kernel->variants))
    return invalid("functions");
  const int64_t* range = spec + 9 + 4 * n_functions;
  const int64_t n_range = range[0];
  if (!count_in(n_range, PF_MAX_OPERANDS)) return invalid("operands");
  const int64_t* finish = range + 1 + 3 * n_range;
  const int64_t n_finish = finish[0];
  if (!count_in(n_finish, reduction ? PF_MAX_OPERANDS : 0)) return invalid("operands of the finish part");
  kernel->operands.reset(new Operand[static_cast<size_t>(n_range + n_finish)]);
  kernel->n_range = static_cast<int>(n_range);
  kernel->n_finish = static_cast<int>(n_finish);
  if (!read_operands(range + 1, n_range, reduction, kernel->operands.get(), &kernel->range_strided) ||
      !read_operands(finish + 1, n_finish, false, kernel->operands.get() + n_range, &kernel->finish_strided))
    return invalid("operands");
  if (!complete(*kernel)) return invalid("a function is missing, or one too many");
  size_frame(*kernel);
  return Handles<Kernel>::get().add(std::move(kernel));
}

// The arena of one call, on the stack if it fits.
struct Frame {
  explicit Frame(size_t bytes)
      : heap(bytes > kStackFrame ? static_cast<char*>(std::malloc(bytes)) : nullptr),
        arena(bytes > kStackFrame ? heap : stack, bytes > kStackFrame ? (heap ? bytes : 0) : kStackFrame) {}
  ~Frame() { std::free(heap); }
  Frame(const Frame&) = delete;
  alignas(16) char stack[kStackFrame];
  char* heap;
  Arena arena;
};

// Whether a launch has results, and whether it has elements.
int count_elements(const Kernel& kernel, const int64_t* words, bool* kept, bool* used) {
  const int64_t* reduced = words + kernel.nk1;
  const int64_t all[3] = {product(kernel.nk1, words), product(kernel.nr, reduced),
                          product(kernel.nk2, reduced + kernel.nr)};
  if (product(3, all) < 0) {
    if (std::any_of(words, words + kernel.rank(), [](int64_t e) { return e < 0; }))
      return fail(PF_INVALID, "a negative extent");
    return fail(PF_TOO_LARGE, "too many elements");
  }
  *kept = all[0] > 0 && all[2] > 0;
  *used = *kept && all[1] > 0;
  return PF_OK;
}

// Binds n operands to their words. Pointers of those that have elements must not be null.
const int64_t* bind(Arena& arena, const Operand* operands, int n, int stride_count, int rank, bool used,
                    const int64_t* words, Bound* bound) {
  for (int i = 0; i < n; ++i) {
    const Operand& operand = operands[i];
    const bool scalar = operand.role == PF_SCALAR;
    char* ptr = scalar ? reinterpret_cast<char*>(const_cast<int64_t*>(words)) : reinterpret_cast<char*>(*words);
    if (!ptr && used) return nullptr;
    ++words;
    bound[i] = {&operand, ptr, nullptr, nullptr};
    if (operand.strided()) {
      bound[i].strides = words;
      bound[i].str = arena.take<int64_t>(static_cast<size_t>(rank));
      if (!bound[i].str) return nullptr;
      words += stride_count;
    }
  }
  return words;
}

int launch(const Kernel& kernel, const int64_t* words, void* stream, void* scratch) {
  bool kept, used;
  if (int code = count_elements(kernel, words, &kept, &used)) return code;
  if (!kept) return PF_OK;
  int code = PF_OK;
  Driver* d = driver(kernel.api, &code);
  if (!d) return code;
  if (!d->has(kernel.device)) return PF_NO_DEVICE;

  Frame frame(kernel.frame_bytes);
  Launch launch{&kernel, words, stream, scratch, nullptr, nullptr, &frame.arena, {}};
  Arena& arena = frame.arena;
  launch.range = arena.take<Bound>(static_cast<size_t>(kernel.n_range + kernel.n_finish));
  if (!launch.range || !launch.call.reserve(arena, kernel.most_arguments))
    return fail(PF_NO_MEMORY, "out of memory on the host");
  launch.finish = launch.range + kernel.n_range;
  const int rank = kernel.rank();
  const int64_t* rest = bind(arena, kernel.range(), kernel.n_range, rank, rank, used, words + rank, launch.range);
  if (rest) rest = bind(arena, kernel.finish(), kernel.n_finish, kernel.kept(), rank, kept, rest, launch.finish);
  if (!rest) return fail(PF_INVALID, "an operand is a null pointer");

  Targeted targeted(d, kernel.device, stream, false);
  return kernel.kind == PF_ELEMENTWISE ? launch_elementwise(launch) : launch_reduction(launch);
}

// Calls every host function with arguments of zeros, and launches nothing.
int preload(const Kernel& kernel) {
  int code = PF_OK;
  Driver* d = driver(kernel.api, &code);
  if (!d) return code;
  if (!d->has(kernel.device)) return PF_NO_DEVICE;
  Frame frame(kernel.frame_bytes);
  Call call;
  if (!call.reserve(frame.arena, kernel.most_arguments)) return fail(PF_NO_MEMORY, "out of memory on the host");
  call.set_zeros();
  Targeted targeted(d, kernel.device, nullptr, true);
  for (const Variant& variant : kernel.variants) {
    if (!variant.fn) continue;
    call.run(variant.fn);
    if (targeted.code()) break;
  }
  return targeted.code();
}

}  // namespace
}  // namespace pf::gpu

int64_t pf_gpu_kernel_create(void* const* functions, const int64_t* spec) {
  try {
    return pf::gpu::create(functions, spec);
  } catch (const std::bad_alloc&) {
    return pf::gpu::fail(PF_NO_MEMORY, "out of memory on the host");
  }
}

int32_t pf_gpu_kernel_destroy(int64_t handle) {
  if (!pf::Handles<pf::gpu::Kernel>::get().remove(handle)) return pf::gpu::unknown_kernel();
  return PF_OK;
}

int32_t pf_gpu_preload(int64_t handle) {
  pf::gpu::Kernel* kernel = pf::Handles<pf::gpu::Kernel>::find(handle);
  return kernel ? pf::gpu::preload(*kernel) : pf::gpu::unknown_kernel();
}

int32_t pf_gpu_launch(int64_t handle, const int64_t* words, void* stream, void* scratch) {
  pf::gpu::Kernel* kernel = pf::Handles<pf::gpu::Kernel>::find(handle);
  if (!kernel) return pf::gpu::unknown_kernel();
  if (!words) return pf::gpu::fail(PF_INVALID, "no words");
  int code = pf::gpu::launch(*kernel, words, stream, scratch);
  if (code == PF_OK) pf::gpu::gpu_counters.calls.fetch_add(1, std::memory_order_relaxed);
  return code;
}

int64_t pf_gpu_scratch(int64_t handle, const int64_t* words) {
  pf::gpu::Kernel* kernel = pf::Handles<pf::gpu::Kernel>::find(handle);
  if (!kernel) return pf::gpu::unknown_kernel();
  if (!words) return pf::gpu::fail(PF_INVALID, "no words");
  bool kept, used;
  if (int code = pf::gpu::count_elements(*kernel, words, &kept, &used)) return code;
  return kept && kernel->kind != PF_ELEMENTWISE ? pf::gpu::reduction_scratch(*kernel, words) : 0;
}

int32_t pf_gpu_counters(int64_t* out, int32_t n) {
  using namespace pf::gpu;
  int64_t all[1 + kVariants + 3];
  constexpr int32_t count = sizeof all / sizeof *all;
  int32_t at = 0;
  all[at++] = gpu_counters.calls.load();
  for (auto& variant : gpu_counters.variants) all[at++] = variant.load();
  all[at++] = gpu_counters.splits.load();
  all[at++] = modules_loaded.load();
  all[at++] = functions_found.load();
  for (int32_t i = 0; i < n && i < count; ++i) out[i] = all[i];
  return count;
}
