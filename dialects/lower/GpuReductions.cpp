// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on GPUs. The order in which elements are joined follows from the
// logical shape alone. `reduce` gives a partial result for each chunk of the
// reduced elements, or, if there is one chunk, the result; `finish` joins chunks.
#include "lower/GpuReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

using Values = DenseMap<Value, Value>;

LogicalResult GpuReductions::collect() {
  auto range = flat.rangeArguments();
  auto finish = flat.finishArguments();
  if (failed(range) || failed(finish))
    return failure();
  rangeArguments = *range;
  finishArguments = *finish;
  for (OpOperand *operand : flat.reduce.getDpsInputOperands())
    if (!llvm::is_contained(reads, operand->get()))
      reads.push_back(operand->get());
  // The order of joining floats depends on V: it follows from what is reduced,
  // not from what that is computed of.
  if (isa_and_nonnull<arith::AddFOp, arith::MulFOp>(
          PointCode(flat.reduce).combiner())) {
    int64_t bytes = llvm::divideCeil(flat.elementBits, 8);
    vector = std::clamp<int64_t>(options.vectorBytes / bytes, 1, 8);
    return success();
  }
  SmallVector<GpuFunction::Argument> read;
  for (const GpuFunction::Argument &argument : rangeArguments)
    if (llvm::is_contained(reads, argument.source))
      read.push_back(argument);
  vector = vectorSize(read, options);
  return success();
}

GpuFunction GpuReductions::make(StringRef variant, unsigned count,
                          ArrayRef<GpuFunction::Argument> arguments,
                          int64_t accumulators) {
  // The join of chunks needs what follows it only.
  SmallVector<Value> derived = derivedScalars(flat.follow);
  if (variant == "reduce")
    llvm::append_range(derived, derivedScalars(flat.reduce));
  GpuFunction f(module, flat.range, flat.range.getLoc(),
                (flat.range.getName() + "_" + variant).str(), options.block,
                count, arguments, derived,
                ReductionCode::sharedTypes(flat, accumulators));
  f.note("fusion.vector", vector);
  f.note("fusion.unroll", 1);
  return f;
}

SmallVector<Values> GpuReductions::load(OpBuilder &b, GpuFunction &f,
                                  ValueRange places) {
  Arith a(b, f.loc);
  SmallVector<Values> found(vector);
  for (Value source : reads) {
    const GpuOperand &operand = f.operand(source);
    if (!operand.access.tiled()) {
      Value v = memref::LoadOp::create(b, f.loc, operand.memory);
      for (Values &values : found)
        values[source] = v;
      continue;
    }
    Value at = a.dot(places, operand.strides);
    if (vector == 1 || !operand.access.inner) {
      Value v = memref::LoadOp::create(b, f.loc, operand.memory, at);
      for (Values &values : found)
        values[source] = v;
      continue;
    }
    Value all = loadVector(b, f.loc, operand.memory, at, vector);
    for (auto [values, v] : llvm::zip(found, elementsOf(b, f.loc, all)))
      values[source] = v;
  }
  return found;
}

SmallVector<Values> GpuReductions::loadEach(OpBuilder &b, GpuFunction &f,
                                      ArrayRef<SmallVector<Value>> places) {
  Arith a(b, f.loc);
  SmallVector<Values> found(places.size());
  for (Value source : reads) {
    const GpuOperand &operand = f.operand(source);
    for (auto [values, place] : llvm::zip(found, places)) {
      SmallVector<Value> at;
      if (operand.access.tiled())
        at.push_back(a.dot(place, operand.strides));
      values[source] = memref::LoadOp::create(b, f.loc, operand.memory, at);
    }
  }
  return found;
}

