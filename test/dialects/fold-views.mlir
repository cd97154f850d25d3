// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views and reductions: identities, pairs that undo one another, constants.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[S:.*]]: tensor<2x4xf32>)
func.func @identities(%x: tensor<?x4xf32>, %s: tensor<2x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = fusion.transpose %x perm [0, 1] : tensor<?x4xf32>
  %f = fusion.flip %x axes [] : tensor<?x4xf32>
  %e = fusion.expand_dims %f axes [] : tensor<?x4xf32>
  %1 = fusion.squeeze %e axes [] : tensor<?x4xf32>
  %2 = fusion.slice %s[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> to tensor<2x4xf32>
  %3 = fusion.broadcast %s [2, 4] : tensor<2x4xf32> to tensor<2x4xf32>
  %4 = fusion.reshape %s [2, 4] : tensor<2x4xf32> to tensor<2x4xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[S]], %[[S]], %[[S]]
  return %0, %1, %2, %3, %4 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// Between unknown extents equal types say nothing about the extents.
//
// CHECK-LABEL: func.func @unknown_extents
// CHECK: fusion.broadcast
// CHECK: fusion.reshape
// CHECK: fusion.slice
func.func @unknown_extents(%x: tensor<?x4xf32>, %n: index) -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = fusion.broadcast %x [%n, 4] : tensor<?x4xf32> to tensor<?x4xf32>
  %1 = fusion.reshape %x [%n, 4] : tensor<?x4xf32> to tensor<?x4xf32>
  %2 = fusion.slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// CHECK-LABEL: func.func @transposes
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %a = fusion.transpose %x perm [2, 0, 1] : tensor<2x3x4xf32>
  // CHECK: %[[Y:.*]] = fusion.transpose %[[X]] perm [1, 2, 0] : tensor<2x3x4xf32>
  %0 = fusion.transpose %a perm [2, 0, 1] : tensor<4x2x3xf32>
  %1 = fusion.transpose %a perm [1, 2, 0] : tensor<4x2x3xf32>
  // CHECK-NEXT: return %[[Y]], %[[X]]
  return %0, %1 : tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @expand_and_squeeze
// CHECK-SAME: (%[[X:.*]]: tensor<?x1xf32>)
func.func @expand_and_squeeze(%x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>, tensor<1x?xf32>) {
  %e = fusion.expand_dims %x axes [0] : tensor<?x1xf32>
  %0 = fusion.squeeze %e axes [0] : tensor<1x?x1xf32>
  %s = fusion.squeeze %x axes [1] : tensor<?x1xf32>
  %1 = fusion.expand_dims %s axes [1] : tensor<?xf32>
  // Other axes than those that were added stay.
  // CHECK: fusion.expand_dims
  // CHECK: %[[Y:.*]] = fusion.squeeze
  %2 = fusion.squeeze %e axes [2] : tensor<1x?x1xf32>
  // CHECK: return %[[X]], %[[X]], %[[Y]]
  return %0, %1, %2 : tensor<?x1xf32>, tensor<?x1xf32>, tensor<1x?xf32>
}

// Axes flipped twice, and extents of 1, are not flipped at all.
//
// CHECK-LABEL: func.func @flips
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x1xf32>)
func.func @flips(%x: tensor<?x?x1xf32>) -> (tensor<?x?x1xf32>, tensor<?x?x1xf32>) {
  %a = fusion.flip %x axes [0, 2] : tensor<?x?x1xf32>
  %0 = fusion.flip %a axes [0] : tensor<?x?x1xf32>
  // CHECK: %[[Y:.*]] = fusion.flip %[[X]] axes [1]
  %1 = fusion.flip %a axes [0, 1] : tensor<?x?x1xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]]
  return %0, %1 : tensor<?x?x1xf32>, tensor<?x?x1xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:.*]]: tensor<4x6xf32>)
