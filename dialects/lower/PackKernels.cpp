// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-pack-kernels: gives kernels the C interface of MLIR, in which a memref
// is a pointer to its descriptor. The function is that interface itself and not
// called by it, as `llvm.emit_c_interface` would have it: LLVM is handed half
// the functions.
#include "lower/Kernel.h"
#include "lower/Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct PackKernels : PassWrapper<PackKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PackKernels)
  StringRef getArgument() const final { return "fusion-pack-kernels"; }
  StringRef getDescription() const final {
    return "Make kernels functions of pointers to memref descriptors, named "
           "as MLIR's C interface names them";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() final;
};
} // namespace

static void pack(func::FuncOp f, LLVMTypeConverter &converter) {
  MLIRContext *context = f.getContext();
  OpBuilder b = OpBuilder::atBlockBegin(&f.front());
  Type pointer = LLVM::LLVMPointerType::get(context);
  for (BlockArgument arg : f.getArguments()) {
    auto memref = dyn_cast<MemRefType>(arg.getType());
    if (!memref)
      continue;
    arg.setType(pointer);
    Value descriptor = LLVM::LoadOp::create(
        b, f.getLoc(), converter.convertType(memref), arg);
    auto cast = UnrealizedConversionCastOp::create(b, f.getLoc(), memref,
                                                   descriptor);
    arg.replaceAllUsesExcept(cast.getResult(0), descriptor.getDefiningOp());
  }
  f.setType(b.getFunctionType(f.front().getArgumentTypes(), {}));
  f.setName(("_mlir_ciface_" + f.getName()).str());
  f->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
  // The execution engine's packed wrapper, its only caller, swallows it.
  f->setAttr("llvm.linkage",
             LLVM::LinkageAttr::get(context, LLVM::Linkage::LinkonceODR));
  f->setAttr("passthrough", b.getStrArrayAttr({"alwaysinline"}));
}

void PackKernels::runOnOperation() {
  LLVMTypeConverter converter(&getContext());
  for (auto f : getOperation().getOps<func::FuncOp>())
    if (isKernel(f) && !f.isExternal())
      pack(f, converter);
}

void fusion::registerPackKernels() { PassRegistration<PackKernels>(); }
