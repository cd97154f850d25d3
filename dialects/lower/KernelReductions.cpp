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

/// Whether `x` takes the place of `y`, which came before it.
static Value beats(ScalarBuilder &e, Combiner combiner, Value x, Value y,
                   Type element) {
  bool isMax = combiner == Combiner::Max;
  if (isa<FloatType>(element)) {
    using P = arith::CmpFPredicate;
    Value above = e.cmp(isMax ? P::UGT : P::ULT, x, y); // or x is NaN
    Value isNumber = e.cmp(P::ORD, y, y);
    return e.band(above, isNumber);
  }
  using P = arith::CmpIPredicate;
  if (isBool(element) || element.isUnsignedInteger())
    return e.cmp(isMax ? P::ugt : P::ult, x, y);
  return e.cmp(isMax ? P::sgt : P::slt, x, y);
}

SmallVector<Value> KernelBody::accumulate(ScalarBuilder &e,
                                          Operation *reduction, Value x,
                                          ValueRange accumulators,
                                          Value place) {
  Combiner combiner = combinerOf(reduction);
  Type element = accumulatorType(elementOf(reduction->getOperand(0)));
  if (!isPlace(reduction))
    return {combine(e, combiner, x, accumulators[0], element)};
  // The elements come in order, so that of equal ones the first stays.
  Value better = beats(e, combiner, x, accumulators[0], element);
  return {e.select(better, x, accumulators[0]),
          e.select(better, place, accumulators[1])};
}

LogicalResult KernelBody::buildReduce(Operation *reduction,
                                      ArrayRef<Value> accumulators) {
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
  Value identity =
      outer.emit<arith::ConstantOp>(
          identityOf(combinerOf(reduction), accumulated));
  linalg::FillOp::create(b, loc, identity, accumulators[0]);
  auto axes = reduction->getAttrOfType<DenseI64ArrayAttr>("axes");
  SmallVector<Value> extents; // of the axes after the first
  if (isPlace(reduction)) {
    Value first = outer.integer(b.getI64Type(), 0);
    if (flat)
      first = outer.emit<arith::IndexCastOp>(b.getI64Type(),
                                             target.getArguments().back());
    linalg::FillOp::create(b, loc, first, accumulators[1]);
    for (int64_t axis : axes.asArrayRef().drop_front(axes.empty() ? 0 : 1))
      extents.push_back(extent(reads, domain, axis));
  }

  SmallVector<Value> ins;
  SmallVector<AffineMap> maps;
  for (Value v : reads) {
    ins.push_back(memory[v]);
    maps.push_back(operandMap(tensorOf(v), domain));
  }
  maps.append(accumulators.size(), resultMap(reduction, domain));
  SmallVector<IteratorType> loops(domain.getRank(), IteratorType::parallel);
  for (int64_t axis : axes.asArrayRef())
    loops[axis] = IteratorType::reduction;
  if (!flat && !llvm::is_contained(loops, IteratorType::parallel)) {
    // One more loop, over the one result: there has to be one to map to a GPU.
    loops.insert(loops.begin(), IteratorType::parallel);
    for (AffineMap &map : maps)
      map = map.shiftDims(1);
    int64_t rank = cast<MemRefType>(accumulators[0].getType()).getRank();
    // The kept extents of 1 are that loop and constants.
    SmallVector<AffineExpr> exprs(rank, b.getAffineConstantExpr(0));
    exprs[0] = b.getAffineDimExpr(0);
    for (AffineMap &map : MutableArrayRef(maps).take_back(accumulators.size()))
      map = AffineMap::get(loops.size(), 0, exprs, b.getContext());
  }
  LogicalResult result = success();
  linalg::GenericOp::create(
      b, loc, ins, accumulators, maps, loops,
      [&](OpBuilder &inner, Location, ValueRange args) {
        ScalarBuilder e =
            code(ScalarBuilder(inner, loc, inner.getInsertionBlock(), &front));
        DenseMap<Value, Value> local;
        for (auto [value, arg] : llvm::zip(reads, args))
          local[value] = read(e, value, arg);
        result = emitOps(ops, e, local);
        e.loc = reduction->getLoc();
        Value x = succeeded(result) ? lookup(operand, local) : Value();
        SmallVector<Value> yields(args.take_back(accumulators.size()));
        Value place;
        if (isPlace(reduction)) {
          unsigned extra = loops.size() - domain.getRank();
          for (auto [i, axis] : llvm::enumerate(axes.asArrayRef())) {
            Value index = linalg::IndexOp::create(inner, e.loc, axis + extra);
            if (i)
              place = e.emit<arith::MulIOp>(place, extents[i - 1]);
            place = i ? e.emit<arith::AddIOp>(place, index) : index;
          }
          if (!place) // of the only element
            place = e.emit<arith::ConstantIndexOp>(0);
          if (flat)
            place = e.emit<arith::AddIOp>(place, target.getArguments().back());
          place = e.emit<arith::IndexCastOp>(inner.getI64Type(), place);
        }
        if (x && isHalf(element) && !x.getType().isF32())
          x = emitCast(e, x, element, accumulated);
        if (x)
          yields = accumulate(e, reduction, toStorage(e, x, accumulated),
                              yields, place);
        linalg::YieldOp::create(inner, loc, yields);
      });
  return result;
}

