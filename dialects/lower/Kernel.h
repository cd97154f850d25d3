// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel functions: their attributes and their form on memrefs.
#ifndef FUSION_LOWER_KERNEL_H
#define FUSION_LOWER_KERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::fusion {

// Attributes of kernel functions.
inline constexpr StringLiteral kKernelAttr = "fusion.kernel";
inline constexpr StringLiteral kTakesOverAttr = "fusion.takes_over";
inline constexpr StringLiteral kFlatAttr = "fusion.flat";
inline constexpr StringLiteral kFormAttr = "fusion.form";
inline constexpr StringLiteral kFinishAttr = "fusion.finish";
inline constexpr StringLiteral kMeanAttr = "fusion.mean";

/// Whether `op` is a reduction to the place of an element, argmax or argmin.
bool isPlace(Operation *op);
/// Whether a kernel has one. In the flat form it keeps two partial results, the
/// elements (keys) and their places.
bool hasPlace(func::FuncOp kernel);

inline bool isKernel(func::FuncOp f) {
  return f->hasAttr(kKernelAttr) || f->hasAttr(kFinishAttr);
}
inline bool isFlat(func::FuncOp f) { return f->hasAttr(kFlatAttr); }
inline bool isFinish(func::FuncOp f) { return f->hasAttr(kFinishAttr); }

/// The signature of a kernel on memrefs.
struct KernelSignature {
  /// The arguments of the kernel, then the results that take no argument over,
  /// then, for the finish of a reduction, the number of reduced elements. A flat
  /// kernel with a place has the keys in front of its result, and the place of
  /// its first element behind; in the finish the places stand behind the results.
  SmallVector<Type> arguments;
  /// For each result the argument that it is written to.
  SmallVector<unsigned> outputs;

  /// Reports what has no such form on the function.
  static FailureOr<KernelSignature> get(func::FuncOp kernel);
};

/// How a reduction combines its elements; a mean is a sum, divided later, and
/// the keys of a place are a maximum or minimum.
enum class Combiner { Sum, Prod, Max, Min, Any, All };

Combiner combinerOf(Operation *reduction);
/// The value that changes nothing, as it is held in memory.
TypedAttr identityOf(Combiner combiner, Type element);

} // namespace mlir::fusion

#endif // FUSION_LOWER_KERNEL_H
