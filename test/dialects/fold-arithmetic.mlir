// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats: constants of exactly rounded operations, and identities that hold for -0.0 and NaN.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @exact
func.func @exact() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = fusion.constant dense<[1.0, -0.0, 0x7F800000]> : tensor<3xf32>
  %y = fusion.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: dense<[4.000000e+00, 3.000000e+00, 0x7F800000]> : tensor<3xf32>
  %0 = fusion.add %x, %y : tensor<3xf32>, tensor<f32>
  // CHECK-DAG: dense<[2.000000e+00, 3.000000e+00, 0xFF800000]> : tensor<3xf32>
  %1 = fusion.subtract %y, %x : tensor<f32>, tensor<3xf32>
  // CHECK-DAG: dense<[3.000000e+00, -0.000000e+00, 0x7F800000]> : tensor<3xf32>
  %2 = fusion.multiply %x, %y : tensor<3xf32>, tensor<f32>
  // CHECK-DAG: dense<[0.333333343, -0.000000e+00, 0x7F800000]> : tensor<3xf32>
  %3 = fusion.divide %x, %y : tensor<3xf32>, tensor<f32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Each operation rounds to its own element type: in f16, 2048 + 1 is 2048.
//
// CHECK-LABEL: func.func @half
// CHECK: dense<2.048000e+03> : tensor<f16>
func.func @half() -> tensor<f16> {
  %x = fusion.constant dense<2048.0> : tensor<f16>
  %y = fusion.constant dense<1.0> : tensor<f16>
  %0 = fusion.add %x, %y : tensor<f16>, tensor<f16>
  return %0 : tensor<f16>
}

// CHECK-LABEL: func.func @rounding
func.func @rounding() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %x = fusion.constant dense<[-0.5, 1.5, 2.5]> : tensor<3xf64>
  // CHECK-DAG: dense<[-1.000000e+00, 1.000000e+00, 2.000000e+00]>
  %0 = fusion.floor %x : tensor<3xf64>
  // CHECK-DAG: dense<[-0.000000e+00, 2.000000e+00, 3.000000e+00]>
  %1 = fusion.ceil %x : tensor<3xf64>
  // CHECK-DAG: dense<[-0.000000e+00, 1.000000e+00, 2.000000e+00]>
  %2 = fusion.trunc %x : tensor<3xf64>
  // CHECK-DAG: dense<[-0.000000e+00, 2.000000e+00, 2.000000e+00]>
  %3 = fusion.round %x : tensor<3xf64>
  return %0, %1, %2, %3 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// CHECK-LABEL: func.func @signs
func.func @signs() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %x = fusion.constant dense<[-2.0, -0.0, 0.0, 0x7FC00000]> : tensor<4xf32>
  // CHECK-DAG: dense<[2.000000e+00, 0.000000e+00, -0.000000e+00, 0x{{[7F]}}FC00000]>
  %0 = fusion.negative %x : tensor<4xf32>
  // CHECK-DAG: dense<[2.000000e+00, 0.000000e+00, 0.000000e+00, 0x7FC00000]>
  %1 = fusion.abs %x : tensor<4xf32>
  // CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00, 0.000000e+00, 0x7FC00000]>
  %2 = fusion.sign %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// NaN wins and zeros are ordered.
