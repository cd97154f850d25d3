// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transposing pack: registers hold a small square, so that loads run down the columns of the source and stores along
// the rows of the tile. Columns are the outer loop: the lines of a few columns are read whole before the next ones, for
// at a pitch of a power of two all columns share a handful of cache sets.
#include <cstdint>

#include "pack.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pf {
namespace {

// One square: side columns of side consecutive elements each.
template <class T>
struct Square {
  static constexpr int side = 4;
  static void copy(T* __restrict dst, int64_t ld, const T* __restrict src, int64_t cs) {
    T a[4][4];
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r) a[r][c] = src[c * cs + r];
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) dst[r * ld + c] = a[r][c];
  }
};

#if defined(__x86_64__)

inline __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline __m128i load8(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
inline void store16(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }
inline void store_low(void* p, __m128i v) { _mm_storel_epi64(static_cast<__m128i*>(p), v); }
inline void store_high(void* p, __m128i v) { _mm_storeh_pi(static_cast<__m64*>(p), _mm_castsi128_ps(v)); }

template <>
struct Square<uint8_t> {
  static constexpr int side = 8;
  static void copy(uint8_t* dst, int64_t ld, const uint8_t* src, int64_t cs) {
    __m128i a[4], b[4];
    for (int i = 0; i < 4; ++i) a[i] = _mm_unpacklo_epi8(load8(src + 2 * i * cs), load8(src + (2 * i + 1) * cs));
    b[0] = _mm_unpacklo_epi16(a[0], a[1]);
    b[1] = _mm_unpackhi_epi16(a[0], a[1]);
    b[2] = _mm_unpacklo_epi16(a[2], a[3]);
    b[3] = _mm_unpackhi_epi16(a[2], a[3]);
    for (int i = 0; i < 2; ++i) {
      __m128i low = _mm_unpacklo_epi32(b[i], b[i + 2]), high = _mm_unpackhi_epi32(b[i], b[i + 2]);
      store_low(dst + (4 * i) * ld, low);
      store_high(dst + (4 * i + 1) * ld, low);
      store_low(dst + (4 * i + 2) * ld, high);
      store_high(dst + (4 * i + 3) * ld, high);
    }
  }
};

template <>
struct Square<uint16_t> {
  static constexpr int side = 8;
  static void copy(uint16_t* dst, int64_t ld, const uint16_t* src, int64_t cs) {
    __m128i a[8], b[8];
    for (int i = 0; i < 4; ++i) {
      __m128i even = load16(src + 2 * i * cs), odd = load16(src + (2 * i + 1) * cs);
      a[i] = _mm_unpacklo_epi16(even, odd);      // rows 0..3 of columns 2i, 2i+1
      a[i + 4] = _mm_unpackhi_epi16(even, odd);  // rows 4..7
    }
    for (int i = 0; i < 8; i += 2) {
      b[i] = _mm_unpacklo_epi32(a[i], a[i + 1]);
      b[i + 1] = _mm_unpackhi_epi32(a[i], a[i + 1]);
    }
    for (int h = 0; h < 2; ++h)
      for (int i = 0; i < 2; ++i) {
        __m128i left = b[4 * h + i], right = b[4 * h + i + 2];
        store16(dst + (4 * h + 2 * i) * ld, _mm_unpacklo_epi64(left, right));
        store16(dst + (4 * h + 2 * i + 1) * ld, _mm_unpackhi_epi64(left, right));
      }
  }
};

template <>
struct Square<uint32_t> {
  static constexpr int side = 4;
  static void copy(uint32_t* dst, int64_t ld, const uint32_t* src, int64_t cs) {
    __m128i c0 = load16(src), c1 = load16(src + cs), c2 = load16(src + 2 * cs), c3 = load16(src + 3 * cs);
    __m128i a0 = _mm_unpacklo_epi32(c0, c1), a1 = _mm_unpackhi_epi32(c0, c1);
    __m128i b0 = _mm_unpacklo_epi32(c2, c3), b1 = _mm_unpackhi_epi32(c2, c3);
    store16(dst, _mm_unpacklo_epi64(a0, b0));
    store16(dst + ld, _mm_unpackhi_epi64(a0, b0));
    store16(dst + 2 * ld, _mm_unpacklo_epi64(a1, b1));
    store16(dst + 3 * ld, _mm_unpackhi_epi64(a1, b1));
  }
};

template <>
struct Square<uint64_t> {
  static constexpr int side = 2;
  static void copy(uint64_t* dst, int64_t ld, const uint64_t* src, int64_t cs) {
    __m128i c0 = load16(src), c1 = load16(src + cs);
    store16(dst, _mm_unpacklo_epi64(c0, c1));
    store16(dst + ld, _mm_unpackhi_epi64(c0, c1));
  }
};

#endif

constexpr int kAhead = 8;  // columns; the hardware does not prefetch across them

template <class T>
void transpose(T* dst, int64_t ld, const T* src, int64_t rows, int64_t cols, int64_t cs) {
  constexpr int side = Square<T>::side;
  constexpr int per_line = 64 / sizeof(T);
  int64_t c = 0;
  for (; c + side <= cols; c += side) {
    const T* column = src + c * cs;
    for (int i = 0; i < side; ++i) {
      const T* ahead = column + (kAhead + i) * cs;
      for (int64_t r = 0; r < rows; r += per_line) __builtin_prefetch(ahead + r);
    }
    int64_t r = 0;
    for (; r + side <= rows; r += side) Square<T>::copy(dst + r * ld + c, ld, column + r, cs);
    for (; r < rows; ++r)
      for (int i = 0; i < side; ++i) dst[r * ld + c + i] = column[r + i * cs];
  }
  for (; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r) dst[r * ld + c] = src[r + c * cs];
}

template <class T>
void transpose_any(T* __restrict dst, int64_t ld, const T* __restrict src, int64_t rows, int64_t cols, int64_t rs,
                   int64_t cs) {
  int64_t c = 0;
  for (; c + 4 <= cols; c += 4)
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = src + r * rs + c * cs;
      T* to = dst + r * ld + c;
      for (int i = 0; i < 4; ++i) to[i] = from[i * cs];
    }
  for (; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r) dst[r * ld + c] = src[r * rs + c * cs];
}

template <class T>
void dispatch(char* dst_bytes, int64_t ld, const char* src_bytes, int64_t rows, int64_t cols, int64_t rs, int64_t cs) {
  T* dst = reinterpret_cast<T*>(dst_bytes);
  const T* src = reinterpret_cast<const T*>(src_bytes);
  if (rs == 1) {
    transpose(dst, ld, src, rows, cols, cs);
  } else if (rs == -1) {  // from the last row up
    transpose(dst + (rows - 1) * ld, -ld, src - (rows - 1), rows, cols, cs);
  } else {
    transpose_any(dst, ld, src, rows, cols, rs, cs);
  }
}

}  // namespace

void pack_transposed(int itemsize, char* dst, int64_t ld, const char* src, int64_t rows, int64_t cols,
                     int64_t row_stride, int64_t col_stride) {
  switch (itemsize) {
    case 1: return dispatch<uint8_t>(dst, ld, src, rows, cols, row_stride, col_stride);
    case 2: return dispatch<uint16_t>(dst, ld, src, rows, cols, row_stride, col_stride);
    case 4: return dispatch<uint32_t>(dst, ld, src, rows, cols, row_stride, col_stride);
    default: return dispatch<uint64_t>(dst, ld, src, rows, cols, row_stride, col_stride);
  }
}

}  // namespace pf
