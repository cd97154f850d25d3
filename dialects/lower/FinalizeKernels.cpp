// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-finalize-kernels: tells LLVM what the conversions to its dialect lose
// on the way, and takes back what does not hold for kernels.
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
    return "Mark accesses of different arguments as not aliasing, attach loop "
           "annotations to branches, allow pointers in front of their memory";
  }
  void runOnOperation() final;
};
} // namespace

/// The argument whose descriptor has the pointer that an address is made from,
/// if the argument is said to have memory of its own; else -1.
static int ownerOf(Value address, LLVM::LLVMFuncOp f) {
  while (auto gep = address.getDefiningOp<LLVM::GEPOp>())
    address = gep.getBase();
  auto member = address.getDefiningOp<LLVM::ExtractValueOp>();
  auto load = member ? member.getContainer().getDefiningOp<LLVM::LoadOp>()
                     : LLVM::LoadOp();
  auto arg = load ? dyn_cast<BlockArgument>(load.getAddr()) : BlockArgument();
  if (!arg || arg.getOwner() != &f.front() ||
      !f.getArgAttr(arg.getArgNumber(),
                    LLVM::LLVMDialect::getNoAliasAttrName()))
    return -1;
  return arg.getArgNumber();
}

/// Gives each argument an alias scope. Attributes of the arguments cannot say
/// it: they are about the descriptors.
static void addAliasScopes(LLVM::LLVMFuncOp f) {
  MLIRContext *context = f.getContext();
  auto domain = LLVM::AliasScopeDomainAttr::get(context);
  SmallVector<Attribute> scopes;
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    scopes.push_back(LLVM::AliasScopeAttr::get(domain));
  f.walk([&](LLVM::AliasAnalysisOpInterface access) {
    if (!isa<LLVM::LoadOp, LLVM::StoreOp>(access.getOperation()))
      return;
    int owner = ownerOf(access.getAccessedOperands().front(), f);
    if (owner < 0)
      return;
    SmallVector<Attribute> others = scopes;
    others.erase(others.begin() + owner);
    access.setAliasScopes(ArrayAttr::get(context, scopes[owner]));
    access.setNoAliasScopes(ArrayAttr::get(context, others));
  });
}

void FinalizeKernels::runOnOperation() {
  StringRef annotation = "llvm.loop_annotation";
  for (auto f : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    if (f.isExternal())
      continue;
    if (f->hasAttr(kKernelAttr) || f->hasAttr(kFinishAttr))
      addAliasScopes(f);
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
