// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_PACK_H
#define PYFUSION_PACK_H

#include <cstdint>

#include "dims.h"

namespace pf {

// Copies strided elements of 1, 2, 4 or 8 bytes to dense tiles. Pointers are to bytes, strides and extents in elements.

// dst[i] = src[i * stride]
void pack_line(int itemsize, char* dst, const char* src, int64_t n, int64_t stride);

// dst[r * ld + c] = src[r * row_stride + c * col_stride], quick when the rows are close together (a transposition).
void pack_transposed(int itemsize, char* dst, int64_t ld, const char* src, int64_t rows, int64_t cols,
                     int64_t row_stride, int64_t col_stride);

// dst[i] = the element at flat index begin + i of the dims that start at src
void pack_flat(int itemsize, char* dst, const char* src, const Dims& dims, int64_t begin, int64_t end);

// The other way: dst[i * stride] = src[i], and the element at flat index begin + i of the dims that start at dst = src[i].
void unpack_line(int itemsize, char* dst, const char* src, int64_t n, int64_t stride);
void unpack_flat(int itemsize, char* dst, const char* src, const Dims& dims, int64_t begin, int64_t end);

// dst[r * ld + i] = the element at flat index begin + i of the dims that start at src + r * row_stride
void pack_tile(int itemsize, char* dst, int64_t ld, const char* src, int64_t rows, int64_t row_stride, const Dims& dims,
               int64_t begin, int64_t end);

// Whether a tile of that many rows is better read across the rows than along them.
inline bool transposed(int itemsize, int64_t rows, int64_t row_stride, int64_t col_stride) {
  auto magnitude = [](int64_t x) { return x < 0 ? -x : x; };
  int64_t row = magnitude(row_stride), col = magnitude(col_stride);
  return rows > 1 && row != 0 && row < col && col * itemsize >= 64;
}

}  // namespace pf

#endif  // PYFUSION_PACK_H
