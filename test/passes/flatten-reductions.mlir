// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-flatten-kernels | FileCheck %s

// A sum over the last dimension is a sum over rows. The first part takes what the reduced operand
// is computed from, the second what follows; a scalar may be in both.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>, %[[S:[a-z0-9]+]]: f32) -> tensor<?xf32>
// CHECK-SAME:    fusion.dims = array<i64: 1, 1, 0>
// CHECK-SAME:    fusion.finish_args = array<i64: 1, 2>
// CHECK-SAME:    fusion.form = "row"
// CHECK-SAME:    fusion.permutation = array<i64: 0, 1>
// CHECK-SAME:    fusion.range_args = array<i64: 0, 2>
// CHECK-NEXT:    %[[T:.*]] = fusion.full %[[S]] []
// CHECK-NEXT:    %[[M:.*]] = fusion.multiply %[[X]], %[[T]] : tensor<?x?xf32>, tensor<f32>
// CHECK-NEXT:    %[[R:.*]] = fusion.sum %[[M]] axes [1]
// CHECK-NEXT:    return %[[R]] : tensor<?xf32>
// CHECK-LABEL: func.func private @kernel_0_finish(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<?x?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32>, %[[S:[a-z0-9]+]]: f32) -> (tensor<?xf32>, tensor<?xf32>)
// CHECK-SAME:    attributes {fusion.finish = "sum", fusion.flat}
// CHECK-NEXT:    %[[R:.*]] = fusion.sum %[[P]] axes [0]
// CHECK-NEXT:    %[[T:.*]] = fusion.full %[[S]] []
// CHECK-NEXT:    %[[U:.*]] = fusion.add %[[R]], %[[B]] : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    %[[V:.*]] = fusion.add %[[U]], %[[T]] : tensor<?xf32>, tensor<f32>
// CHECK-NEXT:    return %[[R]], %[[V]]
func.func private @kernel_0(%x: tensor<?x?xf32>, %b: tensor<?x1xf32>, %s: f32) -> (tensor<?x1xf32>, tensor<?x1xf32>) attributes {fusion.kernel = "reduction"} {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.multiply %x, %t : tensor<?x?xf32>, tensor<f32>
  %1 = fusion.sum %0 axes [1] keepdims : tensor<?x?xf32>
  %2 = fusion.add %1, %b : tensor<?x1xf32>, tensor<?x1xf32>
  %3 = fusion.add %2, %t : tensor<?x1xf32>, tensor<f32>
  return %1, %3 : tensor<?x1xf32>, tensor<?x1xf32>
}

// -----

// If the last dimension is kept, columns are summed; what is kept before and after the reduced
// dimensions is told apart.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    fusion.dims = array<i64: 1, 2, 1>
// CHECK-SAME:    fusion.form = "col"
// CHECK-SAME:    fusion.permutation = array<i64: 1, 0, 2, 3>
// CHECK-NEXT:    fusion.max %arg0 axes [0]
// CHECK-LABEL: func.func private @kernel_0_finish
// CHECK-SAME:    fusion.finish = "max"
// CHECK-NEXT:    fusion.max %arg0 axes [0]
func.func private @kernel_0(%x: tensor<?x?x?x?xf32>) -> tensor<?x?xf32> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.max %x axes [0, 2] : tensor<?x?x?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Dimensions of extent 1 do not count.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    fusion.dims = array<i64: 0, 1, 0>
// CHECK-SAME:    fusion.form = "row"
// CHECK-SAME:    fusion.permutation = array<i64: 1>
func.func private @kernel_0(%x: tensor<1x?x1xf32>) -> tensor<1x1xf32> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.min %x axes [1] : tensor<1x?x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    fusion.dims = array<i64: 0, 0, 1>
// CHECK-SAME:    fusion.form = "col"
func.func private @kernel_0(%x: tensor<?x1xf32>) -> tensor<?xf32> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.min %x axes [1] : tensor<?x1xf32>
  return %0 : tensor<?xf32>
}

// -----

// A mean is a sum, divided in the second part. Short floats are summed in f32 and rounded once.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    tensor<?x?xf16>) -> tensor<?xf32>
// CHECK-NEXT:    %[[C:.*]] = fusion.cast %arg0 : tensor<?x?xf16> to tensor<?x?xf32>
// CHECK-NEXT:    fusion.sum %[[C]] axes [1]
// CHECK-LABEL: func.func private @kernel_0_finish(
// CHECK-SAME:    tensor<?x?xf32>) -> tensor<?xf16>
// CHECK-SAME:    fusion.mean
// CHECK-NEXT:    %[[S:.*]] = fusion.sum %arg0 axes [0]
// CHECK-NEXT:    fusion.cast %[[S]] : tensor<?xf32> to tensor<?xf16>
func.func private @kernel_0(%x: tensor<?x?xf16>) -> tensor<f16> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.mean %x axes [0, 1] : tensor<?x?xf16>
  return %0 : tensor<f16>
}

// -----

// Places are found per chunk together with their elements, which the second part compares; short
// floats are compared in f32.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    tensor<?x?xf16>) -> tensor<?xi64>
// CHECK-NEXT:    %[[C:.*]] = fusion.cast %arg0 : tensor<?x?xf16> to tensor<?x?xf32>
// CHECK-NEXT:    fusion.argmax %[[C]] axes [1] : tensor<?x?xf32>
// CHECK-LABEL: func.func private @kernel_0_finish(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<?x?xf32>) -> tensor<?xi64>
// CHECK-SAME:    attributes {fusion.finish = "argmax", fusion.flat, fusion.places}
// CHECK-NEXT:    %[[R:.*]] = fusion.argmax %[[P]] axes [0] : tensor<?x?xf32>
// CHECK-NEXT:    fusion.negative %[[R]] : tensor<?xi64>
func.func private @kernel_0(%x: tensor<?x?xf16>) -> tensor<i64> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.argmax %x axes [0, 1] : tensor<?x?xf16>
  %1 = fusion.negative %0 : tensor<i64>
  return %1 : tensor<i64>
}

// -----

// Of one number alone there is a tile: it says how large the loop is.
// CHECK-LABEL: func.func private @kernel_0(
// CHECK-SAME:    tensor<?x?xi1>) -> tensor<?xi1>
// CHECK-SAME:    fusion.dims = array<i64: 0, 0, 0>
// CHECK-SAME:    fusion.form = "row"
// CHECK-NEXT:    fusion.any %arg0 axes [1]
func.func private @kernel_0(%x: tensor<1xi1>) -> tensor<i1> attributes {fusion.kernel = "reduction"} {
  %0 = fusion.any %x axes [0] : tensor<1xi1>
  return %0 : tensor<i1>
}
