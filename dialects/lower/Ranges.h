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
  /// The accumulators of a reduction are not loaded where they are given.
  SmallVector<Value> emit(OpBuilder &b, ValueRange point,
                          ValueRange accumulators = {});
  /// Emits the body and stores what it yields.
  void emitAndStore(OpBuilder &b, ValueRange point);
  /// Where operand `i` is accessed at `point`.
  SmallVector<Value> indices(OpBuilder &b, unsigned i, ValueRange point);
  /// The memref of an output.
  Value output(unsigned i = 0) { return generic.getDpsInitOperand(i)->get(); }
  /// The operation that joins an element and the accumulator, if it is one.
  Operation *combiner();
  /// The combiner on two accumulators (of any shape).
  Value combine(OpBuilder &b, Value x, Value y);
  /// Whether this keeps keys and their places: both are selected by one
  /// condition.
  bool keepsPlaces();
  /// That condition for two keys (of any shape): whether x, which comes after y,
  /// takes its place.
  Value beats(OpBuilder &b, Value x, Value y);

private:
  linalg::GenericOp generic;
};

/// A loop with a step, optionally one that LLVM leaves scalar.
scf::ForOp makeLoop(OpBuilder &b, Location loc, Value begin, Value end,
                    Value step, ValueRange init,
                    function_ref<void(OpBuilder &, Value, ValueRange)> body);
/// Asks LLVM to keep the loop as it is: it is short or seldom run.
void keepScalar(scf::ForOp loop);

Value makeIndex(OpBuilder &b, Location loc, int64_t value);

/// The number of accumulators that a long row is spread over: element i goes to
/// lane i % kLanes. The order of a sum, and so its bits, depends on it.
inline constexpr int64_t kLanes = 64;

/// Memory for a lane each, where LLVM makes vectors of whatever width the host
/// has of them.
Value reserveLanes(OpBuilder &b, Location loc, Type element);
/// A loop over the columns by kLanes: `body` is given the first column of a
/// turn and the number of lanes in it, which is less at the end.
void makeLanes(OpBuilder &b, Location loc, Value columns,
               function_ref<void(OpBuilder &, Value, Value)> body);
/// All lanes of some vectors in one element each: the upper half is joined to
/// the lower one, and so on.
SmallVector<Value> joinLanes(
    OpBuilder &b, Location loc, ValueRange lanes,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)> join);

// Each replaces `generic` by loops. `identities` are what its outputs start from.
void lowerRowReduction(linalg::GenericOp generic, ValueRange identities,
                       Value rows, Value columns);
void lowerColumnReduction(linalg::GenericOp generic, ValueRange identities,
                          Value rows, Value columns);
/// The same as lowerRowReduction for keys and places; `base` is the place of the
/// first column.
void lowerRowPlaces(linalg::GenericOp generic, ValueRange identities,
                    Value rows, Value columns, Value base);
/// `partials` are the tiles whose rows are combined.
void lowerChunkTree(linalg::GenericOp generic, ValueRange partials, Value begin,
                    Value end);

} // namespace mlir::fusion

#endif // FUSION_LOWER_RANGES_H
