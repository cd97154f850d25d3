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
  int64_t elementBits;          // of what is reduced

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
  FlatReduction &flat;
  GpuFunction &f;
};

/// The device functions of a reduction.
class GpuReductions {
  using Values = DenseMap<Value, Value>;

public:
  GpuReductions(FlatReduction &flat, const GpuOptions &options,
          gpu::GPUModuleOp module)
      : flat(flat), options(options), module(module) {}
  LogicalResult row();
  LogicalResult column();
  LogicalResult finish();

private:
  GpuFunction make(StringRef variant, unsigned count,
                   ArrayRef<GpuFunction::Argument> arguments,
                   int64_t accumulators);
  LogicalResult collect();
  /// The operands of `vector` elements whose first one has these places;
  /// neighbours are along dimension `along`.
  SmallVector<Values> load(OpBuilder &b, GpuFunction &f, ValueRange places);
  SmallVector<Values> loadEach(OpBuilder &b, GpuFunction &f,
                               ArrayRef<SmallVector<Value>> places);
  /// Stores the result number k, or the partial result of a chunk. `places` gives
  /// those of k in the kept dimensions.
  void store(OpBuilder &b, ReductionCode &code, ValueRange values, Value k,
             function_ref<SmallVector<Value>(OpBuilder &)> places, Value kept,
             Value reduced, Value chunkNumber, Value chunks);
  /// A loop over i from `begin` to `end` by `step` that loads
  /// options.ahead times before it joins.
  SmallVector<Value>
  loop(OpBuilder &b, GpuFunction &f, Value begin, Value end, Value step,
       ValueRange init,
       function_ref<SmallVector<Values>(OpBuilder &, Value)> load,
       function_ref<SmallVector<Value>(OpBuilder &, ValueRange,
                                       ArrayRef<Values>, Value)>
           accumulate);

  FlatReduction &flat;
  const GpuOptions &options;
  gpu::GPUModuleOp module;
  SmallVector<GpuFunction::Argument> rangeArguments, finishArguments;
  SmallVector<Value> reads; // tensors of the range part
  int64_t vector = 1;
};

/// The accumulators of `count` neighbours, one after the other.
SmallVector<Value> repeat(ValueRange values, int64_t count);

} // namespace mlir::fusion

#endif // FUSION_LOWER_GPUREDUCTIONS_H
