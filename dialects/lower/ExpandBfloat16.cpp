// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-expand-bfloat16: conversions from f32 to bf16 in integers, for a host.
// LLVM would call a function that is not there, and the instruction of some
// hosts flushes subnormal numbers.
#include "lower/Passes.h"
#include "lower/Scalar.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::fusion;
using FPred = arith::CmpFPredicate;

namespace {
struct ExpandBfloat16 : PassWrapper<ExpandBfloat16, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandBfloat16)
  StringRef getArgument() const final { return "fusion-expand-bfloat16"; }
  StringRef getDescription() const final {
    return "Replace conversions from f32 to bf16 by operations on their bits";
  }
  void runOnOperation() final;
};
} // namespace

static Value truncate(ScalarBuilder &e, Value x) {
  Type i32 = e.b.getI32Type();
  Value bits = e.bitcast(i32, x), sixteen = e.integer(i32, 16);
  Value high = e.emit<arith::ShRUIOp>(bits, sixteen);
  // Round to nearest, ties to even: half a unit less one, plus the last bit.
  Value odd = e.band(high, e.integer(i32, 1));
  Value sum = e.add(e.add(bits, e.integer(i32, 0x7fff)), odd);
  // NaN must not carry into the sign. It stays in the upper half, where LLVM
  // joins this with an extension that follows.
  Value quiet = e.bor(bits, e.integer(i32, 0x400000));
  Value r = e.select(e.cmp(FPred::UNO, x, x), quiet, sum);
  return e.emit<arith::TruncIOp>(e.b.getI16Type(),
                                 e.emit<arith::ShRUIOp>(r, sixteen));
}

void ExpandBfloat16::runOnOperation() {
  SmallVector<arith::TruncFOp> ops;
  getOperation().walk([&](arith::TruncFOp op) {
    if (op.getType().isBF16() && op.getIn().getType().isF32())
      ops.push_back(op);
  });
  for (arith::TruncFOp op : ops) {
    OpBuilder b(op);
    ScalarBuilder e(b, op.getLoc());
    Value bits = truncate(e, op.getIn());
    // Most are only moved, as integers.
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto cast = dyn_cast<arith::BitcastOp>(user);
          cast && cast.getType() == bits.getType()) {
        cast.replaceAllUsesWith(bits);
        cast.erase();
      }
    if (!op->use_empty())
      op.replaceAllUsesWith(e.bitcast(op.getType(), bits));
    op.erase();
  }
}

void fusion::registerExpandBfloat16() { PassRegistration<ExpandBfloat16>(); }
