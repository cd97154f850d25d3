// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace pf {
namespace {

constexpr int64_t kSmallBlock = 64;  // elements

template <class T>
void line(T* __restrict dst, const T* __restrict src, int64_t n, int64_t stride) {
  switch (stride) {
    case 0: {
      T value = *src;
      for (int64_t i = 0; i < n; ++i) dst[i] = value;
      return;
    }
    case 1: std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T)); return;
    case -1: {
      const T* first = src - (n - 1);
      for (int64_t i = 0; i < n; ++i) dst[i] = first[n - 1 - i];
      return;
    }
    case 2:
      for (int64_t i = 0; i < n; ++i) dst[i] = src[2 * i];
      return;
    default:
      for (int64_t i = 0; i < n; ++i) dst[i] = src[i * stride];
  }
}

// Rows of a length that the compiler knows, back to back in dst.
template <int N, class T>
void short_rows(T* __restrict dst, const T* __restrict src, int64_t rows, int64_t row_stride, int64_t col_stride) {
  if (col_stride == 0 && row_stride == 1) {
    for (int64_t r = 0; r < rows; ++r)
      for (int c = 0; c < N; ++c) dst[r * N + c] = src[r];
  } else if (col_stride == 0) {
    for (int64_t r = 0; r < rows; ++r)
      for (int c = 0; c < N; ++c) dst[r * N + c] = src[r * row_stride];
  } else if (col_stride == 1) {
    for (int64_t r = 0; r < rows; ++r)
      for (int c = 0; c < N; ++c) dst[r * N + c] = src[r * row_stride + c];
  } else {
    for (int64_t r = 0; r < rows; ++r)
      for (int c = 0; c < N; ++c) dst[r * N + c] = src[r * row_stride + c * col_stride];
  }
}

#if defined(__x86_64__)
// A value a pixel to three channels, which the compiler leaves to scalar stores.
inline void three_copies(uint32_t* dst, const uint32_t* src, int64_t rows) {
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + r));
    auto* out = reinterpret_cast<__m128i*>(dst + 3 * r);
    _mm_storeu_si128(out, _mm_shuffle_epi32(v, _MM_SHUFFLE(1, 0, 0, 0)));
    _mm_storeu_si128(out + 1, _mm_shuffle_epi32(v, _MM_SHUFFLE(2, 2, 1, 1)));
    _mm_storeu_si128(out + 2, _mm_shuffle_epi32(v, _MM_SHUFFLE(3, 3, 3, 2)));
  }
  for (; r < rows; ++r) dst[3 * r] = dst[3 * r + 1] = dst[3 * r + 2] = src[r];
}
#endif

template <class T>
void dense_rows(T* dst, const T* src, int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride) {
  switch (cols) {
    case 1: return line(dst, src, rows, row_stride);
    case 2: return short_rows<2>(dst, src, rows, row_stride, col_stride);
    case 3:
#if defined(__x86_64__)
      if constexpr (sizeof(T) == 4) {
        if (col_stride == 0 && row_stride == 1) return three_copies(dst, src, rows);
      }
#endif
      return short_rows<3>(dst, src, rows, row_stride, col_stride);
    case 4: return short_rows<4>(dst, src, rows, row_stride, col_stride);
    default: break;
  }
  if (transposed(sizeof(T), rows, row_stride, col_stride)) {
    pack_transposed(sizeof(T), reinterpret_cast<char*>(dst), cols, reinterpret_cast<const char*>(src), rows, cols,
                    row_stride, col_stride);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) line(dst + r * cols, src + r * row_stride, cols, col_stride);
}

// Many small blocks (a batch of 3 x 3 matrices): the offsets inside a block are worked out once.
template <class T>
void small_blocks(T* __restrict dst, const T* __restrict src, const Dims& d, int64_t begin, int64_t end) {
  Dims block = d, outer = d;
  int64_t size = 1;
  outer.n = d.n;
  while (outer.n > 0 && size * d.ext[outer.n - 1] <= kSmallBlock) size *= d.ext[--outer.n];
  block.n = d.n - outer.n;
  block.ext = d.ext + outer.n;
  block.str = d.str + outer.n;
  int64_t offsets[kSmallBlock];
  for (int64_t i = 0; i < size; ++i) offsets[i] = block.locate(i);
  int64_t at = begin % size, index = begin / size;
  for (int64_t left = end - begin; left > 0; ++index, at = 0) {
    int64_t inner = 0;
    const T* from = src + outer.locate(index, &inner);
    int64_t blocks = at ? 1 : std::min(std::max<int64_t>(left / size, 1), outer.inner_extent() - inner);
    for (int64_t b = 0; b < blocks; ++b, from += outer.inner_stride()) {
      int64_t n = std::min(size - at, left);
      for (int64_t i = 0; i < n; ++i) dst[i] = from[offsets[at + i]];
      dst += n;
      left -= n;
    }
    index += blocks - 1;
  }
}

// The index in each dimension of a flat index.
void unravel(const Dims& d, int64_t flat, int64_t* index) {
  for (int k = d.n - 1; k > 0; --k) {
    int64_t above = flat / d.ext[k];
    index[k] = flat - above * d.ext[k];
    flat = above;
  }
  index[0] = flat;
}

