// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-forbid-unwinding | FileCheck %s

// CHECK:       module attributes
// CHECK:         llvm.func @mgpuModuleLoadJIT(!llvm.ptr, i32) -> !llvm.ptr attributes {no_unwind}
// CHECK:         llvm.func @launch() attributes {no_unwind}
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target, assembly = "">]
  llvm.func @launch() {
    llvm.return
  }
}

// -----

// Nothing is declared that nothing calls.
// CHECK:       module {
// CHECK-NOT:     mgpu
// CHECK:         llvm.func @f() attributes {no_unwind}
module {
  llvm.func @f() {
    llvm.return
  }
}
