// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Folding.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fusion;
using llvm::APFloat;

/// Larger constants stay as they are unless all elements are equal: folding
/// them would trade run time for memory.
static constexpr int64_t maxElements = 64;

Element::Element(Type tensorOrElement) {
  Type type = getElementTypeOrSelf(tensorOrElement);
  width = type.getIntOrFloatBitWidth();
  isSigned = type.isSignlessInteger() && width > 1;
  if (auto floatType = dyn_cast<FloatType>(type))
    semantics = &floatType.getFloatSemantics();
}

APInt Element::one() const {
  return isFloat() ? APFloat::getOne(*semantics).bitcastToAPInt()
                   : APInt(width, 1);
}

APInt Element::highest() const {
  if (isFloat())
    return APFloat::getInf(*semantics).bitcastToAPInt();
  return isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
}

APInt Element::lowest() const {
  if (isFloat())
    return APFloat::getInf(*semantics, /*Negative=*/true).bitcastToAPInt();
  return isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
}

static APInt bitsAt(DenseElementsAttr constant, int64_t index) {
  if (isa<FloatType>(constant.getElementType()))
    return constant.getValues<APFloat>()[index].bitcastToAPInt();
  return constant.getValues<APInt>()[index];
}

static DenseElementsAttr makeDense(RankedTensorType type,
                                   ArrayRef<APInt> elements) {
  Element element(type);
  if (!element.isFloat())
    return DenseElementsAttr::get(type, elements);
  SmallVector<APFloat> floats;
  for (const APInt &bits : elements)
    floats.push_back(element.toFloat(bits));
  return DenseElementsAttr::get(type, floats);
}

std::optional<APInt> fusion::splatBits(Attribute constant) {
  auto dense = dyn_cast_if_present<DenseIntOrFPElementsAttr>(constant);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  return bitsAt(dense, 0);
}

Attribute fusion::makeSplat(Type type, const APInt &bits) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0)
    return {};
  return makeDense(tensor, bits);
}

/// Where the element of `shape` lies that broadcasts to element `index` of
/// `result`, both in row-major order.
static int64_t broadcastIndex(int64_t index, ArrayRef<int64_t> result,
                              ArrayRef<int64_t> shape) {
  int64_t position = 0, stride = 1;
  for (size_t back = 1; back <= shape.size(); ++back) {
    int64_t extent = result[result.size() - back];
    int64_t own = shape[shape.size() - back];
    if (own != 1)
      position += index % extent * stride;
    index /= extent;
    stride *= own;
  }
  return position;
}

Attribute fusion::foldElements(ArrayRef<Attribute> operands, Type type,
                               ElementFn fn) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0)
    return {};
  SmallVector<DenseElementsAttr> constants;
  bool allSplat = true;
  for (Attribute operand : operands) {
    auto dense = dyn_cast_if_present<DenseIntOrFPElementsAttr>(operand);
    if (!dense)
      return {};
    constants.push_back(dense);
    allSplat &= dense.isSplat();
  }
  int64_t count = allSplat ? 1 : tensor.getNumElements();
  if (count > maxElements)
    return {};

  SmallVector<APInt> results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<APInt, 3> elements;
    for (DenseElementsAttr constant : constants)
      elements.push_back(bitsAt(
          constant, constant.isSplat()
                        ? 0
                        : broadcastIndex(i, tensor.getShape(),
                                         constant.getType().getShape())));
    std::optional<APInt> result = fn(elements);
    if (!result)
      return {};
    results.push_back(*result);
  }
  return makeDense(tensor, results);
}
