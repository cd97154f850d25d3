// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/KernelBody.h"
#include "Fusion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;
using utils::IteratorType;

AffineMap fusion::operandMap(RankedTensorType type, RankedTensorType domain) {
  MLIRContext *context = type.getContext();
  int64_t rank = domain.getRank(), missing = rank - type.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    bool repeated =
        type.getDimSize(i) == 1 && domain.getDimSize(missing + i) != 1;
    exprs.push_back(repeated ? getAffineConstantExpr(0, context)
                             : getAffineDimExpr(missing + i, context));
  }
  return AffineMap::get(rank, 0, exprs, context);
}

Value fusion::toStorage(ScalarBuilder &e, Value x, Type element) {
  if (isHalf(element) && x.getType().isF32())
    return emitCast(e, x, x.getType(), element);
  if (!isBool(element))
    return x;
  return e.emit<arith::ExtUIOp>(storageType(element), x);
}

static Value fromStorage(ScalarBuilder &e, Value x, Type element) {
  if (!isBool(element))
    return x;
  return e.cmp(arith::CmpIPredicate::ne, x, e.integer(x.getType(), 0));
}

KernelBody::KernelBody(func::FuncOp source, func::FuncOp target,
                       const KernelSignature &signature)
    : source(source), target(target), signature(signature),
      flat(isFlat(source)), fast(isFast(source)), b(source.getContext()),
      front(source.getContext()), loc(source.getLoc()) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelBody::read(ScalarBuilder &e, Value value, Value stored) {
  Type element = elementOf(value);
  Value x = fromStorage(e, stored, element);
  if (value == meanSum)
    x = e.emit<arith::DivFOp>(x, meanCount);
  // The accumulators of a half type are f32.
  return isHalf(element) && x.getType().isF32()
             ? emitCast(e, x, x.getType(), element)
             : x;
}

Value KernelBody::lookup(Value value, const DenseMap<Value, Value> &local) {
  if (Value v = uniform.lookup(value))
    return v;
  return local.lookup(value);
}

LogicalResult KernelBody::slice(ValueRange values,
                                SmallVectorImpl<Operation *> &ops,
                                SmallVectorImpl<Value> &reads) {
  DenseSet<Value> needed;
  auto need = [&](Value v) {
    if (needed.insert(v).second && !uniform.count(v) && memory.count(v))
      reads.push_back(v);
  };
  llvm::for_each(values, need);
  for (Operation &op : llvm::reverse(source.front().without_terminator())) {
    bool used = llvm::any_of(op.getResults(), [&](Value r) {
      return needed.count(r) && !memory.count(r) && !uniform.count(r);
    });
    if (!used)
      continue;
    if (!op.hasTrait<OpTrait::FusionCreation>() &&
        !op.hasTrait<OpTrait::ConstantLike>() && !hasScalarForm(&op))
      return op.emitOpError("cannot be part of a kernel");
    ops.push_back(&op);
    // Of creation operations the scalars; the domain has its extents elsewhere.
    if (auto full = dyn_cast<FullOp>(op))
      need(full.getValue());
    else if (auto iota = dyn_cast<IotaOp>(op))
      llvm::for_each(ValueRange{iota.getStart(), iota.getStep()}, need);
    else
      llvm::for_each(op.getOperands(), need);
  }
  std::reverse(ops.begin(), ops.end());
  // The operands of the loop in the order of the arguments.
  llvm::stable_sort(reads, [](Value x, Value y) {
    auto a = dyn_cast<BlockArgument>(x), b = dyn_cast<BlockArgument>(y);
    return a && (!b || a.getArgNumber() < b.getArgNumber());
  });
  return success();
}

