// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-expand-float16 | FileCheck %s

// CHECK-LABEL: func.func @convert
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf {{.*}} to f16
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         arith.trunci %{{.*}} : i32 to i16
// CHECK:         arith.truncf %{{.*}} : f64 to f32
func.func @convert(%x: f16, %y: f32, %z: f64) -> (f32, f16, f32) {
  %0 = arith.extf %x : f16 to f32
  %1 = arith.truncf %y : f32 to f16
  %2 = arith.truncf %z : f64 to f32
  return %0, %1, %2 : f32, f16, f32
}
