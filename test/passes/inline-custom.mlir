// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --load=%S/Inputs/custom_ops.py --fusion-inline-custom | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --load=%S/Inputs/custom_ops.py --target=cpu --stop-after=merged | FileCheck %s --check-prefix=MERGED
// Nobody knows them: they stay.
// RUN: pyfusion-opt %s --split-input-file --fusion-inline-custom | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL:  func.func @text
// CHECK-NEXT:   %[[E:.+]] = fusion.exp %arg0
// CHECK-NEXT:   %[[D:.+]] = fusion.add %[[E]], %[[E]]
// CHECK-NEXT:   %[[N:.+]] = fusion.negative %[[D]]
// CHECK-NEXT:   return %[[N]]
// One kernel with what is around it.
// MERGED-LABEL: func.func @text
// MERGED:       fusion.fused
// MERGED:       fusion.exp
// MERGED-NEXT:  fusion.add
// MERGED-NEXT:  fusion.negative
// MERGED-NOT:   fusion.fused
// UNKNOWN:      fusion.custom_call "custom.doubled"
func.func @text(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.custom_call "custom.doubled"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = fusion.negative %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// The function whose arguments fit; numbers are arguments too.
// CHECK-LABEL: func.func @second
// CHECK:       %[[S:.+]] = fusion.full %arg1
// CHECK-NEXT:  fusion.multiply %arg0, %[[S]]
// MERGED-LABEL: func.func @second
func.func @second(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %0 = fusion.custom_call "custom.doubled"(%x, %s) : (tensor<?x?xf32>, f32) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @lowering
// CHECK-NEXT:  %[[A:.+]] = fusion.add %arg0, %arg0
// CHECK-NEXT:  fusion.add %[[A]], %arg0
// MERGED-LABEL: func.func @lowering
func.func @lowering(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.custom_call "custom.tripled"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @several_results
// CHECK-DAG:   %[[S:.+]] = fusion.sin %arg0
// CHECK-DAG:   %[[C:.+]] = fusion.cos %arg0
// CHECK:       return %[[S]], %[[C]]
// MERGED-LABEL: func.func @several_results
func.func @several_results(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0:2 = fusion.custom_call "custom.both"(%x) : (tensor<?xf64>) -> (tensor<?xf64>, tensor<?xf64>)
  return %0#0, %0#1 : tensor<?xf64>, tensor<?xf64>
}

// -----

// A body in Python is recorded for the types of the operands; its numbers become constants.
// CHECK-LABEL: func.func @python
// CHECK:       %[[N:.+]] = fusion.negative %arg0
// CHECK-NEXT:  %[[E:.+]] = fusion.exp %[[N]]
// CHECK-NEXT:  %[[ONE:.+]] = fusion.constant dense<1.000000e+00> : tensor<f16>
// CHECK-NEXT:  %[[S:.+]] = fusion.add %[[ONE]], %[[E]]
// CHECK-NEXT:  fusion.divide %arg0, %[[S]] : tensor<?x1xf16>, tensor<?x1xf16>
// MERGED-LABEL: func.func @python
// MERGED-COUNT-1: fusion.fused
// MERGED-NOT:  fusion.fused
func.func @python(%x: tensor<?x1xf16>) -> tensor<?x1xf16> {
  %0 = fusion.custom_call "custom.silu"(%x) : (tensor<?x1xf16>) -> tensor<?x1xf16>
  return %0 : tensor<?x1xf16>
}

// -----

// Results in their order; one may be an operand.
// CHECK-LABEL: func.func @python_results
// CHECK:       fusion.mean %arg0
// CHECK:       %[[D:.+]] = fusion.multiply
// CHECK:       return %[[D]], %arg1
// MERGED-LABEL: func.func @python_results
func.func @python_results(%x: tensor<?x?xf32>, %y: tensor<?x1xf32>)
    -> (tensor<?x?xf32>, tensor<?x1xf32>) {
  %0:2 = fusion.custom_call "custom.centred"(%x, %y)
      : (tensor<?x?xf32>, tensor<?x1xf32>) -> (tensor<?x?xf32>, tensor<?x1xf32>)
  return %0#0, %0#1 : tensor<?x?xf32>, tensor<?x1xf32>
}

// -----

// Without a body of IR, and of complex numbers, a call is the backend's.
// CHECK-LABEL: func.func @backend
// CHECK:       fusion.custom_call "custom.opaque"
// CHECK:       fusion.custom_call "custom.tripled"
// CHECK:       fusion.custom_call "numpy.sort"
// MERGED-LABEL: func.func @backend
func.func @backend(%x: tensor<?xf32>, %z: tensor<?xcomplex<f64>>)
    -> (tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xf32>) {
  %0 = fusion.custom_call "custom.opaque"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = fusion.custom_call "custom.tripled"(%z) : (tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>>
  %2 = fusion.custom_call "numpy.sort"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xcomplex<f64>>, tensor<?xf32>
}