FailureOr<Value> KernelBody::emitCreation(Operation *op, ScalarBuilder &e,
                                          bool &inLoop) {
  inLoop = false;
  ScalarBuilder outer(front, op->getLoc());
  if (auto full = dyn_cast<FullOp>(op))
    return uniform.lookup(full.getValue());
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return constant.emitOpError(
          "of several values in a kernel: it has to be an argument");
    Type type = scalarType(elements.getElementType());
    if (isa<FloatType>(type))
      return outer.emit<arith::ConstantOp>(
          FloatAttr::get(type, elements.getSplatValue<APFloat>()));
    if (isHalf(elements.getElementType()))
      return outer.constant(
          type, elements.getSplatValue<APFloat>().bitcastToAPInt());
    return outer.constant(type, elements.getSplatValue<APInt>());
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    inLoop = true;
    Type element = elementOf(iota.getResult());
    Type i64 = b.getI64Type();
    Value index = linalg::IndexOp::create(e.b, e.loc, 0);
    index = e.emit<arith::IndexCastOp>(i64, index);
    Value i = emitCast(e, index, i64, isHalf(element) ? b.getF32Type() : element);
    Value start = uniform.lookup(iota.getStart());
    Value step = uniform.lookup(iota.getStep());
    if (!isHalf(element))
      return e.add(start, e.mul(i, step));
    Type f32 = b.getF32Type();
    Value r = e.add(emitCast(e, start, element, f32),
                    e.mul(i, emitCast(e, step, element, f32)));
    return emitCast(e, r, f32, element);
  }
  return outer.b.clone(*op)->getResult(0); // arith.constant
}

