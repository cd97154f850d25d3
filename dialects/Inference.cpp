// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Type inference: broadcasting, views, reductions, contractions.
#include "Inference.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult fusion::broadcastShape(SmallVectorImpl<int64_t> &shape,
                                     ArrayRef<int64_t> from) {
  if (from.size() > shape.size())
    shape.insert(shape.begin(), from.size() - shape.size(), 1);
  size_t lead = shape.size() - from.size();
  for (auto [i, extent] : llvm::enumerate(from)) {
    int64_t &into = shape[lead + i];
    if (into == extent || extent == 1)
      continue;
    if (into == 1 || ShapedType::isDynamic(into))
      into = extent;
    else if (ShapedType::isStatic(extent))
      return failure();
  }
  return success();
}

bool fusion::extentsAgree(int64_t a, int64_t b) {
  if (ShapedType::isDynamic(a))
    return b != 1;
  return a == b || (ShapedType::isDynamic(b) && a != 1);
}

bool fusion::shapesAgree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return extentsAgree(std::get<0>(pair), std::get<1>(pair));
         });
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

RankedTensorType Inference::tensor(ValueRange operands, unsigned index) {
  if (index >= operands.size()) {
    (void)fail("has no operand #", index);
    return {};
  }
  Type type = operands[index].getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    (void)fail("operand #", index, " must be a ranked tensor, not ", type);
  return tensor;
}

RankedTensorType Inference::broadcast(ValueRange operands, unsigned first) {
  RankedTensorType type = tensor(operands, first);
  if (!type)
    return {};
  Type element = type.getElementType();
  SmallVector<int64_t> shape(type.getShape());
  for (unsigned i = first + 1; i < operands.size(); ++i) {
    RankedTensorType other = tensor(operands, i);
    if (!other)
      return {};
    if (other.getElementType() != element) {
      (void)fail("operands have different element types: ", element, " and ",
                 other.getElementType());
      return {};
    }
    auto before = RankedTensorType::get(shape, element);
    if (failed(broadcastShape(shape, other.getShape()))) {
      (void)fail("operand shapes do not broadcast: ", before, " and ", other);
      return {};
    }
  }
  return RankedTensorType::get(shape, element);
}

LogicalResult Inference::checkAxes(DenseI64ArrayAttr axes, int64_t rank,
                                   StringRef what) {
  if (!axes)
    return fail("requires attribute 'axes'");
  int64_t last = -1;
  for (int64_t axis : axes.asArrayRef()) {
    if (axis < 0 || axis >= rank)
      return fail("axis ", axis, " is not a dimension of the ", what,
                  ", whose rank is ", rank);
    if (axis <= last)
      return fail("axes must be sorted and distinct, but ", axis, " follows ",
                  last);
    last = axis;
  }
  return success();
}

LogicalResult Inference::yield(ArrayRef<int64_t> shape, Type element) {
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Element-wise operations
//===----------------------------------------------------------------------===//

LogicalResult Inference::elementwise(ValueRange operands) {
  RankedTensorType type = broadcast(operands, 0);
  if (!type)
    return failure();
  return yield(type.getShape(), type.getElementType());
}

LogicalResult Inference::predicate(ValueRange operands) {
  RankedTensorType type = broadcast(operands, 0);
  if (!type)
    return failure();
  return yield(type.getShape(), IntegerType::get(type.getContext(), 1));
}

LogicalResult Inference::select(ValueRange operands) {
  RankedTensorType condition = tensor(operands, 0);
  RankedTensorType type = condition ? broadcast(operands, 1) : nullptr;
  if (!type)
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (failed(broadcastShape(shape, condition.getShape())))
    return fail("operand shapes do not broadcast: ", condition, " and ", type);
  return yield(shape, type.getElementType());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult Inference::transpose(ValueRange operands,
                                   DenseI64ArrayAttr permutation) {
  RankedTensorType type = tensor(operands, 0);
  if (!type)
    return failure();
  if (!permutation)
    return fail("requires attribute 'permutation'");
  ArrayRef<int64_t> perm = permutation.asArrayRef();
  llvm::SmallBitVector seen(type.getRank());
  bool good = static_cast<int64_t>(perm.size()) == type.getRank();
  for (int64_t dim : perm) {
    good = good && dim >= 0 && dim < type.getRank() && !seen.test(dim);
    if (good)
      seen.set(dim);
  }
  if (!good)
    return fail("permutation [", perm, "] does not name each dimension of ",
                type, " once");
  return yield(llvm::map_to_vector(
                   perm, [&](int64_t dim) { return type.getDimSize(dim); }),
               type.getElementType());
}

LogicalResult Inference::expandDims(ValueRange operands,
                                    DenseI64ArrayAttr axes) {
  RankedTensorType type = tensor(operands, 0);
  if (!type || failed(checkAxes(axes, type.getRank() + (axes ? axes.size() : 0),
                                "result")))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : axes.asArrayRef())
    shape.insert(shape.begin() + axis, 1);
  return yield(shape, type.getElementType());
}

LogicalResult Inference::squeeze(ValueRange operands, DenseI64ArrayAttr axes) {
  RankedTensorType type = tensor(operands, 0);
  if (!type || failed(checkAxes(axes, type.getRank(), "operand")))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : llvm::reverse(axes.asArrayRef())) {
    if (shape[axis] != 1)
      return fail("axis ", axis, " of ", type,
                  " cannot go: its extent is not a static 1");
    shape.erase(shape.begin() + axis);
  }
  return yield(shape, type.getElementType());
}

