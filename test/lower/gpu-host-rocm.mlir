// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module with AMD's code object goes through the same lowering of host code as one with PTX.
//
// REQUIRES: llvm-amdgpu
//
// RUN: pyfusion-opt %s --target=rocm --start-after=gpu | FileCheck %s

// CHECK-LABEL: llvm.func @kernel_0_flat(%arg0: !llvm.ptr
// CHECK:         gpu.launch_func <%arg0 : !llvm.ptr> @kernel_0::@kernel_0_flat
// CHECK:       gpu.binary @kernel_0 [#gpu.object<#rocdl.target<{{.*}}bin = "\7FELF
module attributes {gpu.container_module} {
  func.func @kernel_0_flat(%stream: !llvm.ptr, %grid: index, %n: index, %x: memref<?xf64, 1>, %s: f64)
      attributes {llvm.emit_c_interface, fusion.block = 256 : i64} {
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %token = builtin.unrealized_conversion_cast %stream : !llvm.ptr to !gpu.async.token
    %done = gpu.launch_func async [%token] @kernel_0::@kernel_0_flat
        blocks in (%grid, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%n : index, %x : memref<?xf64, 1>, %s : f64)
    return
  }
  gpu.module @kernel_0 {
    gpu.func @kernel_0_flat(%n: index, %x: memref<?xf64, 1>, %s: f64)
        kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %c256 = arith.constant 256 : index
      %first = arith.muli %block, %c256 : index
      %i = arith.addi %first, %thread : index
      %inside = arith.cmpi slt, %i, %n : index
      scf.if %inside {
        memref.store %s, %x[%i] : memref<?xf64, 1>
      }
      gpu.return
    }
  }
}
