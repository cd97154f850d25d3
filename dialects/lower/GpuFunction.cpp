// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions on host and device, and integer arithmetic in them.
#include "lower/GpuKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fusion;

/// Global memory, on NVIDIA's and AMD's GPUs.
static constexpr unsigned kGlobal = 1;

static Type onDevice(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return type;
  SmallVector<int64_t> shape(memref.getRank() ? 1 : 0, ShapedType::kDynamic);
  Builder b(type.getContext());
  return MemRefType::get(shape, memref.getElementType(),
                         MemRefLayoutAttrInterface(),
                         b.getI64IntegerAttr(kGlobal));
}

GpuFunction::GpuFunction(gpu::GPUModuleOp module, Operation *hostBefore,
                         Location loc, StringRef name, int64_t block,
                         unsigned count, ArrayRef<Argument> arguments,
                         ArrayRef<Value> derived, TypeRange shared)
    : b(module.getContext()), loc(loc) {
  MLIRContext *context = module.getContext();
  Type index = b.getIndexType();
  SmallVector<Type> types(count, index);
  for (const Argument &argument : arguments) {
    types.push_back(onDevice(argument.source.getType()));
    types.append(argument.strides, index);
  }
  SmallVector<Type> deviceTypes(types);
  llvm::append_range(deviceTypes, ValueRange(derived).getTypes());
  b.setInsertionPointToEnd(module.getBody());
  device = gpu::GPUFuncOp::create(b, loc, name,
                                  b.getFunctionType(deviceTypes, {}), shared);
  device->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int32_t threads = block;
  device.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));

  b.setInsertionPoint(hostBefore);
  SmallVector<Type> hostTypes = {LLVM::LLVMPointerType::get(context), index};
  hostTypes.append(types);
  host = func::FuncOp::create(b, loc, name, b.getFunctionType(hostTypes, {}));
  host->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), b.getUnitAttr());
  note("fusion.block", block);
  Block *entry = host.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Type token = gpu::AsyncTokenType::get(context);
  Value one = makeIndex(b, loc, 1), size = makeIndex(b, loc, block);
  Value stream = UnrealizedConversionCastOp::create(b, loc, token,
                                                    entry->getArgument(0))
                     .getResult(0);
  IRMapping given;
  auto hostArguments = entry->getArguments().drop_front(2 + count);
  for (const Argument &argument : arguments) {
    given.map(argument.source, hostArguments.front());
    hostArguments = hostArguments.drop_front(1 + argument.strides);
  }
  SmallVector<Value> passed(entry->getArguments().drop_front(2));
  for (Value v : derived)
    passed.push_back(cloneOutside(b, v, given));
  gpu::LaunchFuncOp::create(
      b, loc, device, gpu::KernelDim3{entry->getArgument(1), one, one},
      gpu::KernelDim3{size, one, one}, Value(), passed, token, stream);
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToStart(&device.front());
  auto rest = device.front().getArguments().drop_front(count);
  for (const Argument &argument : arguments) {
    GpuOperand &operand = operands.emplace_back();
    operand.access = argument.access;
    operand.source = argument.source;
    operand.memory = rest.front();
    rest = rest.drop_front();
    for (Value stride : rest.take_front(argument.strides))
      operand.strides.push_back(stride);
    rest = rest.drop_front(argument.strides);
  }
  for (auto [source, value] : llvm::zip(derived, rest))
    this->derived.push_back({source, value});
  thread = gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x);
  blockId = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
}

void GpuFunction::map(IRMapping &values) {
  for (GpuOperand &operand : operands)
    values.map(operand.source, operand.memory);
  for (auto [source, value] : derived)
    values.map(source, value);
}

GpuOperand &GpuFunction::operand(Value source) {
  return *llvm::find_if(
      operands, [&](const GpuOperand &o) { return o.source == source; });
}

Value GpuFunction::param() { return device.front().getArgument(next++); }
Value GpuFunction::param32() { return Arith(b, loc).narrow(param()); }

Divisor GpuFunction::divisor() {
  Value extent = param32(), magic = param32(), shift = param32();
  return {extent, magic, shift};
}

SmallVector<Divisor> GpuFunction::divisors(int64_t count) {
  SmallVector<Divisor> found;
  for (int64_t i = 0; i < count; ++i)
    found.push_back(divisor());
  return found;
}

