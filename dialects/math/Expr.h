// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scalar SSA value with operators, so that the functions read like formulas. Each operator emits one arith or
// math operation (abs and copysign: bit operations). Nothing is contracted or reassociated.

#ifndef PYFUSION_DIALECTS_MATH_EXPR_H
#define PYFUSION_DIALECTS_MATH_EXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace mlir::fusion {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

class Expr {
public:
  Expr(OpBuilder &builder, Location loc, Value value) : builder(&builder), loc(loc), value(value) {}

  Value getValue() const { return value; }
  Type getType() const { return value.getType(); }
  bool isFloat() const { return isa<FloatType>(getType()); }
  unsigned getWidth() const { return getType().getIntOrFloatBitWidth(); }

  /// The number as a constant of this value's type.
  template <typename T> Expr constant(T number) const {
    TypedAttr attr;
    if (auto type = dyn_cast<FloatType>(getType()))
      attr = builder->getFloatAttr(type, static_cast<double>(number));
    else
      attr = builder->getIntegerAttr(getType(), static_cast<int64_t>(number));
    return make<arith::ConstantOp>(attr);
  }
  /// Emits an operation with this value's builder.
  template <typename Op, typename... Args> Expr make(Args &&...args) const {
    return {*builder, loc, Op::create(*builder, loc, std::forward<Args>(args)...).getResult()};
  }
  template <typename FloatOp, typename IntOp> Expr binary(Expr other) const {
    return isFloat() ? make<FloatOp>(value, other.value) : make<IntOp>(value, other.value);
  }
  Expr compare(arith::CmpFPredicate onFloats, arith::CmpIPredicate onInts, Expr other) const {
    return isFloat() ? make<arith::CmpFOp>(onFloats, value, other.value)
                     : make<arith::CmpIOp>(onInts, value, other.value);
  }

private:
  OpBuilder *builder;
  Location loc;
  Value value;
};

template <typename T> using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;

// An operator on two expressions, and with a C++ number on either side.
#define PYFUSION_EXPR_OPERATOR(SYMBOL, ...)                                                                         \
  inline Expr operator SYMBOL(Expr a, Expr b) { return a.__VA_ARGS__(b); }                                           \
  template <typename T, IfNumber<T> = 0> Expr operator SYMBOL(Expr a, T b) { return a SYMBOL a.constant(b); }        \
  template <typename T, IfNumber<T> = 0> Expr operator SYMBOL(T a, Expr b) { return b.constant(a) SYMBOL b; }

PYFUSION_EXPR_OPERATOR(+, binary<arith::AddFOp, arith::AddIOp>)
PYFUSION_EXPR_OPERATOR(-, binary<arith::SubFOp, arith::SubIOp>)
PYFUSION_EXPR_OPERATOR(*, binary<arith::MulFOp, arith::MulIOp>)
PYFUSION_EXPR_OPERATOR(/, binary<arith::DivFOp, arith::DivSIOp>)
PYFUSION_EXPR_OPERATOR(&, binary<arith::AndIOp, arith::AndIOp>)
PYFUSION_EXPR_OPERATOR(|, binary<arith::OrIOp, arith::OrIOp>)
PYFUSION_EXPR_OPERATOR(^, binary<arith::XOrIOp, arith::XOrIOp>)
PYFUSION_EXPR_OPERATOR(<<, binary<arith::ShLIOp, arith::ShLIOp>)
PYFUSION_EXPR_OPERATOR(>>, binary<arith::ShRSIOp, arith::ShRSIOp>)
#undef PYFUSION_EXPR_OPERATOR

// Comparisons: ordered on floats (false on NaN), signed on integers; != is true on NaN.
#define PYFUSION_EXPR_COMPARISON(SYMBOL, FLOAT, INT)                                                                \
  inline Expr operator SYMBOL(Expr a, Expr b) {                                                                      \
    return a.compare(arith::CmpFPredicate::FLOAT, arith::CmpIPredicate::INT, b);                                     \
  }                                                                                                                  \
  template <typename T, IfNumber<T> = 0> Expr operator SYMBOL(Expr a, T b) { return a SYMBOL a.constant(b); }

PYFUSION_EXPR_COMPARISON(<, OLT, slt)
PYFUSION_EXPR_COMPARISON(<=, OLE, sle)
PYFUSION_EXPR_COMPARISON(>, OGT, sgt)
PYFUSION_EXPR_COMPARISON(>=, OGE, sge)
PYFUSION_EXPR_COMPARISON(==, OEQ, eq)
PYFUSION_EXPR_COMPARISON(!=, UNE, ne)
#undef PYFUSION_EXPR_COMPARISON

inline Expr operator-(Expr a) { return a.make<arith::NegFOp>(a.getValue()); }

