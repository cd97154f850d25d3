// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the folders share. They handle elements of constants as their bits.
#ifndef FUSION_FOLDING_H
#define FUSION_FOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace mlir::fusion {

/// An element type as the folders see it; booleans are unsigned, of one bit.
struct Element {
  explicit Element(Type tensorOrElement);

  bool isFloat() const { return semantics; }
  llvm::APFloat toFloat(const APInt &bits) const {
    return llvm::APFloat(*semantics, bits);
  }
  /// The bits of 1 and of the highest and lowest value (floats: infinities).
  APInt one() const;
  APInt highest() const;
  APInt lowest() const;

  unsigned width;
  bool isSigned;
  const llvm::fltSemantics *semantics = nullptr;
};

/// The operand, where it can stand for the result: its type must be the same.
inline OpFoldResult ifSameType(Value operand, Value result) {
  return operand.getType() == result.getType() ? OpFoldResult(operand)
                                               : OpFoldResult();
}

/// The bits that all elements of a constant share, if they do.
std::optional<APInt> splatBits(Attribute constant);

/// A constant with the same bits everywhere. Null where the type has a dynamic
/// extent, which no constant can have, or no elements.
Attribute makeSplat(Type type, const APInt &bits);

/// Applies `fn` to the elements of constants, which broadcast to `type`; null
/// if an operand is not constant, if the result would be large, or if `fn`
/// gives no value for one of the elements.
using ElementFn =
    llvm::function_ref<std::optional<APInt>(ArrayRef<APInt> elements)>;
Attribute foldElements(ArrayRef<Attribute> operands, Type type, ElementFn fn);

} // namespace mlir::fusion

#endif // FUSION_FOLDING_H
