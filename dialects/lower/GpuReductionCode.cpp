// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/GpuReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

/// Threads that exchange values without shared memory, on any GPU.
static constexpr int64_t kWarp = 32;

//===----------------------------------------------------------------------===//
// The flat functions
//===----------------------------------------------------------------------===//

FailureOr<FlatReduction> FlatReduction::get(func::FuncOp range,
                                            func::FuncOp finish) {
  FlatReduction flat;
  flat.range = range;
  flat.finish = finish;
  for (auto fill : range.getOps<linalg::FillOp>())
    flat.identities.push_back(fill.getInputs()[0]);
  auto generics = llvm::to_vector(range.getOps<linalg::GenericOp>());
  if (generics.size() != 1 || generics[0].getNumReductionLoops() != 1 ||
      generics[0].getNumDpsInits() != int64_t(flat.identities.size()))
    return range.emitError("is not the range part of a reduction");
  flat.reduce = generics[0];
  PointCode code(flat.reduce);
  flat.places = code.keepsPlaces();
  if (!flat.places && !code.combiner())
    return flat.reduce.emitOpError("is not of a form that flat kernels have");
  flat.row = flat.reduce.getIteratorTypesArray()[1] ==
             utils::IteratorType::reduction;
  for (auto generic : finish.getOps<linalg::GenericOp>()) {
    if (generic.getNumReductionLoops() == 1)
      flat.combine = generic;
    else
      flat.follow.push_back(generic);
  }
  if (!flat.combine)
    return finish.emitError("is not the finish part of a reduction");
  for (Value total : flat.combine.getDpsInits())
    flat.totals.push_back(total);
  for (Value total : flat.totals) {
    auto view = total.getDefiningOp<memref::SubViewOp>();
    if (!view || !isa<BlockArgument>(view.getSource()))
      return finish.emitError("is not the finish part of a reduction");
    flat.partials.push_back(view.getSource());
  }
  auto dims = range->getAttrOfType<DenseI64ArrayAttr>("fusion.dims");
  if (!dims || dims.size() != 3)
    return range.emitError("has no fusion.dims");
  auto bits = range->getAttrOfType<IntegerAttr>("fusion.element_bits");
  if (!bits || bits.getInt() < 1)
    return range.emitError("has no fusion.element_bits");
  flat.elementBits = bits.getInt();
  flat.lead = dims[0];
  flat.reduced = dims[1];
  flat.trail = dims[2];
  return flat;
}

FailureOr<SmallVector<GpuFunction::Argument>>
FlatReduction::rangeArguments() {
  FailureOr<SmallVector<Access>> access = accessOf(range);
  if (failed(access))
    return failure();
  SmallVector<GpuFunction::Argument> found;
  int64_t rank = lead + reduced + trail;
  for (auto [a, arg] : llvm::zip(*access, range.getArguments())) {
    if (a.kind == Access::Dense)
      return range.emitError("an operand of a reduction that has no strides");
    found.push_back({a, arg, a.kind == Access::Strided ? rank : 0});
  }
  return found;
}

