// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions in the body of a kernel.
#include "Fusion.h"
#include "lower/KernelBody.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;
using utils::IteratorType;

/// Where the elements of a domain go in the result of a reduction.
static AffineMap resultMap(Operation *reduction, RankedTensorType domain) {
  MLIRContext *context = domain.getContext();
  auto axes = reduction->getAttrOfType<DenseI64ArrayAttr>("axes");
  bool keep = reduction->hasAttr("keepdims");
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < domain.getRank(); ++i)
    if (!llvm::is_contained(axes.asArrayRef(), i))
      exprs.push_back(getAffineDimExpr(i, context));
    else if (keep)
      exprs.push_back(getAffineConstantExpr(0, context));
  return AffineMap::get(domain.getRank(), 0, exprs, context);
}

/// Half types are reduced as f32 and rounded once, when the result is read.
static Type accumulatorType(Type element) {
  return isHalf(element) ? Float32Type::get(element.getContext()) : element;
}

static Value combine(ScalarBuilder &e, Combiner combiner, Value x, Value y,
                     Type element) {
  switch (combiner) {
  case Combiner::Sum:
    return e.add(x, y);
  case Combiner::Prod:
    return e.mul(x, y);
  case Combiner::Max:
    return isBool(element) ? e.bor(x, y) : emitMaximum(e, x, y, element);
  case Combiner::Min:
    return isBool(element) ? e.band(x, y) : emitMinimum(e, x, y, element);
  case Combiner::Any:
    return e.bor(x, y);
  case Combiner::All:
    return e.band(x, y);
  }
  llvm_unreachable("unknown combiner");
}

LogicalResult KernelBody::buildReduce(Operation *reduction, Value accumulator) {
  Value operand = reduction->getOperand(0);
  SmallVector<Operation *> ops;
  SmallVector<Value> reads;
  if (failed(slice(operand, ops, reads)))
    return failure();
  RankedTensorType domain = tensorOf(operand);
  Type element = domain.getElementType();
  Type accumulated = accumulatorType(element);
  for (int64_t i = 0; i < domain.getRank(); ++i)
    if (!flat && domain.isDynamicDim(i) && !extent(reads, domain, i))
      return reduction->emitOpError("has no operand that says extent ") << i;

  ScalarBuilder outer(b, loc);
  Combiner combiner = combinerOf(reduction);
  Value identity =
      outer.emit<arith::ConstantOp>(identityOf(combiner, accumulated));
  linalg::FillOp::create(b, loc, identity, accumulator);

  SmallVector<Value> ins;
  SmallVector<AffineMap> maps;
  for (Value v : reads) {
    ins.push_back(memory[v]);
    maps.push_back(operandMap(tensorOf(v), domain));
  }
  maps.push_back(resultMap(reduction, domain));
  SmallVector<IteratorType> loops(domain.getRank(), IteratorType::parallel);
  auto axes = reduction->getAttrOfType<DenseI64ArrayAttr>("axes");
  for (int64_t axis : axes.asArrayRef())
    loops[axis] = IteratorType::reduction;
  if (!flat && !llvm::is_contained(loops, IteratorType::parallel)) {
    // One more loop, over the one result: there has to be one to map to a GPU.
    loops.insert(loops.begin(), IteratorType::parallel);
    for (AffineMap &map : maps)
      map = map.shiftDims(1);
    maps.back() = AffineMap::get(loops.size(), 0, b.getAffineDimExpr(0));
  }
  LogicalResult result = success();
  linalg::GenericOp::create(
      b, loc, ins, accumulator, maps, loops,
      [&](OpBuilder &inner, Location, ValueRange args) {
        ScalarBuilder e =
            code(ScalarBuilder(inner, loc, inner.getInsertionBlock(), &front));
        DenseMap<Value, Value> local;
        for (auto [value, arg] : llvm::zip(reads, args))
          local[value] = read(e, value, arg);
        result = emitOps(ops, e, local);
        e.loc = reduction->getLoc();
        Value x = succeeded(result) ? lookup(operand, local) : Value();
        Value acc = args.back();
        if (x && isHalf(element) && !x.getType().isF32())
          x = emitCast(e, x, element, accumulated);
        if (x)
          acc = combine(e, combiner, toStorage(e, x, accumulated), acc,
                        accumulated);
        linalg::YieldOp::create(inner, loc, acc);
      });
  return result;
}

