// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exception in a rewrite pattern comes out as it is; the context can be used for the next part.
// RUN: not pyfusion-opt %s --split-input-file --load=%S/Inputs/user_passes.py --user-patterns --convert-arith-to-llvm 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.err
// RUN: not pyfusion-opt %s --split-input-file --load=%S/Inputs/user_passes.py --user-patterns=greedy --convert-arith-to-llvm 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.err

// ERROR: error: user-patterns: ArithmeticError: a cosine
// CHECK-NOT: @raises
func.func @raises(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.cos %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @rewrites
// CHECK-DAG:   fusion.abs
// CHECK-DAG:   llvm.mlir.constant
func.func @rewrites(%x: tensor<?xf32>) -> (tensor<?xf32>, i32) {
  %0 = fusion.negative %x : tensor<?xf32>
  %1 = arith.constant 1 : i32
  return %0, %1 : tensor<?xf32>, i32
}
