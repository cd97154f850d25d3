// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of flat kernels that look for a place (argmax, argmin) as loops.
#include "lower/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// Shorter rows are not spread over lanes.
static constexpr int64_t kLong = 32;

namespace {
/// Keys and their places, scalars or vectors.
struct Places {
  Value keys, places;
};
} // namespace

/// The better of x and y; of equal keys the one whose place comes first.
static Places join(OpBuilder &b, Location loc, PointCode &code, Places x,
                   Places y) {
  Value better = code.beats(b, y.keys, x.keys);
  Value worse = code.beats(b, x.keys, y.keys);
  Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       y.places, x.places);
  // Equal and before: not worse and before.
  Value no = arith::ConstantOp::create(b, loc, b.getZeroAttr(worse.getType()));
  Value nothing = arith::SelectOp::create(b, loc, worse, no, before);
  Value take = arith::OrIOp::create(b, loc, better, nothing);
  return {arith::SelectOp::create(b, loc, take, y.keys, x.keys),
          arith::SelectOp::create(b, loc, take, y.places, x.places)};
}

/// All lanes in one, by halves. `steps` says after how many turns the key came.
static Places joinPlaces(OpBuilder &b, Location loc, PointCode &code,
                         Value keys, Value steps) {
  Type word = b.getI64Type();
  auto wordsType = VectorType::get({kLanes}, word);
  SmallVector<int64_t> numbers(llvm::to_vector(llvm::seq<int64_t>(kLanes)));
  Value lane = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(wordsType, ArrayRef<int64_t>(numbers)));
  Value width = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(wordsType, kLanes));
  Value places = steps;
  if (steps.getType() != wordsType)
    places = arith::ExtUIOp::create(b, loc, wordsType, steps);
  places = arith::MulIOp::create(b, loc, places, width);
  places = arith::AddIOp::create(b, loc, places, lane);
  auto better = [&](OpBuilder &b, ValueRange x, ValueRange y) {
    Places best = join(b, loc, code, {x[0], x[1]}, {y[0], y[1]});
    return SmallVector<Value>{best.keys, best.places};
  };
  SmallVector<Value> best = joinLanes(b, loc, {keys, places}, better);
  return {best[0], best[1]};
}

/// One element after the other.
static Places shortRow(OpBuilder &b, Location loc, PointCode &code,
                       ValueRange identities, Value row, Value columns) {
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  scf::ForOp loop = makeLoop(
      b, loc, zero, columns, one, identities,
      [&](OpBuilder &b, Value column, ValueRange carried) {
        scf::YieldOp::create(b, loc, code.emit(b, {row, column}, carried));
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// In lanes; instead of a place they hold a turn of the outer loop, a number as
/// wide as the key.
static Places longRow(OpBuilder &b, Location loc, PointCode &code,
                      ValueRange identities, Value row, Value columns,
                      Value keys, Value steps) {
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value width = makeIndex(b, loc, kLanes);
  auto keysType = VectorType::get({kLanes}, identities[0].getType());
  Type step = cast<MemRefType>(steps.getType()).getElementType();
  auto stepsType = VectorType::get({kLanes}, step);
  Value start = vector::BroadcastOp::create(b, loc, keysType, identities[0]);
  vector::StoreOp::create(b, loc, start, keys, zero);
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(stepsType));
  vector::StoreOp::create(b, loc, none, steps, zero);
  makeLanes(b, loc, columns, [&](OpBuilder &b, Value first, Value count) {
    Value turn = arith::DivUIOp::create(b, loc, first, width);
    turn = arith::IndexCastOp::create(b, loc, step, turn);
    makeLoop(b, loc, zero, count, one, {},
             [&](OpBuilder &b, Value lane, ValueRange) {
               Value column = arith::AddIOp::create(b, loc, first, lane);
               Value key = memref::LoadOp::create(b, loc, keys, lane);
               Value old = memref::LoadOp::create(b, loc, steps, lane);
               Value found =
                   code.emit(b, {row, column}, {key, identities[1]})[0];
               // The condition that selected the key selects the turn.
               auto select = found.getDefiningOp<arith::SelectOp>();
               Value now = arith::SelectOp::create(
                   b, loc, select.getCondition(), turn, old);
               memref::StoreOp::create(b, loc, found, keys, lane);
               memref::StoreOp::create(b, loc, now, steps, lane);
             });
  });
  return joinPlaces(b, loc, code,
                    vector::LoadOp::create(b, loc, keysType, keys, zero),
                    vector::LoadOp::create(b, loc, stepsType, steps, zero));
}

void fusion::lowerRowPlaces(linalg::GenericOp generic, ValueRange identities,
                            Value rows, Value columns, Value base) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  PointCode code(generic);
  Type key = identities[0].getType();
  // A turn fits: the launcher's rows have 16,384 columns at most.
  Type step = b.getIntegerType(std::max(key.getIntOrFloatBitWidth(), 16u));
  Value keys = reserveLanes(b, loc, key), steps = reserveLanes(b, loc, step);
  Value zero = makeIndex(b, loc, 0), one = makeIndex(b, loc, 1);
  Value few = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, columns,
                                    makeIndex(b, loc, kLong));
  Value offset = arith::IndexCastOp::create(b, loc, b.getI64Type(), base);
  makeLoop(b, loc, zero, rows, one, {}, [&](OpBuilder &b, Value row, ValueRange) {
    auto choice = scf::IfOp::create(
        b, loc, few,
        [&](OpBuilder &b, Location loc) {
          Places found = shortRow(b, loc, code, identities, row, columns);
          scf::YieldOp::create(b, loc, ValueRange{found.keys, found.places});
        },
        [&](OpBuilder &b, Location loc) {
          Places found = longRow(b, loc, code, identities, row, columns, keys,
                                 steps);
          Value place = arith::AddIOp::create(b, loc, found.places, offset);
          scf::YieldOp::create(b, loc, ValueRange{found.keys, place});
        });
    memref::StoreOp::create(b, loc, choice.getResult(0), code.output(0), row);
    memref::StoreOp::create(b, loc, choice.getResult(1), code.output(1), row);
  });
  generic.erase();
}
