// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --convert-fusion-to-linalg | FileCheck %s

// One generic: tensors are memrefs, the result is an argument, scalars are used as they are.
// CHECK-LABEL: func.func @flat(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32, strided<[1]>> {llvm.noalias}, %[[S:.*]]: f32,
// CHECK-SAME:    %[[O:.*]]: memref<?xf32, strided<[1]>> {llvm.noalias})
// CHECK-SAME:    llvm.emit_c_interface
// CHECK:         linalg.generic {{.*}} ins(%[[X]] : {{.*}}) outs(%[[O]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[A]], %[[S]] : f32
// CHECK-NEXT:      %[[R:.*]] = arith.addf %[[M]], %[[A]] : f32
// CHECK-NEXT:      linalg.yield %[[R]]
// CHECK:         return
func.func private @flat(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.full %s [] : f32 to tensor<f32>
  %1 = fusion.multiply %x, %0 : tensor<?xf32>, tensor<f32>
  %2 = fusion.add %1, %x : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// What depends on uniform operands alone is computed in front of the loop, also inside a division.
// CHECK-LABEL: func.func @uniform(
// CHECK-SAME:    %[[U:[a-z0-9]*]]: memref<i32>
// CHECK:         %[[L:.*]] = memref.load %[[U]][] : memref<i32>
// CHECK:         %[[D:.*]] = arith.addi %[[L]], %[[L]] : i32
// CHECK:         arith.divf
// CHECK:         linalg.generic
// CHECK-NOT:     arith.div
// CHECK:           arith.mulf
// CHECK:           linalg.yield
func.func private @uniform(%x: tensor<?xi32>, %u: tensor<i32>) -> tensor<?xi32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.add %u, %u : tensor<i32>, tensor<i32>
  %1 = fusion.floor_divide %x, %0 : tensor<?xi32>, tensor<i32>
  return %1 : tensor<?xi32>
}

// -----

// An operand that is taken over is one argument: an output whose old value is read.
// CHECK-LABEL: func.func @takes_over(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: memref<?xf32, strided<[1]>> {llvm.noalias}) attributes
// CHECK:         linalg.generic {{.*}} outs(%[[X]] :
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32):
// CHECK-NEXT:      arith.negf %[[A]]
func.func private @takes_over(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat, fusion.takes_over = array<i64: 0>} {
  %0 = fusion.negative %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A boolean is a byte in memory, any of which but 0 is true; unsigned integers have no type of
// their own.
// CHECK-LABEL: func.func @types(
// CHECK-SAME:    memref<?xi8, {{.*}}memref<?xi16,
// CHECK:         ^bb0(%[[B:.*]]: i8, %[[X:.*]]: i16,
// CHECK:           %[[C:.*]] = arith.cmpi ne, %[[B]], %{{.*}} : i8
// CHECK:           %[[L:.*]] = arith.cmpi ult, %[[X]], %[[X]] : i16
// CHECK:           %[[A:.*]] = arith.andi %[[C]], %[[L]] : i1
// CHECK:           arith.extui %[[A]] : i1 to i8
func.func private @types(%b: tensor<?xi1>, %x: tensor<?xui16>) -> tensor<?xi1>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.less %x, %x : tensor<?xui16>, tensor<?xui16>
  %1 = fusion.logical_and %b, %0 : tensor<?xi1>, tensor<?xi1>
  return %1 : tensor<?xi1>
}

// -----

// CHECK-LABEL: func.func @creation(
// CHECK:         %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK:         linalg.generic
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           arith.index_cast %[[I]] : index to i64
// CHECK:           arith.sitofp
// CHECK:           arith.mulf %{{.*}}, %[[C]]
func.func private @creation(%a: f32, %b: f32, %n: index) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.constant dense<2.5> : tensor<f32>
  %2 = fusion.multiply %0, %1 : tensor<?xf32>, tensor<f32>
  return %2 : tensor<?xf32>
}

// -----

// Any rank and layout where kernels are not flat; extents of 1 and missing dimensions repeat.
// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG:   #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG:   #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG:   #[[ONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK-SAME:    %[[O:[a-z0-9]*]]: memref<?x?xf32> {llvm.noalias})
// CHECK:         linalg.generic {indexing_maps = [#[[ID]], #[[COLUMN]], #[[ROW]], #[[ONE]], #[[ID]]],
// CHECK-SAME:      outs(%[[O]] : memref<?x?xf32>)
func.func private @broadcast(%a: tensor<?x?xf32>, %b: tensor<?x1xf32>, %c: tensor<?xf32>,
                             %d: tensor<f32>) -> tensor<?x?xf32>
    attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.add %a, %b : tensor<?x?xf32>, tensor<?x1xf32>
  %1 = fusion.add %0, %c : tensor<?x?xf32>, tensor<?xf32>
  %2 = fusion.add %1, %d : tensor<?x?xf32>, tensor<f32>
  return %2 : tensor<?x?xf32>
}

// -----

// The function of steps is the run time's.
// CHECK-NOT:   @main
// CHECK-LABEL: func.func @k
// CHECK:       func.func @other
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @k(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @k(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @other() {
  return
}
