// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_FPENV_H
#define PYFUSION_FPENV_H

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace pf {

// The default floating-point environment for as long as it lives: round to nearest, subnormals kept, no traps. A caller
// that set flush-to-zero, or a thread that inherited it, must not change results.
class DefaultFpEnv {
 public:
  DefaultFpEnv() : saved_(read()) { write(kDefault); }
  ~DefaultFpEnv() { write(saved_); }
  DefaultFpEnv(const DefaultFpEnv&) = delete;
  DefaultFpEnv& operator=(const DefaultFpEnv&) = delete;

 private:
#if defined(__x86_64__) || defined(_M_X64)
  using Word = unsigned int;
  static constexpr Word kDefault = 0x1F80;
  static Word read() { return _mm_getcsr(); }
  static void write(Word word) { _mm_setcsr(word); }
#elif defined(__aarch64__)
  using Word = uint64_t;
  static constexpr Word kDefault = 0;
  static Word read() {
    Word word;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
    return word;
  }
  static void write(Word word) { __asm__ __volatile__("msr fpcr, %0" : : "r"(word)); }
#else
#error "the floating-point environment of this processor is not known"
#endif
  Word saved_;
};

}  // namespace pf

#endif  // PYFUSION_FPENV_H
