// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python scalars as the words of eight bytes that kernels take.
#include <cmath>
#include <cstring>

#include "core.h"

namespace core {
namespace {

// The bits of the nearest number, ties to even, of a binary format that is narrower than a double: `digits` of the
// significand with the leading one, exponents of `bits`. Beyond its range it is infinite.
uint64_t narrowed(double number, int digits, int bits) {
  const uint64_t sign = static_cast<uint64_t>(std::signbit(number)) << (digits - 1 + bits);
  const uint64_t infinite = ((uint64_t{1} << bits) - 1) << (digits - 1);
  if (std::isnan(number)) return infinite | uint64_t{1} << (digits - 2);
  if (std::isinf(number)) return sign | infinite;
  if (number == 0) return sign;
  const int smallest = 2 - (1 << (bits - 1));  // exponent of the smallest normal number
  int exponent;
  std::frexp(number, &exponent);  // in [0.5, 1) times 2^exponent
  if (--exponent < smallest) exponent = smallest;
  // In units of the last place. A significand that rounds up to the next power of two, or to the smallest normal
  // number, carries into the exponent.
  const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(std::fabs(number), digits - 1 - exponent)));
  const uint64_t found = (static_cast<uint64_t>(exponent - smallest) << (digits - 1)) + units;
  return sign | (found < infinite ? found : infinite);
}

template <class T>
bool store(T value, int64_t* word) {
  *word = 0;
  std::memcpy(word, &value, sizeof(T));  // the low bytes: every CPU that the compiler knows is little-endian
  return true;
}

bool signed_word(PyObject* number, int bytes, int64_t* word) {
  Ref index(PyNumber_Index(number));
  if (!index) return false;
  long long value = PyLong_AsLongLong(index);
  if (value == -1 && PyErr_Occurred()) return false;
  const long long high = bytes == 8 ? INT64_MAX : (1LL << (8 * bytes - 1)) - 1;
  if (value > high || value < -high - 1) {
    PyErr_Format(PyExc_OverflowError, "%R is no integer of %d bits", number, 8 * bytes);
    return false;
  }
  // Above its bytes a word is zero.
  *word = bytes == 8 ? value : value & ((1LL << 8 * bytes) - 1);
  return true;
}

bool unsigned_word(PyObject* number, int bytes, int64_t* word) {
  Ref index(PyNumber_Index(number));
  if (!index) return false;
  unsigned long long value = PyLong_AsUnsignedLongLong(index);
  if (PyErr_Occurred()) return false;
  if (bytes < 8 && value >> 8 * bytes != 0) {
    PyErr_Format(PyExc_OverflowError, "%R is no natural number of %d bits", number, 8 * bytes);
    return false;
  }
  return store(value, word);
}

}  // namespace

bool scalar_word(PyObject* number, char code, int64_t* word) {
  switch (code) {
    case 'b': return signed_word(number, 1, word);
    case 'h': return signed_word(number, 2, word);
    case 'i': return signed_word(number, 4, word);
    case 'q': return signed_word(number, 8, word);
    case 'B': return unsigned_word(number, 1, word);
    case 'H': return unsigned_word(number, 2, word);
    case 'I': return unsigned_word(number, 4, word);
    case 'Q': return unsigned_word(number, 8, word);
    default: break;
  }
  double value = PyFloat_AsDouble(number);
  if (value == -1 && PyErr_Occurred()) return false;
  switch (code) {
    case 'd': return store(value, word);
    case 'f': return store(static_cast<float>(value), word);
    case 'e': return store(narrowed(value, 11, 5), word);
    case 'g': return store(narrowed(value, 8, 8), word);
    default: PyErr_Format(PyExc_ValueError, "'%c' is no code of a scalar", code); return false;
  }
}

}  // namespace core
