// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-inline-custom | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --target=cpu --stop-after=merged | FileCheck %s --check-prefix=MERGED

// Constants of the body; one kernel with what is around it.
// CHECK-LABEL:  func.func @silu
// CHECK-NEXT:   %[[S:.+]] = fusion.sigmoid %arg0
// CHECK-NEXT:   %[[P:.+]] = fusion.multiply %arg0, %[[S]]
// CHECK-NEXT:   %[[N:.+]] = fusion.negative %[[P]]
// CHECK-NEXT:   return %[[N]]
// MERGED-LABEL: func.func @silu
// MERGED-COUNT-1: fusion.fused
// MERGED-NOT:   fusion.fused
// MERGED-NOT:   fusion.custom_call
func.func @silu(%x: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %0 = fusion.custom_call "nn.silu"(%x) : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %1 = fusion.negative %0 : tensor<?x1xf32>
  return %1 : tensor<?x1xf32>
}

// -----

// A number is an operand, of float32 beside float16.
// CHECK-LABEL:  func.func @leaky_relu
// CHECK-DAG:    %[[A:.+]] = fusion.full %arg1 [] : f32 to tensor<f32>
// CHECK-DAG:    %[[W:.+]] = fusion.cast %arg0 : tensor<?xf16> to tensor<?xf32>
// CHECK:        fusion.multiply %[[W]], %[[A]]
// CHECK:        fusion.select
// CHECK:        fusion.cast {{.*}} : tensor<?xf32> to tensor<?xf16>
// MERGED-LABEL: func.func @leaky_relu
// MERGED-COUNT-1: fusion.fused
func.func @leaky_relu(%x: tensor<?xf16>, %slope: f32) -> tensor<?xf16> {
  %0 = fusion.custom_call "nn.leaky_relu"(%x, %slope) : (tensor<?xf16>, f32) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}

// -----

// The axis is an option.
// CHECK-LABEL:  func.func @softmax
// CHECK-NEXT:   %[[M:.+]] = fusion.max %arg0 axes [0] keepdims
// CHECK-NEXT:   %[[D:.+]] = fusion.subtract %arg0, %[[M]]
// CHECK-NEXT:   %[[E:.+]] = fusion.exp %[[D]]
// CHECK-NEXT:   %[[S:.+]] = fusion.sum %[[E]] axes [0] keepdims
// CHECK-NEXT:   fusion.divide %[[E]], %[[S]]
func.func @softmax(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %0 = fusion.custom_call "nn.softmax"(%x) options {axis = "0"} : (tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}
