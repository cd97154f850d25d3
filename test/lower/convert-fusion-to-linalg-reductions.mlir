// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --convert-fusion-to-linalg | FileCheck %s

// Producers join the reduction; the order of its loops is that of the form.
// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, 1]>>
// CHECK-SAME:    %[[P:.*]]: memref<?xf32, strided<[1]>>
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK:         linalg.fill ins(%[[ZERO]] : f32) outs(%[[P]]
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} {{.*}} outs(%[[P]]
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[ACC:.*]]: f32):
// CHECK-NEXT:      %[[M:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT:      arith.addf %[[M]], %[[ACC]]
func.func private @row(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "row"} {
  %0 = fusion.multiply %x, %x : tensor<?x?xf32>, tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @col
// CHECK:         arith.constant 0xFF800000 : f32
// CHECK:         linalg.generic {{.*}}iterator_types = ["reduction", "parallel"]}
// CHECK:           arith.maximumf
func.func private @col(%x: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "col"} {
  %0 = fusion.max %x axes [0] : tensor<?x?xf32>
  return %0 : tensor<?xf32>
}

// -----

// The finish part reduces into the first chunk, which its consumers read. A mean is divided by the
// number of elements, an argument.
// CHECK-LABEL: func.func @finish(
// CHECK-SAME:    %[[P:[a-z0-9]*]]: memref<?x?xf32, strided<[?, 1]>>
// CHECK-SAME:    %[[N:[a-z0-9]*]]: index)
// CHECK:         %[[FIRST:.*]] = memref.subview %[[P]][0, 0]
// CHECK:         %[[OTHERS:.*]] = memref.subview %[[P]][1, 0]
// CHECK:         linalg.generic {{.*}} ins(%[[OTHERS]] : {{.*}}) outs(%[[FIRST]] :
// CHECK:         %[[I:.*]] = arith.index_cast %[[N]]
// CHECK:         %[[F:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK:         linalg.generic {{.*}} ins(%[[FIRST]]
// CHECK-NEXT:    ^bb0(%[[S:.*]]: f32,
// CHECK-NEXT:      %[[M:.*]] = arith.divf %[[S]], %[[F]]
// CHECK-NEXT:      arith.negf %[[M]]
func.func private @finish(%p: tensor<?x?xf32>) -> tensor<?xf32>
    attributes {fusion.finish = "sum", fusion.flat, fusion.mean} {
  %0 = fusion.sum %p axes [0] : tensor<?x?xf32>
  %1 = fusion.negative %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Not flat, the consumers are a second generic, over a buffer between the two.
// CHECK-LABEL: func.func @both(
// CHECK:         %[[B:.*]] = memref.alloc(%{{.*}}) : memref<?x1xi8>
// CHECK:         linalg.generic {{.*}} outs(%[[B]] : memref<?x1xi8>)
// CHECK:           arith.ori %{{.*}} : i8
// CHECK:         linalg.generic {{.*}} ins(%[[B]] : memref<?x1xi8>)
// CHECK:         memref.dealloc %[[B]]
func.func private @both(%x: tensor<?x?xi1>) -> tensor<?x1xi1>
    attributes {fusion.kernel = "reduction"} {
  %0 = fusion.any %x axes [1] keepdims : tensor<?x?xi1>
  %1 = fusion.logical_not %0 : tensor<?x1xi1>
  return %1 : tensor<?x1xi1>
}

// -----

// Half types accumulate in f32, in memory of its own, and are rounded once.
// CHECK-LABEL: func.func @half
// CHECK-SAME:    memref<?x?xi16
// CHECK-SAME:    memref<?xi16>
// CHECK:         %[[SUM:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:         linalg.generic {{.*}} outs(%[[SUM]] : memref<?xf32>)
// CHECK:         arith.addf %{{.*}} : f32
// CHECK-NOT:     arith.trunc
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : memref<?xf32>)
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func private @half(%x: tensor<?x?xf16>) -> tensor<?xf16>
    attributes {fusion.kernel = "reduction"} {
  %0 = fusion.sum %x axes [1] : tensor<?x?xf16>
  return %0 : tensor<?xf16>
}

// -----

// A place has two results: the key and, from the place of the tile's first element on, where it is.
// The first NaN stays, and so does the first of equal keys.
// CHECK-LABEL: func.func @place(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, 1]>> {llvm.noalias},
// CHECK-SAME:    %[[KEYS:.*]]: memref<?xf32, strided<[1]>> {llvm.noalias},
// CHECK-SAME:    %[[PLACES:.*]]: memref<?xi64, strided<[1]>> {llvm.noalias},
// CHECK-SAME:    %[[BASE:.*]]: index)
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[KEYS]]
// CHECK:         linalg.fill ins(%{{.*}} : i64) outs(%[[PLACES]]
// CHECK:         linalg.generic {{.*}} outs(%[[KEYS]], %[[PLACES]]
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %[[K:.*]]: f32, %[[P:.*]]: i64):
// CHECK-NEXT:      %[[I:.*]] = linalg.index 1
// CHECK-NEXT:      %[[J:.*]] = arith.addi %[[I]], %[[BASE]]
// CHECK-NEXT:      %[[N:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT:      %[[A:.*]] = arith.cmpf ugt, %[[V]], %[[K]]
// CHECK-NEXT:      %[[B:.*]] = arith.cmpf ord, %[[K]], %[[K]]
// CHECK-NEXT:      %[[C:.*]] = arith.andi %[[A]], %[[B]]
// CHECK-NEXT:      arith.select %[[C]], %[[V]], %[[K]]
// CHECK-NEXT:      arith.select %[[C]], %[[N]], %[[P]]
func.func private @place(%x: tensor<?x?xf32>) -> tensor<?xi64>
    attributes {fusion.kernel = "reduction", fusion.flat, fusion.form = "row"} {
  %0 = fusion.argmax %x axes [1] : tensor<?x?xf32>
  return %0 : tensor<?xi64>
}

