// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precision "fast": f16 values stay f32 up to the store or a cast; products and sums may be
// contracted, the inside of functions not.
//
// RUN: pyfusion-opt %s --split-input-file --convert-fusion-to-linalg | FileCheck %s

module attributes {fusion.precision = "fast"} {
  // CHECK-LABEL: func.func @half
  // CHECK: arith.mulf {{.*}} fastmath<contract> : f32
  // CHECK-NOT: arith.truncf
  // CHECK: arith.addf {{.*}} fastmath<contract> : f32
  // CHECK: arith.truncf {{.*}} : f32 to f16
  // CHECK-NOT: arith.truncf
  // CHECK: linalg.yield
  func.func private @half(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16>
      attributes {fusion.kernel = "elementwise"} {
    %0 = fusion.multiply %x, %y : tensor<?xf16>, tensor<?xf16>
    %1 = fusion.add %0, %y : tensor<?xf16>, tensor<?xf16>
    return %1 : tensor<?xf16>
  }

  // CHECK-LABEL: func.func @cast_rounds
  // CHECK: arith.truncf {{.*}} : f32 to f16
  // CHECK: arith.extf
  // CHECK: linalg.yield
  func.func private @cast_rounds(%x: tensor<?xf32>) -> tensor<?xf32>
      attributes {fusion.kernel = "elementwise"} {
    %0 = fusion.cast %x : tensor<?xf32> to tensor<?xf16>
    %1 = fusion.cast %0 : tensor<?xf16> to tensor<?xf32>
    return %1 : tensor<?xf32>
  }

  // CHECK-LABEL: func.func @cast_to_the_same_type_rounds
  // CHECK: arith.mulf
  // CHECK: arith.truncf {{.*}} : f32 to f16
  // CHECK: arith.extf
  // CHECK: arith.addf
  // CHECK: linalg.yield
  func.func private @cast_to_the_same_type_rounds(%x: tensor<?xf16>) -> tensor<?xf16>
      attributes {fusion.kernel = "elementwise"} {
    %0 = fusion.multiply %x, %x : tensor<?xf16>, tensor<?xf16>
    %1 = fusion.cast %0 : tensor<?xf16> to tensor<?xf16>
    %2 = fusion.add %1, %x : tensor<?xf16>, tensor<?xf16>
    return %2 : tensor<?xf16>
  }

  // CHECK-LABEL: func.func @functions_stay
  // CHECK-NOT: fastmath
  // CHECK: linalg.yield
  func.func private @functions_stay(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
      attributes {fusion.kernel = "elementwise"} {
    %0 = fusion.exp %x : tensor<?xf32>
    %1 = fusion.remainder %0, %y : tensor<?xf32>, tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}

// -----

// CHECK-LABEL: func.func @strict
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to f16
func.func private @strict(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16>
    attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.multiply %x, %y : tensor<?xf16>, tensor<?xf16>
  return %0 : tensor<?xf16>
}
