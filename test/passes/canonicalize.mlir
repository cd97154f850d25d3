// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-canonicalize | FileCheck %s

// Equal operations are joined and unused ones go.
// CHECK-LABEL: func.func @cse
// CHECK-NEXT:  %[[E:.*]] = fusion.exp
// CHECK-NEXT:  fusion.add %[[E]], %[[E]]
// CHECK-NEXT:  return
func.func @cse(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.exp %x : tensor<?xf32>
  %2 = fusion.log %x : tensor<?xf32>
  %3 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// What is the same everywhere is one number where another operand gives the shape.
// CHECK-LABEL: func.func @splats
// CHECK-NEXT:  %[[F:.*]] = fusion.full %arg1 [] : f32 to tensor<f32>
// CHECK-NEXT:  %[[M:.*]] = fusion.multiply %arg0, %[[F]]
// CHECK-NEXT:  %[[C:.*]] = fusion.constant dense<2.{{.*}}> : tensor<f32>
// CHECK-NEXT:  fusion.add %[[M]], %[[C]]
func.func @splats(%x: tensor<?x4xf32>, %s: f32, %n: index) -> tensor<?x4xf32> {
  %c = fusion.constant dense<2.0> : tensor<4xf32>
  %f = fusion.full %s [%n, 4] : f32 to tensor<?x4xf32>
  %0 = fusion.multiply %x, %f : tensor<?x4xf32>, tensor<?x4xf32>
  %1 = fusion.add %0, %c : tensor<?x4xf32>, tensor<4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// One operand keeps the shape if there is no other.
// CHECK-LABEL: func.func @all_splats
// CHECK:       fusion.add %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<f32>
func.func @all_splats(%s: f32, %t: f32, %n: index) -> tensor<?xf32> {
  %0 = fusion.full %s [%n] : f32 to tensor<?xf32>
  %1 = fusion.full %t [%n] : f32 to tensor<?xf32>
  %2 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// A repetition that the operation makes itself goes.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT:  fusion.add %arg0, %arg1 : tensor<2x4x?xf32>, tensor<4x1xf32>
func.func @broadcast(%x: tensor<2x4x?xf32>, %y: tensor<4x1xf32>, %n: index) -> tensor<2x4x?xf32> {
  %0 = fusion.broadcast %y [2, 4, %n] : tensor<4x1xf32> to tensor<2x4x?xf32>
  %1 = fusion.add %x, %0 : tensor<2x4x?xf32>, tensor<2x4x?xf32>
  return %1 : tensor<2x4x?xf32>
}

// -----

// Not one of a dynamic extent, which may be 1 when the program runs.
// CHECK-LABEL: func.func @broadcast_dynamic
// CHECK-NEXT:  fusion.broadcast
func.func @broadcast_dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = fusion.broadcast %y [%n] : tensor<?xf32> to tensor<?xf32>
  %1 = fusion.add %x, %0 : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Nor one that gives the operation its shape.
// CHECK-LABEL: func.func @broadcast_of_all
// CHECK-NEXT:  fusion.broadcast
// CHECK-NEXT:  fusion.multiply %{{.*}}, %arg1 : tensor<?x4xf32>, tensor<4xf32>
func.func @broadcast_of_all(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = fusion.broadcast %x [%n, 4] : tensor<4xf32> to tensor<?x4xf32>
  %1 = fusion.broadcast %y [%n, 4] : tensor<4xf32> to tensor<?x4xf32>
  %2 = fusion.multiply %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// A view of a filled array is a filled array.
// CHECK-LABEL: func.func @view_of_full
// CHECK-DAG:   fusion.full %arg0 [%arg1, 4] : f32 to tensor<?x4xf32>
// CHECK-DAG:   fusion.full %arg0 [%arg1, 1, 3] : f32 to tensor<?x1x3xf32>
// CHECK-DAG:   fusion.full %arg0 [2, %arg1] : f32 to tensor<2x?xf32>
// CHECK-NOT:   fusion.transpose
// CHECK:       return
func.func @view_of_full(%s: f32, %n: index) -> (tensor<?x4xf32>, tensor<?x1x3xf32>, tensor<2x?xf32>) {
  %0 = fusion.full %s [] : f32 to tensor<f32>
  %1 = fusion.broadcast %0 [%n, 4] : tensor<f32> to tensor<?x4xf32>
  %2 = fusion.full %s [3, %n] : f32 to tensor<3x?xf32>
  %3 = fusion.transpose %2 perm [1, 0] : tensor<3x?xf32>
  %4 = fusion.expand_dims %3 axes [1] : tensor<?x3xf32>
  %5 = fusion.slice %2[0, 0] [2, %n] [1, 1] : tensor<3x?xf32> to tensor<2x?xf32>
  return %1, %4, %5 : tensor<?x4xf32>, tensor<?x1x3xf32>, tensor<2x?xf32>
}