LogicalResult KernelBody::emitOps(ArrayRef<Operation *> ops, ScalarBuilder &e,
                                  DenseMap<Value, Value> &local) {
  for (Operation *op : ops) {
    Value result = op->getResult(0);
    e.loc = op->getLoc();
    if (!op->hasTrait<OpTrait::FusionElementwise>()) {
      bool inLoop;
      FailureOr<Value> v = emitCreation(op, e, inLoop);
      if (failed(v))
        return failure();
      (inLoop ? local : uniform)[result] = *v;
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(lookup(operand, local));
    bool invariant = llvm::all_of(
        op->getOperands(), [&](Value v) { return uniform.count(v); });
    ScalarBuilder outer = code(ScalarBuilder(front, op->getLoc()));
    if (invariant)
      uniform[result] = emitScalar(outer, op, operands);
    else
      local[result] = emitScalar(e, op, operands);
  }
  return success();
}

Value KernelBody::extent(ArrayRef<Value> reads, RankedTensorType domain,
                         int64_t dim) {
  if (!domain.isDynamicDim(dim))
    return arith::ConstantIndexOp::create(b, loc, domain.getDimSize(dim));
  for (Value v : reads)
    for (auto [i, expr] :
         llvm::enumerate(operandMap(tensorOf(v), domain).getResults()))
      if (auto d = dyn_cast<AffineDimExpr>(expr);
          d && static_cast<int64_t>(d.getPosition()) == dim)
        return memref::DimOp::create(b, loc, memory[v], i);
  return {};
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult KernelBody::buildStage(SmallVector<Store> stores) {
  SmallVector<Operation *> ops;
  SmallVector<Value> values, reads;
  for (Store &store : stores)
    values.push_back(store.first);
  if (failed(slice(values, ops, reads)))
    return failure();
  RankedTensorType domain = tensorOf(values.front());
  for (Value v : values)
    if (tensorOf(v).getRank() > domain.getRank())
      domain = tensorOf(v);
  if (flat && domain.getRank() == 0) {
    // No loop at all: everything is uniform.
    ScalarBuilder e = code(ScalarBuilder(b, loc));
    DenseMap<Value, Value> none;
    if (failed(emitOps(ops, e, none)))
      return failure();
    for (auto [value, place] : stores)
      memref::StoreOp::create(
          b, loc, toStorage(e, uniform.lookup(value), elementOf(value)), place,
          ValueRange{});
    return success();
  }
  // Without a dimension there would be nothing to map to a GPU.
  if (domain.getRank() == 0)
    domain = RankedTensorType::get({1}, domain.getElementType());

  SmallVector<Store> scalars; // uniform results beside others
  SmallVector<Value> outs, outValues;
  SmallVector<AffineMap> maps;
  for (auto [value, place] : stores) {
    RankedTensorType type = tensorOf(value);
    if (flat && type.getRank() == 0) {
      scalars.push_back({value, place});
      continue;
    }
    if (type.getRank() == 0)
      place = memref::ExpandShapeOp::create(b, loc, ArrayRef<int64_t>{1}, place,
                                            ArrayRef<ReassociationIndices>{});
    else if (type.getShape() != domain.getShape())
      return source.emitError("kernel with results of shapes ")
             << type << " and " << domain;
    outs.push_back(place);
    outValues.push_back(value);
  }
  // An operand that is also written is one operand: what it held is its block
  // argument among the outputs.
  SmallVector<Value> ins, inValues;
  for (Value v : reads)
    if (!llvm::is_contained(outs, memory[v])) {
      ins.push_back(memory[v]);
      inValues.push_back(v);
      maps.push_back(operandMap(tensorOf(v), domain));
    }
  maps.append(outs.size(), b.getMultiDimIdentityMap(domain.getRank()));

  LogicalResult result = success();
  SmallVector<IteratorType> loops(domain.getRank(), IteratorType::parallel);
  linalg::GenericOp::create(
      b, loc, ins, outs, maps, loops,
      [&](OpBuilder &inner, Location, ValueRange args) {
        ScalarBuilder e =
            code(ScalarBuilder(inner, loc, inner.getInsertionBlock(), &front));
        DenseMap<Value, Value> local;
        for (auto [value, arg] : llvm::zip(inValues, args))
          local[value] = read(e, value, arg);
        for (Value v : reads)
          if (auto *it = llvm::find(outs, memory[v]); it != outs.end())
            local[v] = read(e, v, args[ins.size() + (it - outs.begin())]);
        result = emitOps(ops, e, local);
        SmallVector<Value> yields;
        e.loc = loc;
        for (auto [value, out] : llvm::zip(outValues, outs)) {
          Value v = succeeded(result) ? lookup(value, local) : Value();
          Type stored = cast<MemRefType>(out.getType()).getElementType();
          yields.push_back(v ? toStorage(e, v, elementOf(value))
                             : e.emit<arith::ConstantOp>(
                                   cast<TypedAttr>(inner.getZeroAttr(stored))));
        }
        linalg::YieldOp::create(inner, loc, yields);
      });
  ScalarBuilder e(b, loc);
  for (auto [value, place] : scalars)
    memref::StoreOp::create(
        b, loc, toStorage(e, uniform.lookup(value), elementOf(value)), place,
        ValueRange{});
  return result;
}

LogicalResult KernelBody::build() {
  Block *entry = target.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  front.setInsertionPointToEnd(entry);
  ScalarBuilder e(b, loc);
  for (auto [arg, lowered] :
       llvm::zip(source.getArguments(), target.getArguments())) {
    auto tensor = dyn_cast<RankedTensorType>(arg.getType());
    if (!tensor)
      uniform[arg] = fromStorage(e, lowered, arg.getType());
    else if (flat && tensor.getRank() == 0 && !arg.use_empty())
      uniform[arg] = fromStorage(
          e, memref::LoadOp::create(b, loc, lowered, ValueRange{}),
          tensor.getElementType());
    if (tensor)
      memory[arg] = lowered;
  }
  Operation *reduction = nullptr;
  for (Operation &op : source.front())
    if (op.hasTrait<OpTrait::FusionReduction>()) {
      if (reduction)
        return op.emitOpError("is the second reduction of a kernel");
      reduction = &op;
    }
  if (reduction) {
    if (failed(buildReduction(reduction)))
      return failure();
  } else {
    SmallVector<Store> stores;
    for (auto [value, out] : llvm::zip(
             source.front().getTerminator()->getOperands(), signature.outputs))
      stores.push_back({value, target.getArgument(out)});
    if (stores.empty())
      return source.emitError("kernel without results");
    if (failed(buildStage(std::move(stores))))
      return failure();
  }
  func::ReturnOp::create(b, loc);
  return success();
}
