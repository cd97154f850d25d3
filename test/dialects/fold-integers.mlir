// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers: arithmetic wraps, and what is undefined elsewhere has its documented result.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @wrapping
func.func @wrapping() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<2xi8>) {
  %x = fusion.constant dense<[127, -128]> : tensor<2xi8>
  %y = fusion.constant dense<[1, -1]> : tensor<2xi8>
  %u = fusion.constant dense<[255, 0]> : tensor<2xui8>
  %one = fusion.constant dense<1> : tensor<ui8>
  // CHECK-DAG: dense<[-128, 127]> : tensor<2xi8>
  %0 = fusion.add %x, %y : tensor<2xi8>, tensor<2xi8>
  // CHECK-DAG: dense<[-127, -128]> : tensor<2xi8>
  %1 = fusion.negative %x : tensor<2xi8>
  // CHECK-DAG: dense<[127, -128]> : tensor<2xi8>
  %2 = fusion.multiply %x, %y : tensor<2xi8>, tensor<2xi8>
  // CHECK-DAG: dense<[254, 255]> : tensor<2xui8>
  %3 = fusion.subtract %u, %one : tensor<2xui8>, tensor<ui8>
  %4 = fusion.abs %x : tensor<2xi8>
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<2xui8>, tensor<2xi8>
}

// CHECK-LABEL: func.func @division
func.func @division() -> (tensor<6xi32>, tensor<6xi32>) {
  %x = fusion.constant dense<[7, -7, 7, -7, -2147483648, 5]> : tensor<6xi32>
  %y = fusion.constant dense<[2, 2, -2, -2, -1, 0]> : tensor<6xi32>
  // CHECK-DAG: dense<[3, -4, -4, 3, -2147483648, 0]>
  %0 = fusion.floor_divide %x, %y : tensor<6xi32>, tensor<6xi32>
  // CHECK-DAG: dense<[1, 1, -1, -1, 0, 0]>
  %1 = fusion.remainder %x, %y : tensor<6xi32>, tensor<6xi32>
  return %0, %1 : tensor<6xi32>, tensor<6xi32>
}

// CHECK-LABEL: func.func @unsigned_division
func.func @unsigned_division() -> (tensor<2xui8>, tensor<2xui8>) {
  %x = fusion.constant dense<[200, 200]> : tensor<2xui8>
  %y = fusion.constant dense<[255, 0]> : tensor<2xui8>
  // CHECK-DAG: dense<0> : tensor<2xui8>
  %0 = fusion.floor_divide %x, %y : tensor<2xui8>, tensor<2xui8>
  // CHECK-DAG: dense<[200, 0]> : tensor<2xui8>
  %1 = fusion.remainder %x, %y : tensor<2xui8>, tensor<2xui8>
  return %0, %1 : tensor<2xui8>, tensor<2xui8>
}

