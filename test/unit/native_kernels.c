// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with the ABI of compiled ones, written by hand: the tests of the native run time need no compiler of ours.
#include <stdint.h>

typedef struct {
  char *allocated, *aligned;
  int64_t offset, size, stride;
} Line;
typedef struct {
  char *allocated, *aligned;
  int64_t offset, rows, cols, row_stride, col_stride;
} Tile;

// How often a kernel was entered with something that its ABI forbids.
int64_t abi_errors;

static char* line(void** args, int i) {
  Line* d = *(Line**)args[i];
  if (d->offset != 0 || d->stride != 1) __atomic_fetch_add(&abi_errors, 1, __ATOMIC_RELAXED);
  return d->aligned;
}
static Tile* tile(void** args, int i) {
  Tile* d = *(Tile**)args[i];
  if (d->offset != 0 || d->col_stride != 1) __atomic_fetch_add(&abi_errors, 1, __ATOMIC_RELAXED);
  return d;
}
static int64_t index_of(void** args, int i) { return *(int64_t*)args[i]; }

#define KERNELS(T)                                                                                \
  /* out = a */                                                                                   \
  void copy_##T(void** args) {                                                                    \
    T *restrict a = (T*)line(args, 0), *restrict out = (T*)line(args, 1);                         \
    int64_t begin = index_of(args, 2), end = index_of(args, 3);                                   \
    for (int64_t i = begin; i < end; ++i) out[i] = a[i];                                          \
  }                                                                                               \
  /* out = 2 a + b */                                                                             \
  void axpy_##T(void** args) {                                                                    \
    T *restrict a = (T*)line(args, 0), *restrict b = (T*)line(args, 1);                           \
    T* restrict out = (T*)line(args, 2);                                                          \
    int64_t begin = index_of(args, 3), end = index_of(args, 4);                                   \
    for (int64_t i = begin; i < end; ++i) out[i] = (T)(2 * a[i] + b[i]);                          \
  }                                                                                               \
  /* out = a + 3 b + 5 c + 7 d */                                                                 \
  void four_##T(void** args) {                                                                    \
    T *restrict a = (T*)line(args, 0), *restrict b = (T*)line(args, 1);                           \
    T *restrict c = (T*)line(args, 2), *restrict d = (T*)line(args, 3);                           \
    T* restrict out = (T*)line(args, 4);                                                          \
    int64_t begin = index_of(args, 5), end = index_of(args, 6);                                   \
    for (int64_t i = begin; i < end; ++i) out[i] = (T)(a[i] + 3 * b[i] + 5 * c[i] + 7 * d[i]);    \
  }                                                                                               \
  /* x = x * uniform + scalar + a + index, and a second result: the index */                      \
  void update_##T(void** args) {                                                                  \
    T *restrict x = (T*)line(args, 0), *restrict a = (T*)line(args, 1);                           \
    T uniform = *(T*)line(args, 2), scalar = *(T*)args[3];                                        \
    T* restrict out = (T*)line(args, 4);                                                          \
    int64_t begin = index_of(args, 5), end = index_of(args, 6);                                   \
    for (int64_t i = begin; i < end; ++i) {                                                       \
      x[i] = (T)(x[i] * uniform + scalar + a[i] + (T)i);                                          \
      out[i] = (T)i;                                                                              \
    }                                                                                             \
  }                                                                                               \
  /* the sum of a * b over the columns of each row */                                             \
  void row_dot_##T(void** args) {                                                                 \
    Tile *a = tile(args, 0), *b = tile(args, 1);                                                  \
    T* partial = (T*)line(args, 2);                                                               \
    int64_t rows = index_of(args, 3), cols = index_of(args, 4);                                   \
    for (int64_t r = 0; r < rows; ++r) {                                                          \
      T sum = 0;                                                                                  \
      for (int64_t c = 0; c < cols; ++c)                                                          \
        sum += ((T*)a->aligned)[r * a->row_stride + c] * ((T*)b->aligned)[r * b->row_stride + c]; \
      partial[r] = sum;                                                                           \
    }                                                                                             \
  }                                                                                               \
  /* the sum of a * b over the rows of each column */                                             \
  void col_dot_##T(void** args) {                                                                 \
    Tile *a = tile(args, 0), *b = tile(args, 1);                                                  \
    T* partial = (T*)line(args, 2);                                                               \
    int64_t rows = index_of(args, 3), cols = index_of(args, 4);                                   \
    for (int64_t c = 0; c < cols; ++c) partial[c] = 0;                                            \
    for (int64_t r = 0; r < rows; ++r)                                                            \
      for (int64_t c = 0; c < cols; ++c)                                                          \
        partial[c] +=                                                                             \
            ((T*)a->aligned)[r * a->row_stride + c] * ((T*)b->aligned)[r * b->row_stride + c];    \
  }                                                                                               \
  /* out = (the tree of the partials) * scalar + a; count = the number of reduced elements */     \
  void tree_##T(void** args) {                                                                    \
    Tile* partials = tile(args, 0);                                                               \
    T* a = (T*)line(args, 1);                                                                     \
    T scalar = *(T*)args[2];                                                                      \
    T *out = (T*)line(args, 3), *count = (T*)line(args, 4);                                       \
    int64_t n = index_of(args, 5), begin = index_of(args, 6), end = index_of(args, 7);            \
    T* p = (T*)partials->aligned;                                                                 \
    int64_t ld = partials->row_stride, chunks = partials->rows;                                   \
    for (int64_t i = begin; i < end; ++i) {                                                       \
      for (int64_t s = 1; s < chunks; s *= 2)                                                     \
        for (int64_t c = 0; c + s < chunks; c += 2 * s) p[c * ld + i] += p[(c + s) * ld + i];     \
      out[i] = p[i] * scalar + a[i];                                                              \
      count[i] = (T)n;                                                                            \
    }                                                                                             \
  }

