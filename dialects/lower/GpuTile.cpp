// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variant `tile` of an element-wise kernel, for operands that are contiguous
// along different dimensions: a block computes a square, and what is contiguous
// along its other side comes through shared memory.
#include "lower/GpuKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

static constexpr int64_t kEdge = 32;
/// An odd pitch: a column lies in all banks.
static constexpr int64_t kPitch = kEdge + 1;

namespace {
/// The places of one thread in the tile.
struct Tile {
  Value column, row;   // of the thread in the square
  Value a0, b0;        // of the square
  Value lastA, lastB;
  SmallVector<Value> batch;
};
} // namespace

/// Where element (a, b) of an operand lies; beyond the edge the last one.
static Value placeOf(Arith &a, const Tile &tile, ValueRange strides, Value at,
                     Value bt) {
  SmallVector<Value> places(tile.batch);
  places.push_back(a.min(bt, tile.lastB));
  places.push_back(a.min(at, tile.lastA));
  return a.dot(places, strides);
}

namespace {
struct Square {
  Value outer, a, b; // batch number and place, i32
  Value first;       // whether no other block has it
};
} // namespace

/// The square of a block. Mirrored, squares (i, j) and (j, i)
/// of a matrix of n' by n' follow on each other, so that an operand that is read
/// along both dimensions comes from memory once: the rows i and n' - 1 - i of
/// its lower triangle make n'/2 rows of n' + 1 squares, and the divisors are these.
/// A square of the diagonal comes twice; one that is computed in place must not be.
static Square squareOf(Arith &a, OpBuilder &b, Location loc, Value block,
                       const Divisor &tilesA, const Divisor &tilesB,
                       Value mirror) {
  auto [rest, column] = a.divide(a.shr(block, mirror), tilesA);
  auto [outer, row] = a.divide(rest, tilesB);
  Value one = a.i32(1);
  Value beyond = a.less(row, column);
  Value last = a.sub(a.shl(tilesB.extent, one), one);
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  Value i = select(beyond, a.sub(last, row), row);
  Value j = select(beyond, a.sub(a.sub(column, row), one), column);
  Value swap = a.equal(a.bitAnd(block, one), one);
  Value plain = a.equal(mirror, a.i32(0));
  Value tileA = select(plain, column, select(swap, i, j));
  Value tileB = select(plain, row, select(swap, j, i));
  Value other = select(plain, a.equal(one, one),
                       arith::CmpIOp::create(
                           b, loc, arith::CmpIPredicate::ne, i, j));
  Value first = arith::OrIOp::create(
      b, loc, other, a.equal(a.bitAnd(block, one), a.i32(0)));
  return {outer, tileA, tileB, first};
}

