// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects and assembly for AMD's chips, from the operations of a block.
// REQUIRES: llvm-amdgpu
//
// RUN: pyfusion-compile %s --target=rocm:gfx90a --emit=hsaco -o %t.90a
// RUN: %amdgpu/llvm-readelf --notes %t.90a | FileCheck %s --check-prefixes=NOTES,W64 -DCHIP=gfx90a
// RUN: pyfusion-compile %s --target=rocm:gfx942 --emit=hsaco -o %t.942
// RUN: %amdgpu/llvm-readelf --notes %t.942 | FileCheck %s --check-prefixes=NOTES,W64 -DCHIP=gfx942
// RUN: pyfusion-compile %s --target=rocm:gfx1100 --emit=hsaco -o %t.1100
// RUN: %amdgpu/llvm-readelf --notes %t.1100 | FileCheck %s --check-prefixes=NOTES,W32 -DCHIP=gfx1100
// RUN: pyfusion-compile %s --target=rocm:gfx1201 --emit=hsaco -o %t.1201
// RUN: %amdgpu/llvm-readelf --notes %t.1201 | FileCheck %s --check-prefixes=NOTES,W32 -DCHIP=gfx1201
// RUN: pyfusion-compile %s --target=rocm --emit=asm | FileCheck %s --check-prefix=ASM
// RUN: pyfusion-compile %s --target=rocm --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ

// NOTES:      amdhsa.kernels:
// NOTES:        .name: kernel_0
// NOTES-NEXT:   .private_segment_fixed_size: 0
// W64:          .wavefront_size: 64
// W32:          .wavefront_size: 32
// NOTES:        .name: kernel_1
// NOTES-NEXT:   .private_segment_fixed_size: 0
// NOTES:      amdhsa.target: amdgcn-amd-amdhsa--[[CHIP]]

// ASM:        .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// ASM:        .amdhsa_code_object_version 5
// ASM:        .amdhsa_kernel kernel_0
// ASM:        .amdgpu_metadata

// OBJ:        T _mlir_ciface_kernel_0
// OBJ:        U mgpuModuleLoad{{$}}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.sum %y axes [0] : tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<f32>
}