func.func @reshapes(%x: tensor<4x6xf32>) -> (tensor<3x8xf32>, tensor<4x6xf32>) {
  %a = fusion.reshape %x [24] : tensor<4x6xf32> to tensor<24xf32>
  // CHECK: %[[Y:.*]] = fusion.reshape %[[X]] [3, 8]
  %0 = fusion.reshape %a [3, 8] : tensor<24xf32> to tensor<3x8xf32>
  %1 = fusion.reshape %a [4, 6] : tensor<24xf32> to tensor<4x6xf32>
  // CHECK-NEXT: return %[[Y]], %[[X]]
  return %0, %1 : tensor<3x8xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2x3xi8>, tensor<4xi8>, tensor<3x1xi8>, tensor<3xi8>) {
  %splat = fusion.constant dense<7> : tensor<3xi8>
  %list = fusion.constant dense<[1, 2, 3]> : tensor<3xi8>
  // CHECK-DAG: dense<7> : tensor<2x3xi8>
  %0 = fusion.broadcast %splat [2, 3] : tensor<3xi8> to tensor<2x3xi8>
  // CHECK-DAG: dense<9> : tensor<4xi8>
  %nine = arith.constant 9 : i8
  %1 = fusion.full %nine [4] : i8 to tensor<4xi8>
  // CHECK-DAG: dense<{{\[\[}}1], [2], [3]]> : tensor<3x1xi8>
  %2 = fusion.expand_dims %list axes [1] : tensor<3xi8>
  // The elements of a constant are not moved.
  // CHECK: fusion.flip
  %3 = fusion.flip %list axes [0] : tensor<3xi8>
  return %0, %1, %2, %3 : tensor<2x3xi8>, tensor<4xi8>, tensor<3x1xi8>, tensor<3xi8>
}

// CHECK-LABEL: func.func @no_axes
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xi1>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[B]]
func.func @no_axes(%x: tensor<?xf32>, %b: tensor<?xi1>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>) {
  %0 = fusion.sum %x axes [] : tensor<?xf32>
  %1 = fusion.mean %x axes [] keepdims : tensor<?xf32>
  %2 = fusion.max %x axes [] : tensor<?xf32>
  %3 = fusion.any %b axes [] : tensor<?xi1>
  return %0, %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi1>
}

// The largest of one element is that element; a sum adds it to a zero, which may change -0.0.
//
// CHECK-LABEL: func.func @one_element
// CHECK-SAME: (%[[X:.*]]: tensor<?x1xf32>)
func.func @one_element(%x: tensor<?x1xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?xf32>) {
  %0 = fusion.max %x axes [1] keepdims : tensor<?x1xf32>
  // CHECK: %[[SUM:.*]] = fusion.sum
  %1 = fusion.sum %x axes [1] keepdims : tensor<?x1xf32>
  // CHECK: %[[MIN:.*]] = fusion.min
  %2 = fusion.min %x axes [1] : tensor<?x1xf32>
  // CHECK: return %[[X]], %[[SUM]], %[[MIN]]
  return %0, %1, %2 : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?xf32>
}

// The place of the one element there is; of no known number of results there is no constant.
//
// CHECK-LABEL: func.func @place_of_one
func.func @place_of_one(%x: tensor<1x1xf32>, %y: tensor<?x1xf32>, %z: tensor<2x1xf32>)
    -> (tensor<i64>, tensor<?xi64>, tensor<2x1xi64>, tensor<1xi64>) {
  // CHECK-DAG: %[[A:.*]] = fusion.constant dense<0> : tensor<i64>
  // CHECK-DAG: %[[C:.*]] = fusion.constant dense<0> : tensor<2x1xi64>
  // CHECK-DAG: %[[B:.*]] = fusion.argmin
  // CHECK-DAG: %[[D:.*]] = fusion.argmin %{{.*}} axes [0]
  %0 = fusion.argmax %x axes [0, 1] : tensor<1x1xf32>
  %1 = fusion.argmin %y axes [1] : tensor<?x1xf32>
  %2 = fusion.argmax %z axes [1] keepdims : tensor<2x1xf32>
  %3 = fusion.argmin %z axes [0] : tensor<2x1xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<i64>, tensor<?xi64>, tensor<2x1xi64>, tensor<1xi64>
}
