// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion-expand-float16: conversions of f16 in integers, for a host without
// instructions for them. LLVM would call functions that are not there.
#include "lower/Passes.h"
#include "lower/Scalar.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::fusion;
using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

namespace {
struct ExpandFloat16 : PassWrapper<ExpandFloat16, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandFloat16)
  StringRef getArgument() const final { return "fusion-expand-float16"; }
  StringRef getDescription() const final {
    return "Replace conversions between f16 and f32 by operations on their bits";
  }
  void runOnOperation() final;
};
} // namespace

/// The exponent and digits of f16 are those of a small f32, subnormal or not,
/// which a power of two makes the right one (Giesen, "Half to float done quick").
static Value extend(ScalarBuilder &e, Value x) {
  Type i32 = e.b.getI32Type(), f32 = e.b.getF32Type();
  Value bits = e.emit<arith::ExtUIOp>(i32, e.bitcast(e.b.getI16Type(), x));
  Value sign = e.shiftLeft(e.band(bits, e.integer(i32, 0x8000)), 16);
  Value small = e.shiftLeft(e.band(bits, e.integer(i32, 0x7fff)), 13);
  Value scaled = e.mul(e.bitcast(f32, small), e.constant(f32, 0x1p112));
  Value isSpecial = e.cmp(IPred::uge, small, e.integer(i32, 0x7c00 << 13));
  Value special = e.bor(small, e.integer(i32, 0x7f800000));
  Value r = e.select(isSpecial, special, e.bitcast(i32, scaled));
  return e.bitcast(f32, e.bor(r, sign));
}

/// To nearest, ties to even.
static Value truncate(ScalarBuilder &e, Value x) {
  Type i32 = e.b.getI32Type(), i16 = e.b.getI16Type(), f32 = e.b.getF32Type();
  Value bits = e.bitcast(i32, x);
  Value sign = e.band(e.shiftRight(bits, 16), e.integer(i32, 0x8000));
  Value a = e.band(bits, e.integer(i32, 0x7fffffff));
  // A normal result: half a unit less one and the last bit are added, and the
  // exponent gets its new bias; from 65520 on that reaches infinity.
  Value odd = e.band(e.shiftRight(a, 13), e.integer(i32, 1));
  Value sum = e.add(e.add(a, e.integer(i32, 0xfff)), odd);
  Value normal = e.shiftRight(e.sub(sum, e.integer(i32, 112 << 23)), 13);
  // A subnormal result: the last digit of 0.5 weighs as much as its own.
  Value half = e.add(e.bitcast(f32, a), e.constant(f32, 0.5));
  Value tiny = e.sub(e.bitcast(i32, half), e.integer(i32, 0x3f000000));
  auto below = [&](uint64_t limit) {
    return e.cmp(IPred::ult, a, e.integer(i32, limit));
  };
  Value r = e.select(below(0x38800000), tiny, normal);
  r = e.select(below(0x477ff000), r, e.integer(i32, 0x7c00));
  r = e.select(e.cmp(FPred::UNO, x, x), e.integer(i32, 0x7e00), r);
  return e.bitcast(e.b.getF16Type(),
                   e.emit<arith::TruncIOp>(i16, e.bor(r, sign)));
}

void ExpandFloat16::runOnOperation() {
  getOperation().walk([](Operation *op) {
    OpBuilder b(op);
    ScalarBuilder e(b, op->getLoc());
    Value r;
    if (auto ext = dyn_cast<arith::ExtFOp>(op);
        ext && ext.getIn().getType().isF16() && ext.getType().isF32())
      r = extend(e, ext.getIn());
    else if (auto trunc = dyn_cast<arith::TruncFOp>(op);
             trunc && trunc.getType().isF16() && trunc.getIn().getType().isF32())
      r = truncate(e, trunc.getIn());
    else
      return;
    op->getResult(0).replaceAllUsesWith(r);
    op->erase();
  });
}

void fusion::registerExpandFloat16() { PassRegistration<ExpandFloat16>(); }