template <class T>
void flat(T* dst, const T* src, const Dims& d, int64_t begin, int64_t end) {
  if (begin >= end) return;
  if (d.n == 0) {
    *dst = *src;
    return;
  }
  const int inner = d.n - 1;
  const int64_t cols = d.ext[inner], col_stride = d.str[inner];
  if (d.n == 1) return line(dst, src + begin * col_stride, end - begin, col_stride);
  if (d.n > 2 && cols * d.ext[inner - 1] <= kSmallBlock) return small_blocks(dst, src, d, begin, end);

  int64_t index[kMaxDims];
  unravel(d, begin, index);
  const T* row = src;
  for (int k = 0; k < inner; ++k) row += index[k] * d.str[k];

  const int mid = inner - 1;
  auto advance = [&](int64_t rows) {  // by rows of the next dimension out, which it does not pass
    row += rows * d.str[mid];
    index[mid] += rows;
    for (int k = mid; k > 0 && index[k] == d.ext[k]; --k) {
      row += d.str[k - 1] - d.ext[k] * d.str[k];
      index[k] = 0;
      ++index[k - 1];
    }
  };
  int64_t left = end - begin;
  if (index[inner] != 0) {
    int64_t n = std::min(left, cols - index[inner]);
    line(dst, row + index[inner] * col_stride, n, col_stride);
    dst += n;
    left -= n;
    advance(1);
  }
  while (left >= cols) {
    int64_t rows = std::min(left / cols, d.ext[mid] - index[mid]);
    dense_rows(dst, row, rows, cols, d.str[mid], col_stride);
    dst += rows * cols;
    left -= rows * cols;
    advance(rows);
  }
  if (left > 0) line(dst, row, left, col_stride);
}

template <class T>
void tile(T* dst, int64_t ld, const T* src, int64_t rows, int64_t row_stride, const Dims& d, int64_t begin, int64_t end) {
  if (!transposed(sizeof(T), rows, row_stride, d.inner_stride())) {
    for (int64_t r = 0; r < rows; ++r) flat(dst + r * ld, src + r * row_stride, d, begin, end);
    return;
  }
  while (begin < end) {
    int64_t inner = 0;
    int64_t offset = d.locate(begin, &inner);
    int64_t n = std::min(end - begin, d.inner_extent() - inner);
    pack_transposed(sizeof(T), reinterpret_cast<char*>(dst), ld, reinterpret_cast<const char*>(src + offset), rows, n,
                    row_stride, d.inner_stride());
    dst += n;
    begin += n;
  }
}

template <class T>
void spread_line(T* __restrict dst, const T* __restrict src, int64_t n, int64_t stride) {
  if (stride == 1) {
    std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) dst[i * stride] = src[i];
}

template <class T>
void spread_flat(T* dst, const T* src, const Dims& d, int64_t begin, int64_t end) {
  if (begin >= end) return;
  if (d.n == 0) {
    *dst = *src;
    return;
  }
  const int inner = d.n - 1;
  int64_t index[kMaxDims];
  unravel(d, begin, index);
  for (int k = 0; k <= inner; ++k) dst += index[k] * d.str[k];
  while (true) {
    int64_t n = std::min(end - begin, d.ext[inner] - index[inner]);
    spread_line(dst, src, n, d.str[inner]);
    begin += n;
    if (begin == end) return;
    src += n;
    dst -= index[inner] * d.str[inner];
    index[inner] = 0;
    int k = inner - 1;
    dst += d.str[k];
    for (++index[k]; k > 0 && index[k] == d.ext[k]; ++index[k]) {
      dst += d.str[k - 1] - d.ext[k] * d.str[k];
      index[k--] = 0;
    }
  }
}

template <class F>
void with_type(int itemsize, F&& f) {
  switch (itemsize) {
    case 1: f(uint8_t{}); break;
    case 2: f(uint16_t{}); break;
    case 4: f(uint32_t{}); break;
    default: f(uint64_t{}); break;
  }
}

}  // namespace

void pack_line(int itemsize, char* dst, const char* src, int64_t n, int64_t stride) {
  with_type(itemsize, [&](auto t) {
    using T = decltype(t);
    line(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), n, stride);
  });
}

void unpack_line(int itemsize, char* dst, const char* src, int64_t n, int64_t stride) {
  with_type(itemsize, [&](auto t) {
    using T = decltype(t);
    spread_line(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), n, stride);
  });
}

void unpack_flat(int itemsize, char* dst, const char* src, const Dims& dims, int64_t begin, int64_t end) {
  with_type(itemsize, [&](auto t) {
    using T = decltype(t);
    spread_flat(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), dims, begin, end);
  });
}

void pack_flat(int itemsize, char* dst, const char* src, const Dims& dims, int64_t begin, int64_t end) {
  with_type(itemsize, [&](auto t) {
    using T = decltype(t);
    flat(reinterpret_cast<T*>(dst), reinterpret_cast<const T*>(src), dims, begin, end);
  });
}

void pack_tile(int itemsize, char* dst, int64_t ld, const char* src, int64_t rows, int64_t row_stride, const Dims& dims,
               int64_t begin, int64_t end) {
  with_type(itemsize, [&](auto t) {
    using T = decltype(t);
    tile(reinterpret_cast<T*>(dst), ld, reinterpret_cast<const T*>(src), rows, row_stride, dims, begin, end);
  });
}

}  // namespace pf
