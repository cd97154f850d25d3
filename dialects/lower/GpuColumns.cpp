// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on GPUs whose last dimension is kept: a thread has columns side by
// side, threads below each other share the rows.
#include "lower/GpuReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

using Values = DenseMap<Value, Value>;

LogicalResult GpuReductions::column() {
  if (failed(collect()))
    return failure();
  int64_t bytes = 0;
  for (Type type :
       ReductionCode::sharedTypes(flat, options.block * vector)) {
    auto array = cast<MemRefType>(type);
    bytes += array.getNumElements() * array.getElementTypeBitWidth() / 8;
  }
  if (bytes > kSharedBytes)
    return flat.range.emitError("needs ")
           << bytes << " bytes of shared memory, there are " << kSharedBytes
           << ": a smaller reduction-block will do";
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
    if (flat.reduced < 2) // extents of 1 alone leave none
      return SmallVector<Value>(flat.reduced, r);
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
                auto places = [&](OpBuilder &b) {
                  SmallVector<Value> all(leadPlaces);
                  all.append(trailPlaces(b, k2));
                  return all;
                };
                store(b, code, mine, a.add(base, k2), places, kept, reduced,
                      chunkNumber, chunks);
                scf::YieldOp::create(b, loc);
              });
        }
        scf::YieldOp::create(b, loc);
      });
  f.finish();
  return success();
}
