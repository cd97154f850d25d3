// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects for AMD's chips, from the operations of a block: version 5, waves of the chip's size,
// accesses of 16 bytes, no scratch memory, nothing left to link. Also assembly, and the host's part.
// REQUIRES: llvm-amdgpu
//
// RUN: pyfusion-compile %s --target=rocm:gfx90a --emit=hsaco -o %t.90a
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.90a | FileCheck %s --check-prefixes=NOTES,W64 -DCHIP=gfx90a
// RUN: %amdgpu/llvm-objdump -d %t.90a | FileCheck %s --check-prefixes=CODE,GFX9 --implicit-check-not=scratch_
// RUN: pyfusion-compile %s --target=rocm:gfx942 --emit=hsaco -o %t.942
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.942 | FileCheck %s --check-prefixes=NOTES,W64 -DCHIP=gfx942
// RUN: %amdgpu/llvm-objdump -d %t.942 | FileCheck %s --check-prefixes=CODE,GFX9 --implicit-check-not=scratch_
// RUN: pyfusion-compile %s --target=rocm:gfx1100 --emit=hsaco -o %t.1100
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.1100 | FileCheck %s --check-prefixes=NOTES,W32 -DCHIP=gfx1100
// RUN: %amdgpu/llvm-objdump -d %t.1100 | FileCheck %s --check-prefixes=CODE,GFX11 --implicit-check-not=scratch_
// RUN: pyfusion-compile %s --target=rocm:gfx1201 --emit=hsaco -o %t.1201
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.1201 | FileCheck %s --check-prefixes=NOTES,W32 -DCHIP=gfx1201
// RUN: %amdgpu/llvm-objdump -d %t.1201 | FileCheck %s --check-prefixes=CODE,GFX11 --implicit-check-not=scratch_
// RUN: %amdgpu/llvm-nm --dynamic --undefined-only %t.1201 | count 0
// RUN: pyfusion-compile %s --target=rocm --emit=asm | FileCheck %s --check-prefix=ASM
// RUN: pyfusion-compile %s --target=rocm --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ

// Version 3 of the ABI is that of code objects 5. The arguments: two integers of 8 bytes, three
// descriptors of 40.
// NOTES:      OS/ABI: AMDGPU_HSA
// NOTES:      ABIVersion: 3
// NOTES:      amdhsa.kernels:
// NOTES:        .kernarg_segment_size: 136
// NOTES:        .max_flat_workgroup_size: 128
// NOTES:        .name: kernel_0_flat
// NOTES-NEXT:   .private_segment_fixed_size: 0
// NOTES:        .vgpr_spill_count: 0
// W64-NEXT:     .wavefront_size: 64
// W32-NEXT:     .wavefront_size: 32
// NOTES:        .name: kernel_1_reduce
// NOTES-NEXT:   .private_segment_fixed_size: 0
// NOTES:        .vgpr_spill_count: 0
// NOTES:        .name: kernel_1_finish
// NOTES-NEXT:   .private_segment_fixed_size: 0
// NOTES:        .vgpr_spill_count: 0
// NOTES:      amdhsa.target: amdgcn-amd-amdhsa--[[CHIP]]

// CODE-LABEL: <kernel_0_flat>:
// GFX9:         global_load_dwordx4
// GFX9:         global_load_dwordx4
// GFX9:         global_store_dwordx4
// GFX11:        global_load_b128
// GFX11:        global_load_b128
// GFX11:        global_store_b128
// CODE-LABEL: <kernel_1_reduce>:
// GFX9:         global_load_dwordx4
// GFX11:        global_load_b128
// CODE-LABEL: <kernel_1_finish>:
// CODE:         s_endpgm

// ASM:        .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// ASM:        .amdhsa_code_object_version 5
// ASM:        .amdhsa_kernel kernel_0_flat
// ASM:        .amdgpu_metadata

// OBJ:        T _mlir_ciface_kernel_0_flat
// OBJ:        T _mlir_ciface_kernel_1_reduce
// OBJ:        U mgpuModuleLoad{{$}}
// OBJ-NOT:    mgpuStream
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.sum %y axes [0] : tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<f32>
}