FailureOr<SmallVector<GpuFunction::Argument>>
FlatReduction::finishArguments() {
  FailureOr<SmallVector<Access>> access = accessOf(finish);
  if (failed(access))
    return failure();
  SmallVector<GpuFunction::Argument> found;
  size_t number = 0;
  for (BlockArgument arg : finish.getArguments()) {
    if (!isa<MemRefType>(arg.getType()) && arg.getType().isIndex() &&
        arg.getArgNumber() + 1 == finish.getNumArguments())
      continue; // the number of reduced elements
    if (llvm::is_contained(partials, arg))
      continue;
    Access a = number < access->size() ? (*access)[number]
                                       : Access{Access::Dense};
    ++number;
    found.push_back({a, arg, a.kind == Access::Strided ? kept() : 0});
  }
  for (Value partial : partials)
    found.push_back({Access{Access::Dense}, partial, 0});
  return found;
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The kernel's arguments; the place of the first element is 0.
static IRMapping operandMap(OpBuilder &b, FlatReduction &flat, GpuFunction &f) {
  IRMapping map;
  for (BlockArgument arg : flat.range.getArguments())
    if (arg.getType().isIndex())
      map.map(arg, makeIndex(b, f.loc, 0));
  f.map(map);
  return map;
}

SmallVector<Value> ReductionCode::identities(OpBuilder &b) {
  IRMapping map = operandMap(b, flat, f);
  SmallVector<Value> found;
  for (Value identity : flat.identities)
    found.push_back(cloneOutside(b, identity, map));
  return found;
}

SmallVector<Value>
ReductionCode::accumulate(OpBuilder &b, ValueRange accumulators,
                          const DenseMap<Value, Value> &values, Value place) {
  linalg::GenericOp generic = flat.reduce;
  IRMapping map = operandMap(b, flat, f);
  Block *body = generic.getBody();
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    BlockArgument arg = body->getArgument(operand->getOperandNumber());
    if (!arg.use_empty())
      map.map(arg, values.lookup(operand->get()));
  }
  for (auto [arg, value] :
       llvm::zip(generic.getRegionOutputArgs(), accumulators))
    map.map(arg, value);
  forEachOutside(generic, [&](Value v) { cloneOutside(b, v, map); });
  for (Operation &op : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      map.map(index.getResult(), place);
    else
      b.clone(op, map);
  }
  SmallVector<Value> found;
  for (Value v : body->getTerminator()->getOperands())
    found.push_back(map.lookupOrDefault(v));
  return found;
}

SmallVector<Value> ReductionCode::join(OpBuilder &b, ValueRange x,
                                       ValueRange y) {
  PointCode code(flat.reduce);
  if (!flat.places)
    return {code.combine(b, x[0], y[0])};
  Location loc = f.loc;
  Value better = code.beats(b, y[0], x[0]), worse = code.beats(b, x[0], y[0]);
  Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y[1],
                                       x[1]);
  Value no = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  Value equal = arith::SelectOp::create(b, loc, worse, no, before);
  Value take = arith::OrIOp::create(b, loc, better, equal);
  SmallVector<Value> found;
  for (auto [mine, other] : llvm::zip(x, y))
    found.push_back(arith::SelectOp::create(b, loc, take, other, mine));
  return found;
}

/// The value of the thread whose number differs in one bit. Shuffles move 32 or
/// 64 bits.
static Value shuffle(OpBuilder &b, Location loc, Value v, int64_t distance) {
  Type type = v.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value word = v;
  if (isa<FloatType>(type))
    word = arith::BitcastOp::create(b, loc, b.getIntegerType(width), word);
  if (width < 32)
    word = arith::ExtUIOp::create(b, loc, b.getI32Type(), word);
  word = gpu::ShuffleOp::create(b, loc, word, distance, kWarp,
                                gpu::ShuffleMode::XOR)
             .getShuffleResult();
  if (width < 32)
    word = arith::TruncIOp::create(b, loc, b.getIntegerType(width), word);
  if (isa<FloatType>(type))
    word = arith::BitcastOp::create(b, loc, type, word);
  return word;
}

SmallVector<Type> ReductionCode::sharedTypes(FlatReduction &flat,
                                             int64_t count) {
  SmallVector<Type> types;
  MLIRContext *context = flat.range.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  for (Value identity : flat.identities)
    types.push_back(MemRefType::get({count}, identity.getType(),
                                    MemRefLayoutAttrInterface(), space));
  return types;
}

