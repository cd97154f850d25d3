// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-hoist-views | FileCheck %s

// A view between two kernels moves to the arrays in memory, through all that only it reads.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT:  %[[T:.*]] = fusion.transpose %arg0 perm [1, 0]
// CHECK-NEXT:  %[[E:.*]] = fusion.exp %[[T]] : tensor<?x2xf32>
// CHECK-NEXT:  %[[N:.*]] = fusion.negative %[[E]] : tensor<?x2xf32>
// CHECK-NEXT:  fusion.abs %[[N]]
func.func @chain(%x: tensor<2x?xf32>) -> tensor<?x2xf32> {
  %0 = fusion.exp %x : tensor<2x?xf32>
  %1 = fusion.negative %0 : tensor<2x?xf32>
  %2 = fusion.transpose %1 perm [1, 0] : tensor<2x?xf32>
  %3 = fusion.abs %2 : tensor<?x2xf32>
  return %3 : tensor<?x2xf32>
}

// -----

// Two views, one behind the other, both move.
// CHECK-LABEL: func.func @two
// CHECK-NEXT:  fusion.transpose %arg0
// CHECK-NEXT:  fusion.flip
// CHECK-NEXT:  fusion.exp
// CHECK-NEXT:  fusion.abs
// CHECK-NEXT:  fusion.negative
func.func @two(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.transpose %0 perm [1, 0] : tensor<?x?xf32>
  %2 = fusion.abs %1 : tensor<?x?xf32>
  %3 = fusion.flip %2 axes [0] : tensor<?x?xf32>
  %4 = fusion.negative %3 : tensor<?x?xf32>
  return %4 : tensor<?x?xf32>
}

// -----

