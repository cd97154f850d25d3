// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reductions of flat kernels as loops. The order in which floats are added
// is written out here, so that it does not depend on the host.
#include "lower/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// The number of sums that a row of floats is spread over.
static constexpr int64_t kLanes = 64;

static Value index(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// All lanes in one: the upper half is combined into the lower one.
static Value combineLanes(OpBuilder &b, Location loc, PointCode &code,
                          Value lanes) {
  int64_t count = cast<VectorType>(lanes.getType()).getDimSize(0);
  for (int64_t half = count / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, lanes, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{half},
          ArrayRef<int64_t>{1});
    };
    Value low = part(0), high = part(half);
    lanes = code.combine(b, low, high);
  }
  return vector::ExtractOp::create(b, loc, lanes, 0);
}

/// A row of floats: element i goes to lane i % kLanes. The lanes are in memory,
/// where LLVM makes vectors of whatever width the host has of them.
static void lowerLanes(OpBuilder &b, linalg::GenericOp generic, Value identity,
                       Value rows, Value columns) {
  Location loc = generic.getLoc();
  PointCode code(generic);
  Type element = identity.getType();
  auto lanesType = VectorType::get({kLanes}, element);
  Value lanes = memref::AllocaOp::create(
      b, loc, MemRefType::get({kLanes}, element), b.getI64IntegerAttr(64));
  Value zero = index(b, loc, 0), one = index(b, loc, 1);
  Value width = index(b, loc, kLanes);
  Value start = vector::BroadcastOp::create(b, loc, lanesType, identity);
  auto body = [&](OpBuilder &b, Value row, ValueRange) {
    vector::StoreOp::create(b, loc, start, lanes, zero);
    makeLoop(b, loc, zero, columns, width, {},
             [&](OpBuilder &b, Value first, ValueRange) {
               Value left = arith::SubIOp::create(b, loc, columns, first);
               Value count = arith::MinSIOp::create(b, loc, left, width);
               makeLoop(b, loc, zero, count, one, {},
                        [&](OpBuilder &b, Value lane, ValueRange) {
                          Value column =
                              arith::AddIOp::create(b, loc, first, lane);
                          Value sum =
                              memref::LoadOp::create(b, loc, lanes, lane);
                          sum = code.emit(b, {row, column}, sum)[0];
                          memref::StoreOp::create(b, loc, sum, lanes, lane);
                        });
             });
    Value all = vector::LoadOp::create(b, loc, lanesType, lanes, zero);
    memref::StoreOp::create(b, loc, combineLanes(b, loc, code, all),
                            code.output(), row);
  };
  makeLoop(b, loc, zero, rows, one, {}, body);
}

LogicalResult fusion::lowerRowReduction(linalg::FillOp fill,
                                        linalg::GenericOp generic, Value rows,
                                        Value columns) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Value identity = fill.getInputs()[0];
  if (isa<arith::AddFOp, arith::MulFOp>(code.combiner())) {
    lowerLanes(b, generic, identity, rows, columns);
  } else {
    // The order does not matter: LLVM chooses it.
    Value zero = index(b, loc, 0), one = index(b, loc, 1);
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
  fill.erase();
  return success();
}

/// Row after row is combined into the result.
LogicalResult fusion::lowerColumnReduction(linalg::FillOp fill,
                                           linalg::GenericOp generic,
                                           Value rows, Value columns) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Value zero = index(b, loc, 0), one = index(b, loc, 1);
  Value identity = fill.getInputs()[0];
  makeLoop(b, loc, zero, columns, one, {},
           [&](OpBuilder &b, Value column, ValueRange) {
             memref::StoreOp::create(b, loc, identity, code.output(), column);
           });
  makeLoop(b, loc, zero, rows, one, {},
           [&](OpBuilder &b, Value row, ValueRange) {
             makeLoop(b, loc, zero, columns, one, {},
                      [&](OpBuilder &b, Value column, ValueRange) {
                        code.emitAndStore(b, {row, column});
                      });
           });
  generic.erase();
  fill.erase();
  return success();
}

/// The rows of `partials`, one a chunk, in pairs, pairs of pairs and so on.
LogicalResult fusion::lowerChunkTree(linalg::GenericOp generic, Value partials,
                                     Value begin, Value end) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Type indexType = b.getIndexType();
  Value zero = index(b, loc, 0), one = index(b, loc, 1);
  Value chunks = memref::DimOp::create(b, loc, partials, 0);
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
                         SmallVector<Value> to = {chunk, i}, from = {other, i};
                         Value x = memref::LoadOp::create(b, loc, partials, to);
                         Value y =
                             memref::LoadOp::create(b, loc, partials, from);
                         memref::StoreOp::create(b, loc, code.combine(b, x, y),
                                                 partials, to);
                       });
                   keepScalar(columns);
                 });
        scf::YieldOp::create(b, loc, twice);
      });
  generic.erase();
  return success();
}
