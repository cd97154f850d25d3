// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels. `flat`: dense operands, by a linear index; `rows`: any
// strides, but the last dimension in vectors; `strided`: any strides.
#include "lower/GpuKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fusion;

using Values = DenseMap<Value, Value>;

/// The elements of `count` neighbours from their first one on, computed at
/// once; gives for each argument that is written the values.
static void emitVector(GpuFunction &f, ElementCode &code, OpBuilder &b,
                       const Values &vectors, int64_t count, Value linear,
                       DenseMap<Value, SmallVector<Value>> &results) {
  DenseMap<Value, SmallVector<Value>> inputs;
  for (Value source : code.reads()) { // in an order that does not vary
    Value vector = vectors.lookup(source);
    inputs[source] = isa<VectorType>(vector.getType())
                         ? elementsOf(b, f.loc, vector)
                         : SmallVector<Value>(count, vector);
  }
  SmallVector<Value> writes = code.writes();
  Arith a(b, f.loc);
  for (int64_t i = 0; i < count; ++i) {
    Values values;
    for (auto &[source, elements] : inputs)
      values[source] = elements[i];
    code.emit(b, values, i ? a.add(linear, a.index(i)) : linear);
    for (Value out : writes)
      results[out].push_back(values.lookup(out));
  }
}

static void store(GpuFunction &f, OpBuilder &b,
                  DenseMap<Value, SmallVector<Value>> &results,
                  ArrayRef<Value> writes, Value at) {
  for (Value out : writes) {
    Value memory = f.operand(out).memory;
    ArrayRef<Value> elements = results[out];
    if (elements.size() == 1)
      memref::StoreOp::create(b, f.loc, elements[0], memory, at);
    else
      storeVector(b, f.loc, elements, memory, at);
  }
}

static Value load(GpuFunction &f, OpBuilder &b, Value memory, Value at,
                  int64_t count) {
  if (count == 1)
    return memref::LoadOp::create(b, f.loc, memory, at);
  return loadVector(b, f.loc, memory, at, count);
}

//===----------------------------------------------------------------------===//
// flat
//===----------------------------------------------------------------------===//

static void buildFlat(func::FuncOp kernel,
                      ArrayRef<GpuFunction::Argument> arguments,
                      ArrayRef<linalg::GenericOp> generics,
                      gpu::GPUModuleOp module, const GpuOptions &options,
                      int64_t vector, int64_t unroll) {
  GpuFunction f(module, kernel, kernel.getLoc(),
                (kernel.getName() + "_flat").str(), options.block, 2,
                arguments, derivedScalars(generics));
  f.note("fusion.vector", vector);
  f.note("fusion.unroll", unroll);
  ElementCode code(generics);
  code.enter(f, f.b);
  SmallVector<Value> reads = code.reads(), writes = code.writes();
  Arith a(f.b, f.loc);
  Value n = f.param(), aligned = f.param();
  Value first =
      a.mul(f.blockId, a.index(options.block * vector * unroll));
  Value end = a.add(first, a.index(options.block * vector * unroll));
  Value whole = a.bitAnd(a.less(a.index(0), aligned),
                         a.less(end, a.add(n, a.index(1))));
  auto fast = [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    Value mine = a.add(first, a.mul(f.thread, a.index(vector)));
    SmallVector<Value> at;
    SmallVector<Values> loaded(unroll);
    for (int64_t u = 0; u < unroll; ++u) {
      at.push_back(
          u ? a.add(mine, a.index(u * options.block * vector)) : mine);
      for (Value source : reads)
        loaded[u][source] =
            load(f, b, f.operand(source).memory, at[u], vector);
    }
    for (int64_t u = 0; u < unroll; ++u) {
      DenseMap<Value, SmallVector<Value>> results;
      emitVector(f, code, b, loaded[u], vector, at[u], results);
      store(f, b, results, writes, at[u]);
    }
    scf::YieldOp::create(b, loc);
  };
  // The last block, or memory that is not aligned: neighbours go to neighbouring
  // threads.
  auto slow = [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    makeLoop(b, loc, a.add(first, f.thread), a.min(n, end),
             a.index(options.block), {},
             [&](OpBuilder &b, Value i, ValueRange) {
               Values values;
               for (Value source : reads)
                 values[source] = load(f, b, f.operand(source).memory, i, 1);
               DenseMap<Value, SmallVector<Value>> results;
               emitVector(f, code, b, values, 1, i, results);
               store(f, b, results, writes, i);
             });
    scf::YieldOp::create(b, loc);
  };
  scf::IfOp::create(f.b, f.loc, whole, fast, slow);
  f.finish();
}

//===----------------------------------------------------------------------===//
// rows and strided
//===----------------------------------------------------------------------===//

