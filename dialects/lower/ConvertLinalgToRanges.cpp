// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// convert-linalg-to-ranges: flat kernels become loops over a range that their
// caller gives, so that it can run one kernel on several threads.
#include "lower/Kernel.h"
#include "lower/Passes.h"
#include "lower/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// The code of one point
//===----------------------------------------------------------------------===//

SmallVector<Value> PointCode::indices(OpBuilder &b, unsigned i,
                                      ValueRange point) {
  SmallVector<Value> result;
  for (AffineExpr expr : generic.getIndexingMapsArray()[i].getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.push_back(point[dim.getPosition()]);
    else
      result.push_back(makeIndex(b, generic.getLoc(),
                                 cast<AffineConstantExpr>(expr).getValue()));
  return result;
}

SmallVector<Value> PointCode::emit(OpBuilder &b, ValueRange point,
                                   ValueRange accumulators) {
  IRMapping map;
  Block *body = generic.getBody();
  for (OpOperand &operand : generic->getOpOperands()) {
    BlockArgument arg = body->getArgument(operand.getOperandNumber());
    if (!accumulators.empty() && generic.isDpsInit(&operand))
      map.map(arg, accumulators[operand.getOperandNumber() -
                                generic.getNumDpsInputs()]);
    else if (!arg.use_empty())
      map.map(arg, memref::LoadOp::create(
                       b, generic.getLoc(), operand.get(),
                       indices(b, operand.getOperandNumber(), point)));
  }
  for (Operation &op : body->without_terminator())
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      map.map(index.getResult(), point[index.getDim()]);
    else
      b.clone(op, map);
  SmallVector<Value> yields;
  for (Value v : body->getTerminator()->getOperands())
    yields.push_back(map.lookupOrDefault(v));
  return yields;
}

void PointCode::emitAndStore(OpBuilder &b, ValueRange point) {
  SmallVector<Value> values = emit(b, point);
  for (auto [value, out] : llvm::zip(values, generic.getDpsInitsMutable()))
    memref::StoreOp::create(b, generic.getLoc(), value, out.get(),
                            indices(b, out.getOperandNumber(), point));
}

Operation *PointCode::combiner() {
  if (generic.getNumDpsInits() != 1)
    return nullptr;
  BlockArgument accumulator = generic.getBody()->getArguments().back();
  Operation *op =
      generic.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  bool joins = op && op->getNumOperands() == 2 && accumulator.hasOneUse() &&
               *accumulator.user_begin() == op;
  return joins ? op : nullptr;
}

Value PointCode::combine(OpBuilder &b, Value x, Value y) {
  Operation *op = combiner();
  OperationState state(op->getLoc(), op->getName(), {x, y}, x.getType(),
                       op->getAttrs());
  return b.create(state)->getResult(0);
}

bool PointCode::keepsPlaces() {
  if (generic.getNumDpsInits() != 2)
    return false;
  Operation *end = generic.getBody()->getTerminator();
  auto key = end->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto place = end->getOperand(1).getDefiningOp<arith::SelectOp>();
  return key && place && key.getCondition() == place.getCondition();
}

/// Clones what `v` is computed from; each operation gets the shape of its
/// operands.
static Value cloneOnto(OpBuilder &b, Value v, IRMapping &map) {
  if (map.contains(v))
    return map.lookup(v);
  Operation *op = v.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(cloneOnto(b, operand, map));
  Type type = v.getType();
  if (auto shaped = dyn_cast<VectorType>(operands[0].getType()))
    type = VectorType::get(shaped.getShape(), type);
  OperationState state(op->getLoc(), op->getName(), operands, type,
                       op->getAttrs());
  Value result = b.create(state)->getResult(0);
  map.map(v, result);
  return result;
}

Value PointCode::beats(OpBuilder &b, Value x, Value y) {
  auto key = generic.getBody()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::SelectOp>();
  IRMapping map;
  map.map(key.getTrueValue(), x);
  map.map(key.getFalseValue(), y);
  return cloneOnto(b, key.getCondition(), map);
}

Value fusion::makeIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

scf::ForOp
fusion::makeLoop(OpBuilder &b, Location loc, Value begin, Value end, Value step,
                 ValueRange init,
                 function_ref<void(OpBuilder &, Value, ValueRange)> body) {
  return scf::ForOp::create(
      b, loc, begin, end, step, init,
      [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
        body(inner, i, carried);
        if (carried.empty())
          scf::YieldOp::create(inner, loc);
      });
}

Value fusion::reserveLanes(OpBuilder &b, Location loc, Type element) {
  return memref::AllocaOp::create(b, loc, MemRefType::get({kLanes}, element),
                                  b.getI64IntegerAttr(64));
}

void fusion::makeLanes(OpBuilder &b, Location loc, Value columns,
                       function_ref<void(OpBuilder &, Value, Value)> body) {
  Value zero = makeIndex(b, loc, 0), width = makeIndex(b, loc, kLanes);
  makeLoop(b, loc, zero, columns, width, {},
           [&](OpBuilder &inner, Value first, ValueRange) {
             Value left = arith::SubIOp::create(inner, loc, columns, first);
             body(inner, first,
                  arith::MinSIOp::create(inner, loc, left, width));
           });
}

SmallVector<Value> fusion::joinLanes(
    OpBuilder &b, Location loc, ValueRange lanes,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)>
        join) {
  SmallVector<Value> all(lanes);
  for (int64_t half = kLanes / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) {
      return llvm::map_to_vector(all, [&](Value v) -> Value {
        return vector::ExtractStridedSliceOp::create(
            b, loc, v, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{half},
            ArrayRef<int64_t>{1});
      });
    };
    SmallVector<Value> low = part(0), high = part(half);
    all = join(b, low, high);
  }
  return llvm::map_to_vector(all, [&](Value v) -> Value {
    return vector::ExtractOp::create(b, loc, v, 0);
  });
}

