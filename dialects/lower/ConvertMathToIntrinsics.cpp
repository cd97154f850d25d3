// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-math-to-intrinsics: math operations with an instruction of their own
// become LLVM intrinsics. The conversions for GPUs would make calls of device
// libraries of them, and an approximate square root.
#include "lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {

template <typename Op> struct ToIntrinsic : OpConversionPattern<Op> {
  ToIntrinsic(MLIRContext *context, StringRef intrinsic)
      : OpConversionPattern<Op>(context), intrinsic(intrinsic) {}
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "needs f32 or f64");
    // NVIDIA's own names end in the letter of the type.
    std::string suffix = intrinsic.contains("nvvm") ? (type.isF32() ? "f" : "d")
                         : type.isF32()             ? "f32"
                                                    : "f64";
    auto name = rewriter.getStringAttr(intrinsic + "." + suffix);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, name, adaptor.getOperands());
    return success();
  }
  StringRef intrinsic;
};

struct ConvertMathToIntrinsics
    : PassWrapper<ConvertMathToIntrinsics, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertMathToIntrinsics)
  ConvertMathToIntrinsics() = default;
  ConvertMathToIntrinsics(const ConvertMathToIntrinsics &other)
      : PassWrapper(other) {}
  StringRef getArgument() const final { return "convert-math-to-intrinsics"; }
  StringRef getDescription() const final {
    return "Convert math operations that are instructions to LLVM intrinsics";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() final;
  Option<bool> nvvm{*this, "nvvm", llvm::cl::init(false),
                    llvm::cl::desc("Use the intrinsics of NVIDIA GPUs.")};
};

} // namespace

void ConvertMathToIntrinsics::runOnOperation() {
  MLIRContext *context = &getContext();
  RewritePatternSet patterns(context);
  patterns.add<ToIntrinsic<math::FloorOp>>(context, "llvm.floor");
  patterns.add<ToIntrinsic<math::CeilOp>>(context, "llvm.ceil");
  patterns.add<ToIntrinsic<math::TruncOp>>(context, "llvm.trunc");
  patterns.add<ToIntrinsic<math::RoundEvenOp>>(context, "llvm.roundeven");
  patterns.add<ToIntrinsic<math::FmaOp>>(context, "llvm.fma");
  patterns.add<ToIntrinsic<math::SqrtOp>>(
      context, nvvm ? "llvm.nvvm.sqrt.rn" : "llvm.sqrt");
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addIllegalOp<math::FloorOp, math::CeilOp, math::TruncOp,
                      math::RoundEvenOp, math::FmaOp, math::SqrtOp>();
  if (failed(applyPartialConversion(getOperation(), target,
                                    std::move(patterns))))
    signalPassFailure();
}

void fusion::registerConvertMathToIntrinsics() {
  PassRegistration<ConvertMathToIntrinsics>();
}
