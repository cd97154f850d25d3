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
};
struct BinaryEntry {
  StringLiteral name;
  Binary single, twice;
};

constexpr UnaryEntry unaryFunctions[] = {
    {"exp", f32::exp, nullptr},       {"expm1", f32::expm1, nullptr}, {"log", f32::log, nullptr},
    {"log1p", f32::log1p, nullptr}, {"sqrt", fusion::sqrt, fusion::sqrt}, {"sin", f32::sin, nullptr},
    {"cos", f32::cos, nullptr},       {"tanh", f32::tanh, nullptr},    {"erf", f32::erf, nullptr},
};
constexpr BinaryEntry binaryFunctions[] = {
    {"pow", f32::pow, nullptr},
    {"atan2", f32::atan2, nullptr},
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

Value mlir::fusion::emitMath(OpBuilder &builder, Location loc, StringRef name, ValueRange operands) {
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
    Unary function = single ? entry->single : entry->twice;
    return function ? function(first).getValue() : Value();
  }
  if (const BinaryEntry *entry = find(binaryFunctions, name)) {
    if (operands.size() != 2 || operands[1].getType() != type)
      return {};
    Expr second(builder, loc, operands[1]);
    Binary function = single ? entry->single : entry->twice;
    return function ? function(first, second).getValue() : Value();
  }
  return {};
}