// The places of the largest elements: keys and places beside each other, and the place of the first element of a tile.
static int64_t* places_line(void** args, int i) {
  char* data = line(args, i);
  if ((uintptr_t)data % 8 != 0) __atomic_fetch_add(&abi_errors, 1, __ATOMIC_RELAXED);
  return (int64_t*)data;
}

#define PLACES(T)                                                                                 \
  void row_place_##T(void** args) {                                                               \
    Tile* a = tile(args, 0);                                                                      \
    T* keys = (T*)line(args, 1);                                                                  \
    int64_t* places = places_line(args, 2);                                                       \
    int64_t first = index_of(args, 3), rows = index_of(args, 4), cols = index_of(args, 5);        \
    for (int64_t r = 0; r < rows; ++r) {                                                          \
      T* x = (T*)a->aligned + r * a->row_stride;                                                  \
      int64_t best = 0;                                                                           \
      for (int64_t c = 1; c < cols; ++c)                                                          \
        if (x[c] > x[best]) best = c;                                                             \
      keys[r] = x[best];                                                                          \
      places[r] = first + best;                                                                   \
    }                                                                                             \
  }                                                                                               \
  void col_place_##T(void** args) {                                                               \
    Tile* a = tile(args, 0);                                                                      \
    T* keys = (T*)line(args, 1);                                                                  \
    int64_t* places = places_line(args, 2);                                                       \
    int64_t first = index_of(args, 3), rows = index_of(args, 4), cols = index_of(args, 5);        \
    for (int64_t r = 0; r < rows; ++r) {                                                          \
      T* x = (T*)a->aligned + r * a->row_stride;                                                  \
      for (int64_t c = 0; c < cols; ++c)                                                          \
        if (r == 0 || x[c] > keys[c]) {                                                           \
          keys[c] = x[c];                                                                         \
          places[c] = first + r;                                                                  \
        }                                                                                         \
    }                                                                                             \
  }                                                                                               \
  /* out = the largest of the partials, place = its place; count = the number of elements */      \
  void place_tree_##T(void** args) {                                                              \
    Tile *keys = tile(args, 0), *places = tile(args, 4);                                          \
    T* out = (T*)line(args, 1);                                                                   \
    int64_t *place = (int64_t*)line(args, 2), *count = (int64_t*)line(args, 3);                   \
    int64_t n = index_of(args, 5), begin = index_of(args, 6), end = index_of(args, 7);            \
    if (places->rows != keys->rows || places->cols != keys->cols)                                 \
      __atomic_fetch_add(&abi_errors, 1, __ATOMIC_RELAXED);                                       \
    for (int64_t i = begin; i < end; ++i) {                                                       \
      int64_t best = 0;                                                                           \
      for (int64_t c = 1; c < keys->rows; ++c)                                                    \
        if (((T*)keys->aligned)[c * keys->row_stride + i] >                                       \
            ((T*)keys->aligned)[best * keys->row_stride + i])                                     \
          best = c;                                                                               \
      out[i] = ((T*)keys->aligned)[best * keys->row_stride + i];                                  \
      place[i] = ((int64_t*)places->aligned)[best * places->row_stride + i];                      \
      count[i] = n;                                                                               \
    }                                                                                             \
  }

PLACES(uint8_t)
PLACES(double)

KERNELS(uint8_t)
KERNELS(uint16_t)
KERNELS(uint32_t)
KERNELS(uint64_t)
KERNELS(float)
KERNELS(double)

// out = the control word of the floating-point environment that the kernel runs in (uint64)
void control_word(void** args) {
  uint64_t* out = (uint64_t*)line(args, 0);
  int64_t begin = index_of(args, 1), end = index_of(args, 2);
  uint64_t word = 0;
#if defined(__x86_64__)
  word = __builtin_ia32_stmxcsr() & ~0x3fu;  // without the sticky flags
#elif defined(__aarch64__)
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
#endif
  for (int64_t i = begin; i < end; ++i) out[i] = word;
}

// Flush to zero, as -ffast-math sets it in a process; returns the control word now in force.
uint64_t flush_to_zero(int on) {
#if defined(__x86_64__)
  unsigned word = __builtin_ia32_stmxcsr();
  word = on ? word | 0x8040u : word & ~0x8040u;
  __builtin_ia32_ldmxcsr(word);
  return word & ~0x3fu;
#elif defined(__aarch64__)
  uint64_t word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  word = on ? word | (1u << 24) : word & ~(uint64_t)(1u << 24);
  __asm__ __volatile__("msr fpcr, %0" : : "r"(word));
  return word;
#endif
}