/// The other chunks are combined into the first, which is what is left.
void KernelBody::buildFinishReduce(Operation *reduction) {
  Value partials = memory[reduction->getOperand(0)];
  auto type = cast<MemRefType>(partials.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  Value chunks = memref::DimOp::create(b, loc, partials, 0);
  OpFoldResult width = memref::DimOp::create(b, loc, partials, 1).getResult();
  Value rest = arith::SubIOp::create(
      b, loc, chunks, arith::ConstantIndexOp::create(b, loc, 1));
  auto row = MemRefType::get(
      {ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), 0, {1}));
  Value first = memref::SubViewOp::create(
      b, loc, row, partials, ArrayRef<OpFoldResult>{zero, zero},
      ArrayRef<OpFoldResult>{one, width}, ArrayRef<OpFoldResult>{one, one});
  Value others = memref::SubViewOp::create(
      b, loc, partials, ArrayRef<OpFoldResult>{one, zero},
      ArrayRef<OpFoldResult>{rest, width}, ArrayRef<OpFoldResult>{one, one});
  MLIRContext *context = b.getContext();
  AffineMap column =
      AffineMap::get(2, 0, {getAffineDimExpr(1, context)}, context);
  Type element = elementOf(reduction->getResult(0));
  linalg::GenericOp::create(
      b, loc, others, first, {b.getMultiDimIdentityMap(2), column},
      {IteratorType::reduction, IteratorType::parallel},
      [&](OpBuilder &inner, Location, ValueRange args) {
        ScalarBuilder e(inner, reduction->getLoc());
        Value v = combine(e, combinerOf(reduction), args[0], args[1], element);
        linalg::YieldOp::create(inner, loc, v);
      });
  memory[reduction->getResult(0)] = first;
}

LogicalResult KernelBody::divideMean(Operation *reduction) {
  bool isMean = isa<MeanOp>(reduction) || source->hasAttr(kMeanAttr);
  if (!isMean || (flat && !isFinish(source)))
    return success();
  Value count;
  if (flat) {
    count = target.getArguments().back();
  } else {
    SmallVector<Operation *> ops;
    SmallVector<Value> reads;
    if (failed(slice(reduction->getOperand(0), ops, reads)))
      return failure();
    RankedTensorType domain = tensorOf(reduction->getOperand(0));
    count = arith::ConstantIndexOp::create(b, loc, 1);
    auto axes = reduction->getAttrOfType<DenseI64ArrayAttr>("axes");
    for (int64_t axis : axes.asArrayRef())
      count = arith::MulIOp::create(b, loc, count,
                                    extent(reads, domain, axis));
  }
  ScalarBuilder e(b, loc);
  Type i64 = b.getI64Type();
  Type element = accumulatorType(elementOf(reduction->getResult(0)));
  meanCount = emitCast(e, e.emit<arith::IndexCastOp>(i64, count), i64, element);
  meanSum = reduction->getResult(0);
  return success();
}

LogicalResult KernelBody::buildReduction(Operation *reduction) {
  Value result = reduction->getResult(0);
  RankedTensorType type = tensorOf(result);
  SmallVector<Store> stores;
  for (auto [value, out] : llvm::zip(
           source.front().getTerminator()->getOperands(), signature.outputs))
    stores.push_back({value, target.getArgument(out)});
  if (stores.empty())
    return source.emitError("kernel without results");

  if (flat && isFinish(source)) {
    buildFinishReduce(reduction);
    if (failed(divideMean(reduction)))
      return failure();
    return buildStage(std::move(stores));
  }
  if (flat) {
    if (stores.size() != 1 || stores[0].first != result)
      return source.emitError("range part of a reduction that returns "
                              "something else than the reduction");
    return buildReduce(reduction, stores[0].second);
  }
  // Into the output itself where it is returned as it is, else into a buffer of
  // the shape that all outputs have.
  auto *direct = llvm::find_if(stores, [&](Store &s) {
    return s.first == result && !isa<MeanOp>(reduction) &&
           !isHalf(type.getElementType());
  });
  Value accumulator;
  bool temporary = direct == stores.end();
  if (temporary) {
    SmallVector<Value> extents;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        extents.push_back(memref::DimOp::create(b, loc, stores[0].second, i));
    accumulator = memref::AllocOp::create(
        b, loc,
        MemRefType::get(type.getShape(), storageType(accumulatorType(
                                             type.getElementType()))),
        extents);
  } else {
    accumulator = direct->second;
    stores.erase(direct);
  }
  memory[result] = accumulator;
  Value target = accumulator;
  if (type.getRank() == 0)
    target = memref::ExpandShapeOp::create(b, loc, ArrayRef<int64_t>{1},
                                           accumulator,
                                           ArrayRef<ReassociationIndices>{});
  if (failed(buildReduce(reduction, target)) || failed(divideMean(reduction)))
    return failure();
  if (!stores.empty() && failed(buildStage(std::move(stores))))
    return failure();
  if (temporary)
    memref::DeallocOp::create(b, loc, accumulator);
  return success();
}
