// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --target=cuda --stop-after=gpu | FileCheck %s --check-prefix=GPU
// RUN: pyfusion-opt %s --target=cuda --stop-after=ptx | FileCheck %s --check-prefix=PTX
// RUN: pyfusion-opt %s --target=rocm --stop-after=rocdl | FileCheck %s --check-prefix=ROCDL

// One thread finds one place, in the order of the elements.
// GPU-LABEL:   gpu.module
// GPU:           gpu.func {{.*}} kernel
// GPU:             scf.for
// GPU:               arith.cmpf ugt
// GPU:               arith.select {{.*}} : f32
// GPU:               arith.select {{.*}} : i64

// PTX-LABEL:   gpu.binary
// PTX-NOT:       call
// PTX:           setp.gtu.f32
// PTX:           selp

// ROCDL-LABEL: gpu.module
// ROCDL:         llvm.fcmp "ugt"
// ROCDL:         llvm.select
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xi64>, tensor<1x1xi64>) {
  %0 = fusion.negative %x : tensor<?x?xf32>
  %1 = fusion.argmax %0 axes [1] : tensor<?x?xf32>
  %2 = fusion.argmax %x axes [0, 1] keepdims : tensor<?x?xf32>
  return %1, %2 : tensor<?xi64>, tensor<1x1xi64>
}
