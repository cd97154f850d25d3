// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over ranges, made from the linalg operations of flat kernels.
#ifndef FUSION_LOWER_RANGES_H
#define FUSION_LOWER_RANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fusion {

/// The scalar code of a linalg.generic at one point of its domain.
class PointCode {
public:
  explicit PointCode(linalg::GenericOp generic) : generic(generic) {}
  /// Loads the operands at `point` and emits the body; gives what it yields.
  /// The accumulator of a reduction is `accumulator` and is not loaded.
  SmallVector<Value> emit(OpBuilder &b, ValueRange point,
                          Value accumulator = {});
  /// Emits the body and stores what it yields.
  void emitAndStore(OpBuilder &b, ValueRange point);
  /// Where operand `i` is accessed at `point`.
  SmallVector<Value> indices(OpBuilder &b, unsigned i, ValueRange point);
  /// The memref of the first output.
  Value output() { return generic.getDpsInitOperand(0)->get(); }
  /// The operation that joins an element and the accumulator, if it is one.
  Operation *combiner();
  /// The combiner on two accumulators (of any shape).
  Value combine(OpBuilder &b, Value x, Value y);

private:
  linalg::GenericOp generic;
};

/// A loop with a step, optionally one that LLVM leaves scalar.
scf::ForOp makeLoop(OpBuilder &b, Location loc, Value begin, Value end,
                    Value step, ValueRange init,
                    function_ref<void(OpBuilder &, Value, ValueRange)> body);
/// Asks LLVM to keep the loop as it is: it is short or seldom run.
void keepScalar(scf::ForOp loop);

// Each replaces `generic` (and its fill) by loops; a failure was reported.
LogicalResult lowerRowReduction(linalg::FillOp fill, linalg::GenericOp generic,
                                Value rows, Value columns);
LogicalResult lowerColumnReduction(linalg::FillOp fill,
                                   linalg::GenericOp generic, Value rows,
                                   Value columns);
LogicalResult lowerChunkTree(linalg::GenericOp generic, Value partials,
                             Value begin, Value end);

} // namespace mlir::fusion

#endif // FUSION_LOWER_RANGES_H