void fusion::buildTile(func::FuncOp kernel,
                       ArrayRef<GpuFunction::Argument> arguments,
                       ArrayRef<linalg::GenericOp> generics,
                       gpu::GPUModuleOp module, const GpuOptions &options,
                       int64_t rank, bool iota) {
  SmallVector<Type> shared;
  MLIRContext *context = kernel.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  int64_t bytes = 0;
  for (const GpuFunction::Argument &argument : arguments) {
    if (!argument.access.inner)
      continue;
    auto type = cast<MemRefType>(argument.source.getType());
    bytes += kEdge * kPitch * type.getElementTypeBitWidth() / 8;
    if (bytes > kSharedBytes)
      break;
    shared.push_back(MemRefType::get({kEdge * kPitch}, type.getElementType(),
                                     MemRefLayoutAttrInterface(), space));
  }
  if (shared.empty())
    return;
  int64_t batch = rank - 2, rows = options.block / kEdge;
  unsigned count = 2 + 6 + 3 * std::max<int64_t>(batch - 1, 0) + batch + 1 + 2 +
                   iota;
  GpuFunction f(module, kernel, kernel.getLoc(),
                (kernel.getName() + "_tile").str(), options.block, count,
                arguments, derivedScalars(generics), shared);
  f.note("fusion.vector", 1);
  f.note("fusion.unroll", kEdge);
  ElementCode code(generics);
  code.enter(f, f.b);
  OpBuilder &b = f.b;
  Location loc = f.loc;
  Arith a(b, loc);
  Value extentA = f.param(), extentB = f.param();
  Divisor tilesA = f.divisor(), tilesB = f.divisor();
  SmallVector<Divisor> divisors = f.divisors(std::max<int64_t>(batch - 1, 0));
  SmallVector<Value> dense;
  for (int64_t i = 0; i <= batch; ++i)
    dense.push_back(f.param());
  dense.push_back(a.index(1));
  Value mask = f.param32(), mirror = f.param32();
  Value base = iota ? f.param() : Value();

  Square mine =
      squareOf(a, b, loc, a.narrow(f.blockId), tilesA, tilesB, mirror);
  Tile tile;
  if (batch > 0)
    tile.batch = a.split(mine.outer, divisors);
  tile.column = a.bitAnd(f.thread, a.index(kEdge - 1));
  tile.row = a.shr(f.thread, a.index(llvm::Log2_64(kEdge)));
  tile.a0 = a.mul(a.wide(mine.a), a.index(kEdge));
  tile.b0 = a.mul(a.wide(mine.b), a.index(kEdge));
  tile.lastA = a.sub(extentA, a.index(1));
  tile.lastB = a.sub(extentB, a.index(1));

  // The squares of the operands that are contiguous along b.
  SmallVector<Value> through;
  int64_t number = 0;
  for (GpuOperand &operand : f.operands) {
    if (!operand.access.inner || number == int64_t(shared.size()))
      continue;
    Value square = f.shared(number);
    Value bit = a.bitAnd(mask, a.i32(int64_t(1) << number++));
    Value use = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit,
                                      a.i32(0));
    through.push_back(use);
    scf::IfOp::create(b, loc, use, [&](OpBuilder &b, Location loc) {
      Arith a(b, loc);
      SmallVector<Value> values;
      for (int64_t j = 0; j < kEdge; j += rows) {
        Value row = a.add(tile.row, a.index(j));
        Value at = placeOf(a, tile, operand.strides, a.add(tile.a0, row),
                           a.add(tile.b0, tile.column));
        values.push_back(memref::LoadOp::create(b, loc, operand.memory, at));
      }
      for (auto [i, value] : llvm::enumerate(values)) {
        Value row = a.add(tile.row, a.index(i * rows));
        Value to = a.add(a.mul(row, a.index(kPitch)), tile.column);
        memref::StoreOp::create(b, loc, value, square, to);
      }
      scf::YieldOp::create(b, loc);
    });
  }
  gpu::BarrierOp::create(b, loc);

  SmallVector<Value> reads = code.reads(), writes = code.writes();
  int64_t points = kEdge / rows;
  SmallVector<Value> linear, valid;
  for (int64_t i = 0; i < points; ++i) {
    Value bt = a.add(tile.b0, a.add(tile.row, a.index(i * rows)));
    Value at = a.add(tile.a0, tile.column);
    SmallVector<Value> places(tile.batch);
    places.append({bt, at});
    linear.push_back(a.dot(places, dense));
    Value inside = a.bitAnd(a.less(bt, extentB), a.less(at, extentA));
    valid.push_back(a.bitAnd(inside, mine.first));
  }
  DenseMap<Value, SmallVector<Value>> inputs;
  number = 0;
  for (GpuOperand &operand : f.operands) {
    int64_t slot = operand.access.inner && number < int64_t(shared.size())
                       ? number++
                       : -1;
    if (!llvm::is_contained(reads, operand.source))
      continue;
    auto direct = [&](OpBuilder &b) {
      Arith a(b, loc);
      SmallVector<Value> values;
      for (int64_t i = 0; i < points; ++i) {
        Value bt = a.add(tile.b0, a.add(tile.row, a.index(i * rows)));
        Value at = a.add(tile.a0, tile.column);
        ValueRange strides = operand.access.kind == Access::Strided
                                 ? ValueRange(operand.strides)
                                 : ValueRange(dense);
        values.push_back(memref::LoadOp::create(
            b, loc, operand.memory, placeOf(a, tile, strides, at, bt)));
      }
      return values;
    };
    if (slot < 0) {
      inputs[operand.source] = direct(b);
      continue;
    }
    Value square = f.shared(slot);
    auto choice = scf::IfOp::create(
        b, loc, through[slot],
        [&](OpBuilder &b, Location loc) {
          Arith a(b, loc);
          SmallVector<Value> values;
          Value from = a.mul(tile.column, a.index(kPitch));
          for (int64_t i = 0; i < points; ++i)
            values.push_back(memref::LoadOp::create(
                b, loc, square,
                a.add(from, a.add(tile.row, a.index(i * rows)))));
          scf::YieldOp::create(b, loc, values);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, direct(b));
        });
    inputs[operand.source] = llvm::to_vector(ValueRange(choice.getResults()));
  }
  for (int64_t i = 0; i < points; ++i) {
    DenseMap<Value, Value> values;
    for (auto &[source, elements] : inputs)
      values[source] = elements[i];
    Value place = base ? a.add(base, linear[i]) : linear[i];
    code.emit(b, values, place);
    scf::IfOp::create(b, loc, valid[i], [&](OpBuilder &b, Location loc) {
      for (Value out : writes) {
        memref::StoreOp::create(b, loc, values.lookup(out),
                                f.operand(out).memory, linear[i]);
      }
      scf::YieldOp::create(b, loc);
    });
  }
  f.finish();
}
