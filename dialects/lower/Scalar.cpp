// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of scalar bodies and the helpers that they share.
#include "lower/Scalar.h"
#include "math/Math.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fusion;

bool fusion::isBool(Type element) { return element.isInteger(1); }

bool fusion::isHalf(Type element) {
  return element.isF16() || element.isBF16();
}

Type fusion::scalarType(Type element) {
  if (auto type = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), type.getWidth());
  return isHalf(element) ? IntegerType::get(element.getContext(), 16) : element;
}

Type fusion::storageType(Type element) {
  if (isBool(element))
    return IntegerType::get(element.getContext(), 8);
  return scalarType(element);
}

Value ScalarBuilder::constant(Type type, double value) {
  return emit<arith::ConstantOp>(FloatAttr::get(type, value));
}

Value ScalarBuilder::constant(Type type, const APInt &value) {
  return emit<arith::ConstantOp>(IntegerAttr::get(type, value));
}

Value ScalarBuilder::integer(Type type, uint64_t bits) {
  if (type.isIndex())
    return emit<arith::ConstantIndexOp>(static_cast<int64_t>(bits));
  return constant(type, APInt(64, bits).zextOrTrunc(type.getIntOrFloatBitWidth()));
}

Value ScalarBuilder::add(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? emit<arith::AddFOp>(x, y)
                                     : emit<arith::AddIOp>(x, y);
}

Value ScalarBuilder::sub(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? emit<arith::SubFOp>(x, y)
                                     : emit<arith::SubIOp>(x, y);
}

Value ScalarBuilder::mul(Value x, Value y) {
  return isa<FloatType>(x.getType()) ? emit<arith::MulFOp>(x, y)
                                     : emit<arith::MulIOp>(x, y);
}

Value ScalarBuilder::neg(Value x) {
  if (isa<FloatType>(x.getType()))
    return emit<arith::NegFOp>(x);
  return sub(integer(x.getType(), 0), x);
}

// Bit operations and not math.absf, math.copysign: these two have no
// instruction in every GPU path.
Value ScalarBuilder::absFloat(Value x) {
  Type bits = bitsType(x.getType());
  unsigned width = bits.getIntOrFloatBitWidth();
  Value mask = constant(bits, APInt::getSignedMaxValue(width));
  return bitcast(x.getType(), band(bitcast(bits, x), mask));
}

Value ScalarBuilder::copySign(Value x, Value y) {
  Type bits = bitsType(x.getType());
  unsigned width = bits.getIntOrFloatBitWidth();
  Value sign = band(bitcast(bits, y), constant(bits, APInt::getSignMask(width)));
  Value magnitude = bitcast(bits, absFloat(x));
  return bitcast(x.getType(), bor(magnitude, sign));
}

static const ScalarTable &scalarTable() {
  static const ScalarTable table = [] {
    ScalarTable t;
    addArithmetic(t);
    addComparisons(t);
    addIntegerOps(t);
    addDivision(t);
    addCasts(t);
    return t;
  }();
  return table;
}

static Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

/// A float operation with a polynomial expansion and not a body of the table.
static bool isExpanded(StringRef name, Type element) {
  return isa<FloatType>(element) && isMathFunction(name);
}

bool fusion::hasScalarForm(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return op->getNumOperands() && op->getNumResults() == 1 &&
         (scalarTable().contains(name) ||
          isExpanded(name, elementOf(op->getOperands().back())));
}

Value fusion::emitScalar(ScalarBuilder &e, Operation *op, ValueRange operands) {
  StringRef name = op->getName().stripDialect();
  Type in = elementOf(op->getOperands().back());
  Type out = elementOf(op->getResult(0));
  // Half-precision arithmetic is done in f32 and rounded at each operation:
  // f32 has more than twice their digits, so that this rounds correctly.
  Type f32 = e.b.getF32Type();
  bool isCast = name == "cast";
  bool widen = isHalf(in) && !isCast && (e.fast || name != "select");
  SmallVector<Value> v(operands);
  for (Value &x : v)
    if (widen && x.getType() == scalarType(in))
      x = emitCast(e, x, in, f32);
    else if (isCast && isHalf(in) && x.getType() == f32)
      x = emitCast(e, x, f32, in); // rounds with precision "fast" too
  Type work = widen ? f32 : in;
  Type workOut = widen && isHalf(out) ? f32 : out;
  Value r = isExpanded(name, work)
                ? emitMath(e.b, e.loc, name, v, in)
                : scalarTable().lookup(name)(e, v, work, workOut);
  return workOut == out || e.fast ? r : emitCast(e, r, workOut, out);
}
