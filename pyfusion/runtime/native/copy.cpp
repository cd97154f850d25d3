// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a copying kernel, in the packed form of compiled kernels: source, result, begin, end.

#include <cstring>

#include "kernel.h"
#include "pyfusion_rt.h"

namespace {

struct Line {
  char *allocated, *aligned;
};

template <int64_t kItem>
void copy(void** args) {
  const Line* source = *static_cast<Line**>(args[0]);
  const Line* result = *static_cast<Line**>(args[1]);
  int64_t begin = *static_cast<int64_t*>(args[2]), end = *static_cast<int64_t*>(args[3]);
  if (begin < end)
    std::memcpy(result->aligned + begin * kItem, source->aligned + begin * kItem,
                static_cast<size_t>((end - begin) * kItem));
}

}  // namespace

extern "C" void* pf_copy_function(int32_t itemsize) {
  switch (itemsize) {
    case 1: return reinterpret_cast<void*>(copy<1>);
    case 2: return reinterpret_cast<void*>(copy<2>);
    case 4: return reinterpret_cast<void*>(copy<4>);
    case 8: return reinterpret_cast<void*>(copy<8>);
    default: return nullptr;
  }
}
