// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise \
// RUN:   --fusion-merge-reductions="max-ops=3 max-operands=4" --print-refusals --verify-diagnostics \
// RUN:   | FileCheck %s

// What is read elsewhere too is written by one kernel and read by the next.
// CHECK-LABEL: func.func @written
// CHECK:       fusion.fused "elementwise"
// CHECK:       fusion.fused "reduction"
// CHECK-NEXT:    fusion.sum
func.func @written(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = fusion.exp %x : tensor<4x8xf32>
  // expected-remark@below {{fusion.exp is not merged with fusion.sum: its value is read elsewhere too, so it is written (128 bytes)}}
  %1 = fusion.sum %0 axes [1] : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// There is one reduction in a kernel.
// CHECK-LABEL: func.func @two
// CHECK-COUNT-2: fusion.fused "reduction"
func.func @two(%x: tensor<?x?xf32>) -> tensor<f32> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  // expected-remark@below {{fusion.sum is not merged with fusion.max: a kernel holds one reduction}}
  %1 = fusion.max %0 axes [0] : tensor<?xf32>
  return %1 : tensor<f32>
}

// -----

// What is between two reductions follows the first.
// CHECK-LABEL: func.func @between
// CHECK:       fusion.fused "reduction"
// CHECK-NEXT:    fusion.sum
// CHECK-NEXT:    fusion.sqrt
// CHECK:       fusion.fused "reduction"
// CHECK-NEXT:    fusion.max
func.func @between(%x: tensor<?x?xf32>) -> tensor<f32> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.sqrt %0 : tensor<?xf32>
  // expected-remark@below {{fusion.sqrt is not merged with fusion.max: a kernel holds one reduction}}
  %2 = fusion.max %1 axes [0] : tensor<?xf32>
  return %2 : tensor<f32>
}

// -----

// A consumer that repeats the result has a loop of its own.
// CHECK-LABEL: func.func @larger
func.func @larger(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.sum %x axes [1] keepdims : tensor<?x?xf32>
  // expected-remark@below {{fusion.sum is not merged with fusion.divide: its result has another shape}}
  %1 = fusion.divide %x, %0 : tensor<?x?xf32>, tensor<?x1xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// So does one that repeats another operand.
// CHECK-LABEL: func.func @operand
func.func @operand(%x: tensor<?x?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.sum %x axes [2] : tensor<?x?x?xf32>
  // expected-remark@below {{an operand has another shape}}
  %1 = fusion.multiply %0, %b : tensor<?x?xf32>, tensor<?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// A consumer that also reads what is computed from the result, elsewhere, cannot join.
// CHECK-LABEL: func.func @cycle
func.func @cycle(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  %1 = fusion.flip %0 axes [0] : tensor<?xf32>
  // expected-remark@below {{it is read through fusion.flip too}}
  %2 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Ranges count elements of a whole result, not of a part of a reduction.
// CHECK-LABEL: func.func @range
func.func @range(%a: f32, %b: f32, %n: index) -> tensor<f32> {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  // expected-remark@below {{a range is made in an element-wise kernel only}}
  %2 = fusion.sum %1 axes [0] : tensor<?xf32>
  return %2 : tensor<f32>
}

// -----

// Nor do those of several dimensions, before a reduction or after it.
// CHECK-LABEL: func.func @range_of_two_dimensions
func.func @range_of_two_dimensions(%x: tensor<?x?x?xf32>, %a: f32, %b: f32, %m: index, %n: index, %k: index) -> tensor<?xf32> {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.sum %x axes [0] : tensor<?x?x?xf32>
  // expected-remark@below {{a range is made in an element-wise kernel only}}
  %3 = fusion.add %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
  // expected-remark@below {{a range is made in an element-wise kernel only}}
  %4 = fusion.sum %3 axes [0] : tensor<?x?xf32>
  return %4 : tensor<?xf32>
}

// -----

// Some input has to say how large the loop over what is reduced is.
// CHECK-LABEL: func.func @no_input
func.func @no_input(%s: f32, %n: index) -> tensor<f32> {
  %0 = fusion.full %s [%n] : f32 to tensor<?xf32>
  // expected-remark@below {{no operand gives the loop its shape}}
  %1 = fusion.sum %0 axes [0] : tensor<?xf32>
  return %1 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @many_ops
func.func @many_ops(%x: tensor<?xf32>) -> tensor<f32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.log %0 : tensor<?xf32>
  %2 = fusion.sin %1 : tensor<?xf32>
  // expected-remark@below {{more than 3 operations (max-ops)}}
  %3 = fusion.sum %2 axes [0] : tensor<?xf32>
  return %3 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @many_operands
func.func @many_operands(%c: tensor<?xi1>, %y: tensor<?xf32>, %z: tensor<?xf32>, %w: tensor<?xf32>) -> tensor<f32> {
  %0 = fusion.select %c, %y, %z : tensor<?xi1>, tensor<?xf32>, tensor<?xf32>
  %1 = fusion.add %0, %w : tensor<?xf32>, tensor<?xf32>
  // expected-remark@below {{more than 4 operands (max-operands)}}
  %2 = fusion.sum %1 axes [0] : tensor<?xf32>
  return %2 : tensor<f32>
}
