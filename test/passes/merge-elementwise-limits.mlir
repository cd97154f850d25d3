// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --print-refusals --verify-diagnostics \
// RUN:   --fusion-merge-elementwise="max-ops=2 max-operands=3" | FileCheck %s

// A chain is cut where it gets too long.
// CHECK-LABEL: func.func @ops
// CHECK:       fusion.exp
// CHECK-NEXT:  fusion.sin
// CHECK-NEXT:  fusion.yield
// CHECK:       fusion.cos
func.func @ops(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.sin %0 : tensor<?xf32>
  // expected-remark@below {{more than 2 operations (max-ops)}}
  %2 = fusion.cos %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Inputs and results are counted together.
// CHECK-LABEL: func.func @operands
// CHECK-COUNT-2: fusion.fused
func.func @operands(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  // expected-remark@below {{more than 3 operands (max-operands)}}
  %1 = fusion.add %0, %z : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @few_operands
// CHECK-COUNT-1: fusion.fused
// CHECK-NOT:   fusion.fused
func.func @few_operands(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.multiply %0, %x : tensor<?xf32>, tensor<?xf32>
  return %1 : tensor<?xf32>
}