SmallVector<Value> GpuReductions::loop(
    OpBuilder &b, GpuFunction &f, Value begin, Value end, Value step,
    ValueRange init,
    function_ref<SmallVector<Values>(OpBuilder &, Value)> load,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ArrayRef<Values>,
                                    Value)>
        accumulate) {
  Location loc = f.loc;
  Arith a(b, loc);
  auto turn = [&](int64_t count) {
    return [&, count](OpBuilder &b, Value i, ValueRange carried) {
      Arith a(b, loc);
      SmallVector<Value> at;
      SmallVector<SmallVector<Values>> loaded;
      for (int64_t u = 0; u < count; ++u) {
        at.push_back(u ? a.add(at.back(), step) : i);
        loaded.push_back(load(b, at.back()));
      }
      SmallVector<Value> now(carried);
      for (int64_t u = 0; u < count; ++u)
        now = accumulate(b, now, loaded[u], at[u]);
      scf::YieldOp::create(b, loc, now);
    };
  };
  // The last i of a turn has to be in front of the end.
  Value more = a.mul(step, a.index(options.ahead - 1));
  Value wide = a.mul(step, a.index(options.ahead));
  Value stop = a.sub(end, more);
  scf::ForOp main = makeLoop(b, loc, begin, stop, wide, init, turn(options.ahead));
  // Where the main loop has stopped.
  Value room = arith::MaxSIOp::create(b, loc, a.sub(stop, begin), a.index(0));
  Value turns = arith::CeilDivSIOp::create(b, loc, room, wide);
  Value next = a.add(begin, a.mul(turns, wide));
  scf::ForOp rest = makeLoop(b, loc, next, end, step, main.getResults(), turn(1));
  return llvm::to_vector(ValueRange(rest.getResults()));
}

SmallVector<Value> fusion::repeat(ValueRange values, int64_t count) {
  SmallVector<Value> all;
  for (int64_t i = 0; i < count; ++i)
    all.append(values.begin(), values.end());
  return all;
}

void GpuReductions::store(OpBuilder &b, ReductionCode &code, ValueRange values,
                          Value k,
                          function_ref<SmallVector<Value>(OpBuilder &)> places,
                          Value kept, Value reduced, Value chunkNumber,
                          Value chunks) {
  Location loc = flat.range.getLoc();
  Arith a(b, loc);
  scf::IfOp::create(
      b, loc, a.equal(chunks, a.index(1)),
      [&](OpBuilder &b, Location loc) {
        code.follow(b, values, k, places(b), reduced);
        scf::YieldOp::create(b, loc);
      },
      [&](OpBuilder &b, Location loc) {
        Arith a(b, loc);
        code.storePartials(b, values,
                           a.add(a.mul(a.wide(chunkNumber), kept), k));
        scf::YieldOp::create(b, loc);
      });
}

//===----------------------------------------------------------------------===//
// The join of the chunks
//===----------------------------------------------------------------------===//

LogicalResult GpuReductions::finish() {
  int64_t dims = std::max<int64_t>(flat.kept() - 1, 0);
  GpuFunction f = make("finish", 4 + 3 * dims, finishArguments,
                       options.block / 32);
  OpBuilder &b = f.b;
  Location loc = f.loc;
  Arith a(b, loc);
  ReductionCode code(flat, f);
  Value kept = f.param(), reduced = f.param(), chunks = f.param();
  Value log = f.param32();
  SmallVector<Divisor> divisors = f.divisors(dims);
  Value threads = a.shl(a.i32(1), log), wideLog = a.wide(log);
  Value lane = a.bitAnd(f.thread, a.sub(a.wide(threads), a.index(1)));
  Value k = a.add(a.mul(f.blockId, a.shr(a.index(options.block), wideLog)),
                  a.shr(f.thread, wideLog));
  Value safe = a.min(k, a.sub(kept, a.index(1)));
  scf::ForOp loop = makeLoop(
      b, loc, lane, chunks, a.wide(threads), code.identities(b),
      [&](OpBuilder &b, Value chunk, ValueRange now) {
        Arith a(b, loc);
        SmallVector<Value> more =
            code.loadPartials(b, a.add(a.mul(chunk, kept), safe));
        scf::YieldOp::create(b, loc, code.join(b, now, more));
      });
  SmallVector<Value> totals = code.joinThreads(
      b, llvm::to_vector(ValueRange(loop.getResults())), threads, lane, 0);
  Value leads = a.bitAnd(a.equal(lane, a.index(0)), a.less(k, kept));
  scf::IfOp::create(b, loc, leads, [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    SmallVector<Value> places;
    if (flat.kept() > 0)
      places = a.split(a.narrow(k), divisors);
    code.follow(b, totals, k, places, reduced);
    scf::YieldOp::create(b, loc);
  });
  f.finish();
  return success();
}

LogicalResult fusion::lowerReductionToGpu(func::FuncOp range,
                                          func::FuncOp finish,
                                          gpu::GPUModuleOp module,
                                          const GpuOptions &options) {
  // The host function takes the name.
  finish.setName((finish.getName() + "_flat").str());
  FailureOr<FlatReduction> flat = FlatReduction::get(range, finish);
  if (failed(flat))
    return failure();
  GpuReductions builder(*flat, options, module);
  if (failed(flat->row ? builder.row() : builder.column()))
    return failure();
  return builder.finish();
}
