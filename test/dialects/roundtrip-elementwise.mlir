// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each element-wise operation in its own syntax, in generic form and as bytecode.
//
// RUN: pyfusion-opt %s | pyfusion-opt | FileCheck %s
// RUN: pyfusion-opt --mlir-print-op-generic %s | pyfusion-opt | FileCheck %s
// RUN: pyfusion-opt --emit-bytecode %s | pyfusion-opt | FileCheck %s

// CHECK-LABEL: func.func @arithmetic
func.func @arithmetic(%x: tensor<?x4xf32>, %y: tensor<4xf32>, %s: tensor<f32>) {
  // CHECK: fusion.add %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<4xf32>
  %0 = fusion.add %x, %y : tensor<?x4xf32>, tensor<4xf32>
  // CHECK: fusion.subtract
  %1 = fusion.subtract %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.multiply
  %2 = fusion.multiply %s, %y : tensor<f32>, tensor<4xf32>
  // CHECK: fusion.divide
  %3 = fusion.divide %x, %x : tensor<?x4xf32>, tensor<?x4xf32>
  // CHECK: fusion.floor_divide
  %4 = fusion.floor_divide %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.remainder
  %5 = fusion.remainder %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.pow
  %6 = fusion.pow %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.atan2
  %7 = fusion.atan2 %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.maximum
  %8 = fusion.maximum %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.minimum
  %9 = fusion.minimum %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<f32>, tensor<4xf32>
  %10 = fusion.clamp %x, %s, %y : tensor<?x4xf32>, tensor<f32>, tensor<4xf32>
  // CHECK: fusion.hypot
  %11 = fusion.hypot %x, %s : tensor<?x4xf32>, tensor<f32>
  // CHECK: fusion.logaddexp
  %12 = fusion.logaddexp %x, %s : tensor<?x4xf32>, tensor<f32>
  return
}

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<?x4xf64>) {
  // CHECK: fusion.negative %{{.*}} : tensor<?x4xf64>
  %0 = fusion.negative %x : tensor<?x4xf64>
  // CHECK: fusion.abs
  %1 = fusion.abs %x : tensor<?x4xf64>
  // CHECK: fusion.sign
  %2 = fusion.sign %x : tensor<?x4xf64>
  // CHECK: fusion.floor
  %3 = fusion.floor %x : tensor<?x4xf64>
  // CHECK: fusion.ceil
  %4 = fusion.ceil %x : tensor<?x4xf64>
  // CHECK: fusion.trunc
  %5 = fusion.trunc %x : tensor<?x4xf64>
  // CHECK: fusion.round
  %6 = fusion.round %x : tensor<?x4xf64>
  // CHECK: fusion.exp
  %7 = fusion.exp %x : tensor<?x4xf64>
  // CHECK: fusion.expm1
  %8 = fusion.expm1 %x : tensor<?x4xf64>
  // CHECK: fusion.log
  %9 = fusion.log %x : tensor<?x4xf64>
  // CHECK: fusion.log1p
  %10 = fusion.log1p %x : tensor<?x4xf64>
  // CHECK: fusion.sqrt
  %11 = fusion.sqrt %x : tensor<?x4xf64>
  // CHECK: fusion.sin
  %12 = fusion.sin %x : tensor<?x4xf64>
  // CHECK: fusion.cos
  %13 = fusion.cos %x : tensor<?x4xf64>
  // CHECK: fusion.tanh
  %14 = fusion.tanh %x : tensor<?x4xf64>
  // CHECK: fusion.erf
  %15 = fusion.erf %x : tensor<?x4xf64>
  // CHECK: fusion.exp2
  %16 = fusion.exp2 %x : tensor<?x4xf64>
  // CHECK: fusion.log2
  %17 = fusion.log2 %x : tensor<?x4xf64>
  // CHECK: fusion.log10
  %18 = fusion.log10 %x : tensor<?x4xf64>
  // CHECK: fusion.rsqrt
  %19 = fusion.rsqrt %x : tensor<?x4xf64>
  // CHECK: fusion.cbrt
  %20 = fusion.cbrt %x : tensor<?x4xf64>
  // CHECK: fusion.sinh
  %21 = fusion.sinh %x : tensor<?x4xf64>
  // CHECK: fusion.cosh
  %22 = fusion.cosh %x : tensor<?x4xf64>
  // CHECK: fusion.asinh
  %23 = fusion.asinh %x : tensor<?x4xf64>
  // CHECK: fusion.acosh
  %24 = fusion.acosh %x : tensor<?x4xf64>
  // CHECK: fusion.atanh
  %25 = fusion.atanh %x : tensor<?x4xf64>
  // CHECK: fusion.sigmoid
  %26 = fusion.sigmoid %x : tensor<?x4xf64>
  return
}

