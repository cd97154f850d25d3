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
// RUN: echo 'func.func @main() { retrun }' | not pyfusion-compile - --target=cpu --emit=asm 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: <stdin>:1:21: error: {{.*}}retrun
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
