// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering passes, which a pipeline names by their arguments.
#ifndef FUSION_LOWER_PASSES_H
#define FUSION_LOWER_PASSES_H

namespace mlir::fusion {

void registerConvertFusionToLinalg();
void registerConvertLinalgToRanges();
void registerConvertLinalgToGpu();
void registerExpandBfloat16();
void registerExpandFloat16();
void registerPackKernels();
void registerFinalizeKernels();
void registerConvertMathToIntrinsics();
void registerUnpackCutFloats();

/// All of the above.
void registerLoweringPasses();

} // namespace mlir::fusion

#endif // FUSION_LOWER_PASSES_H
