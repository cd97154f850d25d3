// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-finalize-kernels: puts on LLVM functions and branches what the
// conversions to the LLVM dialect lose on the way, and takes away what does not
// hold for kernels.
#include "lower/Kernel.h"
#include "lower/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
struct FinalizeKernels
    : PassWrapper<FinalizeKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FinalizeKernels)
  StringRef getArgument() const final { return "fusion-finalize-kernels"; }
  StringRef getDescription() const final {
    return "Mark the pointers of lowered kernels as not aliasing, attach loop "
           "annotations to branches, allow pointers in front of their memory";
  }
  void runOnOperation() final;
};
} // namespace

void FinalizeKernels::runOnOperation() {
  StringRef annotation = "llvm.loop_annotation";
  for (auto f : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    if (auto pointers = f->getAttrOfType<DenseI32ArrayAttr>(kNoAliasAttr))
      // The wrapper inherits the attribute; it has as many pointers as memrefs.
      if (!f.getName().starts_with("_mlir_ciface_"))
        for (int32_t i : pointers.asArrayRef())
          f.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                       UnitAttr::get(&getContext()));
    // The pointer of a tile is moved back by the begin of its range.
    f.walk([](LLVM::GEPOp gep) {
      gep.setNoWrapFlags(LLVM::GEPNoWrapFlags::none);
    });
    f.walk([&](LLVM::BrOp branch) {
      auto attr = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(annotation);
      if (!attr)
        return;
      branch.setLoopAnnotationAttr(attr);
      branch->removeDiscardableAttr(annotation);
    });
  }
}

void fusion::registerFinalizeKernels() { PassRegistration<FinalizeKernels>(); }
