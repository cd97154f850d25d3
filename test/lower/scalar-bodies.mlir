// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --convert-fusion-to-linalg | FileCheck %s

// What decides the scalar code of the families; test/unit/test_lowering_values.py has the values.

// Nothing is undefined: the amount of a shift is made smaller than the width.
// CHECK-LABEL: func.func @shift
// CHECK:         %[[LAST:.*]] = arith.constant 31 : i32
// CHECK:         %[[N:.*]] = arith.minui %[[Y:.*]], %[[LAST]] : i32
// CHECK:         %[[S:.*]] = arith.shli %{{.*}}, %[[N]] : i32
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[Y]], %{{.*}} : i32
// CHECK:         arith.select %[[IN]], %[[S]]
func.func private @shift(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.bitwise_left_shift %x, %y : tensor<?xi32>, tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// Integers are divided as floats, which machines divide in vectors.
// CHECK-LABEL: func.func @divide
// CHECK-NOT:     arith.divsi
// CHECK:         arith.sitofp %{{.*}} : i32 to f64
// CHECK:         arith.divf %{{.*}} : f64
// CHECK:         arith.trunci %{{.*}} : i64 to i32
func.func private @divide(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.floor_divide %x, %y : tensor<?xi32>, tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// 64 bits do not fit, but a uniform divisor is a multiplication.
// CHECK-LABEL: func.func @uniform64
// CHECK:         scf.for
// CHECK:         linalg.generic
// CHECK-NOT:     arith.divsi
// CHECK:           arith.muli
func.func private @uniform64(%x: tensor<?xi64>, %y: tensor<i64>) -> tensor<?xi64>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.remainder %x, %y : tensor<?xi64>, tensor<i64>
  return %0 : tensor<?xi64>
}

// -----

// The remainder of floats is exact.
// CHECK-LABEL: func.func @fmod
// CHECK:         scf.while
// CHECK:           math.fma %{{.*}} : f64
func.func private @fmod(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.remainder %x, %y : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// NaN is not equal to anything, and is true as a boolean.
// CHECK-LABEL: func.func @nan
// CHECK:         arith.cmpf une
// CHECK:         arith.cmpf une
// CHECK:         arith.cmpf oeq
// CHECK:         arith.cmpf uno
func.func private @nan(%x: tensor<?xf32>)
    -> (tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>)
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.not_equal %x, %x : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.cast %x : tensor<?xf32> to tensor<?xi1>
  %2 = fusion.equal %x, %x : tensor<?xf32>, tensor<?xf32>
  %3 = fusion.isnan %x : tensor<?xf32>
  return %0, %1, %2, %3 : tensor<?xi1>, tensor<?xi1>, tensor<?xi1>, tensor<?xi1>
}

// -----

// Conversion to integers sees only values in range.
// CHECK-LABEL: func.func @saturate
// CHECK:         %[[S:.*]] = arith.select %{{.*}} : f32
// CHECK:         arith.fptoui %[[S]] : f32 to i8
func.func private @saturate(%x: tensor<?xf32>) -> tensor<?xui8>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.cast %x : tensor<?xf32> to tensor<?xui8>
  return %0 : tensor<?xui8>
}

// -----

// Half precision is computed in f32 and rounded at each operation; it is moved as integers.
// CHECK-LABEL: func.func @half
// CHECK-SAME:    memref<?xi16
// CHECK-SAME:    memref<?xi16
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT:     arith.truncf
// CHECK-NOT:     arith.extf %{{.*}} : bf16
// CHECK:         arith.addf %{{.*}} : f32
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK-NEXT:    arith.bitcast %[[R]] : bf16 to i16
func.func private @half(%x: tensor<?xf16>, %y: tensor<?xbf16>) -> (tensor<?xf16>, tensor<?xbf16>)
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.multiply %x, %x : tensor<?xf16>, tensor<?xf16>
  %1 = fusion.add %y, %y : tensor<?xbf16>, tensor<?xbf16>
  return %0, %1 : tensor<?xf16>, tensor<?xbf16>
}

// -----

// Of bf16 the functions have shorter forms, without a division and the low part of the argument.
// CHECK-LABEL: func.func @short
// CHECK-NOT:     arith.divf
// CHECK-COUNT-12: math.fma
// CHECK-NOT:     {{math.fma|arith.divf}}
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func private @short(%x: tensor<?xbf16>) -> tensor<?xbf16>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.sigmoid %x : tensor<?xbf16>
  return %0 : tensor<?xbf16>
}

// -----

// CHECK-LABEL: func.func @long
// CHECK:         arith.divf
func.func private @long(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.sigmoid %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Math functions are chains of arithmetic: no call stops the vectoriser.
// CHECK-LABEL: func.func @math
// CHECK-NOT:     math.exp
// CHECK:         math.fma
func.func private @math(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
