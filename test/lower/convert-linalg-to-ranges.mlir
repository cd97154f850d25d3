// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --convert-fusion-to-linalg --convert-linalg-to-ranges \
// RUN:   | FileCheck %s

// One loop over the range of the last two arguments; its index is that of the element.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf32, strided<[1]>> {llvm.noalias},
// CHECK-SAME:    %[[O:[a-z0-9]*]]: memref<?xf32, strided<[1]>> {llvm.noalias},
// CHECK-SAME:    %[[BEGIN:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index)
// CHECK:         scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-NEXT:      %[[A:.*]] = memref.load %[[X]][%[[I]]]
// CHECK-NEXT:      %[[R:.*]] = arith.negf %[[A]]
// CHECK-NEXT:      memref.store %[[R]], %[[O]][%[[I]]]
func.func private @elementwise(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.negative %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A row of floats is added in 64 lanes, then these by halves: the order is in the IR.
// CHECK-LABEL: func.func @row_sum(
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: index, %[[COLUMNS:[a-z0-9]*]]: index)
// CHECK:         %[[LANES:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK:         scf.for %{{.*}} to %[[ROWS]]
// CHECK:           vector.store %{{.*}}, %[[LANES]]
// CHECK:           scf.for %{{.*}} to %[[COLUMNS]] step %c64
// CHECK:             scf.for %[[LANE:.*]] = %c0
// CHECK:               memref.load %[[LANES]][%[[LANE]]]
// CHECK:               arith.addf
// CHECK:               memref.store %{{.*}}, %[[LANES]][%[[LANE]]]
// CHECK:           arith.addf %{{.*}} : vector<32xf32>
// CHECK:           arith.addf %{{.*}} : vector<1xf32>
func.func private @row_sum(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "row"} {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Where the order does not matter LLVM chooses it.
// CHECK-LABEL: func.func @row_max(
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for
// CHECK:           %[[R:.*]] = scf.for {{.*}} iter_args
// CHECK:             arith.maximumf
// CHECK:           memref.store %[[R]]
func.func private @row_max(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "row"} {
  %0 = fusion.max %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Columns are the inner loop, of which each has its own sum.
// CHECK-LABEL: func.func @col_sum(
// CHECK-SAME:    %[[P:[a-z0-9]*]]: memref<?xf32, strided<[1]>>
// CHECK-SAME:    %[[ROWS:[a-z0-9]*]]: index, %[[COLUMNS:[a-z0-9]*]]: index)
// CHECK:         scf.for %{{.*}} to %[[COLUMNS]]
// CHECK:         scf.for %{{.*}} to %[[ROWS]]
// CHECK-NEXT:      scf.for %[[C:.*]] = %{{.*}} to %[[COLUMNS]]
// CHECK:             memref.store %{{.*}}, %[[P]][%[[C]]]
func.func private @col_sum(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "col"} {
  %0 = fusion.sum %x axes [0] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Chunks are combined in pairs, pairs of pairs and so on.
// CHECK-LABEL: func.func @finish(
// CHECK:         scf.while (%[[D:.*]] = %c1
// CHECK:           scf.condition
// CHECK:           %[[TWICE:.*]] = arith.addi
// CHECK:           scf.for {{.*}} step %[[TWICE]]
// CHECK:             scf.for
// CHECK:               arith.addf
// CHECK:             llvm.loop_annotation
// CHECK:           scf.yield %[[TWICE]]
// CHECK:         scf.for
func.func private @finish(%p: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.finish = "sum", fusion.flat} {
  %0 = fusion.sum %p axes [0] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Short rows are looked through one by one. In long ones 64 keys are compared at a time, each with
// the turn in which it was found; then these by halves, the first of equal ones first.
// CHECK-LABEL: func.func @row_place(
// CHECK-SAME:    %[[BASE:[a-z0-9]*]]: index, %[[ROWS:[a-z0-9]*]]: index, %[[COLUMNS:[a-z0-9]*]]: index)
// CHECK:         %[[KEYS:.*]] = memref.alloca() {{.*}} : memref<64xf32>
// CHECK:         %[[TURNS:.*]] = memref.alloca() {{.*}} : memref<64xi32>
// CHECK:         scf.for %{{.*}} to %[[ROWS]]
// CHECK:           scf.if
// CHECK:             scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, i64)
// CHECK:           } else {
// CHECK:             scf.for %{{.*}} to %[[COLUMNS]] step %c64
// CHECK:               memref.store %{{.*}}, %[[TURNS]]
// CHECK:             arith.cmpf ugt, %{{.*}} : vector<32xf32>
// CHECK:             arith.cmpi ult, %{{.*}} : vector<32xi64>
// CHECK:             arith.select %{{.*}} : vector<1xi1>, vector<1xi64>
func.func private @row_place(%x: tensor<?x?xf32>) -> tensor<?xi64>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "row"} {
  %0 = fusion.argmax %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?xi64>
}

// -----

// Chunks are compared in order: the later one has to be better.
// CHECK-LABEL: func.func @place_finish(
// CHECK:         scf.while
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               %[[C:.*]] = arith.cmpi slt
// CHECK:               arith.select %[[C]], %{{.*}} : i32
// CHECK:               arith.select %[[C]], %{{.*}} : i64
func.func private @place_finish(%p: tensor<?x?xi32>) -> tensor<?xi64>
    attributes {fusion.finish = "argmin", fusion.flat} {
  %0 = fusion.argmin %p axes [0] : tensor<?x?xi32>
  return %0 : tensor<?xi64>
}
