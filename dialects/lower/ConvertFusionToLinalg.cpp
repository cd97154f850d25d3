// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-fusion-to-linalg: kernels of fusion operations on tensors become
// linalg.generic operations on memrefs, with scalar code in their bodies.
#include "Fusion.h"
#include "lower/KernelBody.h"
#include "lower/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {

struct ConvertKernel : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(func::FuncOp kernel, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isKernel(kernel))
      return failure();
    if (!llvm::hasSingleElement(kernel.getBody()))
      return kernel.emitError("kernel that is not one block");
    FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
    if (failed(signature))
      return failure();
    auto lowered = func::FuncOp::create(
        rewriter, kernel.getLoc(), kernel.getName(),
        rewriter.getFunctionType(signature->arguments, {}));
    for (NamedAttribute attr : kernel->getDiscardableAttrs())
      if (attr.getName() != kTakesOverAttr)
        lowered->setAttr(attr.getName(), attr.getValue());
    lowered->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                     rewriter.getUnitAttr());
    for (auto [i, type] : llvm::enumerate(signature->arguments))
      if (isa<MemRefType>(type))
        lowered.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                           rewriter.getUnitAttr());
    if (failed(KernelBody(kernel, lowered, *signature).build()))
      return failure();
    rewriter.eraseOp(kernel);
    return success();
  }
};

/// The function of steps: the run time calls the kernels in its place.
struct EraseSteps : OpConversionPattern<func::FuncOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(func::FuncOp steps, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isKernel(steps))
      return failure();
    rewriter.eraseOp(steps);
    return success();
  }
};

struct ConvertFusionToLinalg
    : PassWrapper<ConvertFusionToLinalg, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertFusionToLinalg)
  StringRef getArgument() const final { return "convert-fusion-to-linalg"; }
  StringRef getDescription() const final {
    return "Lower kernels to linalg on memrefs; drop the functions that call "
           "them, whose steps the run time takes";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect,
                    LLVM::LLVMDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() final;
};

} // namespace

void ConvertFusionToLinalg::runOnOperation() {
  MLIRContext *context = &getContext();
  DenseSet<StringAttr> kernels;
  for (auto f : getOperation().getOps<func::FuncOp>())
    if (isKernel(f))
      kernels.insert(f.getSymNameAttr());
  auto callsKernel = [&](func::FuncOp f) {
    return f.walk([&](func::CallOp call) {
              bool found = kernels.contains(call.getCalleeAttr().getAttr());
              return found ? WalkResult::interrupt() : WalkResult::advance();
            })
        .wasInterrupted();
  };
  ConversionTarget target(*context);
  target.addIllegalDialect<FusionDialect>();
  target.addLegalDialect<arith::ArithDialect, linalg::LinalgDialect,
                         math::MathDialect, memref::MemRefDialect,
                         scf::SCFDialect, func::FuncDialect>();
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp f) {
    if (!isKernel(f))
      return !callsKernel(f);
    return llvm::none_of(f.getArgumentTypes(), llvm::IsaPred<TensorType>) &&
           f.getNumResults() == 0;
  });
  RewritePatternSet patterns(context);
  patterns.add<EraseSteps>(context);
  patterns.add<ConvertKernel>(context);
  if (failed(applyPartialConversion(getOperation(), target,
                                    std::move(patterns))))
    signalPassFailure();
}

void fusion::registerConvertFusionToLinalg() {
  PassRegistration<ConvertFusionToLinalg>();
}
