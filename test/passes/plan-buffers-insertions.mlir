// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise --fusion-plan-buffers | FileCheck %s

// A base that nobody needs is written to in place, by the kernel that makes the value.
// CHECK-LABEL: func.func @in_place
// CHECK:       fusion.fused
// CHECK-NOT:   takes_over = array
// CHECK:       fusion.insert_slice {{.*}} {fused_store, takes_over}
func.func @in_place(%x: tensor<?xf32> {fusion.dies}, %a: tensor<?xf32> {fusion.dies}, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.exp %a : tensor<?xf32>
  %1 = fusion.insert_slice %0 into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// One that the caller keeps is copied.
// CHECK-LABEL: func.func @kept
// CHECK:       fusion.insert_slice {{.*}} {fused_store} :
func.func @kept(%x: tensor<?xf32>, %a: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.exp %a : tensor<?xf32>
  %1 = fusion.insert_slice %0 into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A chain of insertions has one memory.
// CHECK-LABEL: func.func @chain
// CHECK:       fusion.insert_slice {{.*}} {fused_store} :
// CHECK:       fusion.insert_slice {{.*}} {fused_store, takes_over} :
func.func @chain(%x: tensor<?xf32>, %a: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.exp %a : tensor<?xf32>
  %1 = fusion.insert_slice %0 into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %2 = fusion.log %a : tensor<?xf32>
  %3 = fusion.insert_slice %2 into %1[%n] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// What reads the old version comes later: it is copied.
// CHECK-LABEL: func.func @read_later
// CHECK:       fusion.insert_slice {{.*}} {fused_store} :
func.func @read_later(%x: tensor<?xf32> {fusion.dies}, %a: tensor<?xf32>, %o: index, %n: index) -> (tensor<?xf32>, tensor<1xf32>) {
  %0 = fusion.exp %a : tensor<?xf32>
  %1 = fusion.insert_slice %0 into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %2 = fusion.sum %x axes [0] : tensor<?xf32>
  %3 = fusion.expand_dims %2 axes [0] : tensor<f32>
  return %1, %3 : tensor<?xf32>, tensor<1xf32>
}

// -----

// A value that something else reads is stored, then copied to its place.
// CHECK-LABEL: func.func @read_twice
// CHECK:       fusion.insert_slice {{.*}} {takes_over} :
func.func @read_twice(%x: tensor<?xf32> {fusion.dies}, %a: tensor<?xf32>, %o: index, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.exp %a : tensor<?xf32>
  %1 = fusion.insert_slice %0 into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// A kernel may read the base through a view, but not as a whole.
// CHECK-LABEL: func.func @through_a_view
// CHECK:       fusion.insert_slice {{.*}} {fused_store, takes_over} :
func.func @through_a_view(%x: tensor<?xf32> {fusion.dies}, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.slice %x[%o] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.insert_slice %1 into %x[%n] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %2 : tensor<?xf32>
}