void fusion::keepScalar(scf::ForOp loop) {
  MLIRContext *context = loop.getContext();
  BoolAttr yes = BoolAttr::get(context, true);
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, yes, {}, {}, {}, {},
                                                {}, {});
  auto unroll =
      LLVM::LoopUnrollAttr::get(context, yes, {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    context, {}, vectorize, {}, unroll, {}, {}, {}, {}, {}, {},
                    {}, {}, {}, {}, {}));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertLinalgToRanges
    : PassWrapper<ConvertLinalgToRanges, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertLinalgToRanges)
  StringRef getArgument() const final { return "convert-linalg-to-ranges"; }
  StringRef getDescription() const final {
    return "Lower flat kernels to loops over the ranges of the CPU's ABI";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  void runOnOperation() final {
    for (auto f : getOperation().getOps<func::FuncOp>())
      if (isKernel(f) && isFlat(f) && !f.isExternal() && failed(lower(f)))
        return signalPassFailure();
  }
  LogicalResult lower(func::FuncOp f);
};
} // namespace

static Value addIndexArgument(func::FuncOp f) {
  unsigned i = f.getNumArguments();
  (void)f.insertArgument(i, IndexType::get(f.getContext()), {}, f.getLoc());
  return f.getArgument(i);
}

static void lowerElementwise(linalg::GenericOp generic, Value begin,
                             Value end) {
  OpBuilder b(generic);
  Location loc = generic.getLoc();
  Value one = makeIndex(b, loc, 1);
  makeLoop(b, loc, begin, end, one, {},
           [&](OpBuilder &inner, Value i, ValueRange) {
             PointCode(generic).emitAndStore(inner, i);
           });
  generic.erase();
}

LogicalResult ConvertLinalgToRanges::lower(func::FuncOp f) {
  auto generics = llvm::to_vector(f.getOps<linalg::GenericOp>());
  auto fills = llvm::to_vector(f.getOps<linalg::FillOp>());
  SmallVector<Value> identities;
  for (linalg::FillOp fill : fills)
    identities.push_back(fill.getInputs()[0]);
  Value first = addIndexArgument(f), second = addIndexArgument(f);
  for (linalg::GenericOp generic : generics) {
    if (generic.getNumParallelLoops() == 1 && generic.getNumLoops() == 1) {
      lowerElementwise(generic, first, second);
      continue;
    }
    PointCode code(generic);
    bool hasPlaces = code.keepsPlaces();
    if (generic.getNumLoops() != 2 || generic.getNumReductionLoops() != 1 ||
        (!hasPlaces && !code.combiner()) ||
        (!isFinish(f) && generic.getNumDpsInits() != int64_t(fills.size())))
      return generic.emitOpError("is not of a form that flat kernels have");
    bool byRow =
        generic.getIteratorTypesArray()[1] == utils::IteratorType::reduction;
    // In front of the range: the place of the first element, or the tile of
    // places and the number of elements.
    ValueRange arguments = ValueRange(f.getArguments()).drop_back(2);
    if (isFinish(f)) {
      SmallVector<Value> partials = {arguments[0]};
      if (hasPlaces)
        partials.push_back(arguments[arguments.size() - 2]);
      lowerChunkTree(generic, partials, first, second);
    } else if (!byRow) {
      lowerColumnReduction(generic, identities, first, second);
    } else if (hasPlaces) {
      lowerRowPlaces(generic, identities, first, second, arguments.back());
    } else {
      lowerRowReduction(generic, identities, first, second);
    }
  }
  for (linalg::FillOp fill : fills)
    fill.erase();
  return success();
}

void fusion::registerConvertLinalgToRanges() {
  PassRegistration<ConvertLinalgToRanges>();
}
