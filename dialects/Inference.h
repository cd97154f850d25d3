// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Result types from operand types, with errors that name the operation.
#ifndef FUSION_INFERENCE_H
#define FUSION_INFERENCE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ValueRange.h"

namespace mlir::fusion {

/// Broadcasts `from` into `shape`, dimensions aligned at the end: an extent of
/// 1 gives way, `?` and n give n (a static extent of 1 is never a `?`, so that
/// `?` is n), and two different extents fail.
LogicalResult broadcastShape(SmallVectorImpl<int64_t> &shape,
                             ArrayRef<int64_t> from);

/// Whether two extents can be equal at run time without broadcasting: both `?`,
/// equal, or `?` and an extent other than 1.
bool extentsAgree(int64_t a, int64_t b);
/// The same for shapes of one rank.
bool shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// The inferReturnTypes of each family. Operands and attributes come unverified
/// here: from the parser, from builders and from the verifier.
class Inference {
public:
  Inference(StringRef op, std::optional<Location> location,
            SmallVectorImpl<Type> &types)
      : op(op), location(location), types(types) {}

  /// All operands broadcast, of one element type, which is the result's.
  LogicalResult elementwise(ValueRange operands);
  /// The same with `i1` as the result's element type.
  LogicalResult predicate(ValueRange operands);
  /// A condition and two operands as in `elementwise`.
  LogicalResult select(ValueRange operands);

  LogicalResult transpose(ValueRange operands, DenseI64ArrayAttr permutation);
  LogicalResult expandDims(ValueRange operands, DenseI64ArrayAttr axes);
  LogicalResult squeeze(ValueRange operands, DenseI64ArrayAttr axes);
  LogicalResult flip(ValueRange operands, DenseI64ArrayAttr axes);

  LogicalResult reduction(ValueRange operands, DenseI64ArrayAttr axes,
                          UnitAttr keepdims);
  /// A reduction of one axis or of all to `i64`.
  LogicalResult place(ValueRange operands, DenseI64ArrayAttr axes,
                      UnitAttr keepdims);
  LogicalResult matmul(ValueRange operands);

private:
  /// Reports an error; always fails.
  template <typename... Args> LogicalResult fail(Args &&...args) {
    return emitOptionalError(location, "'", op, "' op ",
                             std::forward<Args>(args)...);
  }
  /// The operand's type; null, with an error, if it is no ranked tensor.
  RankedTensorType tensor(ValueRange operands, unsigned index);
  /// Broadcasts the operands from `first` on, with one element type.
  RankedTensorType broadcast(ValueRange operands, unsigned first);
  LogicalResult checkAxes(DenseI64ArrayAttr axes, int64_t rank, StringRef what);
  LogicalResult yield(ArrayRef<int64_t> shape, Type element);

  StringRef op;
  std::optional<Location> location;
  SmallVectorImpl<Type> &types;
};

} // namespace mlir::fusion

#endif // FUSION_INFERENCE_H
