// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --target=cuda --stop-after=gpu | FileCheck %s

// A row by several threads: vectors, then the lanes of a warp, then the warps through shared memory. What
// follows is computed where the result is, unless there are several chunks, which a second kernel joins.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK-SAME:    workgroup({{.*}} : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK:         vector.load
// CHECK:         gpu.shuffle xor
// CHECK:         gpu.barrier
// CHECK:         gpu.shuffle xor
// CHECK:         math.sqrt
// CHECK:       gpu.func @kernel_0_finish(
// CHECK:         gpu.shuffle xor
// CHECK:         math.sqrt
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.multiply %x, %x : tensor<?x?xf32>, tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x?xf32>
  %2 = fusion.sqrt %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Columns: a thread has several of them, and no lanes to exchange with.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK-SAME:    workgroup({{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>)
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.barrier
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = fusion.sum %x axes [0] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Elements and places; of equal elements the one in front wins, so the order of joining does not matter.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK:         gpu.shuffle xor {{.*}} : i32
// CHECK:         gpu.shuffle xor {{.*}} : i64
// CHECK:         arith.cmpi ult
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xi64> {
  %0 = fusion.argmax %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?xi64>
}

// -----

// Half floats are summed as f32, in vectors of eight.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK:         vector.load {{.*}} vector<8xi16>
// CHECK:         arith.addf {{.*}} : f32
func.func @main(%x: tensor<?x?xf16>) -> tensor<?xf16> {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf16>
  return %0 : tensor<?xf16>
}

// -----

// The order of a sum follows from what is summed, not from what that is computed of: four lanes a thread, by two
// accesses of a wider operand.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK-SAME:    fusion.vector = 4
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK:         vector.load {{.*}}alignment = 16{{.*}} vector<4xf64>
func.func @main(%x: tensor<?x?xf64>) -> tensor<?xf32> {
  %0 = fusion.cast %x : tensor<?x?xf64> to tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Where the order is nobody's, it follows from the operands.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK-SAME:    fusion.vector = 2
func.func @main(%x: tensor<?x?xf64>) -> tensor<?xf32> {
  %0 = fusion.cast %x : tensor<?x?xf64> to tensor<?x?xf32>
  %1 = fusion.max %0 axes [1] : tensor<?x?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Reduced extents of 1 alone have no dimension: the column gives the place, not the row.
// CHECK-LABEL: func.func @kernel_0_reduce(
// CHECK:       gpu.func @kernel_0_reduce(
// CHECK:         scf.if
// CHECK:           %[[COLUMN:.*]] = arith.minsi
// CHECK:           %[[N:.*]] = arith.index_cast %[[COLUMN]]
// CHECK:           %[[PLACE:.*]] = arith.index_castui %[[N]]
// CHECK:           scf.for
// CHECK:             %[[AT:.*]] = arith.muli %[[PLACE]]
// CHECK:             vector.load %{{.*}}[%[[AT]]]
func.func @main(%x: tensor<?x1xi32>) -> tensor<?xi32> {
  %0 = fusion.max %x axes [1] : tensor<?x1xi32>
  return %0 : tensor<?xi32>
}
