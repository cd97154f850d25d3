// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementary functions as straight chains of arith operations and math.fma: no call, no table, no branch, so that
// a loop that holds them can be vectorised, and the result has the same bits in every lane, tail and target.

#ifndef PYFUSION_DIALECTS_MATH_MATH_H
#define PYFUSION_DIALECTS_MATH_MATH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::fusion {

/// True for the names that emitMath knows, those of Functions.h.
bool isMathFunction(llvm::StringRef name);

/// Emits the function on scalar operands, all f32 or all f64; a null Value if the name, the number of operands or
/// their type is unknown. IEEE special values and subnormals are respected; README.md has the errors.
/// `element` is the type that the operands come from and that the result is for: f32 operands of f16 or bf16 have
/// shorter forms of some functions.
Value emitMath(OpBuilder &builder, Location loc, llvm::StringRef name, ValueRange operands, Type element);

} // namespace mlir::fusion

#endif // PYFUSION_DIALECTS_MATH_MATH_H
