// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --target=cuda --stop-after=gpu | FileCheck %s

// Dense operands need no strides: whole blocks go by vectors of 16 bytes, the last block by elements.
// CHECK-LABEL: func.func @kernel_0_flat(
// CHECK-SAME:    %[[STREAM:[^:]*]]: !llvm.ptr, %[[GRID:[^:]*]]: index
// CHECK:         %[[TOKEN:.*]] = builtin.unrealized_conversion_cast %[[STREAM]] : !llvm.ptr to !gpu.async.token
// CHECK:         gpu.launch_func async [%[[TOKEN]]] @kernels::@kernel_0_flat blocks in (%[[GRID]],
// CHECK-NOT:   func.func
// CHECK:       gpu.func @kernel_0_flat(
// CHECK:         scf.if
// CHECK:           vector.load {{.*}}alignment = 16{{.*}} vector<4xf32>
// CHECK:           vector.store {{.*}}alignment = 16{{.*}} vector<4xf32>
// CHECK:         } else {
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             memref.store
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.negative %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The narrower operands of a mixture are read in shorter vectors.
// CHECK-LABEL: func.func @kernel_0_flat(
// CHECK:       gpu.func @kernel_0_flat(
// CHECK:         vector.load {{.*}}alignment = 4{{.*}} vector<2xi16>
// CHECK:         vector.store {{.*}}alignment = 16{{.*}} vector<2xf64>
func.func @main(%x: tensor<?xf16>) -> tensor<?xf64> {
  %0 = fusion.cast %x : tensor<?xf16> to tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

// A repeated operand: along rows in vectors, in any layout by elements, and in squares through shared
// memory for what lies across. Divisions by extents are multiplications.
// CHECK-LABEL: func.func @kernel_0_rows(
// CHECK:       gpu.func @kernel_0_rows(
// CHECK-NOT:     div
// CHECK:         arith.mului_extended
// CHECK:         vector.load
// CHECK:       gpu.func @kernel_0_strided(
// CHECK-NOT:     vector.load
// CHECK:         memref.load
// CHECK:       gpu.func @kernel_0_tile(
// CHECK-SAME:    workgroup({{.*}} : memref<1056xf32, #gpu.address_space<workgroup>>)
// Of the two blocks that have a square of the diagonal one stores it.
// CHECK:         %[[FIRST:.*]] = arith.ori %{{.*}}, %{{.*}} : i1
// CHECK:         gpu.barrier
// CHECK:         %[[VALID:.*]] = arith.andi %{{.*}}, %[[FIRST]] : i1
// CHECK:         scf.if %[[VALID]]
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %0 = fusion.broadcast %b [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %1 = fusion.add %x, %0 : tensor<?x?xf32>, tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// What is constant along rows is read once for a vector, and never in squares.
// CHECK-LABEL: func.func @kernel_0_rows(
// CHECK:       gpu.func @kernel_0_rows(
// CHECK:         vector.load
// CHECK:         memref.load
// CHECK-NOT:   @kernel_0_tile
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?x1xf32>) -> tensor<?x?xf32> {
  %0 = fusion.add %x, %b : tensor<?x?xf32>, tensor<?x1xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A result that takes an operand's memory over is that operand.
// CHECK-LABEL: func.func @kernel_0_flat(
// CHECK:       gpu.func @kernel_0_flat(
// CHECK-SAME:    %arg2: memref<?xf32, 1>) kernel
func.func @main(%x: tensor<?xf32> {fusion.dies}) -> tensor<?xf32> {
  %0 = fusion.negative %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The reciprocal of a divisor that is a scalar is found once, by the host.
// CHECK-LABEL: func.func @kernel_0_flat(
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK:         gpu.launch_func
// CHECK-LABEL: gpu.func @kernel_0_flat(
// CHECK-NOT:     scf.for {{.*}} iter_args
// CHECK:         gpu.return
func.func @main(%x: tensor<?xi64>, %s: i64) -> tensor<?xi64> {
  %0 = fusion.full %s [] : i64 to tensor<i64>
  %1 = fusion.floor_divide %x, %0 : tensor<?xi64>, tensor<i64>
  return %1 : tensor<?xi64>
}
