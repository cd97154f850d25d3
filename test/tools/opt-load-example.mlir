// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of extensions are modules that the tool can load.
// RUN: pyfusion-opt %s --load=%S/../../examples/own_pass.py --example-twice-as-sum | FileCheck %s --check-prefix=PASS
// RUN: pyfusion-opt %s --load=%S/../../examples/own_pass.py --example-twice-as-sum=integers=false | FileCheck %s --check-prefix=PASS
// RUN: pyfusion-opt %s --load=%S/../../examples/own_op.py --target=cpu --stop-after=merged | FileCheck %s --check-prefix=OP

// PASS:     fusion.add %arg0, %arg0
// PASS-NOT: fusion.multiply
// PASS:     fusion.custom_call "custom.scaled"
// OP:       fusion.fused
// OP-COUNT-2: fusion.multiply
// OP-NOT:   fusion.custom_call
func.func @main(%x: tensor<?x?xf32>, %s: f32) -> tensor<?x?xf32> {
  %two = fusion.constant dense<2.0> : tensor<f32>
  %0 = fusion.multiply %x, %two : tensor<?x?xf32>, tensor<f32>
  %1 = fusion.custom_call "custom.scaled"(%0, %s) : (tensor<?x?xf32>, f32) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