/// a * b + c, rounded once. At least one of the three is an expression.
inline Expr fma(Expr a, Expr b, Expr c) { return a.make<math::FmaOp>(a.getValue(), b.getValue(), c.getValue()); }
template <typename T, IfNumber<T> = 0> Expr fma(Expr a, Expr b, T c) { return fma(a, b, a.constant(c)); }
template <typename T, IfNumber<T> = 0> Expr fma(Expr a, T b, Expr c) { return fma(a, a.constant(b), c); }
template <typename T, typename S, IfNumber<T> = 0, IfNumber<S> = 0> Expr fma(Expr a, T b, S c) {
  return fma(a, a.constant(b), a.constant(c));
}
inline Expr sqrt(Expr a) { return a.make<math::SqrtOp>(a.getValue()); }

/// condition ? a : b
inline Expr select(Expr condition, Expr a, Expr b) {
  return a.make<arith::SelectOp>(condition.getValue(), a.getValue(), b.getValue());
}
template <typename T, IfNumber<T> = 0> Expr select(Expr condition, Expr a, T b) {
  return select(condition, a, a.constant(b));
}
template <typename T, IfNumber<T> = 0> Expr select(Expr condition, T a, Expr b) {
  return select(condition, b.constant(a), b);
}
/// Bounds that keep NaN and cost one instruction on the CPU (arith.minimumf takes several).
inline Expr atMost(Expr a, double bound) { return select(a > bound, bound, a); }
inline Expr atLeast(Expr a, double bound) { return select(a < bound, bound, a); }

inline Expr isNaN(Expr a) { return a != a; }
/// Unsigned integer comparison and shift.
inline Expr unsignedLess(Expr a, int64_t b) {
  return a.make<arith::CmpIOp>(arith::CmpIPredicate::ult, a.getValue(), a.constant(b).getValue());
}
inline Expr shiftRightUnsigned(Expr a, int64_t b) {
  return a.make<arith::ShRUIOp>(a.getValue(), a.constant(b).getValue());
}

/// The bits of a float as an integer, and back.
inline Expr toBits(Expr a) {
  return a.make<arith::BitcastOp>(IntegerType::get(a.getType().getContext(), a.getWidth()), a.getValue());
}
inline Expr fromBits(Expr a) {
  MLIRContext *context = a.getType().getContext();
  Type type = a.getWidth() == 32 ? Type(Float32Type::get(context)) : Type(Float64Type::get(context));
  return a.make<arith::BitcastOp>(type, a.getValue());
}
inline Expr toF64(Expr a) { return a.make<arith::ExtFOp>(Float64Type::get(a.getType().getContext()), a.getValue()); }
inline Expr toF32(Expr a) {
  return a.make<arith::TruncFOp>(Float32Type::get(a.getType().getContext()), a.getValue());
}
/// The low 32 bits of an i64.
inline Expr toI32(Expr a) {
  return a.make<arith::TruncIOp>(IntegerType::get(a.getType().getContext(), 32), a.getValue());
}
/// An i32 as an f32.
inline Expr intToF32(Expr a) {
  return a.make<arith::SIToFPOp>(Float32Type::get(a.getType().getContext()), a.getValue());
}

/// An f32 without its fraction as an i32, in whose range it has to be.
inline Expr floatToI32(Expr a) {
  return a.make<arith::FPToSIOp>(IntegerType::get(a.getType().getContext(), 32), a.getValue());
}

inline int64_t signMask(Expr a) { return a.getWidth() == 32 ? -(int64_t(1) << 31) : INT64_MIN; }
inline Expr signBit(Expr a) { return toBits(a) & signMask(a); }
/// True for -0 and negative NaNs too.
inline Expr isSignSet(Expr a) { return toBits(a) < 0; }
inline Expr abs(Expr a) { return fromBits(toBits(a) & ~signMask(a)); }
/// Flips the sign of `a` by the sign bit in the integer `sign` (its other bits are 0).
inline Expr flipSign(Expr a, Expr sign) { return fromBits(toBits(a) ^ sign); }
/// copysign for a value whose own sign bit is clear (or set like that of `like`).
inline Expr withSign(Expr a, Expr like) { return fromBits(toBits(a) | signBit(like)); }

/// c[last] and every `step`-th coefficient before it, Horner's scheme with fma in z = x^step.
template <size_t N> Expr hornerChain(Expr z, const double (&c)[N], size_t last, size_t step) {
  Expr sum = z.constant(c[last]);
  for (size_t i = last; i >= step; i -= step)
    sum = fma(sum, z, z.constant(c[i - step]));
  return sum;
}
/// c[0] + c[1] x + ...
template <size_t N> Expr polynomial(Expr x, const double (&c)[N]) { return hornerChain(x, c, N - 1, 1); }
/// The same as two chains in x^2, whose latencies overlap: faster from about 12 coefficients on. Not for series that
/// cancel near |x| = 1.
template <size_t N> Expr longPolynomial(Expr x, const double (&c)[N]) {
  static_assert(N >= 2);
  Expr square = x * x;
  return fma(hornerChain(square, c, N / 2 * 2 - 1, 2), x, hornerChain(square, c, (N - 1) / 2 * 2, 2));
}

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_EXPR_H
