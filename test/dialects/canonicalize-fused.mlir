// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels lose inputs and results that nobody needs.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @inputs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @inputs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: fusion.fused "elementwise" (%[[A:.*]] = %[[X]]) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: fusion.multiply %[[A]], %[[A]]
  %0 = fusion.fused "elementwise" (%a = %x, %b = %x, %c = %y)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = fusion.multiply %a, %b : tensor<4xf32>, tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// An input that is taken over stays, read or not; its number follows those dropped before it.
//
// CHECK-LABEL: func.func @taken_over
// CHECK: (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {takes_over = array<i64: 1, 0>}
func.func @taken_over(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = fusion.fused "elementwise" (%u = %y, %a = %x, %b = %y, %c = %x)
      : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {takes_over = array<i64: 2, 3>} {
    %1 = fusion.exp %a : tensor<4xf32>
    %2 = fusion.log %a : tensor<4xf32>
    fusion.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// What computed a result in the body goes with the result.
//
// CHECK-LABEL: func.func @results
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
func.func @results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]] = fusion.fused "elementwise" (%[[A:.*]] = %[[Y]]) : (tensor<4xf32>) -> tensor<4xf32> attributes {note, takes_over = array<i64: 0>} {
  // CHECK-NEXT: %[[L:.*]] = fusion.log %[[A]]
  // CHECK-NEXT: fusion.yield %[[L]]
  %0:2 = fusion.fused "elementwise" (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      attributes {note, takes_over = array<i64: -1, 1>} {
    %1 = fusion.exp %a : tensor<4xf32>
    %2 = fusion.log %b : tensor<4xf32>
    fusion.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: return %[[R]]
  return %0#1 : tensor<4xf32>
}

// A kernel without readers is dead.
//
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<4xf32>) {
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = fusion.exp %a : tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return
}

// Folding the body can leave no reduction.
//
// CHECK-LABEL: func.func @no_reduction_left
// CHECK: fusion.fused "elementwise"
// CHECK-NOT: fusion.sum
func.func @no_reduction_left(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.fused "reduction" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = fusion.sum %a axes [] : tensor<4xf32>
    %2 = fusion.exp %1 : tensor<4xf32>
    fusion.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
