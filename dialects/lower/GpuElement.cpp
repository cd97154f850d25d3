// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar code of a kernel at one element, apart from where its operands
// lie.
#include "lower/GpuKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fusion;

static bool isTile(Value v) {
  auto type = dyn_cast<MemRefType>(v.getType());
  return type && type.getRank() == 1;
}

static BlockArgument argumentOf(linalg::GenericOp generic,
                                OpOperand &operand) {
  return generic.getBody()->getArgument(operand.getOperandNumber());
}

SmallVector<Value> ElementCode::reads() const {
  llvm::SetVector<Value> found;
  llvm::SmallDenseSet<Value> written;
  for (linalg::GenericOp generic : generics) {
    // A result that takes an operand over is read where it is written.
    for (OpOperand &operand : generic->getOpOperands())
      if (isTile(operand.get()) && !written.contains(operand.get()) &&
          !argumentOf(generic, operand).use_empty())
        found.insert(operand.get());
    for (Value out : generic.getDpsInits())
      written.insert(out);
  }
  return found.takeVector();
}

SmallVector<Value> ElementCode::writes() const {
  llvm::SetVector<Value> found;
  for (linalg::GenericOp generic : generics)
    for (Value out : generic.getDpsInits())
      found.insert(out);
  return found.takeVector();
}

int64_t ElementCode::size() const {
  int64_t count = 0;
  for (linalg::GenericOp generic : generics)
    count += std::distance(generic.getBody()->begin(), generic.getBody()->end());
  return count;
}

void ElementCode::enter(GpuFunction &f, OpBuilder &b) {
  f.map(outer);
  for (linalg::GenericOp generic : generics)
    forEachOutside(generic, [&](Value v) { resolve(b, v); });
}

void fusion::forEachOutside(linalg::GenericOp generic,
                            function_ref<void(Value)> use) {
  Region &region = generic.getRegion();
  region.walk([&](Operation *op) {
    for (Value v : op->getOperands())
      if (!region.isAncestor(v.getParentRegion()))
        use(v);
  });
}

Value ElementCode::resolve(OpBuilder &b, Value v) {
  if (Value known = outer.lookupOrNull(v))
    return known;
  return cloneOutside(b, v, outer);
}

Value fusion::cloneOutside(OpBuilder &b, Value v, IRMapping &map) {
  if (Value known = map.lookupOrNull(v))
    return known;
  Operation *op = v.getDefiningOp();
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (operand.getParentRegion() == op->getParentRegion())
        cloneOutside(b, operand, map);
  });
  return b.clone(*op, map)->getResult(cast<OpResult>(v).getResultNumber());
}

void ElementCode::emit(OpBuilder &b, DenseMap<Value, Value> &values,
                       Value linear) {
  for (linalg::GenericOp generic : generics) {
    IRMapping map(outer);
    Block *body = generic.getBody();
    for (OpOperand &operand : generic->getOpOperands()) {
      BlockArgument arg = argumentOf(generic, operand);
      if (arg.use_empty())
        continue;
      if (isTile(operand.get()))
        map.map(arg, values.lookup(operand.get()));
      else
        map.map(arg, memref::LoadOp::create(b, generic.getLoc(),
                                            resolve(b, operand.get())));
    }
    for (Operation &op : body->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(op))
        map.map(index.getResult(), linear);
      else
        b.clone(op, map);
    }
    for (auto [value, out] : llvm::zip(body->getTerminator()->getOperands(),
                                       generic.getDpsInits()))
      values[out] = map.lookupOrDefault(value);
  }
}

/// Whether only integers are computed, from scalars and constants.
static bool ofScalars(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (!seen.insert(op).second)
    return true;
  bool fits = true;
  op->walk([&](Operation *inner) {
    auto isInteger = [](Type type) {
      return type.isIndex() || type.isSignlessInteger();
    };
    fits &= isa<arith::ArithDialect, scf::SCFDialect>(inner->getDialect()) &&
            llvm::all_of(inner->getOperandTypes(), isInteger) &&
            llvm::all_of(inner->getResultTypes(), isInteger);
    for (Value v : inner->getOperands())
      if (v.getParentRegion() == op->getParentRegion())
        if (Operation *maker = v.getDefiningOp())
          fits &= ofScalars(maker, seen);
        else // an index is a number of elements, which only a device knows
          fits &= !v.getType().isIndex();
  });
  return fits;
}

SmallVector<Value>
fusion::derivedScalars(ArrayRef<linalg::GenericOp> generics) {
  llvm::SetVector<Value> found;
  for (linalg::GenericOp generic : generics)
    forEachOutside(generic, [&](Value v) {
      Operation *op = v.getDefiningOp();
      llvm::SmallPtrSet<Operation *, 16> seen;
      // A bit is no parameter of kernels.
      if (op && !op->hasTrait<OpTrait::ConstantLike>() &&
          !v.getType().isInteger(1) && ofScalars(op, seen))
        found.insert(v);
    });
  return found.takeVector();
}
