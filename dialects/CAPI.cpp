// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CAPI.h"

#include "Fusion.h"
#include "mlir/CAPI/IR.h"
#if __has_include("lower/Passes.h")
#include "lower/Passes.h"
#endif

using namespace mlir;

void pyfusionRegisterDialects(MlirDialectRegistry registry) {
  unwrap(registry)->insert<fusion::FusionDialect>();
}

void pyfusionRegisterPasses(void) {
#if __has_include("lower/Passes.h")
  // Registering a name twice is a fatal error in MLIR.
  static bool once = (fusion::registerLoweringPasses(), true);
  (void)once;
#endif
}
