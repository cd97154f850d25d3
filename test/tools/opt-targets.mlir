// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets with a chip.
// RUN: pyfusion-opt %s --target=cuda:sm_80 --stop-after=nvvm | FileCheck %s --check-prefix=SM80
// SM80: gpu.module {{.*}} [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx81">]
// RUN: pyfusion-opt %s --target=cuda:sm_121 --stop-after=nvvm | FileCheck %s --check-prefix=SM121
// SM121: gpu.module {{.*}} [#nvvm.target<O = 3, chip = "sm_121", features = "+ptx88">]
// RUN: pyfusion-opt %s --target=rocm:gfx90a --stop-after=rocdl | FileCheck %s --check-prefix=GFX90A
// GFX90A: gpu.module {{.*}} [#rocdl.target<O = 3, chip = "gfx90a", features = "+wavefrontsize64", abi = "500">]

// RUN: not pyfusion-opt %s --target=cudo 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: no target 'cudo'; there are cpu, cuda, rocm; did you mean 'cuda'?
// RUN: not pyfusion-opt %s --target=ROCM 2>&1 | FileCheck %s --check-prefix=CAPITALS
// CAPITALS: error: no target 'ROCM'; there are cpu, cuda, rocm; did you mean 'rocm'?
// RUN: not pyfusion-opt %s --target=cuda:sm_91 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: cuda has no chip 'sm_91'; did you mean 'sm_90'?; there are sm_70,
// RUN: not pyfusion-opt %s --target=rocm:942 2>&1 | FileCheck %s --check-prefix=PREFIX
// PREFIX: error: rocm has no chip '942'; did you mean 'gfx942'?; there are gfx90a, gfx942, gfx1100, gfx1201
// RUN: not pyfusion-opt %s --target=cpu:x86 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: target cpu has no chips to choose from: write 'cpu'
// RUN: not pyfusion-opt %s --target=cuda --stop-after=hsaco 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: no phase 'hsaco'; the phases are fusion, merged, outlined, flat, linalg, gpu, nvvm, ptx, llvm

// A part of the pipeline.
// RUN: pyfusion-opt %s --target=cuda --stop-after=gpu -o %t.mlir
// RUN: pyfusion-opt %t.mlir --target=cuda:sm_80 --start-after=gpu --stop-after=nvvm | FileCheck %s --check-prefix=SM80
// RUN: not pyfusion-opt %s --target=cuda --start-after=gpu --stop-after=gpu 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: no phase after gpu and up to gpu
// RUN: not pyfusion-opt %s --start-after=gpu 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: --start-after needs --target
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.abs %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
