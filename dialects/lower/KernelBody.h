// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The body of a kernel as linalg operations on the memrefs of its signature.
#ifndef FUSION_LOWER_KERNELBODY_H
#define FUSION_LOWER_KERNELBODY_H

#include "lower/Kernel.h"
#include "lower/Scalar.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::fusion {

inline RankedTensorType tensorOf(Value v) {
  return cast<RankedTensorType>(v.getType());
}
inline Type elementOf(Value v) { return getElementTypeOrSelf(v.getType()); }

/// Where an operand of a broadcasting operation is read: dimensions are aligned
/// at the end, an extent of 1 is repeated.
AffineMap operandMap(RankedTensorType type, RankedTensorType domain);

/// A scalar as it is held in memory. A half element may be given as f32.
Value toStorage(ScalarBuilder &e, Value x, Type element);

/// Builds the body of `target` from `source`. A value of the source is found
/// as a scalar in front of the loops (`uniform`), in memory, or is computed for
/// each element. Each stage is one linalg.generic for all elements of a domain.
class KernelBody {
public:
  KernelBody(func::FuncOp source, func::FuncOp target,
             const KernelSignature &signature);
  LogicalResult build();

private:
  LogicalResult buildReduction(Operation *reduction);
  /// Into one accumulator, or into keys and places.
  LogicalResult buildReduce(Operation *reduction,
                            ArrayRef<Value> accumulators);
  void buildFinishReduce(Operation *reduction);
  /// Each accumulator with one more element in it.
  SmallVector<Value> accumulate(ScalarBuilder &e, Operation *reduction,
                                Value x, ValueRange accumulators, Value place);
  LogicalResult divideMean(Operation *reduction);

  /// A value and the memory that it is to be written to.
  using Store = std::pair<Value, Value>;
  LogicalResult buildStage(SmallVector<Store> stores);

  /// The operations that the values need, in order. Reports what has no
  /// scalar form. `reads` are the values needed from memory.
  LogicalResult slice(ValueRange values, SmallVectorImpl<Operation *> &ops,
                      SmallVectorImpl<Value> &reads);
  /// Emits the operations; those of uniform operands in front of the loop.
  LogicalResult emitOps(ArrayRef<Operation *> ops, ScalarBuilder &e,
                        DenseMap<Value, Value> &local);
  FailureOr<Value> emitCreation(Operation *op, ScalarBuilder &e, bool &inLoop);
  Value read(ScalarBuilder &e, Value value, Value stored);
  Value lookup(Value value, const DenseMap<Value, Value> &local);
  Value extent(ArrayRef<Value> reads, RankedTensorType domain, int64_t dim);
  /// Scalar code for operations of the source.
  ScalarBuilder code(ScalarBuilder e) const {
    e.fast = fast;
    return e;
  }

  func::FuncOp source, target;
  const KernelSignature &signature;
  bool flat;
  bool fast; // precision "fast"
  /// Both at the end of the function; `b` goes into the body of a linalg.generic
  /// while that is built, and `front` stays in front of it.
  OpBuilder b, front;
  Location loc;
  DenseMap<Value, Value> uniform, memory;
  /// The sum of a mean, and the number to divide it by.
  Value meanSum, meanCount;
};

} // namespace mlir::fusion

#endif // FUSION_LOWER_KERNELBODY_H
