// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the function's name to its expansion.

#include "Math.h"
#include "Functions.h"

using namespace mlir;
using namespace mlir::fusion;

namespace {
using Unary = Expr (*)(Expr);
using Binary = Expr (*)(Expr, Expr);
struct UnaryEntry {
  StringLiteral name;
  Unary single, twice;
  /// In f32 arithmetic, where operand and result are of a half type; null: `single` and a rounding.
  Unary bfloat16 = nullptr, float16 = nullptr;
};
struct BinaryEntry {
  StringLiteral name;
  Binary single, twice;
};

constexpr UnaryEntry unaryFunctions[] = {
    {"exp", f32::exp, f64::exp, bf16::exp},       {"expm1", f32::expm1, f64::expm1}, {"log", f32::log, f64::log},
    {"log1p", f32::log1p, f64::log1p}, {"sqrt", fusion::sqrt, fusion::sqrt}, {"sin", f32::sin, f64::sin},
    {"cos", f32::cos, f64::cos},       {"tanh", f32::tanh, f64::tanh, bf16::tanh, f16::tanh},    {"erf", f32::erf, f64::erf, bf16::erf},
    {"tan", f32::tan, f64::tan},       {"asin", f32::asin, f64::asin},    {"acos", f32::acos, f64::acos},
    {"atan", f32::atan, f64::atan},    {"sinc", f32::sinc, f64::sinc},    {"erfc", f32::erfc, f64::erfc},
    {"lgamma", f32::lgamma, f64::lgamma},
    {"exp2", f32::exp2, f64::exp2},    {"log2", f32::log2, f64::log2},    {"log10", f32::log10, f64::log10},
    {"rsqrt", f32::rsqrt, f64::rsqrt}, {"sigmoid", f32::sigmoid, f64::sigmoid, bf16::sigmoid}, {"cbrt", f32::cbrt, f64::cbrt},
    {"sinh", f32::sinh, f64::sinh},    {"cosh", f32::cosh, f64::cosh},    {"asinh", f32::asinh, f64::asinh},
    {"acosh", f32::acosh, f64::acosh}, {"atanh", f32::atanh, f64::atanh},
};
constexpr BinaryEntry binaryFunctions[] = {
    {"pow", f32::pow, f64::pow},
    {"atan2", f32::atan2, f64::atan2},
    {"hypot", f32::hypot, f64::hypot},
    {"logaddexp", f32::logaddexp, f64::logaddexp},
};

template <typename Entry, size_t N> const Entry *find(const Entry (&table)[N], StringRef name) {
  for (const Entry &entry : table)
    if (entry.name == name)
      return &entry;
  return nullptr;
}
} // namespace

bool mlir::fusion::isMathFunction(StringRef name) {
  return find(unaryFunctions, name) || find(binaryFunctions, name);
}

Value mlir::fusion::emitMath(OpBuilder &builder, Location loc, StringRef name, ValueRange operands, Type element) {
  if (operands.empty())
    return {};
  Type type = operands[0].getType();
  bool single = type.isF32();
  if (!single && !type.isF64())
    return {};
  Expr first(builder, loc, operands[0]);
  if (const UnaryEntry *entry = find(unaryFunctions, name)) {
    if (operands.size() != 1)
      return {};
    Unary shorter = !single ? nullptr : element.isBF16() ? entry->bfloat16 : element.isF16() ? entry->float16 : nullptr;
    if (shorter)
      return shorter(first).getValue();
    return (single ? entry->single : entry->twice)(first).getValue();
  }
  if (const BinaryEntry *entry = find(binaryFunctions, name)) {
    if (operands.size() != 2 || operands[1].getType() != type)
      return {};
    Expr second(builder, loc, operands[1]);
    return (single ? entry->single : entry->twice)(first, second).getValue();
  }
  return {};
}