// A negative exponent gives the integer part of the exact result; 0 to the 0 is 1.
//
// CHECK-LABEL: func.func @power
// CHECK: dense<[-27, 1, 1, -1, 1, 0, 0, 0]>
func.func @power() -> tensor<8xi32> {
  %x = fusion.constant dense<[-3, 0, 1, -1, -1, 2, 0, 65536]> : tensor<8xi32>
  %y = fusion.constant dense<[3, 0, -2, -3, -2, -1, -1, 2]> : tensor<8xi32>
  %0 = fusion.pow %x, %y : tensor<8xi32>, tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @shifts
func.func @shifts() -> (tensor<4xi8>, tensor<4xi8>, tensor<2xui8>) {
  %x = fusion.constant dense<[-3, -3, -3, 3]> : tensor<4xi8>
  %y = fusion.constant dense<[1, 8, -1, 100]> : tensor<4xi8>
  // CHECK-DAG: dense<[-6, 0, 0, 0]> : tensor<4xi8>
  %0 = fusion.bitwise_left_shift %x, %y : tensor<4xi8>, tensor<4xi8>
  // CHECK-DAG: dense<[-2, -1, -1, 0]> : tensor<4xi8>
  %1 = fusion.bitwise_right_shift %x, %y : tensor<4xi8>, tensor<4xi8>
  %u = fusion.constant dense<[253, 253]> : tensor<2xui8>
  %v = fusion.constant dense<[1, 255]> : tensor<2xui8>
  // CHECK-DAG: dense<[126, 0]> : tensor<2xui8>
  %2 = fusion.bitwise_right_shift %u, %v : tensor<2xui8>, tensor<2xui8>
  return %0, %1, %2 : tensor<4xi8>, tensor<4xi8>, tensor<2xui8>
}

// The order depends on the sign of the type.
//
// CHECK-LABEL: func.func @order
func.func @order() -> (tensor<i8>, tensor<ui8>, tensor<2xi8>, tensor<2xi8>) {
  %x = fusion.constant dense<-1> : tensor<i8>
  %y = fusion.constant dense<1> : tensor<i8>
  %u = fusion.constant dense<255> : tensor<ui8>
  %v = fusion.constant dense<1> : tensor<ui8>
  // CHECK-DAG: dense<1> : tensor<i8>
  %0 = fusion.maximum %x, %y : tensor<i8>, tensor<i8>
  // CHECK-DAG: dense<255> : tensor<ui8>
  %1 = fusion.maximum %u, %v : tensor<ui8>, tensor<ui8>
  %z = fusion.constant dense<[-9, 9]> : tensor<2xi8>
  // CHECK-DAG: dense<[-1, 1]> : tensor<2xi8>
  %2 = fusion.clamp %z, %x, %y : tensor<2xi8>, tensor<i8>, tensor<i8>
  %3 = fusion.sign %z : tensor<2xi8>
  return %0, %1, %2, %3 : tensor<i8>, tensor<ui8>, tensor<2xi8>, tensor<2xi8>
}

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<?xi32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %zero = fusion.constant dense<0> : tensor<i32>
  %one = fusion.constant dense<1> : tensor<i32>
  %lowest = fusion.constant dense<-2147483648> : tensor<i32>
  %0 = fusion.add %zero, %x : tensor<i32>, tensor<?xi32>
  %1 = fusion.multiply %one, %x : tensor<i32>, tensor<?xi32>
  %2 = fusion.floor_divide %x, %one : tensor<?xi32>, tensor<i32>
  %3 = fusion.pow %x, %one : tensor<?xi32>, tensor<i32>
  %4 = fusion.maximum %x, %lowest : tensor<?xi32>, tensor<i32>
  %5 = fusion.bitwise_left_shift %x, %zero : tensor<?xi32>, tensor<i32>
  return %0, %1, %2, %3, %4, %5 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}

// CHECK-LABEL: func.func @known
func.func @known(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = fusion.constant dense<0> : tensor<i32>
  %one = fusion.constant dense<1> : tensor<i32>
  %minus = fusion.constant dense<-1> : tensor<i32>
  // CHECK-DAG: %[[ZERO:.*]] = fusion.constant dense<0> : tensor<4xi32>
  // CHECK-DAG: %[[ONE:.*]] = fusion.constant dense<1> : tensor<4xi32>
  %0 = fusion.multiply %x, %zero : tensor<4xi32>, tensor<i32>
  %1 = fusion.subtract %x, %x : tensor<4xi32>, tensor<4xi32>
  %2 = fusion.remainder %x, %minus : tensor<4xi32>, tensor<i32>
  %3 = fusion.pow %x, %zero : tensor<4xi32>, tensor<i32>
  // CHECK: return %[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ONE]]
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// No constant has a dynamic extent.
//
// CHECK-LABEL: func.func @unknown_extent
// CHECK: fusion.multiply
func.func @unknown_extent(%x: tensor<?xi32>) -> tensor<?xi32> {
  %zero = fusion.constant dense<0> : tensor<i32>
  %0 = fusion.multiply %x, %zero : tensor<?xi32>, tensor<i32>
  return %0 : tensor<?xi32>
}

// Absolute values of what has no sign.
//
// CHECK-LABEL: func.func @no_sign
// CHECK-SAME: (%[[X:.*]]: tensor<?xui32>)
// CHECK-NEXT: return %[[X]]
func.func @no_sign(%x: tensor<?xui32>) -> tensor<?xui32> {
  %0 = fusion.abs %x : tensor<?xui32>
  return %0 : tensor<?xui32>
}
