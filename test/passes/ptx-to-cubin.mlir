// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: ptxas
//
// RUN: pyfusion-opt %s --pass-pipeline='builtin.module(gpu-module-to-binary{format=isa},fusion-ptx-to-cubin)' | FileCheck %s
// RUN: pyfusion-opt %s --target=cuda:sm_80 --start-after=gpu --stop-after=cubin | FileCheck %s --check-prefix=PHASE

// CHECK: gpu.binary @nvidia [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "\7FELF
// PHASE: gpu.binary @nvidia [#gpu.object<#nvvm.target<{{.*}}chip = "sm_80"{{.*}}bin = "\7FELF
gpu.module @nvidia [#nvvm.target<chip = "sm_80">] {
  llvm.func @kernel(%p: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.mlir.constant(1 : i32) : i32
    llvm.store %0, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
