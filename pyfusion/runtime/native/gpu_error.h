// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_GPU_ERROR_H
#define PYFUSION_GPU_ERROR_H

#include <cstddef>

namespace pf::gpu {

// Notes the text of an error for the calling thread and returns the code. Texts that are too long lose their end.
int fail(int code, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace pf::gpu

#endif  // PYFUSION_GPU_ERROR_H
