// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites that keep every bit.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @negations
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
func.func @negations(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %nx = fusion.negative %x : tensor<?xf32>
  %ny = fusion.negative %y : tensor<?xf32>
  // CHECK: %[[A:.*]] = fusion.subtract %[[X]], %[[Y]]
  %0 = fusion.add %x, %ny : tensor<?xf32>, tensor<?xf32>
  // CHECK: %[[B:.*]] = fusion.subtract %[[Y]], %[[X]]
  %1 = fusion.add %nx, %y : tensor<?xf32>, tensor<?xf32>
  // CHECK: %[[C:.*]] = fusion.add %[[X]], %[[Y]]
  %2 = fusion.subtract %x, %ny : tensor<?xf32>, tensor<?xf32>
  // CHECK: %[[D:.*]] = fusion.multiply %[[X]], %[[Y]]
  %3 = fusion.multiply %nx, %ny : tensor<?xf32>, tensor<?xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @minus_one
// CHECK-SAME: (%[[X:.*]]: tensor<?xf16>, %[[I:.*]]: tensor<?xi8>)
func.func @minus_one(%x: tensor<?xf16>, %i: tensor<?xi8>) -> (tensor<?xf16>, tensor<?xi8>) {
  %c = fusion.constant dense<-1.0> : tensor<f16>
  %d = fusion.constant dense<-1> : tensor<i8>
  // CHECK: fusion.negative %[[X]] : tensor<?xf16>
  %0 = fusion.multiply %c, %x : tensor<f16>, tensor<?xf16>
  // CHECK: fusion.negative %[[I]] : tensor<?xi8>
  %1 = fusion.multiply %i, %d : tensor<?xi8>, tensor<i8>
  return %0, %1 : tensor<?xf16>, tensor<?xi8>
}

// True is all ones, as -1 is, but no factor that negates.
//
// CHECK-LABEL: func.func @true_factor
// CHECK: fusion.multiply
func.func @true_factor(%x: tensor<i1>) -> tensor<2xi1> {
  %true = fusion.constant dense<true> : tensor<2xi1>
  %0 = fusion.multiply %x, %true : tensor<i1>, tensor<2xi1>
  return %0 : tensor<2xi1>
}

// Dividing by a power of two is multiplying by its reciprocal; by 3 it is not.
//
// CHECK-LABEL: func.func @division
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>)
func.func @division(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %four = fusion.constant dense<4.0> : tensor<f32>
  %three = fusion.constant dense<3.0> : tensor<f32>
  // CHECK-DAG: %[[QUARTER:.*]] = fusion.constant dense<2.500000e-01> : tensor<f32>
  // CHECK: fusion.multiply %[[X]], %[[QUARTER]]
  %0 = fusion.divide %x, %four : tensor<?xf32>, tensor<f32>
  // CHECK: fusion.divide %[[X]]
  %1 = fusion.divide %x, %three : tensor<?xf32>, tensor<f32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// The reciprocal of 2^127 is subnormal in f32: the division stays.
//
// CHECK-LABEL: func.func @subnormal_reciprocal
// CHECK: fusion.divide
func.func @subnormal_reciprocal(%x: tensor<?xf32>) -> tensor<?xf32> {
  %huge = fusion.constant dense<0x7F000000> : tensor<f32>
  %0 = fusion.divide %x, %huge : tensor<?xf32>, tensor<f32>
  return %0 : tensor<?xf32>
}

// Constants go right in operations whose operands may be swapped.
//
// CHECK-LABEL: func.func @order
// CHECK: fusion.add %{{.*}}, %[[C:.*]] : tensor<?xf32>, tensor<f32>
func.func @order(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c = fusion.constant dense<2.0> : tensor<f32>
  %0 = fusion.add %c, %x : tensor<f32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
