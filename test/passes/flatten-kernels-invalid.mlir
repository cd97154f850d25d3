// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --fusion-flatten-kernels --split-input-file --verify-diagnostics

// expected-error@below {{the body of kernel @declared is not one block}}
func.func private @declared(tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel = "elementwise"}

// -----

// expected-error@below {{the body of kernel @blocks is not one block}}
func.func private @blocks(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel = "elementwise"} {
  cf.br ^next
^next:
  return %x : tensor<?xf32>
}

// -----

// expected-error@below {{kernel @kind: fusion.kernel is "elementwise" or "reduction", not unit}}
func.func private @kind(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel} {
  return %x : tensor<?xf32>
}

// -----

// expected-error@below {{a reduction kernel holds one reduction, not 0}}
func.func private @none(%x: tensor<?xf32>) -> tensor<?xf32> attributes {fusion.kernel = "reduction"} {
  return %x : tensor<?xf32>
}

// -----

func.func private @constant(%x: tensor<2xf32>) -> tensor<2xf32> attributes {fusion.kernel = "elementwise"} {
  // expected-error@below {{a constant in a kernel must have one value everywhere}}
  %0 = fusion.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = fusion.add %x, %0 : tensor<2xf32>, tensor<2xf32>
  return %1 : tensor<2xf32>
}