//
// CHECK-LABEL: func.func @extrema
func.func @extrema() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %x = fusion.constant dense<[-0.0, 0x7FC00000, 1.0]> : tensor<3xf32>
  %y = fusion.constant dense<[0.0, 5.0, 0x7FC00000]> : tensor<3xf32>
  // CHECK-DAG: dense<[0.000000e+00, 0x7FC00000, 0x7FC00000]>
  %0 = fusion.maximum %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK-DAG: dense<[-0.000000e+00, 0x7FC00000, 0x7FC00000]>
  %1 = fusion.minimum %x, %y : tensor<3xf32>, tensor<3xf32>
  %lo = fusion.constant dense<2.0> : tensor<f32>
  %hi = fusion.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: dense<[2.000000e+00, 3.000000e+00, 0x7FC00000]>
  %2 = fusion.clamp %y, %lo, %hi : tensor<3xf32>, tensor<f32>, tensor<f32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @neutral(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %minus_zero = fusion.constant dense<-0.0> : tensor<f32>
  %zero = fusion.constant dense<0.0> : tensor<1xf32>
  %one = fusion.constant dense<1.0> : tensor<f32>
  %inf = fusion.constant dense<0x7F800000> : tensor<f32>
  %0 = fusion.add %minus_zero, %x : tensor<f32>, tensor<?xf32>
  %1 = fusion.subtract %x, %zero : tensor<?xf32>, tensor<1xf32>
  %2 = fusion.multiply %one, %x : tensor<f32>, tensor<?xf32>
  %3 = fusion.divide %x, %one : tensor<?xf32>, tensor<f32>
  %4 = fusion.minimum %x, %inf : tensor<?xf32>, tensor<f32>
  %5 = fusion.maximum %x, %x : tensor<?xf32>, tensor<?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// What looks neutral and is not: x + 0.0 for -0.0, x - x and x * 0 for NaN and infinities.
//
// CHECK-LABEL: func.func @not_neutral
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = fusion.constant dense<0.0> : tensor<f32>
  %minus_zero = fusion.constant dense<-0.0> : tensor<f32>
  // CHECK: fusion.add
  %0 = fusion.add %x, %zero : tensor<4xf32>, tensor<f32>
  // CHECK: fusion.subtract
  %1 = fusion.subtract %x, %minus_zero : tensor<4xf32>, tensor<f32>
  // CHECK: fusion.subtract
  %2 = fusion.subtract %x, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK: fusion.multiply
  %3 = fusion.multiply %x, %zero : tensor<4xf32>, tensor<f32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A neutral operand that gives the result its shape stays.
//
// CHECK-LABEL: func.func @shape_from_constant
// CHECK: fusion.multiply
func.func @shape_from_constant(%x: tensor<f32>) -> tensor<4xf32> {
  %one = fusion.constant dense<1.0> : tensor<4xf32>
  %0 = fusion.multiply %x, %one : tensor<f32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @unary_chains
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
func.func @unary_chains(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.negative %x : tensor<?xf32>
  %1 = fusion.negative %0 : tensor<?xf32>
  // CHECK: %[[ABS:.*]] = fusion.abs %[[X]]
  %2 = fusion.abs %0 : tensor<?xf32>
  %3 = fusion.abs %2 : tensor<?xf32>
  // CHECK: %[[FLOOR:.*]] = fusion.floor %[[X]]
  %4 = fusion.floor %x : tensor<?xf32>
  %5 = fusion.round %4 : tensor<?xf32>
  // CHECK: return %[[X]], %[[ABS]], %[[FLOOR]]
  return %1, %3, %5 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Functions whose last bit depends on the library that computes them are left to the target.
//
// CHECK-LABEL: func.func @math
// CHECK: fusion.exp
// CHECK: fusion.sqrt
// CHECK: fusion.pow
func.func @math() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = fusion.constant dense<2.0> : tensor<f32>
  %0 = fusion.exp %x : tensor<f32>
  %1 = fusion.sqrt %x : tensor<f32>
  %2 = fusion.pow %x, %x : tensor<f32>, tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// Elements of large constants are not computed one by one; a splat is one element.
//
// CHECK-LABEL: func.func @large
func.func @large() -> (tensor<65xi8>, tensor<65xi8>) {
  %x = fusion.constant dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F4041"> : tensor<65xi8>
  %y = fusion.constant dense<1> : tensor<65xi8>
  // CHECK: fusion.constant dense<2> : tensor<65xi8>
  %0 = fusion.add %y, %y : tensor<65xi8>, tensor<65xi8>
  // CHECK: fusion.add
  %1 = fusion.add %x, %y : tensor<65xi8>, tensor<65xi8>
  return %0, %1 : tensor<65xi8>, tensor<65xi8>
}

// CHECK-LABEL: func.func @empty
// CHECK: fusion.add
func.func @empty() -> tensor<0xf32> {
  %x = fusion.constant dense<> : tensor<0xf32>
  %0 = fusion.add %x, %x : tensor<0xf32>, tensor<0xf32>
  return %0 : tensor<0xf32>
}
