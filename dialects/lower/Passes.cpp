// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Passes.h"

void mlir::fusion::registerLoweringPasses() {
  registerConvertFusionToLinalg();
  registerConvertLinalgToRanges();
  registerConvertLinalgToGpu();
  registerExpandBfloat16();
  registerExpandFloat16();
  registerPackKernels();
  registerFinalizeKernels();
  registerConvertMathToIntrinsics();
  registerUnpackCutFloats();
}
