// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of the library, which Python calls through ctypes.
#ifndef FUSION_CAPI_H
#define FUSION_CAPI_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PYFUSION_EXPORT __attribute__((visibility("default")))

/// Adds the dialect to a registry; a context loads it when it meets it.
PYFUSION_EXPORT void pyfusionRegisterDialects(MlirDialectRegistry registry);

/// Adds the passes to MLIR's pass registry. Calls after the first do nothing.
PYFUSION_EXPORT void pyfusionRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif // FUSION_CAPI_H