static void buildStrided(func::FuncOp kernel,
                         ArrayRef<GpuFunction::Argument> arguments,
                         ArrayRef<linalg::GenericOp> generics,
                         gpu::GPUModuleOp module, const GpuOptions &options,
                         StringRef variant, int64_t rank, int64_t vector,
                         int64_t unroll, bool iota) {
  unsigned count = 1 + 3 * (rank - 1) + iota;
  GpuFunction f(module, kernel, kernel.getLoc(),
                (kernel.getName() + "_" + variant).str(), options.block, count,
                arguments, derivedScalars(generics));
  f.note("fusion.vector", vector);
  f.note("fusion.unroll", unroll);
  ElementCode code(generics);
  code.enter(f, f.b);
  SmallVector<Value> reads = code.reads(), writes = code.writes();
  OpBuilder &b = f.b;
  Arith a(b, f.loc);
  Value total = f.param();
  SmallVector<Divisor> divisors = f.divisors(rank - 1);
  Value base = iota ? f.param() : Value();
  Value block = a.index(options.block);
  Value first =
      a.add(a.mul(f.blockId, a.index(options.block * unroll)), f.thread);
  auto loadAt = [&](OpBuilder &b, Value group, Value &linear) {
    Arith a(b, f.loc);
    SmallVector<Value> places = a.split(a.narrow(group), divisors);
    linear = vector == 1 ? group : a.mul(group, a.index(vector));
    Values loaded;
    for (Value source : reads) {
      const GpuOperand &operand = f.operand(source);
      Value from = linear;
      int64_t elements = vector;
      if (operand.access.kind == Access::Strided) {
        size_t used = vector == 1 ? rank : rank - 1;
        from = a.dot(ArrayRef(places).take_front(used), operand.strides);
        if (vector > 1 && operand.access.inner)
          from = a.add(from, a.mul(places.back(), a.index(vector)));
        else
          elements = 1;
      }
      loaded[source] = load(f, b, operand.memory, from, elements);
    }
    return loaded;
  };
  auto compute = [&](OpBuilder &b, const Values &loaded, Value linear) {
    DenseMap<Value, SmallVector<Value>> results;
    Value number = base ? Arith(b, f.loc).add(base, linear) : linear;
    emitVector(f, code, b, loaded, vector, number, results);
    store(f, b, results, writes, linear);
  };
  auto whole = [&](OpBuilder &b, Location loc) {
    Arith a(b, loc);
    SmallVector<Value> linear(unroll);
    SmallVector<Values> loaded;
    for (int64_t u = 0; u < unroll; ++u)
      loaded.push_back(loadAt(
          b, u ? a.add(first, a.index(u * options.block)) : first, linear[u]));
    for (int64_t u = 0; u < unroll; ++u)
      compute(b, loaded[u], linear[u]);
    scf::YieldOp::create(b, loc);
  };
  auto part = [&](OpBuilder &b, Location loc) {
    makeLoop(b, loc, first, total, block, {},
             [&](OpBuilder &b, Value group, ValueRange) {
               Value linear;
               Values loaded = loadAt(b, group, linear);
               compute(b, loaded, linear);
             });
    scf::YieldOp::create(b, loc);
  };
  // The last block is not full.
  Value end = a.mul(a.add(f.blockId, a.index(1)),
                    a.index(options.block * unroll));
  scf::IfOp::create(b, f.loc, a.less(end, a.add(total, a.index(1))), whole,
                    part);
  f.finish();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Vectors of a thread. A short body waits for memory and has threads enough to
/// hide that; one of some length gains from independent elements, measured on an
/// H200 (tanh GELU, 76 operations: 3,390 GB/s with one vector, 4,100 with four).
/// One of more is bound by arithmetic, and its copies take long to compile.
static int64_t unrollFor(int64_t size, int64_t vector) {
  if (size <= 16 || size > 100)
    return 1;
  return std::max<int64_t>(1, 16 / vector);
}

LogicalResult fusion::lowerElementwiseToGpu(func::FuncOp kernel,
                                            gpu::GPUModuleOp module,
                                            const GpuOptions &options) {
  FailureOr<SmallVector<Access>> access = accessOf(kernel);
  if (failed(access))
    return failure();
  auto generics = llvm::to_vector(kernel.getOps<linalg::GenericOp>());
  bool iota = false;
  for (linalg::GenericOp generic : generics) {
    if (generic.getNumLoops() != 1 || generic.getNumParallelLoops() != 1)
      return generic.emitOpError("is not of a form that flat kernels have");
    generic.walk([&](linalg::IndexOp) { iota = true; });
  }
  auto rankAttr = kernel->getAttrOfType<IntegerAttr>("fusion.rank");
  int64_t rank = rankAttr ? rankAttr.getInt() : 1;
  SmallVector<GpuFunction::Argument> arguments;
  bool strided = false;
  for (BlockArgument arg : kernel.getArguments()) {
    unsigned i = arg.getArgNumber();
    Access a = i < access->size() ? (*access)[i] : Access{Access::Dense};
    strided |= a.kind == Access::Strided;
    arguments.push_back({a, arg, a.kind == Access::Strided ? rank : 0});
  }
  int64_t vector = vectorSize(arguments, options);
  int64_t unroll = options.unroll;
  if (unroll == 0)
    unroll = unrollFor(ElementCode(generics).size(), vector);
  if (!strided) {
    buildFlat(kernel, arguments, generics, module, options, vector, unroll);
    return success();
  }
  if (rank < 1)
    return kernel.emitError("a strided operand without a dimension");
  if (vector > 1)
    buildStrided(kernel, arguments, generics, module, options, "rows", rank,
                 vector, unroll, iota);
  buildStrided(kernel, arguments, generics, module, options, "strided", rank, 1,
               std::max<int64_t>(4, unroll), iota);
  if (rank > 1)
    buildTile(kernel, arguments, generics, module, options, rank, iota);
  return success();
}
