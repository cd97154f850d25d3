// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on GPUs. The order in which elements are joined follows from the
// logical shape alone. `reduce` gives a partial result for each chunk of the
// reduced elements, or, if there is one chunk, the result; `finish` joins chunks.
#include "lower/GpuReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

/// Loads in flight of one thread.
static constexpr int64_t kAhead = 4;

namespace {
using Values = DenseMap<Value, Value>;

/// One device function of a reduction.
class GpuReductions {
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
  /// A loop over i from `begin` to `end` by `step` that loads kAhead times
  /// before it joins.
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
} // namespace

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
  GpuFunction f(module, flat.range, flat.range.getLoc(),
                (flat.range.getName() + "_" + variant).str(), options.block,
                count, arguments,
                ReductionCode::sharedTypes(flat, accumulators));
  f.note("fusion.vector", vector);
  f.note("fusion.unroll", 1);
  return f;
}

static const GpuOperand &operandOf(const GpuFunction &f, Value source) {
  return *llvm::find_if(
      f.operands, [&](const GpuOperand &o) { return o.source == source; });
}

SmallVector<Values> GpuReductions::load(OpBuilder &b, GpuFunction &f,
                                  ValueRange places) {
  Arith a(b, f.loc);
  SmallVector<Values> found(vector);
  for (Value source : reads) {
    const GpuOperand &operand = operandOf(f, source);
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
    const GpuOperand &operand = operandOf(f, source);
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
  Value more = a.mul(step, a.index(kAhead - 1));
  Value wide = a.mul(step, a.index(kAhead));
  Value stop = a.sub(end, more);
  scf::ForOp main = makeLoop(b, loc, begin, stop, wide, init, turn(kAhead));
  // Where the main loop has stopped.
  Value room = arith::MaxSIOp::create(b, loc, a.sub(stop, begin), a.index(0));
  Value turns = arith::CeilDivSIOp::create(b, loc, room, wide);
  Value next = a.add(begin, a.mul(turns, wide));
  scf::ForOp rest = makeLoop(b, loc, next, end, step, main.getResults(), turn(1));
  return llvm::to_vector(ValueRange(rest.getResults()));
}

/// The accumulators of `vector` neighbours, one after the other.
static SmallVector<Value> repeat(ValueRange values, int64_t count) {
  SmallVector<Value> all;
  for (int64_t i = 0; i < count; ++i)
    all.append(values.begin(), values.end());
  return all;
}

//===----------------------------------------------------------------------===//
// Rows: the last dimension is reduced
//===----------------------------------------------------------------------===//

LogicalResult GpuReductions::row() {
  if (failed(collect()))
    return failure();
  SmallVector<GpuFunction::Argument> arguments(rangeArguments);
  arguments.append(finishArguments);
  int64_t leads = std::max<int64_t>(flat.lead - 1, 0);
  int64_t reduceds = std::max<int64_t>(flat.reduced - 1, 0);
  GpuFunction f = make("reduce", 9 + 3 * (leads + reduceds), arguments,
                       options.block / 32);
  OpBuilder &b = f.b;
  Location loc = f.loc;
  Arith a(b, loc);
  ReductionCode code(flat, f);
  Value kept = f.param(), reduced = f.param(), log = f.param32();
  Divisor blocks = f.divisor();
  Value chunk = f.param(), chunks = f.param(), vec = f.param();
  SmallVector<Divisor> leadDivisors = f.divisors(leads);
  SmallVector<Divisor> reducedDivisors = f.divisors(reduceds);

  Value threads = a.shl(a.i32(1), log);
  Value wideThreads = a.wide(threads);
  Value lane = a.bitAnd(f.thread, a.sub(wideThreads, a.index(1)));
  auto [chunkNumber, rowBlock] = a.divide(a.narrow(f.blockId), blocks);
  Value rows = a.shr(a.index(options.block), a.wide(log));
  Value k = a.add(a.mul(a.wide(rowBlock), rows), a.shr(f.thread, a.wide(log)));
  Value valid = a.less(k, kept);
  Value safe = a.min(k, a.sub(kept, a.index(1)));
  SmallVector<Value> leadPlaces;
  if (flat.lead > 0)
    leadPlaces = a.split(a.narrow(safe), leadDivisors);
  Value begin = a.mul(a.wide(chunkNumber), chunk);
  Value end = a.min(reduced, a.add(begin, chunk));

  auto placesOf = [&](OpBuilder &b, Value r) {
    Arith a(b, loc);
    SmallVector<Value> places(leadPlaces);
    if (flat.reduced == 1)
      places.push_back(r);
    else if (flat.reduced > 1)
      places.append(a.split(a.narrow(r), reducedDivisors));
    return places;
  };
  SmallVector<Value> start = repeat(code.identities(b), vector);
  size_t each = start.size() / vector;
  Value first = a.add(begin, a.mul(lane, a.index(vector)));
  Value step = a.mul(wideThreads, a.index(vector));
  auto inVectors = [&](OpBuilder &b, Location loc) {
    SmallVector<Value> found = loop(
        b, f, first, end, step, start,
        [&](OpBuilder &b, Value r) { return load(b, f, placesOf(b, r)); },
        [&](OpBuilder &b, ValueRange now, ArrayRef<Values> loaded, Value r) {
          Arith a(b, loc);
          SmallVector<Value> next;
          for (int64_t v = 0; v < vector; ++v)
            next.append(code.accumulate(b, now.slice(v * each, each), loaded[v],
                                        a.add(r, a.index(v))));
          return next;
        });
    scf::YieldOp::create(b, loc, found);
  };
  // The same elements for each accumulator, which lie anywhere.
  auto oneByOne = [&](OpBuilder &b, Location loc) {
    auto body = [&](OpBuilder &b, Value r, ValueRange now) {
      Arith a(b, loc);
      SmallVector<SmallVector<Value>> places;
      SmallVector<Value> at, inside;
      for (int64_t v = 0; v < vector; ++v) {
        at.push_back(a.add(r, a.index(v)));
        inside.push_back(a.less(at.back(), end));
        places.push_back(
            placesOf(b, a.min(at.back(), a.sub(end, a.index(1)))));
      }
      SmallVector<Values> loaded = loadEach(b, f, places);
      SmallVector<Value> next;
      for (int64_t v = 0; v < vector; ++v) {
        ValueRange old = now.slice(v * each, each);
        SmallVector<Value> joined = code.accumulate(b, old, loaded[v], at[v]);
        for (auto [x, y] : llvm::zip(old, joined))
          next.push_back(arith::SelectOp::create(b, loc, inside[v], y, x));
      }
      scf::YieldOp::create(b, loc, next);
    };
    Arith a(b, loc);
    scf::ForOp found = makeLoop(b, loc, first, end, step, start, body);
    scf::YieldOp::create(b, loc, found.getResults());
  };
  Value wide = a.less(a.index(0), vec);
  auto all = scf::IfOp::create(b, loc, wide, inVectors, oneByOne);
  SmallVector<Value> mine(ValueRange(all.getResults()));
  for (int64_t half = vector / 2; half > 0; half /= 2) {
    SmallVector<Value> next;
    for (int64_t v = 0; v < half; ++v)
      next.append(code.join(b, ArrayRef(mine).slice(v * each, each),
                            ArrayRef(mine).slice((v + half) * each, each)));
    mine = next;
  }
  mine = code.joinThreads(b, mine, threads, lane, 0);
  Value leads1 = a.bitAnd(a.equal(lane, a.index(0)), valid);
  scf::IfOp::create(b, loc, leads1, [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    Value one = a.equal(chunks, a.index(1));
    scf::IfOp::create(
        b, loc, one,
        [&](OpBuilder &b, Location loc) {
          code.follow(b, mine, k, leadPlaces, reduced);
          scf::YieldOp::create(b, loc);
        },
        [&](OpBuilder &b, Location loc) {
          Arith a(b, loc);
          code.storePartials(b, mine,
                             a.add(a.mul(a.wide(chunkNumber), kept), k));
          scf::YieldOp::create(b, loc);
        });
    scf::YieldOp::create(b, loc);
  });
  f.finish();
  return success();
}

//===----------------------------------------------------------------------===//
// Columns: the last dimension is kept
//===----------------------------------------------------------------------===//

LogicalResult GpuReductions::column() {
  if (failed(collect()))
    return failure();
  SmallVector<GpuFunction::Argument> arguments(rangeArguments);
  arguments.append(finishArguments);
  int64_t leads = std::max<int64_t>(flat.lead - 1, 0);
  int64_t reduceds = std::max<int64_t>(flat.reduced - 1, 0);
  int64_t trails = std::max<int64_t>(flat.trail - 1, 0);
  GpuFunction f = make("reduce", 13 + 3 * (leads + reduceds + trails), arguments,
                       options.block * vector);
  OpBuilder &b = f.b;
  Location loc = f.loc;
  Arith a(b, loc);
  ReductionCode code(flat, f);
  Value lead = f.param(), reduced = f.param(), trail = f.param();
  Value log = f.param32();
  Divisor columnBlocks = f.divisor(), blocks = f.divisor();
  Value chunk = f.param(), chunks = f.param(), vec = f.param();
  SmallVector<Divisor> leadDivisors = f.divisors(leads);
  SmallVector<Divisor> reducedDivisors = f.divisors(reduceds);
  SmallVector<Divisor> trailDivisors = f.divisors(trails);

  Value wideLog = a.wide(log);
  Value threads = a.shl(a.index(1), wideLog);
  Value lane = a.bitAnd(f.thread, a.sub(threads, a.index(1)));
  Value row = a.shr(f.thread, wideLog);
  Value rows = a.shr(a.index(options.block), wideLog);
  auto [chunkNumber, block] = a.divide(a.narrow(f.blockId), blocks);
  auto [k1, columnBlock] = a.divide(block, columnBlocks);
  Value column = a.mul(a.add(a.mul(a.wide(columnBlock), threads), lane),
                       a.index(vector));
  Value begin = a.mul(a.wide(chunkNumber), chunk);
  Value end = a.min(reduced, a.add(begin, chunk));
  SmallVector<Value> leadPlaces;
  if (flat.lead > 0)
    leadPlaces = a.split(k1, leadDivisors);

  auto reducedPlaces = [&](OpBuilder &b, Value r) {
    Arith a(b, loc);
    if (flat.reduced == 1)
      return SmallVector<Value>{r};
    return a.split(a.narrow(r), reducedDivisors);
  };
  auto trailPlaces = [&](OpBuilder &b, Value k2) {
    Arith a(b, loc);
    return a.split(a.narrow(k2), trailDivisors);
  };
  SmallVector<Value> start = repeat(code.identities(b), vector);
  size_t each = start.size() / vector;
  Value first = a.add(begin, row);
  auto accumulate = [&](OpBuilder &b, ValueRange now, ArrayRef<Values> loaded,
                        Value r) {
    SmallVector<Value> next;
    for (int64_t v = 0; v < vector; ++v)
      next.append(
          code.accumulate(b, now.slice(v * each, each), loaded[v], r));
    return next;
  };
  auto join = [&](SmallVector<Value> x, ValueRange y, ValueRange z) {
    x.append(y.begin(), y.end());
    x.append(z.begin(), z.end());
    return x;
  };
  auto inVectors = [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    Value safe = a.min(column, a.sub(trail, a.index(vector)));
    SmallVector<Value> behind = trailPlaces(b, safe);
    scf::YieldOp::create(
        b, loc,
        loop(
            b, f, first, end, rows, start,
            [&](OpBuilder &b, Value r) {
              return load(b, f, join(leadPlaces, reducedPlaces(b, r), behind));
            },
            accumulate));
  };
  auto oneByOne = [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    SmallVector<SmallVector<Value>> behind;
    for (int64_t v = 0; v < vector; ++v)
      behind.push_back(trailPlaces(b, a.min(a.add(column, a.index(v)),
                                            a.sub(trail, a.index(1)))));
    scf::YieldOp::create(
        b, loc,
        loop(
            b, f, first, end, rows, start,
            [&](OpBuilder &b, Value r) {
              SmallVector<Value> middle = reducedPlaces(b, r);
              SmallVector<SmallVector<Value>> places;
              for (int64_t v = 0; v < vector; ++v)
                places.push_back(join(leadPlaces, middle, behind[v]));
              return loadEach(b, f, places);
            },
            accumulate));
  };
  Value wide = a.less(a.index(0), vec);
  auto all = scf::IfOp::create(b, loc, wide, inVectors, oneByOne);
  SmallVector<Value> mine(ValueRange(all.getResults()));

  // Rows of threads join theirs by halves, the upper half into the lower one.
  auto slot = [&](Arith &a, Value thread, int64_t v) {
    return a.add(thread, a.index(v * options.block));
  };
  auto put = [&](OpBuilder &b, ValueRange values) {
    Arith a(b, loc);
    for (int64_t v = 0; v < vector; ++v)
      for (size_t i = 0; i < each; ++i)
        memref::StoreOp::create(b, loc, values[v * each + i], f.shared(i),
                                slot(a, f.thread, v));
  };
  put(b, mine);
  gpu::BarrierOp::create(b, loc);
  Value turns = a.sub(a.index(llvm::Log2_64(options.block)), wideLog);
  scf::ForOp halves = makeLoop(
      b, loc, a.index(0), turns, a.index(1), mine,
      [&](OpBuilder &b, Value turn, ValueRange now) {
        Arith a(b, loc);
        Value half = a.shr(rows, a.add(turn, a.index(1)));
        auto both = scf::IfOp::create(
            b, loc, a.less(row, half),
            [&](OpBuilder &b, Location loc) {
              Arith a(b, loc);
              Value other = a.add(f.thread, a.shl(half, wideLog));
              SmallVector<Value> next;
              for (int64_t v = 0; v < vector; ++v) {
                SmallVector<Value> theirs;
                for (size_t i = 0; i < each; ++i)
                  theirs.push_back(memref::LoadOp::create(
                      b, loc, f.shared(i), slot(a, other, v)));
                next.append(code.join(b, now.slice(v * each, each), theirs));
              }
              put(b, next);
              scf::YieldOp::create(b, loc, next);
            },
            [&](OpBuilder &b, Location loc) {
              scf::YieldOp::create(b, loc, now);
            });
        gpu::BarrierOp::create(b, loc);
        scf::YieldOp::create(b, loc, both.getResults());
      });
  SmallVector<Value> totals(ValueRange(halves.getResults()));
  Value base = a.mul(a.wide(k1), trail);
  Value kept = a.mul(lead, trail);
  scf::IfOp::create(
      b, loc, a.equal(row, a.index(0)), [&](OpBuilder &b, Location loc) {
        for (int64_t v = 0; v < vector; ++v) {
          Arith a(b, loc);
          Value k2 = a.add(column, a.index(v));
          ArrayRef<Value> mine = ArrayRef(totals).slice(v * each, each);
          scf::IfOp::create(
              b, loc, a.less(k2, trail), [&](OpBuilder &b, Location loc) {
                Arith a(b, loc);
                Value k = a.add(base, k2);
                scf::IfOp::create(
                    b, loc, a.equal(chunks, a.index(1)),
                    [&](OpBuilder &b, Location loc) {
                      SmallVector<Value> places(leadPlaces);
                      places.append(trailPlaces(b, k2));
                      code.follow(b, mine, k, places, reduced);
                      scf::YieldOp::create(b, loc);
                    },
                    [&](OpBuilder &b, Location loc) {
                      Arith a(b, loc);
                      Value at = a.add(a.mul(a.wide(chunkNumber), kept), k);
                      code.storePartials(b, mine, at);
                      scf::YieldOp::create(b, loc);
                    });
                scf::YieldOp::create(b, loc);
              });
        }
        scf::YieldOp::create(b, loc);
      });
  f.finish();
  return success();
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