// CHECK-LABEL: func.func @more_math
func.func @more_math(%x: tensor<?x4xf64>) {
  // CHECK: fusion.tan
  %0 = fusion.tan %x : tensor<?x4xf64>
  // CHECK: fusion.asin
  %1 = fusion.asin %x : tensor<?x4xf64>
  // CHECK: fusion.acos
  %2 = fusion.acos %x : tensor<?x4xf64>
  // CHECK: fusion.atan
  %3 = fusion.atan %x : tensor<?x4xf64>
  // CHECK: fusion.sinc
  %4 = fusion.sinc %x : tensor<?x4xf64>
  // CHECK: fusion.erfc
  %5 = fusion.erfc %x : tensor<?x4xf64>
  // CHECK: fusion.lgamma
  %6 = fusion.lgamma %x : tensor<?x4xf64>
  return
}

// A comparison shows its operands' types; its result is of booleans.
//
// CHECK-LABEL: func.func @comparisons
// CHECK-SAME: -> tensor<?xi1>
func.func @comparisons(%x: tensor<?xbf16>, %s: tensor<bf16>) -> tensor<?xi1> {
  // CHECK: fusion.equal %{{.*}}, %{{.*}} : tensor<?xbf16>, tensor<bf16>
  %0 = fusion.equal %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.not_equal
  %1 = fusion.not_equal %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.less
  %2 = fusion.less %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.less_equal
  %3 = fusion.less_equal %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.greater
  %4 = fusion.greater %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.greater_equal
  %5 = fusion.greater_equal %x, %s : tensor<?xbf16>, tensor<bf16>
  // CHECK: fusion.isnan %{{.*}} : tensor<?xbf16>
  %6 = fusion.isnan %x : tensor<?xbf16>
  // CHECK: fusion.isinf
  %7 = fusion.isinf %x : tensor<?xbf16>
  // CHECK: fusion.isfinite
  %8 = fusion.isfinite %x : tensor<?xbf16>
  return %8 : tensor<?xi1>
}

// CHECK-LABEL: func.func @logic
func.func @logic(%a: tensor<?xi1>, %b: tensor<i1>) {
  // CHECK: fusion.logical_and
  %0 = fusion.logical_and %a, %b : tensor<?xi1>, tensor<i1>
  // CHECK: fusion.logical_or
  %1 = fusion.logical_or %a, %b : tensor<?xi1>, tensor<i1>
  // CHECK: fusion.logical_xor
  %2 = fusion.logical_xor %a, %b : tensor<?xi1>, tensor<i1>
  // CHECK: fusion.logical_not
  %3 = fusion.logical_not %a : tensor<?xi1>
  return
}

// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<?xui8>, %y: tensor<ui8>) {
  // CHECK: fusion.bitwise_and
  %0 = fusion.bitwise_and %x, %y : tensor<?xui8>, tensor<ui8>
  // CHECK: fusion.bitwise_or
  %1 = fusion.bitwise_or %x, %y : tensor<?xui8>, tensor<ui8>
  // CHECK: fusion.bitwise_xor
  %2 = fusion.bitwise_xor %x, %y : tensor<?xui8>, tensor<ui8>
  // CHECK: fusion.bitwise_invert
  %3 = fusion.bitwise_invert %x : tensor<?xui8>
  // CHECK: fusion.bitwise_left_shift
  %4 = fusion.bitwise_left_shift %x, %y : tensor<?xui8>, tensor<ui8>
  // CHECK: fusion.bitwise_right_shift
  %5 = fusion.bitwise_right_shift %x, %y : tensor<?xui8>, tensor<ui8>
  return
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%c: tensor<4x1xi1>, %x: tensor<?xf32>, %y: tensor<f32>) -> tensor<4x?xf32> {
  // CHECK: fusion.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x1xi1>, tensor<?xf32>, tensor<f32>
  %0 = fusion.select %c, %x, %y : tensor<4x1xi1>, tensor<?xf32>, tensor<f32>
  // CHECK: fusion.cast %{{.*}} : tensor<?xf32> to tensor<?xui16>
  %1 = fusion.cast %x : tensor<?xf32> to tensor<?xui16>
  return %0 : tensor<4x?xf32>
}