SmallVector<Value> ReductionCode::joinThreads(OpBuilder &b,
                                              SmallVector<Value> mine,
                                              Value threads, Value lane,
                                              unsigned shared) {
  Location loc = f.loc;
  /// Distances below `count` (i32), the largest first.
  auto butterfly = [&](OpBuilder &b, SmallVector<Value> mine, int64_t largest,
                       Value count) {
    Arith a(b, loc);
    for (int64_t distance = largest; distance > 0; distance /= 2) {
      SmallVector<Value> others;
      for (Value v : mine)
        others.push_back(shuffle(b, loc, v, distance));
      // Both partners join in the same order: all get the same bits.
      Value low = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          a.bitAnd(f.thread, a.index(distance)), a.index(0));
      SmallVector<Value> x, y;
      for (auto [m, o] : llvm::zip(mine, others)) {
        x.push_back(arith::SelectOp::create(b, loc, low, m, o));
        y.push_back(arith::SelectOp::create(b, loc, low, o, m));
      }
      SmallVector<Value> both = join(b, x, y);
      Value use = a.less(a.i32(distance), count);
      for (auto [m, v] : llvm::zip(mine, both))
        m = arith::SelectOp::create(b, loc, use, v, m);
    }
    return mine;
  };
  Arith a(b, loc);
  mine = butterfly(b, mine, kWarp / 2, threads);
  SmallVector<Type> types(ValueRange(mine).getTypes());
  auto choice = scf::IfOp::create(
      b, loc, a.less(a.i32(kWarp), threads),
      [&](OpBuilder &b, Location loc) {
        Arith a(b, loc);
        Value warp = a.shr(f.thread, a.index(llvm::Log2_64(kWarp)));
        Value inWarp = a.bitAnd(f.thread, a.index(kWarp - 1));
        Value leads = a.equal(inWarp, a.index(0));
        scf::IfOp::create(b, loc, leads, [&](OpBuilder &b, Location loc) {
          for (auto [i, v] : llvm::enumerate(mine))
            memref::StoreOp::create(b, loc, v, f.shared(shared + i), warp);
          scf::YieldOp::create(b, loc);
        });
        gpu::BarrierOp::create(b, loc);
        Value warps = a.shr(threads, a.i32(llvm::Log2_64(kWarp)));
        Value first = a.shr(a.sub(f.thread, lane),
                            a.index(llvm::Log2_64(kWarp)));
        Value from = a.add(
            first, a.bitAnd(inWarp, a.sub(a.wide(warps), a.index(1))));
        SmallVector<Value> all;
        for (unsigned i = 0; i < mine.size(); ++i)
          all.push_back(
              memref::LoadOp::create(b, loc, f.shared(shared + i), from));
        scf::YieldOp::create(b, loc, butterfly(b, all, kWarp / 2, warps));
      },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, mine); });
  return llvm::to_vector(ValueRange(choice.getResults()));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void ReductionCode::follow(OpBuilder &b, ValueRange totals, Value k,
                           ValueRange places, Value reducedCount) {
  Location loc = f.loc;
  Arith a(b, loc);
  ElementCode code(flat.follow);
  BlockArgument count = flat.finish.getArguments().back();
  if (count.getType().isIndex())
    code.outer.map(count, reducedCount);
  code.enter(f, b);
  DenseMap<Value, Value> values;
  for (auto [source, total] : llvm::zip(flat.totals, totals))
    values[source] = total;
  for (Value source : code.reads()) {
    if (values.count(source))
      continue;
    GpuOperand &operand = f.operand(source);
    Value at = operand.access.kind == Access::Strided
                   ? a.dot(places, operand.strides)
                   : k;
    values[source] = memref::LoadOp::create(b, loc, operand.memory, at);
  }
  code.emit(b, values, k);
  for (Value out : code.writes())
    memref::StoreOp::create(b, loc, values.lookup(out), f.operand(out).memory,
                            k);
}

void ReductionCode::storePartials(OpBuilder &b, ValueRange values, Value at) {
  for (auto [source, value] : llvm::zip(flat.partials, values))
    memref::StoreOp::create(b, f.loc, value, f.operand(source).memory, at);
}

SmallVector<Value> ReductionCode::loadPartials(OpBuilder &b, Value at) {
  SmallVector<Value> found;
  for (Value source : flat.partials)
    found.push_back(
        memref::LoadOp::create(b, f.loc, f.operand(source).memory, at));
  return found;
}
