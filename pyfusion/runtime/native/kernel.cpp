// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel handles and the frame of a launch: reading the words, binding the outputs.
#include "kernel.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "counters.h"
#include "dims.h"
#include "handles.h"
#include "pool.h"
#include "threads.h"

namespace pf {
namespace {

std::atomic<bool> timing{false};

enum class Part { Elementwise, Range, Finish };  // the last two: of a reduction

// Reads n (role, itemsize) pairs.
bool read_operands(const int64_t* spec, int64_t n, Part part, Operand* out) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t role = spec[2 * i], size = spec[2 * i + 1];
    if (role < PF_IN_DENSE || role > PF_OUT_STRIDED || !valid_size(size)) return false;
    if (part == Part::Range && (role == PF_OUT || role == PF_INOUT)) return false;
    if (part != Part::Elementwise && role == PF_OUT_STRIDED) return false;
    out[i] = {static_cast<int8_t>(role), static_cast<int8_t>(size)};
  }
  return true;
}

int64_t create(KernelFn range, KernelFn finish, const int64_t* spec) {
  if (!range || !spec) return PF_INVALID;
  int64_t kind = spec[0], nk1 = spec[1], nr = spec[2], nk2 = spec[3], acc = spec[4], cost = spec[5], n_range = spec[6];
  const bool places = kind == (PF_ROW | PF_PLACES) || kind == (PF_COL | PF_PLACES);
  if (places) kind &= ~PF_PLACES;
  bool reduction = kind == PF_ROW || kind == PF_COL;
  if (kind != PF_ELEMENTWISE && !reduction) return PF_INVALID;
  if (!count_in(nk1, PF_MAX_RANK) || !count_in(nr, PF_MAX_RANK) || !count_in(nk2, PF_MAX_RANK)) return PF_INVALID;
  if (nk1 + nr + nk2 > PF_MAX_RANK || !count_in(n_range, PF_MAX_OPERANDS)) return PF_INVALID;
  if (kind != PF_COL && nk2 != 0) return PF_INVALID;
  if (!reduction && nr != 0) return PF_INVALID;
  if (reduction ? !valid_size(acc) || !finish : finish != nullptr) return PF_INVALID;
  const int64_t* finish_spec = spec + 7 + 2 * n_range;
  int64_t n_finish = finish_spec[0];
  if (!count_in(n_finish, reduction ? PF_MAX_OPERANDS : 0)) return PF_INVALID;

  std::unique_ptr<Kernel> kernel(new Kernel);
  kernel->operands.reset(new Operand[static_cast<size_t>(n_range + n_finish)]);
  if (!read_operands(spec + 7, n_range, reduction ? Part::Range : Part::Elementwise, kernel->operands.get()) ||
      !read_operands(finish_spec + 1, n_finish, Part::Finish, kernel->operands.get() + n_range))
    return PF_INVALID;
  kernel->range = range;
  kernel->finish = finish;
  kernel->kind = static_cast<int>(kind);
  kernel->nk1 = static_cast<int>(nk1);
  kernel->nr = static_cast<int>(nr);
  kernel->nk2 = static_cast<int>(nk2);
  kernel->acc_itemsize = static_cast<int>(acc);
  kernel->places = places;
  kernel->cost = std::clamp<int64_t>(cost, 0, 1000000);
  kernel->n_range = static_cast<int>(n_range);
  kernel->n_finish = static_cast<int>(n_finish);
  kernel->strided = false;
  kernel->bytes_per_element = 0;
  for (int64_t i = 0; i < n_range; ++i) {
    const Operand& operand = kernel->operands[static_cast<size_t>(i)];
    if (operand.strided()) kernel->strided = true;
    if (operand.tiled()) kernel->bytes_per_element += operand.itemsize;
  }
  return Handles<Kernel>::get().add(std::move(kernel));
}

// Binds n operands to their words. Outputs given as 0 are only marked (ptr null); wanted: they have elements.
int64_t* bind(const Operand* operands, int n, int rank, bool used, int64_t* words, Bound* bound) {
  for (int i = 0; i < n; ++i) {
    bool scalar = operands[i].role == PF_SCALAR;
    bound[i] = {scalar ? reinterpret_cast<char*>(words) : reinterpret_cast<char*>(*words), nullptr};
    if (!bound[i].ptr && used && operands[i].role != PF_OUT) return nullptr;
    ++words;
    if (operands[i].strided()) {
      bound[i].strides = words;
      words += rank;
    }
  }
  return words;
}

// Outputs that the launcher allocates; they go back when the launch fails.
struct Outputs {
  int64_t* words[2 * PF_MAX_OPERANDS];
  int count = 0;

