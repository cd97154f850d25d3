// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_GPU_KERNEL_H
#define PYFUSION_GPU_KERNEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "dims.h"
#include "gpu_module.h"
#include "pyfusion_gpu.h"

namespace pf::gpu {

using HostFn = void (*)(void** args);
constexpr int kVariants = 6;
constexpr int64_t kIndexEnd = int64_t{1} << 31;  // kernels count in 31 bits

struct Operand {
  int8_t role;
  int8_t itemsize;
  bool inner;
  bool strided() const { return role == PF_IN_STRIDED; }
  bool dense() const { return role == PF_IN_DENSE || role == PF_OUT || role == PF_INOUT; }
};

struct Variant {
  HostFn fn = nullptr;
  int64_t vector = 0, unroll = 0, block = 0;
};

struct Kernel {
  static constexpr uint64_t kMagic = 0x70796770756b6572;  // tells a handle from other numbers
  std::atomic<uint64_t> magic{kMagic};
  int kind, nk1, nr, nk2;
  int acc_itemsize;
  int api, device;
  bool iota, places;
  Variant variants[kVariants];
  int n_range, n_finish;
  int range_strided, finish_strided;  // how many are
  size_t frame_bytes;                 // that a launch takes from its arena
  int most_arguments;
  std::unique_ptr<Operand[]> operands;  // range, then finish

  int rank() const { return nk1 + nr + nk2; }
  int kept() const { return nk1 + nk2; }
  const Operand* range() const { return operands.get(); }
  const Operand* finish() const { return operands.get() + n_range; }
  // Of a launch, with so many threads a block. HIP counts the threads of a grid in 32 bits.
  int64_t most_blocks(int64_t block) const {
    int64_t most = kIndexEnd - 1;
    return api == PF_HIP ? std::min(most, ((int64_t{1} << 32) - 1) / block) : most;
  }
};

// An operand as one launch gives it. strides: as given, over the dimensions of its part, null unless strided; after
// collapsing they are in `str`.
struct Bound {
  const Operand* operand;
  char* ptr;  // for a scalar: of its word
  const int64_t* strides;
  int64_t* str;
};

inline int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
inline bool aligned(const void* p, int64_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % static_cast<uint64_t>(bytes) == 0;
}

// A vector that is longer than 16 bytes is several accesses.
inline int64_t access_bytes(int64_t vector, const Bound& b) {
  return std::min<int64_t>(16, vector * b.operand->itemsize);
}

// The arguments of one host function.
class Call {
 public:
  // For so many arguments. False: the arena is too small.
  bool reserve(Arena& arena, int arguments);
  static size_t bytes_for(int arguments);

  void start(void* stream, int64_t grid);
  void integer(int64_t value) {
    words_[n_] = value;
    args_[n_] = &words_[n_];
    ++n_;
  }
  void div(int64_t d);
  // Of all but the first dimension of fill extents of 1 and these n.
  void divs(int fill, const int64_t* extents, int n) {
    for (int i = 1; i < fill; ++i) div(1);
    for (int i = fill > 0 ? 0 : 1; i < n; ++i) div(extents[i]);
  }
  void memref(void* data, int64_t size);
  // An operand, moved by so many elements.
  void operand(const Bound& bound, int64_t offset, int64_t size);
  // n values after so many of the filler
  void filled(int fill, int64_t filler, const int64_t* values, int n) {
    for (int i = 0; i < fill; ++i) integer(filler);
    for (int i = 0; i < n; ++i) integer(values[i]);
  }
  void run(HostFn fn) { fn(args_); }
  // Every argument is a word, and a descriptor, of zeros.
  void set_zeros();

 private:
  struct Descriptor {
    char *allocated, *aligned;
    int64_t offset, size, stride;
  };
  int n_ = 0, memrefs_ = 0, capacity_ = 0;
  void** args_ = nullptr;
  int64_t* words_ = nullptr;
  Descriptor** pointers_ = nullptr;
  Descriptor* descriptors_ = nullptr;
};

struct Launch {
  const Kernel* kernel;
  const int64_t* extents;
  void *stream, *scratch;
  Bound *range, *finish;
  Arena* arena;
  Call call;
};

// Walks the boxes of an iteration space that have at most `most` elements, in the order of the elements: all of the
// inner dimensions, a piece of one, and one index of those further out. The last dimension counts in units.
class Boxes {
 public:
  Boxes(int n, const int64_t* extents, int64_t most, int64_t unit = 1);
  bool single() const { return split_ < 0; }
  bool next();
  const int64_t* extents() const { return box_; }  // in units, too
  int64_t offset(const int64_t* strides) const {
    int64_t sum = 0;
    for (int d = 0; d <= split_; ++d) sum += at_[d] * (d == n_ - 1 ? unit_ : 1) * strides[d];
    return sum;
  }

 private:
  int n_, split_;
  int64_t unit_, step_ = 0;
  const int64_t* extents_;
  bool started_ = false;
  int64_t at_[kMaxDims], box_[kMaxDims];
};

// Starts the arguments of a host function; calls it and returns the error of this thread's target.
int begin(Launch& launch, int variant, int64_t grid);
int run(Launch& launch, int variant);

// The strides of operands over n dimensions from `first` of their parts, collapsed as all of them allow into `ext` and,
// from `at`, each operand's `str`. Returns how many dimensions are left, or -1 when the arena is too small.
struct Group {
  Bound* bound;
  int count;
  int first;
};
int collapse(Arena& arena, int n, const int64_t* extents, const Group* groups, int n_groups, int at, int64_t* ext);

int launch_elementwise(Launch& launch);
int launch_reduction(Launch& launch);
int64_t reduction_scratch(const Kernel& kernel, const int64_t* extents);  // bytes or a code

// Calls that succeeded, kernels by variant, launches that were split.
struct Counters {
  std::atomic<int64_t> calls{0}, variants[kVariants] = {}, splits{0};
};
extern Counters gpu_counters;

}  // namespace pf::gpu

#endif  // PYFUSION_GPU_KERNEL_H
