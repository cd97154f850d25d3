// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not pyfusion-compile %s --target=cuda --emit=hsaco 2>&1 | FileCheck %s --check-prefix=EMIT
// EMIT: pyfusion-compile: error: --emit=hsaco makes no sense for --target=cuda, which has ptx, cubin, asm, llvm, obj; --emit=hsaco goes with --target=rocm
// RUN: not pyfusion-compile %s --target=cpu --emit=ptx 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: --emit=ptx makes no sense for --target=cpu, which has asm, llvm, obj; --emit=ptx goes with --target=cuda
// RUN: not pyfusion-compile %s --target=rocm --emit=hasco 2>&1 | FileCheck %s --check-prefix=TYPO
// TYPO: error: --emit=hasco makes no sense for --target=rocm, which has hsaco, asm, llvm, obj; did you mean 'hsaco'?
// RUN: not pyfusion-compile %s --target=cuda:90 --emit=ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: cuda has no chip '90'; did you mean 'sm_90'?; there are sm_70
// RUN: not pyfusion-compile %s --target=rocm 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: error: the following arguments are required: --emit
// RUN: not pyfusion-compile %s.none --target=cpu --emit=obj 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: {{.*}}compile-errors.mlir.none: No such file or directory
// RUN: not pyfusion-compile %s --target=cpu --emit=asm -o %t.none/out 2>&1 | FileCheck %s --check-prefix=OUT
// OUT: error: {{.*}}out: No such file or directory
// RUN: echo 'func.func @main() { return }' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: the file has no operation that becomes a kernel
// RUN: echo 'gpu.module @a {} gpu.module @b {}' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: the file has several gpu.modules
// What no pass looks at, though a pass would make kernels of it elsewhere.
// RUN: echo 'module { module { func.func @f(%x: tensor<2xf32>) { %0 = fusion.exp %x : tensor<2xf32> return } } }' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=MODULE
// MODULE: <stdin>:1:58: error: fusion.exp is inside of a nested module, which is not compiled
// RUN: echo 'func.func @f(%x: tensor<2xf32>, %c: i1) { scf.if %c { %0 = fusion.exp %x : tensor<2xf32> } return }' | not pyfusion-compile - --target=cpu --emit=obj 2>&1 | FileCheck %s --check-prefix=IF
// IF: <stdin>:1:60: error: fusion.exp is inside of scf.if, which is not compiled

// Kernels of the other vendor, in a module without a target, and names that PTX does not have.
// RUN: echo 'gpu.module @m { llvm.func @k() attributes {nvvm.kernel} { llvm.return } }' | not pyfusion-compile - --target=rocm:gfx942 --emit=hsaco 2>&1 | FileCheck %s --check-prefix=NVIDIA
// NVIDIA: <stdin>:1:17: error: kernel @k is for cuda (nvvm.kernel), not for rocm:gfx942; --target=cuda compiles it
// RUN: echo 'gpu.module @m { llvm.func @k() attributes {rocdl.kernel} { llvm.return } }' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=AMD
// AMD: <stdin>:1:17: error: kernel @k is for rocm (rocdl.kernel), not for cuda:sm_90; --target=rocm compiles it
// RUN: echo 'gpu.module @"we ird" { llvm.func @k() attributes {nvvm.kernel} { llvm.return } }' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: <stdin>:1:1: error: the name 'we ird' of a gpu.module cannot be written in PTX
// RUN: echo 'gpu.module @m { llvm.func @"k k"() attributes {nvvm.kernel} { llvm.return } }' | not pyfusion-compile - --target=cuda --emit=ptx 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: <stdin>:1:17: error: the name 'k k' of a llvm.func cannot be written in PTX

// A ptxas that does nothing, and says that it is well.
// RUN: rm -rf %t.bin && mkdir %t.bin && echo '#!/bin/sh' > %t.bin/ptxas && chmod +x %t.bin/ptxas
// RUN: env PATH=%t.bin:$PATH not pyfusion-compile %s --target=cuda --emit=cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS-NOT: Traceback
// PTXAS: pyfusion-compile: error: ptxas: {{.*}}ptxas ended well, but left no result: No such file

// RUN: echo 'func.func @main() { retrun }' | not pyfusion-compile - --target=cpu --emit=asm 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: <stdin>:1:21: error: {{.*}}retrun
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
