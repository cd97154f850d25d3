// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise --fusion-merge-reductions --fusion-plan-buffers | FileCheck %s

// An argument that the caller gives up is overwritten.
// CHECK-LABEL: func.func @dies
// CHECK:       fusion.fused "elementwise" ({{.*}} = %arg0, {{.*}} = %arg1) {{.*}} attributes {takes_over = array<i64: 1>}
func.func @dies(%x: tensor<?xf32>, %y: tensor<?xf32> {fusion.dies}) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// One that the caller keeps is not, nor one that is not dense.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:   takes_over
func.func @kept(%x: tensor<?xf32>, %y: tensor<?xf32> {fusion.dies, fusion.strided}) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Nor one of another type or shape than the result.
// CHECK-LABEL: func.func @other_type
// CHECK-NOT:   takes_over
func.func @other_type(%x: tensor<?xi32> {fusion.dies}, %y: tensor<?x?xf32>, %z: tensor<1x?xf32> {fusion.dies}) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %0 = fusion.cast %x : tensor<?xi32> to tensor<?xf32>
  %1 = fusion.add %y, %z : tensor<?x?xf32>, tensor<1x?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x?xf32>
}

// -----

// Each input is overwritten by one result.
// CHECK-LABEL: func.func @once
// CHECK:       takes_over = array<i64: 0, -1>
func.func @once(%x: tensor<?xf32> {fusion.dies}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.log %0 : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @two
// CHECK:       takes_over = array<i64: 0, 1>
func.func @two(%x: tensor<?xf32> {fusion.dies}, %y: tensor<?xf32> {fusion.dies}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.log %0 : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// What is read later is not overwritten, be it through a view.
// CHECK-LABEL: func.func @later
// CHECK-NOT:   takes_over
func.func @later(%x: tensor<?x?xf32> {fusion.dies}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %t = fusion.transpose %x perm [1, 0] : tensor<?x?xf32>
  %0 = fusion.exp %x : tensor<?x?xf32>
  return %0, %t : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Nor what the same kernel reads at another index.
// CHECK-LABEL: func.func @two_indices
// CHECK-NOT:   takes_over
func.func @two_indices(%x: tensor<?x?xf32> {fusion.dies}) -> tensor<?x?xf32> {
  %t = fusion.transpose %x perm [1, 0] : tensor<?x?xf32>
  %0 = fusion.add %x, %t : tensor<?x?xf32>, tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// What earlier kernels have read is free, and so is a result that only this kernel reads.
// CHECK-LABEL: func.func @intermediate
// CHECK:       %[[E:.*]] = fusion.fused "elementwise" ({{.*}} = %arg0) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
// CHECK:       %[[S:.*]] = fusion.fused "reduction"
// CHECK:       fusion.fused "elementwise" ({{.*}} = %[[E]], {{.*}} = %[[S]]) {{.*}} {takes_over = array<i64: 0>}
func.func @intermediate(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] keepdims : tensor<?x?xf32>
  %2 = fusion.divide %0, %1 : tensor<?x?xf32>, tensor<?x1xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// A backend may give back memory that it was given: what it has seen is not overwritten.
// CHECK-LABEL: func.func @backend
// CHECK-NOT:   takes_over
func.func @backend(%x: tensor<?xf32> {fusion.dies}) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.custom_call "numpy.sort" (%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = fusion.exp %x : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Reductions overwrite nothing.
// CHECK-LABEL: func.func @reduction
// CHECK-NOT:   takes_over
func.func @reduction(%x: tensor<?x?xf32>, %y: tensor<?xf32> {fusion.dies}) -> tensor<?xf32> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.add %0, %y : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}
