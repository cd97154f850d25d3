// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scratch.h"

#include <cstdlib>

namespace pf {
namespace {

constexpr size_t kKept = size_t{8} << 20;  // more than this is given back after the launch

char* allocate(size_t bytes) {
  void* data = nullptr;
  return posix_memalign(&data, 64, bytes) == 0 ? static_cast<char*>(data) : nullptr;
}

struct Slots {
  struct {
    char* data = nullptr;
    size_t bytes = 0;
    bool taken = false;
  } slot[kSlots];

  ~Slots() {
    for (auto& s : slot) {
      std::free(s.data);
      s.data = nullptr;
      s.bytes = 0;
    }
  }

  bool reserve(int i, size_t bytes) {
    auto& s = slot[i];
    if (s.bytes >= bytes && s.data) return true;
    size_t rounded = (bytes + 4095) & ~size_t{4095};
    if (rounded < bytes) return false;
    if (rounded == 0) rounded = 4096;
    std::free(s.data);
    s.data = allocate(rounded);
    s.bytes = s.data ? rounded : 0;
    return s.data != nullptr;
  }
};

thread_local Slots slots;

}  // namespace

bool reserve_scratch(Slot slot, size_t bytes) {
  int i = static_cast<int>(slot);
  return slots.slot[i].taken || slots.reserve(i, bytes);
}

Scratch::Scratch(Slot slot, size_t bytes) : data_(nullptr), slot_(slot), own_(false) {
  auto& s = slots.slot[static_cast<int>(slot)];
  if (s.taken) {
    own_ = true;
    data_ = allocate(bytes ? bytes : 64);
  } else if (slots.reserve(static_cast<int>(slot), bytes)) {
    s.taken = true;
    data_ = s.data;
  }
}

Scratch::~Scratch() {
  if (own_) {
    std::free(data_);
  } else if (data_) {
    auto& s = slots.slot[static_cast<int>(slot_)];
    s.taken = false;
    if (s.bytes > kKept) {
      std::free(s.data);
      s.data = nullptr;
      s.bytes = 0;
    }
  }
}

}  // namespace pf