  bool allocate(const Operand* operands, int n, int rank, int64_t elements, int64_t* word, Bound* bound) {
    int64_t bytes_bound = 0;
    for (int i = 0; i < n; ++i) {
      if (operands[i].role == PF_OUT || operands[i].role == PF_INOUT || operands[i].role == PF_OUT_STRIDED) {
        int64_t bytes = elements * operands[i].itemsize;
        if (operands[i].role == PF_OUT && !bound[i].ptr) {
          bound[i].ptr = static_cast<char*>(Pool::get().allocate(bytes));
          if (!bound[i].ptr) return false;
          *word = reinterpret_cast<int64_t>(bound[i].ptr);
          words[count++] = word;
        }
        bytes_bound += bytes;
      }
      word += operands[i].strided() ? 1 + rank : 1;
    }
    counters.output_bytes.add(bytes_bound);
    return true;
  }
  void undo() {
    for (int i = 0; i < count; ++i) {
      Pool::get().free(reinterpret_cast<void*>(*words[i]));
      *words[i] = 0;
    }
  }
};

int launch(Kernel* kernel, int64_t* words) {
  const int rank = kernel->rank();
  const int nk1 = kernel->nk1, nr = kernel->nr, nk2 = kernel->nk2;
  Bound bound[2 * PF_MAX_OPERANDS];
  Launch launch{kernel, words, 0, 1, bound, bound + kernel->n_range};
  if (kernel->kind == PF_ELEMENTWISE) {
    launch.k_total = product(rank, words);
  } else {
    int64_t k1 = product(nk1, words), k2 = product(nk2, words + nk1 + nr);
    launch.r_total = product(nr, words + nk1);
    int64_t all[3] = {k1, launch.r_total, k2};
    if (product(3, all) < 0) {
      launch.k_total = -1;
    } else if (__builtin_mul_overflow(k1, k2, &launch.k_total)) {
      return PF_NO_MEMORY;
    }
  }
  if (launch.k_total < 0 || launch.r_total < 0) {
    bool negative = std::any_of(words, words + rank, [](int64_t e) { return e < 0; });
    return negative ? PF_INVALID : PF_NO_MEMORY;
  }
  const bool kept = launch.k_total > 0, used = kept && launch.r_total > 0;
  int64_t* range_words = words + rank;
  int64_t* finish_words = bind(kernel->range_operands(), kernel->n_range, rank, used, range_words, bound);
  if (!finish_words) return PF_INVALID;
  if (!bind(kernel->finish_operands(), kernel->n_finish, nk1 + nk2, kept, finish_words, bound + kernel->n_range))
    return PF_INVALID;

  Outputs outputs;
  int rc = PF_NO_MEMORY;
  if (outputs.allocate(kernel->range_operands(), kernel->n_range, rank, launch.k_total, range_words, bound) &&
      outputs.allocate(kernel->finish_operands(), kernel->n_finish, nk1 + nk2, launch.k_total, finish_words,
                       bound + kernel->n_range)) {
    rc = !kept ? PF_OK : kernel->kind == PF_ELEMENTWISE ? launch_elementwise(launch) : launch_reduction(launch);
  }
  if (rc != PF_OK) {
    outputs.undo();
  } else {
    counters.launches.add(1);
  }
  return rc;
}

}  // namespace

void lock_kernels() { Handles<Kernel>::get().mutex.lock(); }
void unlock_kernels() { Handles<Kernel>::get().mutex.unlock(); }

Split split_work(int64_t units, double ns_per_unit) {
  constexpr double kWorthwhile = 40e3, kPart = 10e3;  // ns: waking a thread takes a good part of it
  double ns = static_cast<double>(units) * ns_per_unit;
  if (units <= 1 || ns < kWorthwhile) return {1, 1};
  int threads = static_cast<int>(std::min<double>(std::min<double>(thread_limit(), ns / kPart), static_cast<double>(units)));
  if (threads <= 1) return {1, 1};
  double parts = std::min({4.0 * threads, ns / kPart, static_cast<double>(units)});  // a few each: cores are not alike
  return {threads, std::max<int64_t>(threads, static_cast<int64_t>(parts))};
}

}  // namespace pf

int64_t pf_kernel_create(void* range_fn, void* finish_fn, const int64_t* spec) {
  try {
    return pf::create(reinterpret_cast<pf::KernelFn>(range_fn), reinterpret_cast<pf::KernelFn>(finish_fn), spec);
  } catch (const std::bad_alloc&) {
    return PF_NO_MEMORY;
  }
}

int32_t pf_kernel_destroy(int64_t handle) {
  if (!pf::Handles<pf::Kernel>::get().remove(handle)) return PF_UNKNOWN_KERNEL;
  return PF_OK;
}

int32_t pf_launch(int64_t handle, int64_t* words) {
  pf::Kernel* kernel = pf::Handles<pf::Kernel>::find(handle);
  if (!kernel || !words) return kernel ? PF_INVALID : PF_UNKNOWN_KERNEL;
  if (!pf::timing.load(std::memory_order_relaxed)) return pf::launch(kernel, words);
  auto start = std::chrono::steady_clock::now();
  int rc = pf::launch(kernel, words);
  auto passed = std::chrono::steady_clock::now() - start;
  kernel->last_ns.store(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
  return rc;
}

void pf_set_timing(int32_t on) { pf::timing.store(on != 0); }

int64_t pf_last_ns(int64_t handle) {
  pf::Kernel* kernel = pf::Handles<pf::Kernel>::find(handle);
  return kernel ? kernel->last_ns.load() : 0;
}
