// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise --print-refusals --verify-diagnostics | FileCheck %s

// A refusal names both operations, the reason, and the size of the value in between, if static.
// CHECK-LABEL: func.func @detour
func.func @detour(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fusion.exp %x : tensor<8x4xf32>
  %1 = fusion.sum %0 axes [1] keepdims : tensor<8x4xf32>
  // expected-remark@below {{fusion.exp is not merged with fusion.divide: it is read through fusion.sum too (128 bytes)}}
  %2 = fusion.divide %0, %1 : tensor<8x4xf32>, tensor<8x1xf32>
  return %2 : tensor<8x4xf32>
}

// -----

// Math functions are not computed again for each repetition.
// CHECK-LABEL: func.func @costly
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK-NEXT:    fusion.yield
// CHECK:       fusion.fused
func.func @costly(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %b : tensor<?xf32>
  // expected-remark@below {{fusion.exp is not merged with fusion.multiply: fusion.exp is too costly to compute for each element}}
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Nor is anything that has to be written anyway.
// CHECK-LABEL: func.func @written
func.func @written(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = fusion.negative %b : tensor<?xf32>
  // expected-remark@below {{its value is needed outside of kernels too}}
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  return %1, %0 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// Or that two kernels read.
// CHECK-LABEL: func.func @several
func.func @several(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = fusion.negative %b : tensor<?xf32>
  // expected-remark@below {{several kernels read it}}
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  %2 = fusion.multiply %y, %0 : tensor<?x?xf32>, tensor<?xf32>
  return %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A range counts the elements of its own kernel: that does not become a part of a larger one.
// CHECK-LABEL: func.func @range
func.func @range(%x: tensor<?x?xf32>, %a: f32, %b: f32, %n: index) -> tensor<?x?xf32> {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.negative %0 : tensor<?xf32>
  // expected-remark@below {{a range is made in a kernel of its own shape only}}
  %2 = fusion.add %x, %1 : tensor<?x?xf32>, tensor<?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// The same of several dimensions.
// CHECK-LABEL: func.func @range_of_two_dimensions
func.func @range_of_two_dimensions(%x: tensor<?x?xf32>, %a: f32, %b: f32, %n: index) -> tensor<?x?xf32> {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%n, 1] : tensor<?xf32> to tensor<?x1xf32>
  %2 = fusion.negative %1 : tensor<?x1xf32>
  // expected-remark@below {{a range is made in a kernel of its own shape only}}
  %3 = fusion.add %x, %2 : tensor<?x?xf32>, tensor<?x1xf32>
  return %3 : tensor<?x?xf32>
}
