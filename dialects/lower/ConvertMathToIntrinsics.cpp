// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-math-to-intrinsics: math operations with an instruction of their own
// become LLVM intrinsics. The conversions for GPUs would make calls of device
// libraries of them, and an approximate square root.
#include "lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The float whose bits an integer narrower than it is cut from.
Value cutFloat(arith::TruncIOp op) {
  auto bits = op.getIn().getDefiningOp<arith::BitcastOp>();
  if (!bits || !op.getType().isSignlessInteger())
    return {};
  Type type = bits.getIn().getType();
  return type.isF32() || type.isF64() ? bits.getIn() : Value();
}

/// The low half of a float, unpacked by assembly, which LLVM doesn't look into.
/// It would store a cut register by a narrower st.b32 or st.b8 of the whole
/// one; ptxas 13.0 takes that for a conversion if a float was computed in it.
struct CutFloat : OpConversionPattern<arith::TruncIOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::TruncIOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value whole = cutFloat(op);
    if (!whole)
      return rewriter.notifyMatchFailure(op, "not cut from a float");
    bool isDouble = whole.getType().isF64();
    auto assembly = LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(),
        rewriter.getIntegerType(isDouble ? 32 : 16), whole,
        isDouble ? "{ .reg .b32 high; mov.b64 {$0, high}, $1; }"
                 : "{ .reg .b16 high; mov.b32 {$0, high}, $1; }",
        isDouble ? "=r,d" : "=h,f", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
    Value low = assembly.getRes();
    if (low.getType() != op.getType())
      low = arith::TruncIOp::create(rewriter, op.getLoc(), op.getType(), low);
    rewriter.replaceOp(op, low);
    return success();
  }
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
  if (nvvm)
    patterns.add<CutFloat>(context);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addIllegalOp<math::FloorOp, math::CeilOp, math::TruncOp,
                      math::RoundEvenOp, math::FmaOp, math::SqrtOp>();
  target.addDynamicallyLegalOp<arith::TruncIOp>(
      [&](arith::TruncIOp op) { return !nvvm || !cutFloat(op); });
  if (failed(applyPartialConversion(getOperation(), target,
                                    std::move(patterns))))
    signalPassFailure();
}

void fusion::registerConvertMathToIntrinsics() {
  PassRegistration<ConvertMathToIntrinsics>();
}
