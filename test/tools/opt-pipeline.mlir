// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of both kinds, with options, as text and as flags; flags run in their order.
// RUN: pyfusion-opt %s --pass-pipeline='builtin.module(cse,fusion-merge-elementwise{max-ops=1},func.func(canonicalize))' | FileCheck %s
// RUN: pyfusion-opt %s --cse --fusion-merge-elementwise=max-ops=1 --canonicalize | FileCheck %s
// RUN: pyfusion-opt --pass-pipeline="cse,fusion-merge-elementwise{max-ops=1 max-operands=8}" < %s | FileCheck %s
// RUN: pyfusion-opt %s --fusion-merge-elementwise=max-ops=1 --cse -o %t.mlir
// RUN: FileCheck %s --check-prefix=LATE < %t.mlir
// RUN: pyfusion-opt %s | FileCheck %s --check-prefix=NONE

// CHECK-COUNT-2: fusion.fused
// CHECK-NOT:     fusion.fused
// LATE-COUNT-2:  fusion.fused
// NONE-NOT:      fusion.fused
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  %1 = fusion.exp %x : tensor<?xf32>
  %2 = fusion.add %0, %1 : tensor<?xf32>, tensor<?xf32>
  return %2 : tensor<?xf32>
}