Value GpuFunction::shared(unsigned i) {
  return device.getWorkgroupAttributions()[i];
}

void GpuFunction::note(StringRef name, int64_t value) {
  host->setAttr(name, IntegerAttr::get(IntegerType::get(host.getContext(), 64),
                                       value));
}

void GpuFunction::finish() { gpu::ReturnOp::create(b, loc); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Arith::i32(int64_t v) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
}
Value Arith::add(Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}
Value Arith::sub(Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}
Value Arith::mul(Value x, Value y) {
  return arith::MulIOp::create(b, loc, x, y);
}
Value Arith::min(Value x, Value y) {
  return arith::MinSIOp::create(b, loc, x, y);
}
Value Arith::shl(Value x, Value y) {
  return arith::ShLIOp::create(b, loc, x, y);
}
Value Arith::shr(Value x, Value y) {
  return arith::ShRUIOp::create(b, loc, x, y);
}
Value Arith::bitAnd(Value x, Value y) {
  return arith::AndIOp::create(b, loc, x, y);
}
Value Arith::less(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
Value Arith::equal(Value x, Value y) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, y);
}
Value Arith::narrow(Value x) {
  return arith::IndexCastOp::create(b, loc, b.getI32Type(), x);
}
Value Arith::wide(Value x) {
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), x);
}

/// By a multiplication: T. Granlund and P. L. Montgomery, "Division by Invariant
/// Integers using Multiplication", PLDI 1994. The sum cannot overflow below 2^31.
std::pair<Value, Value> Arith::divide(Value x, const Divisor &d) {
  Value high =
      arith::MulUIExtendedOp::create(b, loc, x, d.magic).getHigh();
  Value quotient = shr(add(high, x), d.shift);
  return {quotient, sub(x, mul(quotient, d.extent))};
}

SmallVector<Value> Arith::split(Value x, ArrayRef<Divisor> divisors) {
  SmallVector<Value> places(divisors.size() + 1);
  for (size_t d = divisors.size(); d > 0; --d) {
    auto [quotient, rest] = divide(x, divisors[d - 1]);
    places[d] = wide(rest);
    x = quotient;
  }
  places[0] = wide(x);
  return places;
}

Value Arith::dot(ValueRange places, ValueRange strides) {
  Value sum;
  for (auto [place, stride] : llvm::zip(places, strides)) {
    Value term = mul(place, stride);
    sum = sum ? add(sum, term) : term;
  }
  return sum ? sum : index(0);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

static int64_t bytesOf(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  return type.getElementTypeBitWidth() / 8;
}

/// No access is wider than 16 bytes: longer vectors are several.
static llvm::MaybeAlign alignmentOf(Value memory, int64_t count) {
  return llvm::MaybeAlign(std::min<int64_t>(16, count * bytesOf(memory)));
}

Value fusion::loadVector(OpBuilder &b, Location loc, Value memory, Value at,
                         int64_t count) {
  Type element = cast<MemRefType>(memory.getType()).getElementType();
  auto type = VectorType::get({count}, element);
  return vector::LoadOp::create(b, loc, type, memory, at, false,
                                alignmentOf(memory, count));
}

void fusion::storeVector(OpBuilder &b, Location loc, ValueRange elements,
                         Value memory, Value at) {
  int64_t count = elements.size();
  auto type = VectorType::get({count}, elements[0].getType());
  Value all = vector::FromElementsOp::create(b, loc, type, elements);
  vector::StoreOp::create(b, loc, all, memory, at, false,
                          alignmentOf(memory, count));
}

SmallVector<Value> fusion::elementsOf(OpBuilder &b, Location loc,
                                      Value vector) {
  SmallVector<Value> elements;
  for (int64_t i : llvm::seq(cast<VectorType>(vector.getType()).getDimSize(0)))
    elements.push_back(vector::ExtractOp::create(b, loc, vector, i));
  return elements;
}

int64_t fusion::vectorSize(ArrayRef<GpuFunction::Argument> arguments,
                           const GpuOptions &options) {
  int64_t widest = 1;
  for (const GpuFunction::Argument &argument : arguments)
    if (argument.access.tiled())
      widest = std::max(widest, bytesOf(argument.source));
  // Each element is a copy of the body: 8 are enough.
  return std::clamp<int64_t>(options.vectorBytes / widest, 1, 8);
}