// -----

// The finish part takes the tiles of keys and of places.
// CHECK-LABEL: func.func @place_finish(
// CHECK-SAME:    %[[KEYS:.*]]: memref<?x?xi8, strided<[?, 1]>> {llvm.noalias},
// CHECK-SAME:    %[[OUT:.*]]: memref<?xi64, strided<[1]>> {llvm.noalias},
// CHECK-SAME:    %[[PLACES:.*]]: memref<?x?xi64, strided<[?, 1]>> {llvm.noalias}, %{{.*}}: index)
// CHECK:         linalg.generic
// CHECK:           %[[C:.*]] = arith.cmpi ult
// CHECK-NEXT:      arith.select %[[C]]
// CHECK-NEXT:      arith.select %[[C]]
func.func private @place_finish(%p: tensor<?x?xui8>) -> tensor<?xi64>
    attributes {fusion.finish = "argmin", fusion.flat} {
  %0 = fusion.argmin %p axes [0] : tensor<?x?xui8>
  return %0 : tensor<?xi64>
}

// -----

// Not flat, places are counted in row-major order of the reduced dimensions.
// CHECK-LABEL: func.func @place_of_all(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xi16,
// CHECK:         linalg.fill ins(%{{.*}} : i64)
// CHECK:         %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "reduction"]}
// CHECK:           %[[I:.*]] = linalg.index 1
// CHECK-NEXT:      %[[J:.*]] = linalg.index 2
// CHECK-NEXT:      %[[L:.*]] = arith.muli %[[I]], %[[N]]
// CHECK-NEXT:      arith.addi %[[L]], %[[J]]
// CHECK:           arith.cmpi sgt
// CHECK:         memref.dealloc
func.func private @place_of_all(%x: tensor<?x?xi16>) -> tensor<i64>
    attributes {fusion.kernel = "reduction"} {
  %0 = fusion.argmax %x axes [0, 1] : tensor<?x?xi16>
  return %0 : tensor<i64>
}
