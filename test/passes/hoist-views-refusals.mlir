// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-hoist-views=max-recompute=1 --print-refusals --verify-diagnostics | FileCheck %s

// A reshape of something that is not dense would be a copy.
// CHECK-LABEL: func.func @strided
// CHECK:       fusion.exp
// CHECK-NEXT:  fusion.reshape
func.func @strided(%x: tensor<?x?xf32> {fusion.strided}, %n: index) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  // expected-remark@below {{fusion.exp is not merged with fusion.reshape: an operand is not contiguous}}
  %1 = fusion.reshape %0 [%n] : tensor<?x?xf32> to tensor<?xf32>
  %2 = fusion.abs %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_of_view
func.func @reshape_of_view(%x: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %0 = fusion.transpose %x perm [1, 0] : tensor<?x?xf32>
  %1 = fusion.exp %0 : tensor<?x?xf32>
  // expected-remark@below {{an operand is not contiguous}}
  %2 = fusion.reshape %1 [%n] : tensor<?x?xf32> to tensor<?xf32>
  %3 = fusion.abs %2 : tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_of_smaller
func.func @reshape_of_smaller(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = fusion.add %x, %b : tensor<?x?xf32>, tensor<?xf32>
  // expected-remark@below {{an operand has another shape}}
  %1 = fusion.reshape %0 [%n] : tensor<?x?xf32> to tensor<?xf32>
  %2 = fusion.abs %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Math functions are not computed again for each repetition, nor are many operations.
// CHECK-LABEL: func.func @costly
// CHECK-NEXT:  fusion.exp
// CHECK-NEXT:  fusion.broadcast
func.func @costly(%x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = fusion.exp %x : tensor<4xf32>
  // expected-remark@below {{fusion.exp is too costly to compute for each repetition (16 bytes)}}
  %1 = fusion.broadcast %0 [%n, 4] : tensor<4xf32> to tensor<?x4xf32>
  %2 = fusion.negative %1 : tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @many
func.func @many(%x: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = fusion.negative %x : tensor<4xf32>
  %1 = fusion.abs %0 : tensor<4xf32>
  // expected-remark@below {{more than 1 operations would be computed for each repetition (max-recompute)}}
  %2 = fusion.broadcast %1 [%n, 4] : tensor<4xf32> to tensor<?x4xf32>
  %3 = fusion.negative %2 : tensor<?x4xf32>
  return %3 : tensor<?x4xf32>
}
