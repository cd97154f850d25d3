// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-expand-bfloat16 | FileCheck %s

// CHECK-LABEL: func.func @convert
// CHECK-NOT:     to bf16
// CHECK:         %[[A:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK-NOT:     bf16
// CHECK:         %[[I:.*]] = arith.trunci %{{.*}} : i32 to i16
// CHECK:         %[[B:.*]] = arith.bitcast %[[I]] : i16 to bf16
// CHECK:         %[[C:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK:         return %[[A]], %[[B]], %[[C]]
func.func @convert(%x: f32, %y: f32) -> (i16, bf16, f16) {
  %0 = arith.truncf %x : f32 to bf16
  %1 = arith.bitcast %0 : bf16 to i16
  %2 = arith.truncf %y : f32 to bf16
  %3 = arith.truncf %y : f32 to f16
  return %1, %2, %3 : i16, bf16, f16
}
