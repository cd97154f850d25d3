// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-unpack-cut-floats: for ptxas, which would convert floats whose low
// bits alone are stored.
#include "lower/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace {

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
/// one; if a float was computed in it, ptxas 13.0 takes that for a conversion
/// and stores -1 for what is too large (13.5 does not).
Value unpack(OpBuilder &b, Location loc, Value whole, IntegerType type) {
  bool isDouble = whole.getType().isF64();
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, b.getIntegerType(isDouble ? 32 : 16), whole,
      isDouble ? "{ .reg .b32 high; mov.b64 {$0, high}, $1; }"
               : "{ .reg .b16 high; mov.b32 {$0, high}, $1; }",
      isDouble ? "=r,d" : "=h,f", /*has_side_effects=*/false,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  Value low = assembly.getRes();
  if (low.getType() == type)
    return low;
  return arith::TruncIOp::create(b, loc, type, low);
}

struct UnpackCutFloats : PassWrapper<UnpackCutFloats, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnpackCutFloats)
  StringRef getArgument() const final { return "fusion-unpack-cut-floats"; }
  StringRef getDescription() const final {
    return "Unpack the low half of floats by an instruction of NVIDIA's";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() final {
    getOperation()->walk([](arith::TruncIOp op) {
      Value whole = cutFloat(op);
      if (!whole)
        return;
      OpBuilder b(op);
      op.replaceAllUsesWith(unpack(b, op.getLoc(), whole,
                                   cast<IntegerType>(op.getType())));
      op.erase();
    });
  }
};

} // namespace

void fusion::registerUnpackCutFloats() {
  PassRegistration<UnpackCutFloats>();
}
