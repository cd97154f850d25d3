// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-flatten-kernels | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --fusion-flatten-kernels=drop-main=false | FileCheck %s --check-prefix=KEEP

// Arrays of any shape are tiles of one dimension, also those that repeat: the launcher packs them.
// One number is a tensor of rank 0. The caller goes, as its calls have other types.
// CHECK-NOT:   @main
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME:    (%{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<f32>, %{{.*}}: f32) -> tensor<?xf32>
// CHECK-SAME:    fusion.flat
// CHECK-NEXT:    fusion.full %{{.*}} [] : f32 to tensor<f32>
// CHECK-NEXT:    fusion.negative %{{.*}} : tensor<?xf32>
// CHECK-NEXT:    fusion.add %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<?xf32>
// CHECK-NEXT:    fusion.add %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>
// CHECK-NEXT:    fusion.add %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<f32>
// KEEP:        func.func @main
func.func @main() {
  return
}
func.func private @kernel_0(%x: tensor<?x4xf32>, %b: tensor<?x1xf32>, %c: tensor<1x1xf32>, %s: f32) -> tensor<?x4xf32> attributes {fusion.kernel = "elementwise"} {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.negative %b : tensor<?x1xf32>
  %1 = fusion.add %x, %0 : tensor<?x4xf32>, tensor<?x1xf32>
  %2 = fusion.add %t, %c : tensor<f32>, tensor<1x1xf32>
  %3 = fusion.add %1, %2 : tensor<?x4xf32>, tensor<1x1xf32>
  return %3 : tensor<?x4xf32>
}

// -----

// If the result is one number, its operands are tiles too: something has to carry the loop.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME:    (%{{.*}}: tensor<?xf32>, %{{.*}}: f32) -> tensor<?xf32>
// CHECK:         fusion.add %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<f32>
func.func private @kernel_0(%x: tensor<f32>, %s: f32) -> tensor<f32> attributes {fusion.kernel = "elementwise"} {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.add %x, %t : tensor<f32>, tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Made of scalars alone, the array made of them is.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME:    (%[[S:.*]]: f32, %[[M:.*]]: index, %[[N:.*]]: index) -> tensor<?xf32>
// CHECK:         %[[C:.*]] = arith.constant 4 : index
// CHECK-NEXT:    %[[P:.*]] = arith.muli %[[C]], %[[M]]
// CHECK-NEXT:    %[[Q:.*]] = arith.muli %[[P]], %[[N]]
// CHECK-NEXT:    fusion.full %[[S]] [%[[Q]]] : f32 to tensor<?xf32>
func.func private @kernel_0(%s: f32, %m: index, %n: index) -> tensor<?x4x?xf32> attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.full %s [%m, 4, %n] : f32 to tensor<?x4x?xf32>
  return %0 : tensor<?x4x?xf32>
}

// -----

// Constants have rank 0; a range counts the flat index.
// CHECK-LABEL: func.func private @kernel_0
// CHECK:         fusion.constant dense<2.{{.*}}> : tensor<f32>
// CHECK-NEXT:    fusion.iota %{{.*}}, %{{.*}} [%arg3] : f32, f32 to tensor<?xf32>
func.func private @kernel_0(%x: tensor<?xf32>, %a: f32, %b: f32, %n: index) -> tensor<?xf32> attributes {fusion.kernel = "elementwise"} {
  %c = fusion.constant dense<2.0> : tensor<1xf32>
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.multiply %0, %c : tensor<?xf32>, tensor<1xf32>
  %2 = fusion.multiply %1, %x : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Two arrays of scalars that repeat along each other make a loop over both extents.
// CHECK-LABEL: func.func private @kernel_0
// CHECK:         %[[N:.*]] = arith.muli %arg2, %arg3
// CHECK-NEXT:    fusion.full %arg0 [%[[N]]] : f32 to tensor<?xf32>
// CHECK:         %[[N:.*]] = arith.muli %arg2, %arg3
// CHECK-NEXT:    fusion.full %arg1 [%[[N]]] : f32 to tensor<?xf32>
func.func private @kernel_0(%s: f32, %t: f32, %m: index, %n: index) -> tensor<?x?xf32> attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.full %s [%m, 1] : f32 to tensor<?x1xf32>
  %1 = fusion.full %t [%n] : f32 to tensor<?xf32>
  %2 = fusion.add %0, %1 : tensor<?x1xf32>, tensor<?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// A range of several dimensions counts the flat index, and its own extents say how far.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NEXT:    %[[N:.*]] = arith.muli %arg4, %arg5
// CHECK-NEXT:    %[[I:.*]] = fusion.iota %arg1, %arg2 [%[[N]]] : f32, f32 to tensor<?xf32>
// CHECK-NEXT:    %[[M:.*]] = fusion.multiply %[[I]], %arg0
// CHECK-NEXT:    return %[[M]]
func.func private @kernel_0(%x: tensor<?xf32>, %a: f32, %b: f32, %k: index, %m: index, %n: index) -> tensor<?x1x?xf32> attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.expand_dims %1 axes [1] : tensor<?x?xf32>
  %3 = fusion.multiply %2, %x : tensor<?x1x?xf32>, tensor<?xf32>
  return %3 : tensor<?x1x?xf32>
}
