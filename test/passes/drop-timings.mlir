// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-drop-timings | FileCheck %s
// RUN: pyfusion-opt %S/ptx-to-cubin.mlir --target=cuda:sm_80 --start-after=gpu --stop-after=ptx | FileCheck %s --check-prefix=PHASE

// CHECK: gpu.binary @both [#gpu.object<#nvvm.target, properties = {O = 3 : i32}, assembly = "a\0Ab">, #gpu.object<#nvvm.target<chip = "sm_80">, bin = "c">]
gpu.binary @both [
  #gpu.object<#nvvm.target, properties = {LLVMIRToISATimeInMs = 4 : i64, O = 3 : i32}, assembly = "a\0Ab">,
  #gpu.object<#nvvm.target<chip = "sm_80">, properties = {ISAToBinaryTimeInMs = 4 : i64}, bin = "c">
]

// CHECK: gpu.binary @none [#gpu.object<#nvvm.target, assembly = "d">]
gpu.binary @none [#gpu.object<#nvvm.target, assembly = "d">]

// PHASE-NOT: TimeInMs
// PHASE:     gpu.binary @nvidia
// PHASE-NOT: TimeInMs
