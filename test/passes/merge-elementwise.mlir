// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-merge-elementwise | FileCheck %s

// A chain is one kernel; only its last value is written.
// CHECK-LABEL: func.func @chain
// CHECK:       %[[R:.*]] = fusion.fused "elementwise" (%[[A:.*]] = %arg0) : (tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    fusion.exp %[[A]]
// CHECK-NEXT:    fusion.negative
// CHECK-NEXT:    fusion.yield
// CHECK:       return %[[R]]
func.func @chain(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.negative %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// A single operation is a kernel too.
// CHECK-LABEL: func.func @alone
// CHECK:       fusion.fused "elementwise"
func.func @alone(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Both sides of a diamond join, and a value that is read outside as well is a second result.
// CHECK-LABEL: func.func @diamond
// CHECK:       %[[R:.*]]:2 = fusion.fused
// CHECK:         fusion.yield
// CHECK-NOT:   fusion.fused
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @diamond(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.negative %0 : tensor<?xf32>
  %2 = fusion.abs %0 : tensor<?xf32>
  %3 = fusion.add %1, %2 : tensor<?xf32>, tensor<?xf32>
  return %0, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// Chains that stand interleaved and share nothing but an argument are kernels of their own.
// CHECK-LABEL: func.func @interleaved
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK-NEXT:    fusion.sin
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.log
// CHECK-NEXT:    fusion.cos
// CHECK-NOT:   fusion.fused
func.func @interleaved(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.log %x : tensor<?xf32>
  %2 = fusion.sin %0 : tensor<?xf32>
  %3 = fusion.cos %1 : tensor<?xf32>
  return %2, %3 : tensor<?xf32>, tensor<?xf32>
}

// -----

// The path from the first kernel through the sum to the last operation keeps that out: else the
// sum would depend on a kernel that depends on the sum.
// CHECK-LABEL: func.func @cycle_through_reduction
// CHECK:       %[[E:.*]] = fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK:       %[[S:.*]] = fusion.sum %[[E]]
// CHECK:       fusion.fused "elementwise" ({{.*}} = %[[E]], {{.*}} = %[[S]])
// CHECK-NEXT:    fusion.divide
func.func @cycle_through_reduction(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.sum %0 axes [1] keepdims : tensor<?x?xf32>
  %2 = fusion.divide %0, %1 : tensor<?x?xf32>, tensor<?x1xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// The same through what a backend runs: the sum joins the kernel after the call, not the one before.
// CHECK-LABEL: func.func @cycle_through_call
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK:       fusion.custom_call
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.negative
// CHECK-NEXT:    fusion.add
func.func @cycle_through_call(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.custom_call "numpy.sort" (%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = fusion.negative %1 : tensor<?xf32>
  %3 = fusion.add %0, %2 : tensor<?xf32>, tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// e + e.T: a value that is read at two indices is written once and read twice.
// CHECK-LABEL: func.func @two_indices
// CHECK:       %[[E:.*]] = fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK:       %[[T:.*]] = fusion.transpose %[[E]]
// CHECK:       fusion.fused "elementwise" ({{.*}} = %[[E]], {{.*}} = %[[T]])
func.func @two_indices(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.exp %x : tensor<?x?xf32>
  %1 = fusion.transpose %0 perm [1, 0] : tensor<?x?xf32>
  %2 = fusion.add %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// A kernel stands where all its operands are known, here after the call.
// CHECK-LABEL: func.func @order
// CHECK:       %[[C:.*]] = fusion.custom_call
// CHECK:       fusion.fused "elementwise" ({{.*}} = %arg0, {{.*}} = %[[C]])
func.func @order(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.custom_call "numpy.sort" (%x) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Scalars and constants are copied to every kernel that reads them.
// CHECK-LABEL: func.func @scalars
// CHECK-NOT:   fusion.full
// CHECK:       fusion.fused "elementwise" (%[[S:.*]] = %arg1, %{{.*}} = %arg0)
// CHECK-NEXT:    fusion.constant dense<2.0
// CHECK-NEXT:    fusion.full %[[S]] []
// CHECK:       fusion.sum
// CHECK:       fusion.fused "elementwise" (%[[S:.*]] = %arg1
// CHECK-NEXT:    fusion.constant dense<2.0
// CHECK-NEXT:    fusion.full %[[S]] []
func.func @scalars(%x: tensor<?x?xf32>, %s: f32) -> tensor<?xf32> {
  %c = fusion.constant dense<2.0> : tensor<f32>
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.multiply %x, %t : tensor<?x?xf32>, tensor<f32>
  %1 = fusion.add %0, %c : tensor<?x?xf32>, tensor<f32>
  %2 = fusion.sum %1 axes [1] : tensor<?x?xf32>
  %3 = fusion.multiply %2, %t : tensor<?xf32>, tensor<f32>
  %4 = fusion.add %3, %c : tensor<?xf32>, tensor<f32>
  return %4 : tensor<?xf32>
}

// -----

// A constant that is not the same everywhere is an input.
// CHECK-LABEL: func.func @constant
// CHECK:       %[[C:.*]] = fusion.constant
// CHECK:       fusion.fused "elementwise" (%{{.*}} = %arg0, %{{.*}} = %[[C]])
func.func @constant(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = fusion.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = fusion.multiply %x, %c : tensor<2xf32>, tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// A filled array that something else than a kernel reads is a kernel.
// CHECK-LABEL: func.func @full
// CHECK:       %[[F:.*]] = fusion.fused "elementwise" (%[[S:.*]] = %arg0, %[[N:.*]] = %arg1) : (f32, index)
// CHECK-NEXT:    fusion.full %[[S]] [%[[N]]]
// CHECK:       return %[[F]]
func.func @full(%s: f32, %n: index) -> tensor<?xf32> {
  %0 = fusion.full %s [%n] : f32 to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A range is made where it is read, if that kernel has its shape.
// CHECK-LABEL: func.func @range
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.iota
// CHECK-NEXT:    fusion.multiply
// CHECK-NOT:   fusion.fused
func.func @range(%x: tensor<?xf32>, %a: f32, %b: f32, %n: index) -> tensor<?xf32> {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.multiply %0, %x : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Where it repeats, or is read through a view, it has a kernel of its own.
// CHECK-LABEL: func.func @range_of_other_shape
// CHECK:       %[[I:.*]] = fusion.fused
// CHECK-NEXT:    fusion.iota
// CHECK-NEXT:    fusion.yield
// CHECK:       %[[F:.*]] = fusion.flip %[[I]]
// CHECK:       fusion.fused {{.*}}%[[F]]
func.func @range_of_other_shape(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %a: f32, %b: f32, %n: index) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.flip %0 axes [0] : tensor<?xf32>
  %2 = fusion.add %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  %3 = fusion.add %y, %1 : tensor<?xf32>, tensor<?xf32>
  return %2, %3 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// What is cheap and has fewer elements is computed where it is read.
// CHECK-LABEL: func.func @smaller
// CHECK:       fusion.fused {{.*}} : (tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT:    fusion.negative %{{.*}} : tensor<?xf32>
// CHECK-NEXT:    fusion.multiply
// CHECK-NOT:   fusion.fused
func.func @smaller(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.negative %b : tensor<?xf32>
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// So it is through several steps, of an extent of 1 as well as of fewer dimensions.
// CHECK-LABEL: func.func @smaller_steps
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.negative
// CHECK-NEXT:    fusion.add {{.*}} : tensor<?xf32>, tensor<?x1xf32>
// CHECK-NEXT:    fusion.abs
// CHECK-NEXT:    fusion.multiply
// CHECK-NOT:   fusion.fused
func.func @smaller_steps(%x: tensor<2x?x?xf32>, %b: tensor<?xf32>, %c: tensor<?x1xf32>) -> tensor<2x?x?xf32> {
  %0 = fusion.negative %b : tensor<?xf32>
  %1 = fusion.add %0, %c : tensor<?xf32>, tensor<?x1xf32>
  %2 = fusion.abs %1 : tensor<?x?xf32>
  %3 = fusion.multiply %x, %2 : tensor<2x?x?xf32>, tensor<?x?xf32>
  return %3 : tensor<2x?x?xf32>
}

// -----

// A single number is computed in each kernel that reads it, costly or not.
// CHECK-LABEL: func.func @single
// CHECK:       fusion.fused
// CHECK:         fusion.exp {{.*}} : tensor<f32>
// CHECK-NEXT:    fusion.multiply
// CHECK:       fusion.sum
// CHECK:       fusion.fused
// CHECK:         fusion.exp {{.*}} : tensor<f32>
// CHECK-NEXT:    fusion.add
// CHECK-NOT:   fusion.fused
func.func @single(%x: tensor<?x?xf32>, %s: f32) -> tensor<?xf32> {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.exp %t : tensor<f32>
  %1 = fusion.multiply %x, %0 : tensor<?x?xf32>, tensor<f32>
  %2 = fusion.sum %1 axes [1] : tensor<?x?xf32>
  %3 = fusion.add %2, %0 : tensor<?xf32>, tensor<f32>
  return %3 : tensor<?xf32>
}

// -----

// What can follow a reduction in its kernel is left for that.
// CHECK-LABEL: func.func @after_reduction
// CHECK:       fusion.sum
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.negative
// CHECK-NEXT:    fusion.yield
func.func @after_reduction(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.sum %x axes [1] keepdims : tensor<?x?xf32>
  %1 = fusion.negative %0 : tensor<?x1xf32>
  %2 = fusion.add %x, %1 : tensor<?x?xf32>, tensor<?x1xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// `?` and a static extent are the same where an operation ties them.
// CHECK-LABEL: func.func @static_and_dynamic
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.exp
// CHECK-NEXT:    fusion.add
func.func @static_and_dynamic(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.add %0, %y : tensor<?xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Kernels already made are left alone.
// CHECK-LABEL: func.func private @kernel
// CHECK-NOT:   fusion.fused
func.func private @kernel(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel = "elementwise"} {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A single number is copied to all its readers, whichever comes first.
// CHECK-LABEL: func.func @single_in_order
// CHECK:       fusion.fused
// CHECK:         fusion.sqrt {{.*}} : tensor<f32>
// CHECK-NEXT:    fusion.add {{.*}} : tensor<?xf32>, tensor<f32>
// CHECK:       fusion.fused
// CHECK:         fusion.sqrt {{.*}} : tensor<f32>
// CHECK-NEXT:    fusion.abs {{.*}} : tensor<f32>
// CHECK-NEXT:    fusion.add {{.*}} : tensor<f32>, tensor<1x?xf32>
// CHECK-NOT:   fusion.fused
func.func @single_in_order(%x: tensor<?xf32>, %y: tensor<1x?xf32>, %s: tensor<f32>) -> (tensor<?xf32>, tensor<1x?xf32>) {
  %0 = fusion.sqrt %s : tensor<f32>
  %1 = fusion.add %x, %0 : tensor<?xf32>, tensor<f32>
  %2 = fusion.abs %0 : tensor<f32>
  %3 = fusion.add %2, %y : tensor<f32>, tensor<1x?xf32>
  return %1, %3 : tensor<?xf32>, tensor<1x?xf32>
}

// -----

// Operations that nothing reads are dropped.
// CHECK-LABEL: func.func @dead
// CHECK-NOT:   fusion
// CHECK:       return
func.func @dead(%x: tensor<?xf32>) {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.abs %0 : tensor<?xf32>
  return
}

// -----

// A range of several dimensions is an input of the kernel of its shape that reads it, and no kernel
// of its own: what stands outside is no memory.
// CHECK-LABEL: func.func @range_of_two_dimensions
// CHECK:       %[[I:.*]] = fusion.iota
// CHECK-NEXT:  %[[R:.*]] = fusion.reshape %[[I]]
// CHECK-NEXT:  fusion.fused "elementwise" (%{{.*}} = %[[R]], %{{.*}} = %arg0) :
// CHECK-NEXT:    fusion.multiply
// CHECK-NOT:   fusion.fused
func.func @range_of_two_dimensions(%x: tensor<?x?xf32>, %a: f32, %b: f32, %m: index, %n: index, %k: index) -> tensor<?x?xf32> {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.multiply %1, %x : tensor<?x?xf32>, tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// By way of views that keep the order too, for several kernels.
// CHECK-LABEL: func.func @range_read_twice
// CHECK:       fusion.iota
// CHECK-NEXT:  fusion.reshape
// CHECK-NEXT:  %[[E:.*]] = fusion.expand_dims
// CHECK-NEXT:  %[[A:.*]] = fusion.fused "elementwise" (%{{.*}} = %[[E]]
// CHECK-NEXT:    fusion.multiply
// CHECK:       fusion.transpose %[[A]]
// CHECK-NEXT:  fusion.fused "elementwise" (%{{.*}} = %{{.*}}, %{{.*}} = %[[E]])
// CHECK-NEXT:    fusion.add
func.func @range_read_twice(%x: tensor<1x?x?xf32>, %a: f32, %b: f32, %m: index, %n: index, %k: index) -> (tensor<1x?x?xf32>, tensor<1x?x?xf32>) {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.expand_dims %1 axes [0] : tensor<?x?xf32>
  %3 = fusion.multiply %2, %x : tensor<1x?x?xf32>, tensor<1x?x?xf32>
  %4 = fusion.transpose %3 perm [0, 2, 1] : tensor<1x?x?xf32>
  %5 = fusion.add %4, %2 : tensor<1x?x?xf32>, tensor<1x?x?xf32>
  return %3, %5 : tensor<1x?x?xf32>, tensor<1x?x?xf32>
}

// -----

// One that is read in another order as well is written first.
// CHECK-LABEL: func.func @range_in_another_order
// CHECK:       %[[I:.*]] = fusion.fused
// CHECK-NEXT:    fusion.iota
// CHECK:       %[[R:.*]] = fusion.reshape %[[I]]
// CHECK:       fusion.transpose %[[R]]
// CHECK:       fusion.fused
func.func @range_in_another_order(%a: f32, %b: f32, %m: index, %n: index, %k: index) -> tensor<?x?xf32> {
  %0 = fusion.iota %a, %b [%k] : f32, f32 to tensor<?xf32>
  %1 = fusion.reshape %0 [%m, %n] : tensor<?xf32> to tensor<?x?xf32>
  %2 = fusion.transpose %1 perm [1, 0] : tensor<?x?xf32>
  %3 = fusion.multiply %1, %2 : tensor<?x?xf32>, tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

// -----

// Then what is computed of it may be computed where it is read.
// CHECK-LABEL: func.func @range_that_is_written
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.iota
// CHECK:       fusion.flip
// CHECK:       fusion.fused
// CHECK-NEXT:    fusion.negative
// CHECK-NEXT:    fusion.add
// CHECK-NOT:   fusion.fused
func.func @range_that_is_written(%x: tensor<?x?xf32>, %a: f32, %b: f32, %n: index) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = fusion.iota %a, %b [%n] : f32, f32 to tensor<?xf32>
  %1 = fusion.flip %0 axes [0] : tensor<?xf32>
  %2 = fusion.reshape %0 [%n, 1] : tensor<?xf32> to tensor<?x1xf32>
  %3 = fusion.negative %2 : tensor<?x1xf32>
  %4 = fusion.add %x, %3 : tensor<?x?xf32>, tensor<?x1xf32>
  return %4, %1 : tensor<?x?xf32>, tensor<?xf32>
}
