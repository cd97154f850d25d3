// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_DIMS_H
#define PYFUSION_DIMS_H

#include <cstddef>
#include <cstdint>
#include <new>

namespace pf {

constexpr int kMaxDims = 64;

// Hands out pieces of one block; the block is sized beforehand.
class Arena {
 public:
  Arena(char* data, size_t bytes) : at_(data), end_(data + bytes) {}
  template <class T>
  T* take(size_t n) {
    char* p = at_;
    at_ += bytes_for<T>(n);
    return at_ <= end_ ? reinterpret_cast<T*>(p) : nullptr;
  }
  template <class T>
  static constexpr size_t bytes_for(size_t n) {
    return (n * sizeof(T) + 15) & ~size_t{15};
  }

 private:
  char *at_, *end_;
};

// Extents with the strides (in elements) of one operand, outermost first. Adjacent dimensions that one stride can walk
// are merged and extents of 1 dropped, so that n is 0 for a single element.
struct Dims {
  int n = 0;
  int64_t* ext = nullptr;
  int64_t* str = nullptr;

  int64_t inner_extent() const { return n ? ext[n - 1] : 1; }
  int64_t inner_stride() const { return n ? str[n - 1] : 1; }
  bool contiguous() const { return n == 0 || (n == 1 && str[0] == 1); }
  bool single_stride() const { return n <= 1; }
  bool constant() const;

  // The offset of the element at a flat index, in elements; *inner is its index in the innermost dimension.
  int64_t locate(int64_t flat, int64_t* inner = nullptr) const {
    int64_t offset = 0;
    for (int d = n - 1; d >= 0; --d) {
      int64_t index = flat;
      if (d > 0) {
        flat = index / ext[d];
        index -= flat * ext[d];
      }
      if (d == n - 1 && inner) *inner = index;
      offset += index * str[d];
    }
    if (n == 0 && inner) *inner = 0;
    return offset;
  }
};

// Merges rank dimensions. One operand: its own merge. Several: what all of them can merge. strides[i] are those of operand
// i; null = C-contiguous over the dimensions, which never forbids a merge. extents must be positive. Writes at most rank
// entries to ext and, for each operand with strides, to str[i]; returns how many.
int merge_dims(int rank, const int64_t* extents, int operands, const int64_t* const* strides, int64_t* ext,
               int64_t* const* str);

// The product, or -1 when an extent is negative or the product has more than 56 bits.
int64_t product(int rank, const int64_t* extents);

}  // namespace pf

#endif  // PYFUSION_DIMS_H