// e + e.T: what is read at two indices stays.
// CHECK-LABEL: func.func @two_uses
// CHECK-NEXT:  %[[E:.*]] = fusion.exp %arg0
// CHECK-NEXT:  %[[T:.*]] = fusion.transpose %[[E]]
// CHECK-NEXT:  fusion.add %[[E]], %[[T]]
func.func @two_uses(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.transpose %0 perm [1, 0] : tensor<?x?xf32>
  %2 = fusion.add %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// A view stays below a value that something else reads, and moves above what it alone reads.
// CHECK-LABEL: func.func @partly
// CHECK-NEXT:  %[[E:.*]] = fusion.exp %arg0
// CHECK-NEXT:  %[[T:.*]] = fusion.transpose %[[E]]
// CHECK-NEXT:  %[[N:.*]] = fusion.negative %[[T]]
// CHECK-NEXT:  fusion.abs %[[N]]
func.func @partly(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.negative %0 : tensor<?x?xf32>
  %2 = fusion.transpose %1 perm [1, 0] : tensor<?x?xf32>
  %3 = fusion.abs %2 : tensor<?x?xf32>
  return %3, %0 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A view that nothing computes with is free where it is.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT:  fusion.exp %arg0
// CHECK-NEXT:  fusion.transpose
func.func @returned(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.transpose %0 perm [1, 0] : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// But a slice saves work.
// CHECK-LABEL: func.func @sliced
// CHECK-NEXT:  fusion.slice %arg0[%arg1] [%arg2] [1]
// CHECK-NEXT:  fusion.exp
func.func @sliced(%x: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.slice %0[%o] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// An operand of fewer dimensions gets those that the transposition needs, a scalar none.
// CHECK-LABEL: func.func @transpose_lower
// CHECK-DAG:   fusion.transpose %arg0 perm [1, 0] : tensor<?x?xf32>
// CHECK-DAG:   fusion.expand_dims %arg1 axes [1] : tensor<?xf32>
// CHECK:       fusion.add %{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x1xf32>
// CHECK-NEXT:  fusion.multiply %{{.*}}, %arg2 : tensor<?x?xf32>, tensor<f32>
func.func @transpose_lower(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %s: tensor<f32>) -> tensor<?x?xf32> {
  %0 = fusion.add %x, %b : tensor<?x?xf32>, tensor<?xf32>
  %1 = fusion.multiply %0, %s : tensor<?x?xf32>, tensor<f32>
  %2 = fusion.transpose %1 perm [1, 0] : tensor<?x?xf32>
  %3 = fusion.abs %2 : tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// What has fewer dimensions and is computed moves along, with its own operand viewed.
// CHECK-LABEL: func.func @transpose_inner
// CHECK-DAG:   %[[B:.*]] = fusion.expand_dims %arg1 axes [1] : tensor<?xf32>
// CHECK-DAG:   fusion.negative %[[B]] : tensor<?x1xf32>
func.func @transpose_inner(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.negative %b : tensor<?xf32>
  %1 = fusion.add %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  %2 = fusion.transpose %1 perm [1, 0] : tensor<?x?xf32>
  %3 = fusion.abs %2 : tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// Leading dimensions need not be added or taken from what does not have them.
// CHECK-LABEL: func.func @expand_squeeze
// CHECK-DAG:   %[[E:.*]] = fusion.expand_dims %arg0 axes [1]
// CHECK:       fusion.multiply %[[E]], %arg1 : tensor<?x1x?xf32>, tensor<?xf32>
// CHECK:       %[[S:.*]] = fusion.squeeze %arg2 axes [0]
// CHECK:       fusion.add %[[S]], %arg1 : tensor<?xf32>, tensor<?xf32>
func.func @expand_squeeze(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %y: tensor<1x?xf32>) -> (tensor<?x1x?xf32>, tensor<?xf32>) {
  %0 = fusion.multiply %x, %b : tensor<?x?xf32>, tensor<?xf32>
  %1 = fusion.expand_dims %0 axes [1] : tensor<?x?xf32>
  %2 = fusion.abs %1 : tensor<?x1x?xf32>
  %3 = fusion.add %y, %b : tensor<1x?xf32>, tensor<?xf32>
  %4 = fusion.squeeze %3 axes [0] : tensor<1x?xf32>
  %5 = fusion.abs %4 : tensor<?xf32>
  return %2, %5 : tensor<?x1x?xf32>, tensor<?xf32>
}

// -----

// A slice or a flip leaves an extent alone that repeats.
// CHECK-LABEL: func.func @slice_repeated
// CHECK-DAG:   fusion.slice %arg0[%arg2, 1] [%arg3, 3] [-1, 2] : tensor<?x8xf32> to tensor<?x3xf32>
// CHECK-DAG:   fusion.slice %arg1[%arg2, 0] [%arg3, 1] [-1, 1] : tensor<?x1xf32> to tensor<?x1xf32>
// CHECK:       fusion.add
func.func @slice_repeated(%x: tensor<?x8xf32>, %y: tensor<?x1xf32>, %o: index, %n: index) -> tensor<?x3xf32> {
  %0 = fusion.add %x, %y : tensor<?x8xf32>, tensor<?x1xf32>
  %1 = fusion.slice %0[%o, 1] [%n, 3] [-1, 2] : tensor<?x8xf32> to tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @flip_repeated
// CHECK-DAG:   fusion.flip %arg0 axes [0, 1] : tensor<?x8xf32>
// CHECK-DAG:   fusion.flip %arg1 axes [0] : tensor<?x1xf32>
func.func @flip_repeated(%x: tensor<?x8xf32>, %y: tensor<?x1xf32>) -> tensor<?x8xf32> {
  %0 = fusion.add %x, %y : tensor<?x8xf32>, tensor<?x1xf32>
  %1 = fusion.flip %0 axes [0, 1] : tensor<?x8xf32>
  %2 = fusion.abs %1 : tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// -----

// An extent of 1 of the sliced value itself may become 0: it is sliced in each operand.
// CHECK-LABEL: func.func @slice_of_one
// CHECK-DAG:   fusion.slice %arg0[0, 0] [%arg2, 4] [1, 1] : tensor<1x4xf32> to tensor<?x4xf32>
// CHECK-DAG:   fusion.slice %arg1[0, 0] [%arg2, 1] [1, 1] : tensor<1x1xf32> to tensor<?x1xf32>
func.func @slice_of_one(%x: tensor<1x4xf32>, %y: tensor<1x1xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = fusion.add %x, %y : tensor<1x4xf32>, tensor<1x1xf32>
  %1 = fusion.slice %0[0, 0] [%n, 4] [1, 1] : tensor<1x4xf32> to tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// The operations move down to the view, whose numbers may not be known before.
// CHECK-LABEL: func.func @late_numbers
// CHECK-NEXT:  %[[N:.*]] = arith.addi
// CHECK-NEXT:  fusion.slice %arg0[0] [%[[N]]] [1]
// CHECK-NEXT:  fusion.exp
func.func @late_numbers(%x: tensor<?xf32>, %o: index) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %n = arith.addi %o, %o : index
  %1 = fusion.slice %0[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A reshape moves if all operands have the shape, and are dense: then it is a view of them.
// CHECK-LABEL: func.func @reshape
// CHECK-DAG:   %[[X:.*]] = fusion.reshape %arg0 [%arg3] : tensor<?x?xf32> to tensor<?xf32>
// CHECK-DAG:   %[[Y:.*]] = fusion.reshape %arg1 [%arg3] : tensor<?x?xf32> to tensor<?xf32>
// CHECK:       fusion.add %[[X]], %[[Y]]
// CHECK-NEXT:  fusion.multiply %{{.*}}, %arg2 : tensor<?xf32>, tensor<f32>
func.func @reshape(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %s: tensor<f32>, %n: index) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?x?xf32>, tensor<?x?xf32>
  %1 = fusion.multiply %0, %s : tensor<?x?xf32>, tensor<f32>
  %2 = fusion.reshape %1 [%n] : tensor<?x?xf32> to tensor<?xf32>
  %3 = fusion.abs %2 : tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// A repetition moves above few cheap operations. One operand gives the shape; those whose static
// extents say that they fit need not be repeated.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT:  %[[X:.*]] = fusion.broadcast %arg0 [%arg2, 4]
// CHECK-NEXT:  fusion.add %[[X]], %arg1 : tensor<?x4xf32>, tensor<4xf32>
// CHECK-NEXT:  fusion.negative
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = fusion.add %x, %y : tensor<4xf32>, tensor<4xf32>
  %1 = fusion.broadcast %0 [%n, 4] : tensor<4xf32> to tensor<?x4xf32>
  %2 = fusion.negative %1 : tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// All whose extents are dynamic are repeated: they may be 1 when the program runs.
// CHECK-LABEL: func.func @broadcast_dynamic
// CHECK-NEXT:  %[[X:.*]] = fusion.broadcast %arg0 [%arg2] : tensor<?xf32>
// CHECK-NEXT:  %[[Y:.*]] = fusion.broadcast %arg1 [%arg2] : tensor<?xf32>
// CHECK-NEXT:  fusion.add %[[X]], %[[Y]]
func.func @broadcast_dynamic(%x: tensor<?xf32>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.broadcast %0 [%n] : tensor<?xf32> to tensor<?xf32>
  %2 = fusion.negative %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
