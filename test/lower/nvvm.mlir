// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the gpu dialect to PTX, with memory of the GPU (space 1), 16-byte accesses, IEEE arithmetic.
//
// RUN: pyfusion-opt %s --target=cuda --start-after=gpu --stop-after=nvvm | FileCheck %s --check-prefix=NVVM
// RUN: pyfusion-opt %s --target=cuda --start-after=gpu --stop-after=ptx | FileCheck %s --check-prefixes=PTX,SM90
// RUN: pyfusion-opt %s --target=cuda:sm_80 --start-after=gpu --stop-after=ptx | FileCheck %s --check-prefixes=PTX,SM80
// RUN: pyfusion-opt %s --target=cuda:sm_70 --start-after=gpu --stop-after=ptx | FileCheck %s --check-prefixes=PTX,SM70
// RUN: pyfusion-opt %s --target=cuda:sm_120 --start-after=gpu --stop-after=ptx | FileCheck %s --check-prefixes=PTX,SM120

// RUN: pyfusion-compile %s --target=cuda --emit=llvm | FileCheck %s --check-prefix=LLVM

// LLVM:        target triple = "nvptx64-nvidia-cuda"
// LLVM-NOT:    {{__nv_|contract|fast}}
// LLVM:        define ptx_kernel void @kernel_0_flat(i64 %0, ptr addrspace(1) %1
// LLVM-NOT:    {{__nv_|contract|fast}}

// No call of a device library: where a CUDA toolkit is found, MLIR would link it unasked.
// NVVM-LABEL:  gpu.module @kernel_0 [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx81">]
// NVVM-NOT:      __nv_
// NVVM:          llvm.func @kernel_0_flat(%{{.*}}: !llvm.ptr<1>
// NVVM-SAME:       nvvm.kernel
// NVVM-SAME:       nvvm.maxntid = array<i32: 256, 1, 1>
// NVVM-NOT:      __nv_
// NVVM:          llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// NVVM-NOT:      __nv_
// NVVM:          llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"
// NVVM-NOT:      __nv_
// NVVM-NOT:      unrealized_conversion_cast

// PTX:         gpu.binary @kernel_0 [#gpu.object<#nvvm.target<
// SM90:          .version 8.1{{.*}}.target sm_90
// SM80:          .version 8.1{{.*}}.target sm_80
// SM70:          .version 8.1{{.*}}.target sm_70
// SM120:         .version 8.7{{.*}}.target sm_120
// PTX-SAME:      .visible .entry kernel_0_flat(
// PTX-NOT:       call
// PTX-NOT:       fma
// PTX-SAME:      ld.global.{{v4.b32|v2.b64}}
// PTX-NOT:       fma
// PTX-SAME:      mul.rn.f32
// PTX-NOT:       fma
// PTX-SAME:      add.rn.f32
// PTX-SAME:      sqrt.rn.f32
// PTX-SAME:      div.rn.f32
// PTX-NOT:       fma
// PTX-SAME:      st.global.{{v4.b32|v2.b64}}
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
