// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on GPUs whose last dimension is reduced: a row by several threads.
#include "lower/GpuReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

using Values = DenseMap<Value, Value>;

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
    store(b, code, mine, k, [&](OpBuilder &) { return leadPlaces; }, kept,
          reduced, chunkNumber, chunks);
    scf::YieldOp::create(b, loc);
  });
  f.finish();
  return success();
}