LogicalResult Inference::flip(ValueRange operands, DenseI64ArrayAttr axes) {
  RankedTensorType type = tensor(operands, 0);
  if (!type || failed(checkAxes(axes, type.getRank(), "operand")))
    return failure();
  types.push_back(type);
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

LogicalResult Inference::reduction(ValueRange operands, DenseI64ArrayAttr axes,
                                   UnitAttr keepdims) {
  RankedTensorType type = tensor(operands, 0);
  if (!type || failed(checkAxes(axes, type.getRank(), "operand")))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : llvm::reverse(axes.asArrayRef())) {
    if (keepdims)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + axis);
  }
  return yield(shape, type.getElementType());
}

LogicalResult Inference::place(ValueRange operands, DenseI64ArrayAttr axes,
                               UnitAttr keepdims) {
  if (failed(reduction(operands, axes, keepdims)))
    return failure();
  int64_t rank = cast<RankedTensorType>(operands[0].getType()).getRank();
  if (axes.size() != 1 && axes.size() != rank)
    return fail("reduces one axis or all ", rank, ", not ", axes.size());
  auto reduced = cast<RankedTensorType>(types.pop_back_val());
  return yield(reduced.getShape(), IntegerType::get(reduced.getContext(), 64));
}

LogicalResult Inference::matmul(ValueRange operands) {
  RankedTensorType lhs = tensor(operands, 0);
  RankedTensorType rhs = lhs ? tensor(operands, 1) : nullptr;
  if (!rhs)
    return failure();
  if (lhs.getElementType() != rhs.getElementType())
    return fail("operands have different element types: ",
                lhs.getElementType(), " and ", rhs.getElementType());
  if (lhs.getRank() == 0 || rhs.getRank() == 0)
    return fail("takes no operand of rank 0: ", lhs, " and ", rhs);

  ArrayRef<int64_t> left = lhs.getShape(), right = rhs.getShape();
  bool isRow = left.size() == 1, isColumn = right.size() == 1;
  int64_t inner = isColumn ? right[0] : right[right.size() - 2];
  // 1 is an extent like others here: what is multiplied does not broadcast.
  if (left.back() != inner && ShapedType::isStatic(left.back()) &&
      ShapedType::isStatic(inner))
    return fail("inner extents differ: ", left.back(), " of ", lhs, " and ",
                inner, " of ", rhs);

  SmallVector<int64_t> shape(left.drop_back(isRow ? 1 : 2));
  if (failed(broadcastShape(shape, right.drop_back(isColumn ? 1 : 2))))
    return fail("batch dimensions do not broadcast: ", lhs, " and ", rhs);
  if (!isRow)
    shape.push_back(left[left.size() - 2]);
  if (!isColumn)
    shape.push_back(right.back());
  return yield(shape, lhs.getElementType());
}
