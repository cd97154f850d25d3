// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects for AMD GPUs: version 5, waves of the chip's size, accesses of 16 bytes, no scratch
// memory, nothing left to link; multiplications and additions stay two instructions.
//
// REQUIRES: llvm-amdgpu
//
// RUN: pyfusion-compile %s --target=rocm:gfx942 --emit=hsaco -o %t.942
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.942 | FileCheck %s --check-prefixes=NOTES,W64 -DCHIP=gfx942
// RUN: %amdgpu/llvm-objdump -d %t.942 | FileCheck %s --check-prefixes=CODE,GFX9
// RUN: pyfusion-compile %s --target=rocm:gfx1201 --emit=hsaco -o %t.1201
// RUN: %amdgpu/llvm-readobj --file-header --notes %t.1201 | FileCheck %s --check-prefixes=NOTES,W32 -DCHIP=gfx1201
// RUN: %amdgpu/llvm-objdump -d %t.1201 | FileCheck %s --check-prefixes=CODE,GFX11
// RUN: %amdgpu/llvm-nm --dynamic --undefined-only %t.1201 | count 0

// The ABI's version 3 is that of code objects 5. The arguments: n, two descriptors of 40 bytes, s.
// NOTES:      OS/ABI: AMDGPU_HSA
// NOTES:      ABIVersion: 3
// NOTES:      amdhsa.kernels:
// NOTES:        .kernarg_segment_size: 92
// NOTES:        .max_flat_workgroup_size: 256
// NOTES:        .name: kernel_0_flat
// NOTES-NEXT:   .private_segment_fixed_size: 0
// NOTES:        .uses_dynamic_stack: false
// NOTES:        .vgpr_spill_count: 0
// W64-NEXT:     .wavefront_size: 64
// W32-NEXT:     .wavefront_size: 32
// NOTES:      amdhsa.target: amdgcn-amd-amdhsa--[[CHIP]]

// CODE-LABEL: <kernel_0_flat>:
// CODE-NOT:     scratch_
// GFX9:         global_load_dwordx4
// GFX9:         v_mul_f32
// GFX9:         v_add_f32
// GFX9:         v_sqrt_f32
// GFX9:         global_store_dwordx4
// GFX11:        global_load_b128
// GFX11:        v_mul_f32
// GFX11:        v_add_f32
// GFX11:        {{v_sqrt_f32|v_s_sqrt_f32}}
// GFX11:        global_store_b128
// CODE-NOT:     scratch_
// CODE:         s_endpgm
gpu.module @kernel_0 {
  gpu.func @kernel_0_flat(%n: index, %x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %s: f32)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %0 = arith.muli %block, %c256 : index
    %1 = arith.addi %0, %thread : index
    %i = arith.muli %1, %c4 : index
    %inside = arith.cmpi slt, %i, %n : index
    scf.if %inside {
      %v = vector.load %x[%i] {alignment = 16 : i64} : memref<?xf32, 1>, vector<4xf32>
      %e = vector.extract %v[0] : f32 from vector<4xf32>
      %m = arith.mulf %e, %s : f32
      %a = arith.addf %m, %s : f32
      %q = math.sqrt %a : f32
      %d = arith.divf %q, %s : f32
      %r = math.floor %d : f32
      %w = vector.insert %r, %v[0] : f32 into vector<4xf32>
      vector.store %w, %y[%i] {alignment = 16 : i64} : memref<?xf32, 1>, vector<4xf32>
    }
    gpu.return
  }
}
