// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host code of a GPU's kernels launches them on its caller's stream: it makes none and waits for
// nothing.
//
// RUN: pyfusion-opt %s --target=cuda --start-after=gpu | FileCheck %s --check-prefixes=CHECK,CUDA

// CHECK-LABEL: llvm.func @kernel_0_flat(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr<1>
// CHECK-NOT:     mgpu
// CHECK:         gpu.launch_func <%arg0 : !llvm.ptr> @kernel_0::@kernel_0_flat
// CHECK-SAME:      blocks in (%arg1,
// CHECK-NEXT:    llvm.return

// Each argument by its address, memrefs by the address of the address of their descriptor.
// CHECK-LABEL: llvm.func @_mlir_ciface_kernel_0_flat(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64, %arg3: !llvm.ptr, %arg4: f64)
// CHECK-SAME:    fusion.block = 256
// CHECK-NOT:     gpu.module
// CUDA:        gpu.binary @kernel_0 [#gpu.object<#nvvm.target<{{.*}}assembly =
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
