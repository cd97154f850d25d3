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
