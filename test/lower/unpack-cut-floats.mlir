// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The low half of a float, where it is cut off, is unpacked; integers are cut as they were.
//
// RUN: pyfusion-opt %s --fusion-unpack-cut-floats | FileCheck %s

// CHECK-LABEL: @low
// CHECK:         llvm.inline_asm {{.*}}mov.b64 {$0, high}, $1{{.*}} : (f64) -> i32
// CHECK:         %[[H:.*]] = llvm.inline_asm {{.*}}mov.b32 {$0, high}, $1{{.*}} : (f32) -> i16
// CHECK:         arith.trunci %[[H]] : i16 to i8
func.func @low(%x: f64, %y: f32) -> (i32, i8) {
  %0 = arith.bitcast %x : f64 to i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.bitcast %y : f32 to i32
  %3 = arith.trunci %2 : i32 to i8
  return %1, %3 : i32, i8
}

// CHECK-LABEL: @integer
// CHECK-NOT:     llvm.inline_asm
func.func @integer(%x: i64) -> i32 {
  %0 = arith.trunci %x : i64 to i32
  return %0 : i32
}
