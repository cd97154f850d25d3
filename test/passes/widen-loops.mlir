// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --pass-pipeline='builtin.module(fusion-widen-loops{min-ops=3})' | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --pass-pipeline='builtin.module(fusion-widen-loops{min-ops=4})' | FileCheck %s --check-prefix=MORE
// RUN: pyfusion-opt %s --split-input-file --pass-pipeline='builtin.module(fusion-widen-loops{min-ops=3 elements=8})' | FileCheck %s --check-prefix=EIGHT
// RUN: pyfusion-opt %S/random-bodies.mlir --split-input-file --target=cpu --stop-after=llvm | FileCheck %s --check-prefix=RANDOM

// LLVM is told of the loops of random numbers.
// RANDOM:       #[[V:.*]] = #llvm.loop_vectorize<disable = false, width = 32 : i32>
// RANDOM:       #[[L:.*]] = #llvm.loop_annotation<vectorize = #[[V]]>
// RANDOM:       llvm.func {{.*}}kernel_0
// RANDOM:       llvm.br {{.*}} {loop_annotation = #[[L]]}

// CHECK: #[[V:.*]] = #llvm.loop_vectorize<disable = false, width = 32 : i32>
// CHECK: #[[L:.*]] = #llvm.loop_annotation<vectorize = #[[V]]>
// EIGHT: width = 8 : i32
// MORE-NOT: loop_annotation

// CHECK-LABEL: func.func private @words
// CHECK:       memref.store
// CHECK-NEXT:  } {llvm.loop_annotation = #[[L]]}
func.func private @words(%x: memref<?xi32>, %k: i32, %a: index, %b: index) attributes {fusion.flat, fusion.kernel = "elementwise"} {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %0 = memref.load %x[%i] : memref<?xi32>
    %1 = arith.xori %0, %k : i32
    %2 = arith.shli %1, %k : i32
    %3 = arith.addi %2, %1 : i32
    memref.store %3, %x[%i] : memref<?xi32>
  }
  return
}

// -----

// With many floats it is half as many.
// CHECK: #[[V:.*]] = #llvm.loop_vectorize<disable = false, width = 16 : i32>
// CHECK: #[[H:.*]] = #llvm.loop_annotation<vectorize = #[[V]]>
// CHECK-LABEL: func.func private @floats
// CHECK:       memref.store
// CHECK-NEXT:  } {llvm.loop_annotation = #[[H]]}
func.func private @floats(%x: memref<?xf32>, %k: i32, %a: index, %b: index) attributes {fusion.flat, fusion.kernel = "elementwise"} {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %0 = memref.load %x[%i] : memref<?xf32>
    %1 = arith.fptosi %0 : f32 to i32
    %2 = arith.xori %1, %k : i32
    %3 = arith.shli %2, %k : i32
    %4 = arith.addi %3, %2 : i32
    %5 = arith.sitofp %4 : i32 to f32
    memref.store %5, %x[%i] : memref<?xf32>
  }
  return
}

// -----

// Other types have as many elements as there is place for.
// CHECK-LABEL: func.func private @bytes
// CHECK-NOT:   loop_annotation
func.func private @bytes(%x: memref<?xi8>, %k: i8, %a: index, %b: index) attributes {fusion.flat, fusion.kernel = "elementwise"} {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %0 = memref.load %x[%i] : memref<?xi8>
    %1 = arith.xori %0, %k : i8
    %2 = arith.shli %1, %k : i8
    %3 = arith.addi %2, %1 : i8
    memref.store %3, %x[%i] : memref<?xi8>
  }
  return
}

// -----

// What LLVM may be unable to do is not asked of it, nor is anything of a reduction.
// CHECK-LABEL: func.func private @branches
// CHECK-NOT:   loop_annotation
func.func private @branches(%x: memref<?xi32>, %k: i32, %t: i1, %a: index, %b: index) attributes {fusion.flat, fusion.kernel = "elementwise"} {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %0 = memref.load %x[%i] : memref<?xi32>
    %1 = arith.xori %0, %k : i32
    %2 = arith.shli %1, %k : i32
    %3 = arith.addi %2, %1 : i32
    scf.if %t {
      memref.store %3, %x[%i] : memref<?xi32>
    }
  }
  return
}
func.func private @reduction(%x: memref<?xi32>, %k: i32, %a: index, %b: index) attributes {fusion.flat, fusion.kernel = "reduction"} {
  %c1 = arith.constant 1 : index
  scf.for %i = %a to %b step %c1 {
    %0 = memref.load %x[%i] : memref<?xi32>
    %1 = arith.xori %0, %k : i32
    %2 = arith.shli %1, %k : i32
    %3 = arith.addi %2, %1 : i32
    memref.store %3, %x[%i] : memref<?xi32>
  }
  return
}
