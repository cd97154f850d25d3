// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-linalg-to-gpu: flat kernels become kernels of a gpu.module and host
// functions that launch them on their caller's stream.
#include "lower/GpuKernels.h"
#include "lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct ConvertLinalgToGpu
    : PassWrapper<ConvertLinalgToGpu, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertLinalgToGpu)
  ConvertLinalgToGpu() = default;
  ConvertLinalgToGpu(const ConvertLinalgToGpu &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "convert-linalg-to-gpu"; }
  StringRef getDescription() const final {
    return "Lower flat kernels to GPU kernels and the host functions that "
           "launch them";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() final;

  Option<int64_t> vectorBytes{
      *this, "vector-bytes", llvm::cl::init(16),
      llvm::cl::desc("Bytes of the widest operand that a thread accesses at once")};
  Option<int64_t> unroll{
      *this, "unroll", llvm::cl::init(0),
      llvm::cl::desc("Vectors that a thread computes; 0: by the body's size")};
  Option<int64_t> ahead{
      *this, "ahead", llvm::cl::init(8),
      llvm::cl::desc("Turns of a reduction that a thread loads at once")};
  Option<int64_t> block{
      *this, "block", llvm::cl::init(128),
      llvm::cl::desc("Threads of a block of an element-wise kernel")};
  Option<int64_t> reductionBlock{
      *this, "reduction-block", llvm::cl::init(256),
      llvm::cl::desc("Threads of a block of a reduction")};
};
} // namespace

FailureOr<SmallVector<Access>> fusion::accessOf(func::FuncOp kernel) {
  auto names = kernel->getAttrOfType<ArrayAttr>("fusion.access");
  if (!names)
    return kernel.emitError("GPU kernels need fusion.access, which "
                            "fusion-flatten-kernels{access} adds");
  SmallVector<Access> found;
  for (auto name : names.getAsRange<StringAttr>()) {
    auto access = llvm::StringSwitch<std::optional<Access>>(name)
                      .Case("scalar", Access{Access::Scalar})
                      .Case("uniform", Access{Access::Uniform})
                      .Case("dense", Access{Access::Dense})
                      .Case("strided", Access{Access::Strided})
                      .Case("inner", Access{Access::Strided, true})
                      .Default(std::nullopt);
    if (!access)
      return kernel.emitError("unknown access ") << name;
    found.push_back(*access);
  }
  return found;
}

/// States that elements lie at multiples of their size: LLVM's default for
/// integers of 64 bits is 4 bytes, and accesses would be split.
template <typename Op> static void alignElement(Op access) {
  unsigned bits =
      cast<MemRefType>(access.getMemRefType()).getElementTypeBitWidth();
  if (bits % 8 == 0)
    access.setAlignment(bits / 8);
}

void ConvertLinalgToGpu::runOnOperation() {
  ModuleOp module = getOperation();
  auto isBlock = [](int64_t n) {
    return n >= 32 && n <= 1024 && (n & (n - 1)) == 0;
  };
  GpuOptions options{block, vectorBytes, unroll, ahead};
  GpuOptions reductions{reductionBlock, vectorBytes, unroll, ahead};
  if (!isBlock(block) || !isBlock(reductionBlock) ||
      ahead < 1 || ahead > 64 ||
      unroll < 0 || unroll > 64 || vectorBytes < 1 || vectorBytes > 16 ||
      (vectorBytes & (vectorBytes - 1))) {
    module.emitError("blocks take a power of two from 32 to 1024, vector-bytes "
                     "one from 1 to 16, unroll and ahead up to 64");
    return signalPassFailure();
  }
  SmallVector<func::FuncOp> kernels;
  for (auto f : module.getOps<func::FuncOp>())
    if (isKernel(f) && isFlat(f) && !isFinish(f) && !f.isExternal())
      kernels.push_back(f);
  if (kernels.empty())
    return;
  OpBuilder b(&getContext());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  b.setInsertionPointToEnd(module.getBody());
  auto device = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels");
  for (func::FuncOp kernel : kernels) {
    auto finish = module.lookupSymbol<func::FuncOp>(
        (kernel.getName() + "_finish").str());
    if (finish && isFinish(finish)) {
      if (failed(lowerReductionToGpu(kernel, finish, device, reductions)))
        return signalPassFailure();
      finish.erase();
    } else if (failed(lowerElementwiseToGpu(kernel, device, options))) {
      return signalPassFailure();
    }
    kernel.erase();
  }
  device.walk([](memref::LoadOp op) { alignElement(op); });
  device.walk([](memref::StoreOp op) { alignElement(op); });
}

void fusion::registerConvertLinalgToGpu() {
  PassRegistration<ConvertLinalgToGpu>();
}
