// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are instructions become intrinsics; NVIDIA's square root is one of its own.
//
// RUN: pyfusion-opt %s --convert-math-to-intrinsics | FileCheck %s
// RUN: pyfusion-opt %s --convert-math-to-intrinsics=nvvm=true | FileCheck %s --check-prefix=NVVM

// CHECK-LABEL: @instructions
// CHECK:         llvm.call_intrinsic "llvm.floor.f32"
// CHECK:         llvm.call_intrinsic "llvm.sqrt.f64"
// NVVM-LABEL:  @instructions
// NVVM:          llvm.call_intrinsic "llvm.floor.f32"
// NVVM:          llvm.call_intrinsic "llvm.nvvm.sqrt.rn.d"
func.func @instructions(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.floor %x : f32
  %1 = math.sqrt %y : f64
  return %0, %1 : f32, f64
}

// The low half of a float, where it is cut off, is unpacked by an instruction of NVIDIA's.
// CHECK-LABEL: @low
// CHECK:         arith.trunci
// NVVM-LABEL:  @low
// NVVM:          llvm.inline_asm {{.*}}mov.b64 {$0, high}, $1{{.*}} : (f64) -> i32
// NVVM:          %[[H:.*]] = llvm.inline_asm {{.*}}mov.b32 {$0, high}, $1{{.*}} : (f32) -> i16
// NVVM:          arith.trunci %[[H]] : i16 to i8
func.func @low(%x: f64, %y: f32) -> (i32, i8) {
  %0 = arith.bitcast %x : f64 to i64
  %1 = arith.trunci %0 : i64 to i32
  %2 = arith.bitcast %y : f32 to i32
  %3 = arith.trunci %2 : i32 to i8
  return %1, %3 : i32, i8
}
