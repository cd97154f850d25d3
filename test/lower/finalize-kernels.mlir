// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-finalize-kernels | FileCheck %s

// Memory of two arguments does not alias: each is in the scope that the other is outside of.
// CHECK-DAG:   #[[X:.*]] = #llvm.alias_scope<id = distinct[{{.*}}]<>, domain = #[[D:.*]]>
// CHECK-DAG:   #[[Y:.*]] = #llvm.alias_scope<id = distinct[{{.*}}]<>, domain = #[[D]]>
// CHECK-LABEL: llvm.func @k(
// CHECK:         llvm.load %{{.*}} {alias_scopes = [#[[A:.*]]], noalias_scopes = [#[[B:.*]]]} : !llvm.ptr -> f32
// CHECK:         llvm.store %{{.*}} {alias_scopes = [#[[B]]], noalias_scopes = [#[[A]]]} : f32
// A branch in the form that LLVM looks at.
// CHECK:         llvm.br ^bb1 {loop_annotation
!memref = !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
llvm.func @k(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias})
    attributes {fusion.kernel = "elementwise"} {
  %0 = llvm.load %x : !llvm.ptr -> !memref
  %1 = llvm.load %y : !llvm.ptr -> !memref
  %2 = llvm.extractvalue %0[1] : !memref
  %3 = llvm.extractvalue %1[1] : !memref
  llvm.br ^bb1
^bb1:
  %4 = llvm.load %2 : !llvm.ptr -> f32
  llvm.store %4, %3 : f32, !llvm.ptr
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
}

// The pointer of a tile may lie in front of its memory.
// CHECK-LABEL: llvm.func @tile(
// CHECK:         llvm.getelementptr %arg0[%arg1]
llvm.func @tile(%p: !llvm.ptr, %i: i64) -> !llvm.ptr {
  %0 = llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.return %0 : !llvm.ptr
}
