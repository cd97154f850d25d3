// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_SCRATCH_H
#define PYFUSION_SCRATCH_H

#include <cstddef>
#include <cstdint>

namespace pf {

// Memory of the calling thread that is kept between launches. Not from the pool: it is no buffer of the program.
enum class Slot { Plan, Tiles, Partials };
constexpr int kSlots = 3;

class Scratch {
 public:
  // data() is null when out of memory. Aligned to 64 bytes; the contents are undefined.
  Scratch(Slot slot, size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  char* data() const { return data_; }

 private:
  char* data_;
  Slot slot_;
  bool own_;  // the slot was taken (a kernel that launches a kernel): memory of its own
};

// Makes sure that the calling thread's next Scratch of that size succeeds.
bool reserve_scratch(Slot slot, size_t bytes);

}  // namespace pf

#endif  // PYFUSION_SCRATCH_H
