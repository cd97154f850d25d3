// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Select and cast.
//
// RUN: pyfusion-opt --canonicalize --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[C:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
func.func @select(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>) {
  %true = fusion.constant dense<true> : tensor<i1>
  %false = fusion.constant dense<false> : tensor<i1>
  %0 = fusion.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  %1 = fusion.select %true, %x, %y : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  %2 = fusion.select %false, %x, %y : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  %3 = fusion.select %c, %true, %false : tensor<2xi1>, tensor<i1>, tensor<i1>
  // CHECK: %[[SWAPPED:.*]] = fusion.select %[[C]], %[[Y]], %[[X]]
  %not = fusion.logical_not %c : tensor<2xi1>
  %4 = fusion.select %not, %x, %y : tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
  // CHECK: return %[[X]], %[[X]], %[[Y]], %[[C]], %[[SWAPPED]]
  return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi1>, tensor<2xf32>
}

// The condition can give the result its shape, and so can the branch that is not taken.
//
// CHECK-LABEL: func.func @select_shapes
// CHECK: fusion.select
// CHECK: fusion.select
func.func @select_shapes(%c: tensor<?xi1>, %x: tensor<f32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %true = fusion.constant dense<true> : tensor<i1>
  %0 = fusion.select %c, %x, %x : tensor<?xi1>, tensor<f32>, tensor<f32>
  %1 = fusion.select %true, %x, %y : tensor<i1>, tensor<f32>, tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @select_constants
// CHECK: dense<[1, 5]> : tensor<2xi32>
func.func @select_constants() -> tensor<2xi32> {
  %c = fusion.constant dense<[true, false]> : tensor<2xi1>
  %x = fusion.constant dense<1> : tensor<i32>
  %y = fusion.constant dense<[4, 5]> : tensor<2xi32>
  %0 = fusion.select %c, %x, %y : tensor<2xi1>, tensor<i32>, tensor<2xi32>
  return %0 : tensor<2xi32>
}

// Floats become integers by truncation, saturate, and NaN is 0.
//
// CHECK-LABEL: func.func @cast_float
func.func @cast_float() -> (tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xbf16>) {
  %x = fusion.constant dense<[-1.75, 300.0, 0x7FC00000, 0.0]> : tensor<4xf32>
  // CHECK-DAG: dense<[-1, 127, 0, 0]> : tensor<4xi8>
  %0 = fusion.cast %x : tensor<4xf32> to tensor<4xi8>
  // CHECK-DAG: dense<[0, 255, 0, 0]> : tensor<4xui8>
  %1 = fusion.cast %x : tensor<4xf32> to tensor<4xui8>
  // CHECK-DAG: dense<[true, true, true, false]> : tensor<4xi1>
  %2 = fusion.cast %x : tensor<4xf32> to tensor<4xi1>
  // CHECK-DAG: dense<[-1.750000e+00, 3.000000e+02, 0x7FC0, 0.000000e+00]> : tensor<4xbf16>
  %3 = fusion.cast %x : tensor<4xf32> to tensor<4xbf16>
  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xbf16>
}

// Integers wrap; to floats they round to nearest, ties to even.
//
// CHECK-LABEL: func.func @cast_integer
func.func @cast_integer() -> (tensor<2xi8>, tensor<2xui16>, tensor<2xf32>, tensor<2xi1>) {
  %x = fusion.constant dense<[-129, 16777217]> : tensor<2xi32>
  // CHECK-DAG: dense<[127, 1]> : tensor<2xi8>
  %0 = fusion.cast %x : tensor<2xi32> to tensor<2xi8>
  // CHECK-DAG: dense<[65407, 1]> : tensor<2xui16>
  %1 = fusion.cast %x : tensor<2xi32> to tensor<2xui16>
  // CHECK-DAG: dense<[-1.290000e+02, 0x4B800000]> : tensor<2xf32>
  %2 = fusion.cast %x : tensor<2xi32> to tensor<2xf32>
  // CHECK-DAG: dense<true> : tensor<2xi1>
  %3 = fusion.cast %x : tensor<2xi32> to tensor<2xi1>
  return %0, %1, %2, %3 : tensor<2xi8>, tensor<2xui16>, tensor<2xf32>, tensor<2xi1>
}

// CHECK-LABEL: func.func @cast_boolean
// CHECK: dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf16>
func.func @cast_boolean() -> tensor<2xf16> {
  %x = fusion.constant dense<[true, false]> : tensor<2xi1>
  %0 = fusion.cast %x : tensor<2xi1> to tensor<2xf16>
  return %0 : tensor<2xf16>
}

// A first cast that loses nothing can be left out.
//
// CHECK-LABEL: func.func @lossless
// CHECK-SAME: (%[[F:.*]]: tensor<?xf16>, %[[I:.*]]: tensor<?xi8>, %[[B:.*]]: tensor<?xi1>)
func.func @lossless(%f: tensor<?xf16>, %i: tensor<?xi8>, %b: tensor<?xi1>)
    -> (tensor<?xf16>, tensor<?xi32>, tensor<?xui8>, tensor<?xf32>, tensor<?xi1>) {
  %f32 = fusion.cast %f : tensor<?xf16> to tensor<?xf32>
  %0 = fusion.cast %f32 : tensor<?xf32> to tensor<?xf16>
  // CHECK: %[[A:.*]] = fusion.cast %[[F]] : tensor<?xf16> to tensor<?xi32>
  %1 = fusion.cast %f32 : tensor<?xf32> to tensor<?xi32>
  %i64 = fusion.cast %i : tensor<?xi8> to tensor<?xi64>
  // CHECK: %[[C:.*]] = fusion.cast %[[I]] : tensor<?xi8> to tensor<?xui8>
  %2 = fusion.cast %i64 : tensor<?xi64> to tensor<?xui8>
  // CHECK: %[[D:.*]] = fusion.cast %[[I]] : tensor<?xi8> to tensor<?xf32>
  %3 = fusion.cast %i64 : tensor<?xi64> to tensor<?xf32>
  %bf = fusion.cast %b : tensor<?xi1> to tensor<?xbf16>
  %4 = fusion.cast %bf : tensor<?xbf16> to tensor<?xi1>
  // CHECK: return %[[F]], %[[A]], %[[C]], %[[D]], %[[B]]
  return %0, %1, %2, %3, %4 : tensor<?xf16>, tensor<?xi32>, tensor<?xui8>, tensor<?xf32>, tensor<?xi1>
}

// These round or wrap on the way, or saturate (a float) where integers wrap: both casts stay.
//
// CHECK-LABEL: func.func @lossy
// CHECK-COUNT-10: fusion.cast
func.func @lossy(%f: tensor<?xf32>, %i: tensor<?xi32>, %s: tensor<?xi8>)
    -> (tensor<?xf32>, tensor<?xi32>, tensor<?xi8>, tensor<?xi16>, tensor<?xi32>) {
  %f16 = fusion.cast %f : tensor<?xf32> to tensor<?xf16>
  %0 = fusion.cast %f16 : tensor<?xf16> to tensor<?xf32>
  %rounded = fusion.cast %i : tensor<?xi32> to tensor<?xf32>
  %1 = fusion.cast %rounded : tensor<?xf32> to tensor<?xi32>
  %exact = fusion.cast %i : tensor<?xi32> to tensor<?xf64>
  %2 = fusion.cast %exact : tensor<?xf64> to tensor<?xi8>
  %unsigned = fusion.cast %s : tensor<?xi8> to tensor<?xui8>
  %3 = fusion.cast %unsigned : tensor<?xui8> to tensor<?xi16>
  %truth = fusion.cast %i : tensor<?xi32> to tensor<?xi1>
  %4 = fusion.cast %truth : tensor<?xi1> to tensor<?xi32>
  return %0, %1, %2, %3, %4 : tensor<?xf32>, tensor<?xi32>, tensor<?xi8>, tensor<?xi16>, tensor<?xi32>
}

// Casts of a type to itself.
//
// CHECK-LABEL: func.func @same_type
// CHECK-NEXT: return
func.func @same_type(%f: tensor<?xf16>, %b: tensor<?xbf16>) -> (tensor<?xf16>, tensor<?xbf16>) {
  %0 = fusion.cast %f : tensor<?xf16> to tensor<?xf16>
  %1 = fusion.cast %b : tensor<?xbf16> to tensor<?xbf16>
  return %0, %1 : tensor<?xf16>, tensor<?xbf16>
}

// -----

// With precision "fast" they round, unless a cast has done so; and a round trip is such a cast.
//
// CHECK-LABEL: module attributes {fusion.precision = "fast"}
module attributes {fusion.precision = "fast"} {
  // CHECK-LABEL: func.func @rounds
  func.func @rounds(%h: tensor<?xf16>, %f: tensor<?xf32>)
      -> (tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xi32>) {
    // CHECK: %[[SUM:.*]] = fusion.add
    %sum = fusion.add %h, %h : tensor<?xf16>, tensor<?xf16>
    // CHECK: %[[SAME:.*]] = fusion.cast %[[SUM]] : tensor<?xf16> to tensor<?xf16>
    %same = fusion.cast %sum : tensor<?xf16> to tensor<?xf16>
    %f32 = fusion.cast %sum : tensor<?xf16> to tensor<?xf32>
    // CHECK: %[[BACK:.*]] = fusion.cast %[[SUM]] : tensor<?xf16> to tensor<?xf16>
    %there_and_back = fusion.cast %f32 : tensor<?xf32> to tensor<?xf16>
    // CHECK: %[[NARROW:.*]] = fusion.cast %{{.*}} : tensor<?xf32> to tensor<?xf16>
    %narrow = fusion.cast %f : tensor<?xf32> to tensor<?xf16>
    %narrow_again = fusion.cast %narrow : tensor<?xf16> to tensor<?xf16>
    %fsum = fusion.add %f, %f : tensor<?xf32>, tensor<?xf32>
    // CHECK: %[[FSUM:.*]] = fusion.add
    %wide = fusion.cast %fsum : tensor<?xf32> to tensor<?xf32>
    // CHECK: %[[INT:.*]] = fusion.cast %[[SUM]] : tensor<?xf16> to tensor<?xi32>
    %i32 = fusion.cast %f32 : tensor<?xf32> to tensor<?xi32>
    // CHECK: return %[[SAME]], %[[BACK]], %[[NARROW]], %[[FSUM]], %[[INT]]
    return %same, %there_and_back, %narrow_again, %wide, %i32
        : tensor<?xf16>, tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, tensor<?xi32>
  }
}
