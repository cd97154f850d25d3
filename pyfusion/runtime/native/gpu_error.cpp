// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_error.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "pyfusion_gpu.h"

namespace pf::gpu {
namespace {
thread_local char last_error[4096];
}

int fail(int code, const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::vsnprintf(last_error, sizeof last_error, format, values);
  va_end(values);
  return code;
}

}  // namespace pf::gpu

int32_t pf_gpu_error(char* buffer, int32_t n) {
  size_t length = std::strlen(pf::gpu::last_error);
  if (buffer && n > 0) {
    size_t copied = std::min(length, static_cast<size_t>(n - 1));
    std::memcpy(buffer, pf::gpu::last_error, copied);
    buffer[copied] = 0;
  }
  return static_cast<int32_t>(length);
}
