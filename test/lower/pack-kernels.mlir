// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-pack-kernels | FileCheck %s

// The function takes pointers to descriptors, as MLIR's C interface does, and has its name. It is
// not kept beside the wrapper that the execution engine makes.
// CHECK-LABEL: func.func @_mlir_ciface_k(
// CHECK-SAME:    %[[P:[a-z0-9]*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: f32, %{{.*}}: index)
// CHECK-NOT:     llvm.emit_c_interface
// CHECK-SAME:    llvm.linkage = #llvm.linkage<linkonce_odr>
// CHECK-SAME:    passthrough = ["alwaysinline"]
// CHECK:         %[[D:.*]] = llvm.load %[[P]] : !llvm.ptr -> !llvm.struct<(ptr, ptr, i64,
// CHECK:         %[[M:.*]] = builtin.unrealized_conversion_cast %[[D]]
// CHECK:         memref.store %{{.*}}, %[[M]]
func.func @k(%x: memref<?xf32, strided<[1]>> {llvm.noalias}, %v: f32, %i: index)
    attributes {fusion.kernel = "elementwise", fusion.flat, llvm.emit_c_interface} {
  memref.store %v, %x[%i] : memref<?xf32, strided<[1]>>
  return
}
