// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-flatten-kernels='access=true drop-main=false' | FileCheck %s

// What something was inserted into is as dense as what a kernel makes: it may be overwritten.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME:    fusion.access = ["dense"]
func.func @main(%x: tensor<?xf32> {fusion.strided}, %v: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.insert_slice %v into %x[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  %1 = func.call @kernel_0(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func private @kernel_0(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel = "elementwise", fusion.takes_over = array<i64: 0>} {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
