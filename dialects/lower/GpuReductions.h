// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on GPUs: accumulators, how threads join theirs, and what follows.
#ifndef FUSION_LOWER_GPUREDUCTIONS_H
#define FUSION_LOWER_GPUREDUCTIONS_H

#include "lower/GpuKernels.h"

namespace mlir::fusion {

/// The two flat functions of a reduction.
struct FlatReduction {
  func::FuncOp range, finish;
  linalg::GenericOp reduce;               // of the range part
  SmallVector<Value> identities;          // of its accumulators
  linalg::GenericOp combine;              // of the finish part
  SmallVector<linalg::GenericOp> follow;  // what is computed from the result
  SmallVector<Value> totals;              // the result as `follow` reads it
  SmallVector<Value> partials;            // arguments of finish
  bool places = false;
  bool row = true;
  int64_t lead, reduced, trail; // dimensions

  static FailureOr<FlatReduction> get(func::FuncOp range, func::FuncOp finish);

  int64_t kept() const { return lead + trail; }
  /// Arguments of the range part on a GPU, without the accumulators.
  FailureOr<SmallVector<GpuFunction::Argument>> rangeArguments();
  /// Those of the finish part; its partial results come last.
  FailureOr<SmallVector<GpuFunction::Argument>> finishArguments();
};

/// The code of a reduction in one device function.
class ReductionCode {
public:
  ReductionCode(FlatReduction &flat, GpuFunction &f) : flat(flat), f(f) {}

  /// Accumulators that hold nothing.
  SmallVector<Value> identities(OpBuilder &b);
  /// Accumulators with one more element, whose operands are `values`.
  SmallVector<Value> accumulate(OpBuilder &b, ValueRange accumulators,
                                const DenseMap<Value, Value> &values,
                                Value place);
  SmallVector<Value> join(OpBuilder &b, ValueRange x, ValueRange y);
  /// Joins the accumulators of `threads` (i32, a power of two) neighbours; all
  /// of them have the result. Uses shared memory from number `shared` on.
  SmallVector<Value> joinThreads(OpBuilder &b, SmallVector<Value> mine,
                                 Value threads, Value lane, unsigned shared);
  /// The types of shared memory that `count` accumulators of each kind need.
  static SmallVector<Type> sharedTypes(FlatReduction &flat,
                                       int64_t count);
  /// Computes what follows result number k and stores it. `places` are those of
  /// k in the kept dimensions.
  void follow(OpBuilder &b, ValueRange totals, Value k, ValueRange places,
              Value reducedCount);
  /// Stores, or loads, partial results.
  void storePartials(OpBuilder &b, ValueRange values, Value at);
  SmallVector<Value> loadPartials(OpBuilder &b, Value at);

private:
  GpuOperand &operandOf(Value source);

  FlatReduction &flat;
  GpuFunction &f;
};

} // namespace mlir::fusion

#endif // FUSION_LOWER_GPUREDUCTIONS_H