/// The other chunks are combined into the first, which is what is left.
void KernelBody::buildFinishReduce(Operation *reduction) {
  SmallVector<Value> partials = {memory[reduction->getOperand(0)]};
  if (isPlace(reduction))
    partials.push_back(target.getArguments().drop_back().back());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  Value chunks = memref::DimOp::create(b, loc, partials[0], 0);
  OpFoldResult width =
      memref::DimOp::create(b, loc, partials[0], 1).getResult();
  Value rest = arith::SubIOp::create(
      b, loc, chunks, arith::ConstantIndexOp::create(b, loc, 1));
  SmallVector<Value> first, others;
  for (Value all : partials) {
    auto row = MemRefType::get(
        {ShapedType::kDynamic},
        cast<MemRefType>(all.getType()).getElementType(),
        StridedLayoutAttr::get(b.getContext(), 0, {1}));
    first.push_back(memref::SubViewOp::create(
        b, loc, row, all, ArrayRef<OpFoldResult>{zero, zero},
        ArrayRef<OpFoldResult>{one, width}, ArrayRef<OpFoldResult>{one, one}));
    others.push_back(memref::SubViewOp::create(
        b, loc, all, ArrayRef<OpFoldResult>{one, zero},
        ArrayRef<OpFoldResult>{rest, width}, ArrayRef<OpFoldResult>{one, one}));
  }
  MLIRContext *context = b.getContext();
  SmallVector<AffineMap> maps(others.size(), b.getMultiDimIdentityMap(2));
  maps.append(first.size(),
              AffineMap::get(2, 0, {getAffineDimExpr(1, context)}, context));
  linalg::GenericOp::create(
      b, loc, others, first, maps,
      {IteratorType::reduction, IteratorType::parallel},
      [&](OpBuilder &inner, Location, ValueRange args) {
        ScalarBuilder e(inner, reduction->getLoc());
        Value place = args.size() == 4 ? args[1] : Value();
        linalg::YieldOp::create(
            inner, loc,
            accumulate(e, reduction, args[0], args.take_back(first.size()),
                       place));
      });
  memory[reduction->getResult(0)] = first.back();
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
    if (!isPlace(reduction))
      return buildReduce(reduction, stores[0].second);
    Value keys = target.getArgument(source.getNumArguments());
    return buildReduce(reduction, {keys, stores[0].second});
  }
  // Into the output itself where it is returned as it is, else into a buffer of
  // the shape that all outputs have.
  auto *direct = llvm::find_if(stores, [&](Store &s) {
    return s.first == result && !isa<MeanOp>(reduction) &&
           !isHalf(type.getElementType());
  });
  Value accumulator;
  bool temporary = direct == stores.end();
  SmallVector<Value> extents;
  if (temporary || isPlace(reduction))
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        extents.push_back(memref::DimOp::create(b, loc, stores[0].second, i));
  auto allocate = [&](Type element) -> Value {
    Type stored = storageType(accumulatorType(element));
    return memref::AllocOp::create(
        b, loc, MemRefType::get(type.getShape(), stored), extents);
  };
  if (temporary) {
    accumulator = allocate(type.getElementType());
  } else {
    accumulator = direct->second;
    stores.erase(direct);
  }
  memory[result] = accumulator;
  SmallVector<Value> accumulators = {accumulator}, temporaries;
  if (temporary)
    temporaries.push_back(accumulator);
  if (isPlace(reduction)) {
    Value keys = allocate(elementOf(reduction->getOperand(0)));
    temporaries.push_back(keys);
    accumulators.insert(accumulators.begin(), keys);
  }
  if (type.getRank() == 0)
    for (Value &v : accumulators)
      v = memref::ExpandShapeOp::create(b, loc, ArrayRef<int64_t>{1}, v,
                                        ArrayRef<ReassociationIndices>{});
  if (failed(buildReduce(reduction, accumulators)) ||
      failed(divideMean(reduction)))
    return failure();
  if (!stores.empty() && failed(buildStage(std::move(stores))))
    return failure();
  for (Value v : temporaries)
    memref::DeallocOp::create(b, loc, v);
  return success();
}
