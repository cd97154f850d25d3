// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of the GPU by precision: "fast" contracts and rounds f16 at the store alone.
//
// RUN: pyfusion-opt %s --split-input-file --target=cuda --stop-after=ptx | FileCheck %s

// CHECK:       gpu.binary
// CHECK-NOT:     {{mul|add}}.rn.f
// CHECK:         fma.rn.f32
// CHECK-NOT:     {{mul|add}}.rn.f
// CHECK:       // -----
module attributes {fusion.precision = "fast"} {
  func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %0 = fusion.multiply %x, %y : tensor<?xf32>, tensor<?xf32>
    %1 = fusion.add %0, %y : tensor<?xf32>, tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}

// -----

// CHECK:       gpu.binary
// CHECK-NOT:     {{mul|add}}.rn.f
// CHECK:         fma.rn.f32
// CHECK-NOT:     {{mul|add}}.rn.f
// CHECK:         cvt.rn.f16.f32
// CHECK-NOT:     cvt.rn.f16.f32
// CHECK:       // -----
module attributes {fusion.precision = "fast"} {
  func.func @main(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16> {
    %0 = fusion.multiply %x, %y : tensor<?xf16>, tensor<?xf16>
    %1 = fusion.add %0, %y : tensor<?xf16>, tensor<?xf16>
    return %1 : tensor<?xf16>
  }
}

// -----

// CHECK:       gpu.binary
// CHECK-NOT:     fma.rn
// CHECK:         mul.rn.f32
// CHECK:         add.rn.f32
// CHECK-NOT:     fma.rn
// CHECK:       // -----
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.multiply %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.add %0, %y : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK:       gpu.binary
// CHECK-NOT:     fma.rn
// CHECK:         mul.rn.f16
// CHECK:         add.rn.f16
// CHECK-NOT:     fma.rn
func.func @main(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16> {
  %0 = fusion.multiply %x, %y : tensor<?xf16>, tensor<?xf16>
  %1 = fusion.add %0, %y : tensor<?xf16>, tensor<?xf16>
  return %1 : tensor<?xf16>
}

// -----

// bf16 is rounded by an instruction, at each operation.
// CHECK:       gpu.binary
// CHECK:         mul.rn.f32
// CHECK:         cvt.rn.bf16.f32
// CHECK:         add.rn.f32
// CHECK:         cvt.rn.bf16.f32
// CHECK-NOT:     setp.nan
func.func @main(%x: tensor<?xbf16>, %y: tensor<?xbf16>) -> tensor<?xbf16> {
  %0 = fusion.multiply %x, %y : tensor<?xbf16>, tensor<?xbf16>
  %1 = fusion.add %0, %y : tensor<?xbf16>, tensor<?xbf16>
  return %1 : tensor<?xbf16>
}
