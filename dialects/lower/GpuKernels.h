// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Flat kernels as functions of a gpu.module, and the host functions that launch
// them. Where an operand lies is not in a kernel's IR: the launcher gives
// pointers, strides and extents, and chooses one of a few variants.
#ifndef FUSION_LOWER_GPUKERNELS_H
#define FUSION_LOWER_GPUKERNELS_H

#include "lower/Kernel.h"
#include "lower/Ranges.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fusion {

/// Bytes of shared memory that every GPU gives a block.
inline constexpr int64_t kSharedBytes = 48 * 1024;

/// How an operand of a flat kernel is addressed: `fusion.access` of its function.
struct Access {
  enum Kind { Scalar, Uniform, Dense, Strided } kind;
  /// Of a strided one: it varies along the last dimension.
  bool inner = false;

  bool tiled() const { return kind == Dense || kind == Strided; }
};

/// What is the same for all kernels of a module.
struct GpuOptions {
  int64_t block;       // threads
  int64_t vectorBytes; // of one access
  int64_t unroll;      // vectors of a thread; 0: by the size of the body
  int64_t ahead;       // turns of a reduction that are loaded at once
};

/// The operand of a function on the device.
struct GpuOperand {
  Access access;
  Value source;               // argument of the flat kernel
  Value memory;               // or scalar
  SmallVector<Value> strides; // in elements
};

/// A divisor below 2^31 with its reciprocal.
struct Divisor {
  Value extent, magic, shift; // i32
};

/// One variant under construction: the functions on host and device.
class GpuFunction {
public:
  struct Argument {
    Access access;
    Value source;
    int64_t strides;
  };
  /// `count` is the number of integer parameters in front of the operands;
  /// `derived` are values of the kernel that the host computes from scalars;
  /// `shared` are types of arrays in shared memory.
  GpuFunction(gpu::GPUModuleOp module, Operation *hostBefore, Location loc,
              StringRef name, int64_t block, unsigned count,
              ArrayRef<Argument> arguments, ArrayRef<Value> derived,
              TypeRange shared = {});

  func::FuncOp host;
  gpu::GPUFuncOp device;
  OpBuilder b; // at the end of the device function
  Location loc;
  SmallVector<GpuOperand> operands;
  Value thread, blockId; // index

  /// What the kernel's arguments and derived values are here.
  void map(IRMapping &values);
  /// The operand that is an argument of the flat kernel.
  GpuOperand &operand(Value source);
  /// The next integer parameter.
  Value param();
  Value param32();
  Divisor divisor();
  SmallVector<Divisor> divisors(int64_t count);
  Value shared(unsigned i);
  void note(StringRef name, int64_t value);
  void finish();

private:
  unsigned next = 0;
  SmallVector<std::pair<Value, Value>> derived; // of the kernel, and here
};

/// Short forms for integer arithmetic.
class Arith {
public:
  Arith(OpBuilder &b, Location loc) : b(b), loc(loc) {}
  Value index(int64_t v) { return makeIndex(b, loc, v); }
  Value i32(int64_t v);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value min(Value x, Value y); // signed
  Value shl(Value x, Value y);
  Value shr(Value x, Value y); // unsigned
  Value bitAnd(Value x, Value y);
  Value less(Value x, Value y); // signed
  Value equal(Value x, Value y);
  Value narrow(Value x); // index to i32
  Value wide(Value x);   // i32, at least 0, to index
  /// Quotient and remainder of x (i32, 0 <= x < 2^31).
  std::pair<Value, Value> divide(Value x, const Divisor &d);
  /// The place in each dimension (index) of linear index x (i32); `divisors`
  /// are those of the dimensions but the first.
  SmallVector<Value> split(Value x, ArrayRef<Divisor> divisors);
  /// Sum of place times stride.
  Value dot(ValueRange places, ValueRange strides);

private:
  OpBuilder &b;
  Location loc;
};

/// The scalar code of a flat kernel's parallel loops at one element.
class ElementCode {
public:
  explicit ElementCode(ArrayRef<linalg::GenericOp> generics)
      : generics(generics) {}
  /// What stands in front of the loops, and the kernel's arguments, by values
  /// of the device function.
  IRMapping outer;

  /// Maps the kernel's arguments to those of a device function, and clones what
  /// the loops use from outside.
  void enter(GpuFunction &f, OpBuilder &b);
  /// Tensor arguments in the order in which they are read or written first.
  SmallVector<Value> reads() const;
  SmallVector<Value> writes() const;
  /// The number of operations of the body.
  int64_t size() const;
  /// Runs the loops' bodies on one element. `values` holds it for each tensor
  /// that is read; afterwards for each that is written too.
  void emit(OpBuilder &b, DenseMap<Value, Value> &values, Value linear);
  /// A value of the kernel outside of the loops, cloned if necessary.
  Value resolve(OpBuilder &b, Value v);

private:
  ArrayRef<linalg::GenericOp> generics;
};

/// The values that the body of a loop uses but does not define.
void forEachOutside(linalg::GenericOp generic, function_ref<void(Value)> use);

/// A value from in front of the loops, computed again with what `map` gives for
/// the kernel's arguments.
Value cloneOutside(OpBuilder &b, Value v, IRMapping &map);

/// Loads and stores of vectors, aligned to their size.
Value loadVector(OpBuilder &b, Location loc, Value memory, Value at,
                 int64_t count);
void storeVector(OpBuilder &b, Location loc, ValueRange elements, Value memory,
                 Value at);
SmallVector<Value> elementsOf(OpBuilder &b, Location loc, Value vector);

/// The integers that loops use from outside and that depend on scalars alone, as
/// the reciprocal of a divisor does: one thread of the host is enough for them.
SmallVector<Value> derivedScalars(ArrayRef<linalg::GenericOp> generics);

/// Elements of one vector access.
int64_t vectorSize(ArrayRef<GpuFunction::Argument> arguments,
                   const GpuOptions &options);
/// The arguments of a function of a kernel with their access; reports what has
/// none.
FailureOr<SmallVector<Access>> accessOf(func::FuncOp kernel);

LogicalResult lowerElementwiseToGpu(func::FuncOp kernel,
                                    gpu::GPUModuleOp module,
                                    const GpuOptions &options);
LogicalResult lowerReductionToGpu(func::FuncOp range, func::FuncOp finish,
                                  gpu::GPUModuleOp module,
                                  const GpuOptions &options);
/// The variant for operands that are contiguous along different dimensions.
void buildTile(func::FuncOp kernel, ArrayRef<GpuFunction::Argument> arguments,
               ArrayRef<linalg::GenericOp> generics, gpu::GPUModuleOp module,
               const GpuOptions &options, int64_t rank, bool iota);

} // namespace mlir::fusion

#endif // FUSION_LOWER_GPUKERNELS_H
