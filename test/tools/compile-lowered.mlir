// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is lowered in part is compiled from where it is, for the chip that it is for alone.
// RUN: pyfusion-opt %s --target=cuda:sm_80 --stop-after=gpu -o %t.gpu
// RUN: pyfusion-opt %t.gpu --target=cuda:sm_80 --start-after=gpu --stop-after=ptx -o %t.ptx
// RUN: pyfusion-compile %t.ptx --target=cuda:sm_80 --emit=asm | FileCheck %s --check-prefix=CODE
// CODE: .target sm_80
// CODE: .entry kernel_0_flat
// RUN: pyfusion-compile %t.gpu --target=cuda --emit=obj -o %t.o && llvm-nm %t.o | FileCheck %s --check-prefix=HOST
// HOST: T _mlir_ciface_kernel_0_flat

// RUN: not pyfusion-compile %t.ptx --target=cuda:sm_90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: {{.*}}.ptx:[[#]]:3: error: gpu.binary @kernels is for cuda:sm_80, not for cuda:sm_90
// CHIP-NEXT: gpu.binary @kernels {{.*}}...
// RUN: not pyfusion-compile %t.gpu --target=cpu --emit=obj 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error: gpu.module @kernels is code for GPUs: --target=cuda or --target=rocm compiles it
// RUN: not pyfusion-compile %t.ptx --target=cuda:sm_80 --emit=llvm 2>&1 | FileCheck %s --check-prefix=BEHIND
// BEHIND: error: {{.*}}.ptx is of phase ptx already; --emit=llvm for cuda takes IR of phase nvvm or before
// RUN: echo 'gpu.binary @m [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "code">]' | not pyfusion-compile - --target=cuda:sm_80 --emit=ptx 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: <stdin> is of phase cubin already; --emit=ptx for cuda takes IR of phase ptx or before

// RUN: not pyfusion-opt %t.gpu --target=cuda:sm_80 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: {{.*}}.gpu:[[#]]:3: error: with gpu.module @kernels the file is of phase gpu already; use --start-after=gpu
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
