// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifier says of reductions and contractions.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.sum' op axis 1 is not a dimension of the operand, whose rank is 1}}
  %0 = fusion.sum %x axes [1] : tensor<4xf32>
  return
}

// -----

func.func @repeated_axis(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'fusion.max' op axes must be sorted and distinct, but 1 follows 1}}
  %0 = fusion.max %x axes [1, 1] : tensor<4x4xf32>
  return
}

// -----

func.func @result(%x: tensor<4x3xf32>) {
  // expected-error @+2 {{'fusion.sum' op failed to infer returned types}}
  // expected-error @+1 {{'fusion.sum' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "fusion.sum"(%x) {axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @mean_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{'fusion.mean' op operand #0 must be a ranked tensor of f16, bf16, f32 or f64, but got 'tensor<4xi32>'}}
  %0 = fusion.mean %x axes [0] : tensor<4xi32>
  return
}

// -----

func.func @places_of_some_axes(%x: tensor<4x4x4xf32>) {
  // expected-error @+1 {{'fusion.argmax' op reduces one axis or all 3, not 2}}
  %0 = fusion.argmax %x axes [0, 1] : tensor<4x4x4xf32>
  return
}

// -----

func.func @place_without_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.argmin' op reduces one axis or all 1, not 0}}
  %0 = fusion.argmin %x axes [] : tensor<4xf32>
  return
}

// -----

func.func @place_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.argmin' op axis 1 is not a dimension of the operand, whose rank is 1}}
  %0 = fusion.argmin %x axes [1] : tensor<4xf32>
  return
}

// -----

func.func @place_type(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'fusion.argmax' op result #0 must be a ranked tensor of i64, but got 'tensor<4xi32>'}}
  %0 = "fusion.argmax"(%x) {axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @inner(%x: tensor<4x3xf32>, %y: tensor<1x4xf32>) {
  // expected-error @+1 {{'fusion.matmul' op inner extents differ: 3 of 'tensor<4x3xf32>' and 1 of 'tensor<1x4xf32>'}}
  %0 = fusion.matmul %x, %y : tensor<4x3xf32>, tensor<1x4xf32>
  return
}

// -----

func.func @batch(%x: tensor<2x4x3xf32>, %y: tensor<5x3x4xf32>) {
  // expected-error @+1 {{'fusion.matmul' op batch dimensions do not broadcast: 'tensor<2x4x3xf32>' and 'tensor<5x3x4xf32>'}}
  %0 = fusion.matmul %x, %y : tensor<2x4x3xf32>, tensor<5x3x4xf32>
  return
}

// -----

func.func @scalar(%x: tensor<f32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'fusion.matmul' op takes no operand of rank 0: 'tensor<f32>' and 'tensor<3xf32>'}}
  %0 = fusion.matmul %x, %y : tensor<f32>, tensor<3xf32>
  return
}

// -----

func.func @product_types(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error @+1 {{'fusion.matmul' op operands have different element types: 'f32' and 'f64'}}
  %0 = fusion.matmul %x, %y : tensor<3xf32>, tensor<3xf64>
  return
}
