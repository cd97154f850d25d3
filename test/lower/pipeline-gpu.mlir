// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --target=cuda --stop-after=gpu | FileCheck %s --check-prefix=GPU
// RUN: pyfusion-opt %s --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=PTX
// RUN: pyfusion-opt %s --target=rocm --stop-after=rocdl | FileCheck %s --check-prefix=ROCDL

// GPU-LABEL:   func.func @kernel_0_flat(
// GPU:           gpu.launch_func async [%{{.*}}] @[[M:.*]]::@[[K:.*]] blocks in
// GPU:         gpu.module @[[M]]
// GPU:           gpu.func @[[K]](
// GPU-SAME:        known_block_size = array<i32: 256, 1, 1>
// GPU:             arith.addf

// Instructions, and no calls of a device library; the square root is not an approximate one.
// PTX-LABEL:   gpu.binary
// PTX:           .entry
// PTX-NOT:       call
// PTX:           add.rn.f32
// PTX:           cvt.rmi.f32.f32
// PTX:           sqrt.rn.f32

// ROCDL-LABEL: gpu.module
// ROCDL-SAME:    #rocdl.target
// ROCDL:         llvm.func @{{.*}}rocdl.kernel
// ROCDL-NOT:     __ocml
// ROCDL:           llvm.call_intrinsic "llvm.sqrt.f32"
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.floor %0 : tensor<?xf32>
  %2 = fusion.sqrt %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}
