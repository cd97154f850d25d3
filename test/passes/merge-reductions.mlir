// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise --fusion-merge-reductions | FileCheck %s

// What is reduced need not be written: its kernel and the reduction's are one.
// CHECK-LABEL: func.func @producer
// CHECK:       fusion.fused "reduction" (%[[X:.*]] = %arg0, %[[Y:.*]] = %arg1)
// CHECK-NEXT:    %[[M:.*]] = fusion.multiply %[[X]], %[[Y]]
// CHECK-NEXT:    %[[S:.*]] = fusion.sum %[[M]] axes [1]
// CHECK-NEXT:    fusion.yield %[[S]] : tensor<?xf32>
// CHECK-NOT:   fusion.fused
func.func @producer(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.multiply %x, %y : tensor<?x?xf32>, tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A reduction of an array in memory is a kernel.
// CHECK-LABEL: func.func @alone
// CHECK:       fusion.fused "reduction"
// CHECK-NEXT:    fusion.max
func.func @alone(%x: tensor<?x?xf32>) -> tensor<?x1xf32> {
  %0 = fusion.max %x axes [1] keepdims : tensor<?x?xf32>
  return %0 : tensor<?x1xf32>
}

// -----

// What is computed from the result, with its shape and with scalars, joins; the result is written
// only if something else reads it.
// CHECK-LABEL: func.func @consumer
// CHECK:       %[[R:.*]] = fusion.fused "reduction"
// CHECK:         fusion.sum
// CHECK:         fusion.multiply
// CHECK-NEXT:    %[[A:.*]] = fusion.add
// CHECK-NEXT:    fusion.yield %[[A]] : tensor<?xf32>
// CHECK-NOT:   fusion.fused
// CHECK:       return %[[R]]
func.func @consumer(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.multiply %0, %t : tensor<?xf32>, tensor<f32>
  %2 = fusion.add %1, %b : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Several results, of several kernels after the reduction.
// CHECK-LABEL: func.func @results
// CHECK:       %[[R:.*]]:3 = fusion.fused "reduction"
// CHECK-NEXT:    %[[S:.*]] = fusion.sum
// CHECK-NEXT:    %[[E:.*]] = fusion.exp %[[S]]
// CHECK-NEXT:    %[[L:.*]] = fusion.log %[[S]]
// CHECK-NEXT:    fusion.yield %[[S]], %[[E]], %[[L]]
// CHECK:       return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @results(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.log %0 : tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// softmax: two reductions, and the kernel that reads both results.
// CHECK-LABEL: func.func @softmax
// CHECK:       %[[M:.*]] = fusion.fused "reduction" ({{.*}} = %arg0)
// CHECK-NEXT:    fusion.max
// CHECK:       %[[E:.*]] = fusion.fused "elementwise" ({{.*}} = %arg0, {{.*}} = %[[M]])
// CHECK-NEXT:    fusion.subtract
// CHECK-NEXT:    fusion.exp
// CHECK:       %[[S:.*]] = fusion.fused "reduction" ({{.*}} = %[[E]])
// CHECK-NEXT:    fusion.sum
// CHECK:       fusion.fused "elementwise" ({{.*}} = %[[E]], {{.*}} = %[[S]])
// CHECK-NEXT:    fusion.divide
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.max %x axes [1] keepdims : tensor<?x?xf32>
  %1 = fusion.subtract %x, %0 : tensor<?x?xf32>, tensor<?x1xf32>
  %2 = fusion.exp %1 : tensor<?x?xf32>
  %3 = fusion.sum %2 axes [1] keepdims : tensor<?x?xf32>
  %4 = fusion.divide %2, %3 : tensor<?x?xf32>, tensor<?x1xf32>
  return %4 : tensor<?x?xf32>
}

// -----

// The kernel of a reduction waits for what its last part reads.
// CHECK-LABEL: func.func @order
// CHECK:       %[[C:.*]] = fusion.custom_call
// CHECK:       fusion.fused "reduction" ({{.*}} = %arg0, {{.*}} = %[[C]])
func.func @order(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.custom_call "numpy.sort" (%b) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// A sum of everything, and what follows, is one kernel.
// CHECK-LABEL: func.func @all
// CHECK:       fusion.fused "reduction"
// CHECK:         fusion.multiply
// CHECK-NEXT:    fusion.sum
// CHECK-NEXT:    fusion.sqrt
// CHECK-NOT:   fusion.fused
func.func @all(%x: tensor<?x?xf32>) -> tensor<f32> {
  %0 = fusion.multiply %x, %x : tensor<?x?xf32>, tensor<?x?xf32>
  %1 = fusion.sum %0 axes [0, 1] : tensor<?x?xf32>
  %2 = fusion.sqrt %1 : tensor<f32>
  return %2 : tensor<f32>
}
