// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_KERNEL_H
#define PYFUSION_KERNEL_H

#include <atomic>
#include <cstdint>
#include <memory>

#include "pyfusion_rt.h"

namespace pf {

using KernelFn = void (*)(void** args);

struct Operand {
  int8_t role;
  int8_t itemsize;
  bool strided() const { return role == PF_IN_STRIDED || role == PF_OUT_STRIDED; }
  bool tiled() const { return role != PF_UNIFORM && role != PF_SCALAR; }
};

struct Kernel {
  static constexpr uint64_t kMagic = 0x70795f6675736564;  // tells a handle from other numbers
  std::atomic<uint64_t> magic{kMagic};
  KernelFn range, finish;
  int kind, nk1, nr, nk2;
  int acc_itemsize;
  bool places;  // a reduction with PF_PLACES
  int64_t cost;
  int n_range, n_finish;
  bool strided;          // an element-wise kernel with an operand that may be strided
  int64_t bytes_per_element;  // traffic of the range part
  std::atomic<int64_t> last_ns{0};
  std::unique_ptr<Operand[]> operands;  // range, then finish

  int rank() const { return nk1 + nr + nk2; }
  const Operand* range_operands() const { return operands.get(); }
  const Operand* finish_operands() const { return operands.get() + n_range; }
};

// An operand as one launch gives it. strides: per dimension of its part, null unless it is strided.
struct Bound {
  char* ptr;               // for a scalar: of its word
  const int64_t* strides;
};

struct Launch {
  const Kernel* kernel;
  const int64_t* extents;
  int64_t k_total, r_total;  // elements kept and reduced; element-wise: all and 1
  const Bound* range;
  const Bound* finish;
};

// Around a fork, so that the child finds the table of handles whole.
void lock_kernels();
void unlock_kernels();

int launch_elementwise(const Launch& launch);
int launch_reduction(const Launch& launch);

// The descriptors and argument arrays of one compiled function on one thread, filled once and then moved from tile to
// tile. A memref argument is a pointer to a pointer to its descriptor (allocated, aligned, offset, sizes, strides).
struct Frame {
  static constexpr int kSlots = PF_MAX_OPERANDS + 2;  // the operands, the partials and the places
  union Descriptor {
    struct {
      char *allocated, *aligned;
      int64_t offset, size, stride;
    } one;
    struct {
      char *allocated, *aligned;
      int64_t offset, rows, cols, row_stride, col_stride;
    } two;
  };

  void* args[kSlots + 3];  // and the first place or the count, and two ends
  Descriptor* pointers[kSlots];
  Descriptor descriptors[kSlots];

  void set_word(int arg, const void* word) { args[arg] = const_cast<void*>(word); }
  void set_line(int arg, char* data, int64_t size) {
    attach(arg);
    descriptors[arg].one = {data, data, 0, size, 1};
  }
  void set_tile(int arg, char* data, int64_t rows, int64_t cols, int64_t row_stride) {
    attach(arg);
    descriptors[arg].two = {data, data, 0, rows, cols, row_stride, 1};
  }
  void move(int arg, char* data) { descriptors[arg].one.aligned = data; }

 private:
  void attach(int arg) {
    pointers[arg] = &descriptors[arg];
    args[arg] = &pointers[arg];
  }
};

// How many threads the work is worth, and how many parts they take turns on.
struct Split {
  int threads;
  int64_t parts;
};
Split split_work(int64_t units, double ns_per_unit);
inline int64_t part_begin(int64_t units, int64_t parts, int64_t part) {
  int64_t each = units / parts, rest = units % parts;
  return part * each + (part < rest ? part : rest);
}

}  // namespace pf

#endif  // PYFUSION_KERNEL_H
