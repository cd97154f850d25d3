// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --verify-diagnostics --convert-fusion-to-linalg

// expected-error @below {{failed to legalize operation 'func.func'}}
func.func private @constant(%x: tensor<2xf32>) -> tensor<2xf32>
    attributes {fusion.kernel = "elementwise"} {
  // expected-error @below {{of several values in a kernel: it has to be an argument}}
  %0 = fusion.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = fusion.add %x, %0 : tensor<2xf32>, tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// expected-error @below {{failed to legalize operation 'func.func'}}
func.func private @view(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat} {
  // expected-error @below {{cannot be part of a kernel}}
  %0 = fusion.flip %x axes [0] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @below {{result 0 of type 'tensor<?xf32>' cannot take over argument 0}}
// expected-error @below {{failed to legalize operation 'func.func'}}
func.func private @taken(%x: tensor<?xi32>) -> tensor<?xf32>
    attributes {fusion.kernel = "elementwise", fusion.flat, fusion.takes_over = array<i64: 0>} {
  %0 = fusion.cast %x : tensor<?xi32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
