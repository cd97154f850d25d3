// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dims.h"

namespace pf {

bool Dims::constant() const {
  for (int d = 0; d < n; ++d)
    if (str[d] != 0) return false;
  return true;
}

int64_t product(int rank, const int64_t* extents) {
  bool zero = false;
  int64_t total = 1;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] < 0) return -1;
    if (extents[d] == 0) zero = true;
  }
  if (zero) return 0;
  for (int d = 0; d < rank; ++d) {
    if (__builtin_mul_overflow(total, extents[d], &total) || total >= (int64_t{1} << 56)) return -1;
  }
  return total;
}

int merge_dims(int rank, const int64_t* extents, int operands, const int64_t* const* strides, int64_t* ext,
               int64_t* const* str) {
  int n = 0;
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == 1) continue;
    bool merges = n > 0;
    for (int i = 0; i < operands && merges; ++i) {
      int64_t whole;
      if (strides[i])
        merges = !__builtin_mul_overflow(strides[i][d], extents[d], &whole) && str[i][n - 1] == whole;
    }
    if (merges) {
      ext[n - 1] *= extents[d];
    } else {
      ext[n++] = extents[d];
    }
    for (int i = 0; i < operands; ++i)
      if (strides[i]) str[i][n - 1] = strides[i][d];
  }
  return n;
}

}  // namespace pf
