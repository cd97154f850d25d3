// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: llvm-amdgpu
//
// RUN: pyfusion-opt %s --fusion-rocdl-to-hsaco | FileCheck %s
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(rocdl-attach-target{chip=gfx942 module=unresolved},fusion-rocdl-to-hsaco)' 2>&1 | FileCheck %s --check-prefix=LINK

// One module a binary; launches and modules for nobody or for others stay.
// CHECK:       gpu.binary @amd [#gpu.object<#rocdl.target<chip = "gfx1100">, bin = "\7FELF
// CHECK-NOT:   gpu.module @amd
// CHECK:       gpu.module @unresolved

// LINK: error: ld.lld{{.*}}exit code 1
// LINK: undefined symbol: elsewhere
gpu.module @amd [#rocdl.target<chip = "gfx1100">] {
  llvm.func @kernel(%p: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
    %0 = llvm.mlir.constant(1 : i32) : i32
    llvm.store %0, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
gpu.module @unresolved {
  llvm.func @elsewhere(!llvm.ptr<1>)
  llvm.func @kernel(%p: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
    llvm.call @elsewhere(%p) : (!llvm.ptr<1>) -> ()
    llvm.return
  }
}
