// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of reductions.
#include "Folding.h"
#include "Fusion.h"

using namespace mlir;
using namespace mlir::fusion;

/// Without axes each element is reduced alone, which gives the element.
template <typename Op> static OpFoldResult foldNoAxes(Op op) {
  return op.getAxes().empty() ? op.getOperand() : OpFoldResult();
}

OpFoldResult SumOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult ProdOp::fold(FoldAdaptor) { return foldNoAxes(*this); }
OpFoldResult MeanOp::fold(FoldAdaptor) { return foldNoAxes(*this); }

/// These give one of their operands, so that repeating them is no change, and a
/// reduction over extents of 1 that keeps them is none either.
template <typename Op> static OpFoldResult foldChoice(Op op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  bool allOne = llvm::all_of(op.getAxes(), [&](int64_t axis) {
    return type.getDimSize(axis) == 1;
  });
  if (allOne && (op.getKeepdims() || op.getAxes().empty()))
    return op.getOperand();
  return {};
}

OpFoldResult MaxOp::fold(FoldAdaptor) { return foldChoice(*this); }
OpFoldResult MinOp::fold(FoldAdaptor) { return foldChoice(*this); }
OpFoldResult AnyOp::fold(FoldAdaptor) { return foldChoice(*this); }
OpFoldResult AllOp::fold(FoldAdaptor) { return foldChoice(*this); }

/// The one element there is has place 0.
template <typename Op> static OpFoldResult foldPlace(Op op) {
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  bool allOne = llvm::all_of(op.getAxes(), [&](int64_t axis) {
    return type.getDimSize(axis) == 1;
  });
  return allOne ? makeSplat(op.getType(), APInt(64, 0)) : Attribute();
}

OpFoldResult ArgmaxOp::fold(FoldAdaptor) { return foldPlace(*this); }
OpFoldResult ArgminOp::fold(FoldAdaptor) { return foldPlace(*this); }
