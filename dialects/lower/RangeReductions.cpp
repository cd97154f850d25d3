// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions of flat kernels as loops. The order in which floats are added
// is written out here, so that it does not depend on the host.
#include "lower/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// A row of floats, in lanes.
static void lowerLanes(OpBuilder &b, linalg::GenericOp generic, Value identity,
                       Value rows, Value columns) {
  Location loc = generic.getLoc();
  PointCode code(generic);
  Type element = identity.getType();
  auto lanesType = VectorType::get({kLanes}, element);
  Value lanes = reserveLanes(b, loc, element);
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value start = vector::BroadcastOp::create(b, loc, lanesType, identity);
  auto addLanes = [&](OpBuilder &b, Value row, Value first, Value count) {
    makeLoop(b, loc, zero, count, one, {},
             [&](OpBuilder &b, Value lane, ValueRange) {
               Value column = arith::AddIOp::create(b, loc, first, lane);
               Value sum = memref::LoadOp::create(b, loc, lanes, lane);
               sum = code.emit(b, {row, column}, sum)[0];
               memref::StoreOp::create(b, loc, sum, lanes, lane);
             });
  };
  auto body = [&](OpBuilder &b, Value row, ValueRange) {
    vector::StoreOp::create(b, loc, start, lanes, zero);
    makeLanes(b, loc, columns, [&](OpBuilder &b, Value first, Value count) {
      addLanes(b, row, first, count);
    });
    Value all = vector::LoadOp::create(b, loc, lanesType, lanes, zero);
    auto combine = [&](OpBuilder &b, ValueRange low, ValueRange high) {
      return SmallVector<Value>{code.combine(b, low[0], high[0])};
    };
    memref::StoreOp::create(b, loc, joinLanes(b, loc, all, combine)[0],
                            code.output(), row);
  };
  makeLoop(b, loc, zero, rows, one, {}, body);
}

void fusion::lowerRowReduction(linalg::GenericOp generic,
                               ValueRange identities, Value rows,
                               Value columns) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Value identity = identities[0];
  if (isa<arith::AddFOp, arith::MulFOp>(code.combiner())) {
    lowerLanes(b, generic, identity, rows, columns);
  } else {
    // The order does not matter: LLVM chooses it.
    Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
    makeLoop(b, loc, zero, rows, one, {},
             [&](OpBuilder &b, Value row, ValueRange) {
               scf::ForOp loop = makeLoop(
                   b, loc, zero, columns, one, identity,
                   [&](OpBuilder &b, Value column, ValueRange carried) {
                     Value v = code.emit(b, {row, column}, carried[0])[0];
                     scf::YieldOp::create(b, loc, v);
                   });
               memref::StoreOp::create(b, loc, loop.getResult(0),
                                       code.output(), row);
             });
  }
  generic.erase();
}

/// Row after row is combined into the result.
void fusion::lowerColumnReduction(linalg::GenericOp generic,
                                  ValueRange identities, Value rows,
                                  Value columns) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  for (auto [i, identity] : llvm::enumerate(identities))
    makeLoop(b, loc, zero, columns, one, {},
             [&](OpBuilder &b, Value column, ValueRange) {
               memref::StoreOp::create(b, loc, identity, code.output(i),
                                       column);
             });
  makeLoop(b, loc, zero, rows, one, {},
           [&](OpBuilder &b, Value row, ValueRange) {
             makeLoop(b, loc, zero, columns, one, {},
                      [&](OpBuilder &b, Value column, ValueRange) {
                        code.emitAndStore(b, {row, column});
                      });
           });
  generic.erase();
}

/// The partial results at `from` are combined into those at `to`.
static void joinChunks(OpBuilder &b, Location loc, PointCode &code,
                       ValueRange partials, ValueRange to, ValueRange from) {
  SmallVector<Value> x, y;
  for (Value tile : partials) {
    x.push_back(memref::LoadOp::create(b, loc, tile, to));
    y.push_back(memref::LoadOp::create(b, loc, tile, from));
  }
  if (partials.size() == 1) {
    Value v = code.combine(b, x[0], y[0]);
    memref::StoreOp::create(b, loc, v, partials[0], to);
    return;
  }
  Value better = code.beats(b, y[0], x[0]);
  for (auto [tile, old, other] : llvm::zip(partials, x, y)) {
    Value v = arith::SelectOp::create(b, loc, better, other, old);
    memref::StoreOp::create(b, loc, v, tile, to);
  }
}

/// The rows of `partials`, one a chunk, in pairs, pairs of pairs and so on.
void fusion::lowerChunkTree(linalg::GenericOp generic, ValueRange partials,
                            Value begin, Value end) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Type indexType = b.getIndexType();
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value chunks = memref::DimOp::create(b, loc, partials[0], 0);
  scf::WhileOp::create(
      b, loc, TypeRange{indexType}, one,
      [&](OpBuilder &b, Location loc, ValueRange distance) {
        Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           distance[0], chunks);
        scf::ConditionOp::create(b, loc, more, distance);
      },
      [&](OpBuilder &b, Location loc, ValueRange carried) {
        Value distance = carried[0];
        Value twice = arith::AddIOp::create(b, loc, distance, distance);
        Value last = arith::SubIOp::create(b, loc, chunks, distance);
        makeLoop(b, loc, zero, last, twice, {},
                 [&](OpBuilder &b, Value chunk, ValueRange) {
                   Value other =
                       arith::AddIOp::create(b, loc, chunk, distance);
                   scf::ForOp columns = makeLoop(
                       b, loc, begin, end, one, {},
                       [&](OpBuilder &b, Value i, ValueRange) {
                         joinChunks(b, loc, code, partials, {chunk, i},
                                    {other, i});
                       });
                   keepScalar(columns);
                 });
        scf::YieldOp::create(b, loc, twice);
      });
  generic.erase();
}
