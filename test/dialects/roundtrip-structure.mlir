// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views, creation, reductions and regions in their own syntax, in generic form and as bytecode.
//
// RUN: pyfusion-opt %s | pyfusion-opt | FileCheck %s
// RUN: pyfusion-opt --mlir-print-op-generic %s | pyfusion-opt | FileCheck %s
// RUN: pyfusion-opt --emit-bytecode %s | pyfusion-opt | FileCheck %s

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<?x8xf32>, %o: index, %n: index) {
  // CHECK: fusion.transpose %{{.*}} perm [1, 0] : tensor<?x8xf32>
  %0 = fusion.transpose %x perm [1, 0] : tensor<?x8xf32>
  // CHECK: %[[WIDE:.*]] = fusion.expand_dims %{{.*}} axes [0, 2] : tensor<?x8xf32>
  %1 = fusion.expand_dims %x axes [0, 2] : tensor<?x8xf32>
  // CHECK: fusion.squeeze %[[WIDE]] axes [2] : tensor<1x?x1x8xf32>
  %2 = fusion.squeeze %1 axes [2] : tensor<1x?x1x8xf32>
  // CHECK: fusion.flip %{{.*}} axes [1] : tensor<?x8xf32>
  %3 = fusion.flip %x axes [1] : tensor<?x8xf32>
  // CHECK: fusion.slice %{{.*}}[%[[O:.*]], 7] [%[[N:.*]], 4] [-1, -2] : tensor<?x8xf32> to tensor<?x4xf32>
  %4 = fusion.slice %x[%o, 7] [%n, 4] [-1, -2] : tensor<?x8xf32> to tensor<?x4xf32>
  // CHECK: fusion.broadcast %{{.*}} [3, %[[N]], 8] : tensor<?x8xf32> to tensor<3x?x8xf32>
  %5 = fusion.broadcast %x [3, %n, 8] : tensor<?x8xf32> to tensor<3x?x8xf32>
  // CHECK: fusion.reshape %{{.*}} [%[[N]]] : tensor<?x8xf32> to tensor<?xf32>
  %6 = fusion.reshape %x [%n] : tensor<?x8xf32> to tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @updates
func.func @updates(%x: tensor<?x8xf32>, %v: tensor<?x4xf32>, %o: index, %n: index) {
  // CHECK: fusion.insert_slice %{{.*}} into %{{.*}}[%[[O:.*]], 7] [%[[N:.*]], 4] [-1, -2] {fused_store, takes_over} : tensor<?x4xf32> into tensor<?x8xf32>
  %0 = fusion.insert_slice %v into %x[%o, 7] [%n, 4] [-1, -2] {takes_over, fused_store} : tensor<?x4xf32> into tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @creation
func.func @creation(%s: f32, %i: ui8, %n: index) {
  // CHECK: fusion.constant dense<[1, 2]> : tensor<2xui8>
  %0 = fusion.constant dense<[1, 2]> : tensor<2xui8>
  // CHECK: fusion.full %{{.*}} [%[[N:.*]], 4] : f32 to tensor<?x4xf32>
  %1 = fusion.full %s [%n, 4] : f32 to tensor<?x4xf32>
  // CHECK: fusion.full %{{.*}} [] : f32 to tensor<f32>
  %2 = fusion.full %s [] : f32 to tensor<f32>
  // CHECK: fusion.iota %{{.*}}, %{{.*}} [%[[N]]] : ui8, ui8 to tensor<?xui8>
  %3 = fusion.iota %i, %i [%n] : ui8, ui8 to tensor<?xui8>
  return
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<?x8xf32>, %b: tensor<4xi1>) {
  // CHECK: fusion.sum %{{.*}} axes [1] : tensor<?x8xf32>
  %0 = fusion.sum %x axes [1] : tensor<?x8xf32>
  // CHECK: fusion.prod %{{.*}} axes [0, 1] keepdims : tensor<?x8xf32>
  %1 = fusion.prod %x axes [0, 1] keepdims : tensor<?x8xf32>
  // CHECK: fusion.max %{{.*}} axes [] : tensor<?x8xf32>
  %2 = fusion.max %x axes [] : tensor<?x8xf32>
  // CHECK: fusion.min
  %3 = fusion.min %x axes [0] : tensor<?x8xf32>
  // CHECK: fusion.mean
  %4 = fusion.mean %x axes [0] : tensor<?x8xf32>
  // CHECK: fusion.any
  %5 = fusion.any %b axes [0] : tensor<4xi1>
  // CHECK: fusion.all
  %6 = fusion.all %b axes [0] : tensor<4xi1>
  // CHECK: %[[PLACE:.*]] = fusion.argmax %{{.*}} axes [1] : tensor<?x8xf32>
  %7 = fusion.argmax %x axes [1] : tensor<?x8xf32>
  // CHECK: fusion.negative %[[PLACE]] : tensor<?xi64>
  %8 = fusion.negative %7 : tensor<?xi64>
  // CHECK: fusion.argmin %{{.*}} axes [0, 1] keepdims : tensor<?x8xf32>
  %9 = fusion.argmin %x axes [0, 1] keepdims : tensor<?x8xf32>
  return
}

// Operands of rank 1 give no dimension to the product; batches broadcast.
//
// CHECK-LABEL: func.func @matmul
// CHECK-SAME: -> (tensor<4xf32>, tensor<5x2x6xf32>)
func.func @matmul(%a: tensor<4x?xf32>, %v: tensor<3xf32>, %b: tensor<5x1x2x3xf32>,
                  %c: tensor<3x6xf32>) -> (tensor<4xf32>, tensor<5x2x6xf32>) {
  // CHECK: fusion.matmul %{{.*}}, %{{.*}} : tensor<4x?xf32>, tensor<3xf32>
  %0 = fusion.matmul %a, %v : tensor<4x?xf32>, tensor<3xf32>
  %1 = fusion.squeeze %b axes [1] : tensor<5x1x2x3xf32>
  %2 = fusion.matmul %1, %c : tensor<5x2x3xf32>, tensor<3x6xf32>
  return %0, %2 : tensor<4xf32>, tensor<5x2x6xf32>
}

// CHECK-LABEL: func.func @fused
func.func @fused(%x: tensor<?x4xf32>, %s: f32) {
  // CHECK: fusion.fused "elementwise" (%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) : (tensor<?x4xf32>, f32) -> tensor<?x4xf32> attributes {takes_over = array<i64: 0>} {
  %0 = fusion.fused "elementwise" (%a = %x, %b = %s)
      : (tensor<?x4xf32>, f32) -> tensor<?x4xf32> attributes {takes_over = array<i64: 0>} {
    // CHECK: fusion.full %[[B]]
    %1 = fusion.full %b [] : f32 to tensor<f32>
    // CHECK: %[[SUM:.*]] = fusion.add %[[A]]
    %2 = fusion.add %a, %1 : tensor<?x4xf32>, tensor<f32>
    // CHECK: fusion.yield %[[SUM]] : tensor<?x4xf32>
    fusion.yield %2 : tensor<?x4xf32>
  }
  // CHECK: fusion.fused "reduction" (%{{.*}} = %{{.*}}) : (tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %3:2 = fusion.fused "reduction" (%a = %x) : (tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %4 = fusion.exp %a : tensor<?x4xf32>
    %5 = fusion.sum %4 axes [1] : tensor<?x4xf32>
    %6 = fusion.log %5 : tensor<?xf32>
    fusion.yield %5, %6 : tensor<?xf32>, tensor<?xf32>
  }
  return
}

// Static arguments of a call are apart from attributes that passes attach.
//
// CHECK-LABEL: func.func @custom_call
func.func @custom_call(%x: tensor<?xcomplex<f64>>) {
  // CHECK: fusion.custom_call "numpy.fft"(%{{.*}}) options {norm = "ortho"} : (tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>>
  %0 = fusion.custom_call "numpy.fft"(%x) options {norm = "ortho"} : (tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>>
  // CHECK: fusion.custom_call "numpy.fft"(%{{.*}}) {note} :
  %1 = fusion.custom_call "numpy.fft"(%x) {note} : (tensor<?xcomplex<f64>>) -> tensor<?xcomplex<f64>>
  return
}
