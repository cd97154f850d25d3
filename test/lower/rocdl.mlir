// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the gpu dialect to the ROCDL dialect, and to LLVM IR for AMD GPUs.
//
// RUN: pyfusion-opt %s --target=rocm --start-after=gpu --stop-after=rocdl | FileCheck %s --check-prefixes=ROCDL,GFX942
// RUN: pyfusion-opt %s --target=rocm:gfx1201 --start-after=gpu --stop-after=rocdl | FileCheck %s --check-prefixes=ROCDL,GFX1201
// RUN: pyfusion-compile %s --target=rocm:gfx90a --emit=llvm | FileCheck %s --check-prefix=LLVM

// ROCDL-LABEL: gpu.module @kernel_0
// GFX942-SAME:   [#rocdl.target<O = 3, chip = "gfx942", features = "+wavefrontsize64", abi = "500">]
// GFX1201-SAME:  [#rocdl.target<O = 3, chip = "gfx1201", features = "+wavefrontsize32", abi = "500">]
// ROCDL-NOT:     {{__ocml|__ockl}}
// ROCDL:         llvm.func @kernel_0_flat(%{{.*}}: !llvm.ptr<1>
// ROCDL-SAME:      rocdl.flat_work_group_size = "256,256"
// ROCDL-SAME:      rocdl.kernel
// ROCDL-NOT:     {{__ocml|__ockl}}
// ROCDL:         llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// ROCDL:         llvm.call_intrinsic "llvm.sqrt.f32"
// ROCDL-NOT:     {{__ocml|__ockl}}
// ROCDL-NOT:     unrealized_conversion_cast

// LLVM:        target triple = "amdgcn-amd-amdhsa"
// LLVM:        define amdgpu_kernel void @kernel_0_flat(i64 %0, ptr addrspace(1) %1
// LLVM:          load <4 x float>, ptr addrspace(1) {{.*}}, align 16
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
