// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-outline-kernels | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --fusion-outline-kernels --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// A kernel becomes a function and a call; what is between kernels stays.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:  %[[T:.*]] = fusion.transpose %arg0
// CHECK-NEXT:  %[[R:.*]] = call @kernel_0(%[[T]], %arg1) : (tensor<?x?xf32>, f32) -> tensor<?x?xf32>
// CHECK-NEXT:  %[[S:.*]] = call @kernel_1(%[[R]])
// CHECK-NEXT:  return %[[S]]
// CHECK:       func.func private @kernel_0(%[[X:.*]]: tensor<?x?xf32>, %[[A:.*]]: f32) -> tensor<?x?xf32>
// CHECK-SAME:    attributes {fusion.kernel = "elementwise", fusion.takes_over = array<i64: 0>}
// CHECK-NEXT:    %[[F:.*]] = fusion.full %[[A]] []
// CHECK-NEXT:    %[[M:.*]] = fusion.multiply %[[X]], %[[F]]
// CHECK-NEXT:    return %[[M]]
// CHECK:       func.func private @kernel_1
// CHECK-SAME:    attributes {fusion.kernel = "reduction"}
// LOC: fusion.multiply {{.*}} loc(#[[LOC:.*]])
// LOC: #[[LOC]] = loc("line.py":7:0)
func.func @main(%x: tensor<?x?xf32>, %s: f32) -> tensor<?xf32> {
  %0 = fusion.transpose %x perm [1, 0] : tensor<?x?xf32>
  %1 = fusion.fused "elementwise" (%a = %0, %b = %s) : (tensor<?x?xf32>, f32) -> tensor<?x?xf32> attributes {takes_over = array<i64: 0>} {
    %t = fusion.full %b [] : f32 to tensor<f32>
    %m = fusion.multiply %a, %t : tensor<?x?xf32>, tensor<f32> loc("line.py":7:0)
    fusion.yield %m : tensor<?x?xf32>
  }
  %2 = fusion.fused "reduction" (%a = %1) : (tensor<?x?xf32>) -> tensor<?xf32> {
    %m = fusion.sum %a axes [1] : tensor<?x?xf32>
    fusion.yield %m : tensor<?xf32>
  }
  return %2 : tensor<?xf32>
}

// -----

// Names that are taken are skipped.
// CHECK-LABEL: func.func private @kernel_0()
// CHECK:       call @kernel_1
func.func private @kernel_0()
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    %m = fusion.exp %a : tensor<?xf32>
    fusion.yield %m : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// Ranges are made in the functions, which take what they are made of; nothing of them stays outside.
// What a result takes over has another number then.
// CHECK-LABEL: func.func @ranges
// CHECK-NEXT:  %[[R:.*]] = call @kernel_0(%arg0, %arg1, %arg2, %arg5, %arg3, %arg4) : (tensor<?x?xf32>, f32, f32, index, index, index) -> tensor<?x?xf32>
// CHECK-NEXT:  return %[[R]]
// CHECK:       func.func private @kernel_0(%[[X:.*]]: tensor<?x?xf32>, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[K:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK-SAME:    attributes {fusion.kernel = "elementwise", fusion.takes_over = array<i64: 0>}
// CHECK-NEXT:    %[[I:.*]] = fusion.iota %[[A]], %[[B]] [%[[K]]]
// CHECK-NEXT:    %[[V:.*]] = fusion.reshape %[[I]] [%[[M]], %[[N]]]
// CHECK-NEXT:    fusion.multiply %[[V]], %[[X]]
func.func @ranges(%x: tensor<?x?xf32> {fusion.dies}, %a: f32, %b: f32, %m: index, %n: index, %k: index) -> tensor<?x?xf32> {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.fused "elementwise" (%i = %1, %v = %x) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> attributes {takes_over = array<i64: 1>} {
    %p = fusion.multiply %i, %v : tensor<?x?xf32>, tensor<?x?xf32>
    fusion.yield %p : tensor<?x?xf32>
  }
  return %2 : tensor<?x?xf32>
}
