// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions without a body are none to any pass, and to no target.
// RUN: pyfusion-opt %s --fusion-canonicalize --fusion-hoist-views --fusion-merge-elementwise --fusion-merge-reductions --fusion-plan-buffers --fusion-outline-kernels -o %t.mlir
// RUN: FileCheck %s --check-prefix=KERNEL < %t.mlir
// RUN: pyfusion-opt %t.mlir --fusion-flatten-kernels='access=true drop-main=false' | FileCheck %s --check-prefix=FLAT
// RUN: pyfusion-compile %s --target=cpu --emit=asm -o /dev/null
// RUN: pyfusion-compile %s --target=cuda --emit=obj -o /dev/null
// RUN: pyfusion-opt %s --target=rocm --stop-after=rocdl -o /dev/null

// KERNEL: func.func private @ext(tensor<?xf32>)
// KERNEL: func.func private @kernel_0(
// FLAT:   func.func private @ext(tensor<?xf32>)
// FLAT:   fusion.access = ["dense", "dense"]
func.func private @ext(tensor<?xf32>)

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
