// RUN: pyfusion-opt %s --fusion-finalize-kernels | FileCheck %s

// A memref argument became two pointers, of which the second is used.
// CHECK-LABEL: llvm.func @k(
// CHECK-SAME:    %{{.*}}: !llvm.ptr, %[[P:.*]]: !llvm.ptr {llvm.noalias}, %{{.*}}: i64)
// A tile's pointer may lie in front of its memory.
// CHECK:         llvm.getelementptr %[[P]]
// CHECK:         llvm.br ^bb1 {loop_annotation
llvm.func @k(%a: !llvm.ptr, %p: !llvm.ptr, %i: i64)
    attributes {fusion.noalias = array<i32: 1>} {
  %0 = llvm.getelementptr inbounds|nuw %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^bb1
^bb1:
  %1 = llvm.load %0 : !llvm.ptr -> f32
  llvm.br ^bb1 {llvm.loop_annotation = #llvm.loop_annotation<unroll = <disable = true>>}
}
