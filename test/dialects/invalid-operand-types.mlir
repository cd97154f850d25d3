// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each operation refuses operands of a type that it has no meaning for.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @abs(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.abs' op operand #0 must be}}
  %0 = "fusion.abs"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @all(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.all' op operand #0 must be}}
  %0 = "fusion.all"(%x) <{axes = array<i64: 0>}> : (tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @any(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.any' op operand #0 must be}}
  %0 = "fusion.any"(%x) <{axes = array<i64: 0>}> : (tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @bitwise_and(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_and' op operand #0 must be}}
  %0 = "fusion.bitwise_and"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bitwise_invert(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_invert' op operand #0 must be}}
  %0 = "fusion.bitwise_invert"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bitwise_left_shift(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_left_shift' op operand #0 must be}}
  %0 = "fusion.bitwise_left_shift"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bitwise_or(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_or' op operand #0 must be}}
  %0 = "fusion.bitwise_or"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bitwise_right_shift(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_right_shift' op operand #0 must be}}
  %0 = "fusion.bitwise_right_shift"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @bitwise_xor(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.bitwise_xor' op operand #0 must be}}
  %0 = "fusion.bitwise_xor"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @ceil(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.ceil' op operand #0 must be}}
  %0 = "fusion.ceil"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @divide(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.divide' op operand #0 must be}}
  %0 = "fusion.divide"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @equal(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.equal' op operand #0 must be}}
  %0 = "fusion.equal"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @floor_divide(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.floor_divide' op operand #0 must be}}
  %0 = "fusion.floor_divide"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @floor(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.floor' op operand #0 must be}}
  %0 = "fusion.floor"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @greater_equal(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.greater_equal' op operand #0 must be}}
  %0 = "fusion.greater_equal"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @greater(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.greater' op operand #0 must be}}
  %0 = "fusion.greater"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @isfinite(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.isfinite' op operand #0 must be}}
  %0 = "fusion.isfinite"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @isinf(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.isinf' op operand #0 must be}}
  %0 = "fusion.isinf"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @isnan(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.isnan' op operand #0 must be}}
  %0 = "fusion.isnan"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @less_equal(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.less_equal' op operand #0 must be}}
  %0 = "fusion.less_equal"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @logical_and(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.logical_and' op operand #0 must be}}
  %0 = "fusion.logical_and"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @logical_not(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.logical_not' op operand #0 must be}}
  %0 = "fusion.logical_not"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @logical_or(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.logical_or' op operand #0 must be}}
  %0 = "fusion.logical_or"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @logical_xor(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.logical_xor' op operand #0 must be}}
  %0 = "fusion.logical_xor"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @maximum(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.maximum' op operand #0 must be}}
  %0 = "fusion.maximum"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @min(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.min' op operand #0 must be}}
  %0 = "fusion.min"(%x) <{axes = array<i64: 0>}> : (tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @minimum(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.minimum' op operand #0 must be}}
  %0 = "fusion.minimum"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @negative(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.negative' op operand #0 must be}}
  %0 = "fusion.negative"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @not_equal(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.not_equal' op operand #0 must be}}
  %0 = "fusion.not_equal"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @prod(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.prod' op operand #0 must be}}
  %0 = "fusion.prod"(%x) <{axes = array<i64: 0>}> : (tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
  return
}

// -----

func.func @remainder(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.remainder' op operand #0 must be}}
  %0 = "fusion.remainder"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @round(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.round' op operand #0 must be}}
  %0 = "fusion.round"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sign(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sign' op operand #0 must be}}
  %0 = "fusion.sign"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @trunc(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.trunc' op operand #0 must be}}
  %0 = "fusion.trunc"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @constant() {
  // expected-error @+1 {{'fusion.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "fusion.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}
