// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalar code for the element-wise operations: the one place that says what an
// operation computes for one element. It is target independent (arith, math
// and scf operations) and free of undefined behaviour.
#ifndef FUSION_LOWER_SCALAR_H
#define FUSION_LOWER_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fusion {

/// The type of an element in memory: a boolean is a byte, `uiN` is `iN`, f16 and
/// bf16 are i16.
Type storageType(Type element);
/// The type of an element in registers: a boolean is `i1`, `uiN` is `iN`, f16 and
/// bf16 are i16. Moving floats of these types about is not safe: LLVM may do it
/// by f32 and back, for which a host has no function, or one that loses
/// subnormal numbers.
Type scalarType(Type element);
bool isBool(Type element);
bool isHalf(Type element);

/// A builder of scalar code with short names for what the bodies need often.
/// Within a loop, code for loop-invariant values can go in front of it.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  /// For the body of a loop; `outer` stands in front of the loop.
  ScalarBuilder(OpBuilder &b, Location loc, Block *body, OpBuilder *outer)
      : b(b), loc(loc), body(body), outer(outer) {}

  template <typename Op, typename... Args> Value emit(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }

  Value constant(Type type, double value);
  Value constant(Type type, const APInt &value);
  /// An integer constant; the bits above the width are dropped.
  Value integer(Type type, uint64_t bits);

  Value add(Value x, Value y); // on integers and floats, as the next three
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value neg(Value x);
  Value band(Value x, Value y) { return emit<arith::AndIOp>(x, y); }
  Value bor(Value x, Value y) { return emit<arith::OrIOp>(x, y); }
  Value bxor(Value x, Value y) { return emit<arith::XOrIOp>(x, y); }
  Value bnot(Value x) { return bxor(x, integer(x.getType(), ~0ull)); }
  Value cmp(arith::CmpIPredicate p, Value x, Value y) {
    return emit<arith::CmpIOp>(p, x, y);
  }
  Value cmp(arith::CmpFPredicate p, Value x, Value y) {
    return emit<arith::CmpFOp>(p, x, y);
  }
  Value select(Value c, Value x, Value y) {
    return emit<arith::SelectOp>(c, x, y);
  }
  Value isZero(Value x) {
    return cmp(arith::CmpIPredicate::eq, x, integer(x.getType(), 0));
  }
  Value shiftLeft(Value x, unsigned n) {
    return emit<arith::ShLIOp>(x, integer(x.getType(), n));
  }
  Value shiftRight(Value x, unsigned n) { // unsigned
    return emit<arith::ShRUIOp>(x, integer(x.getType(), n));
  }
  Value bitcast(Type type, Value x) { return emit<arith::BitcastOp>(type, x); }
  /// The integer of the same width as a float type.
  Type bitsType(Type type) {
    return b.getIntegerType(type.getIntOrFloatBitWidth());
  }
  Value absFloat(Value x);
  /// The magnitude of x with the sign of y.
  Value copySign(Value x, Value y);

  /// Whether the value is computed in front of the loop.
  bool isInvariant(Value v) const { return body && v.getParentBlock() != body; }
  /// The builder in front of the loop.
  ScalarBuilder outside() {
    ScalarBuilder e(*outer, loc);
    e.fast = fast;
    return e;
  }

  OpBuilder &b;
  Location loc;
  /// Precision "fast": f16 and bf16 stay f32 between operations, and a product
  /// may be contracted with a sum.
  bool fast = false;

private:
  Block *body = nullptr;
  OpBuilder *outer = nullptr;
};

/// Emits one operation: `in` and `out` are the element types of the last
/// operand and of the result, as the fusion operation has them.
using ScalarFn = Value (*)(ScalarBuilder &e, ValueRange v, Type in, Type out);
using ScalarTable = llvm::StringMap<ScalarFn>;

// The families, each in its own file, put their operations into the table.
void addArithmetic(ScalarTable &table);
void addComparisons(ScalarTable &table);
void addIntegerOps(ScalarTable &table);
void addDivision(ScalarTable &table);
void addCasts(ScalarTable &table);

/// Whether there is scalar code for the element-wise operation `op`.
bool hasScalarForm(Operation *op);
/// Scalar code for the element-wise operation `op` on the given operands. With
/// precision "fast" operands and result of a half type may be f32.
Value emitScalar(ScalarBuilder &e, Operation *op, ValueRange operands);

/// Conversion of one element, as fusion.cast.
Value emitCast(ScalarBuilder &e, Value x, Type from, Type to);
/// Quotient and remainder of 64-bit integers, as fusion.floor_divide and
/// fusion.remainder.
std::pair<Value, Value> emitWideDivision(ScalarBuilder &e, Value a, Value b,
                                         Type element);
/// Larger and smaller of two elements, as fusion.maximum and fusion.minimum.
Value emitMaximum(ScalarBuilder &e, Value x, Value y, Type element);
Value emitMinimum(ScalarBuilder &e, Value x, Value y, Type element);

} // namespace mlir::fusion

#endif // FUSION_LOWER_SCALAR_H
