// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations have no effects: equal ones are merged and unused ones go.
//
// RUN: pyfusion-opt --cse %s | FileCheck %s

// CHECK-LABEL: func.func @equal
// CHECK-COUNT-1: fusion.add
// CHECK-NOT: fusion.add
func.func @equal(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.add %x, %x : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Operands of commutative operations may be swapped.
//
// CHECK-LABEL: func.func @swapped
// CHECK-COUNT-1: fusion.multiply
// CHECK-NOT: fusion.multiply
func.func @swapped(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.multiply %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.multiply %y, %x : tensor<?xf32>, tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @different_attributes
// CHECK-COUNT-2: fusion.sum
func.func @different_attributes(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.sum %x axes [0] : tensor<?x?xf32>
  %1 = fusion.sum %x axes [1] : tensor<?x?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @equal_kernels
// CHECK-COUNT-1: fusion.fused
// CHECK-NOT: fusion.fused
func.func @equal_kernels(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = fusion.exp %a : tensor<4xf32>
    fusion.yield %2 : tensor<4xf32>
  }
  %1 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = fusion.exp %a : tensor<4xf32>
    fusion.yield %2 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%x: tensor<?x1xf32>, %y: tensor<1x?xf32>, %s: f32, %n: index) {
  %0 = fusion.exp %x : tensor<?x1xf32>
  %1 = fusion.squeeze %x axes [1] : tensor<?x1xf32>
  %2 = fusion.full %s [%n] : f32 to tensor<?xf32>
  %3 = fusion.matmul %x, %y : tensor<?x1xf32>, tensor<1x?xf32>
  %4 = fusion.custom_call "numpy.sort"(%x) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %5 = fusion.sum %x axes [0] : tensor<?x1xf32>
  %6 = fusion.constant dense<1.0> : tensor<f32>
  return
}
