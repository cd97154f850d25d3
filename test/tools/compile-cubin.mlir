// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code for NVIDIA's chips, by ptxas.
// REQUIRES: ptxas
//
// RUN: pyfusion-compile %s --target=cuda --emit=cubin -o %t.cubin
// RUN: llvm-readelf --file-header --symbols %t.cubin | FileCheck %s
// RUN: pyfusion-compile %s --target=cuda:sm_80 --emit=cubin -o %t.80.cubin
// RUN: llvm-readelf --symbols %t.80.cubin | FileCheck %s --check-prefix=SYMBOLS
// RUN: not cmp %t.cubin %t.80.cubin

// CHECK:   Machine: NVIDIA CUDA architecture
// CHECK:   FUNC {{.*}} kernel_0
// SYMBOLS: FUNC {{.*}} kernel_0
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.sum %y axes [0] : tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<f32>
}
