// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each elementary function refuses operands of a type that it has no meaning for.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @acos(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.acos' op operand #0 must be}}
  %0 = "fusion.acos"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @acosh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.acosh' op operand #0 must be}}
  %0 = "fusion.acosh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @asin(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.asin' op operand #0 must be}}
  %0 = "fusion.asin"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @asinh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.asinh' op operand #0 must be}}
  %0 = "fusion.asinh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @atan(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.atan' op operand #0 must be}}
  %0 = "fusion.atan"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @atan2(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.atan2' op operand #0 must be}}
  %0 = "fusion.atan2"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @atanh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.atanh' op operand #0 must be}}
  %0 = "fusion.atanh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @cbrt(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.cbrt' op operand #0 must be}}
  %0 = "fusion.cbrt"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @cos(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.cos' op operand #0 must be}}
  %0 = "fusion.cos"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @cosh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.cosh' op operand #0 must be}}
  %0 = "fusion.cosh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @erf(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.erf' op operand #0 must be}}
  %0 = "fusion.erf"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @erfc(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.erfc' op operand #0 must be}}
  %0 = "fusion.erfc"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @exp2(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.exp2' op operand #0 must be}}
  %0 = "fusion.exp2"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @expm1(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.expm1' op operand #0 must be}}
  %0 = "fusion.expm1"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @hypot(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.hypot' op operand #0 must be}}
  %0 = "fusion.hypot"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @log10(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.log10' op operand #0 must be}}
  %0 = "fusion.log10"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @lgamma(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.lgamma' op operand #0 must be}}
  %0 = "fusion.lgamma"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @log1p(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.log1p' op operand #0 must be}}
  %0 = "fusion.log1p"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @log2(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.log2' op operand #0 must be}}
  %0 = "fusion.log2"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @log(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.log' op operand #0 must be}}
  %0 = "fusion.log"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @logaddexp(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.logaddexp' op operand #0 must be}}
  %0 = "fusion.logaddexp"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @pow(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.pow' op operand #0 must be}}
  %0 = "fusion.pow"(%x, %x) : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sigmoid(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sigmoid' op operand #0 must be}}
  %0 = "fusion.sigmoid"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @rsqrt(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.rsqrt' op operand #0 must be}}
  %0 = "fusion.rsqrt"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sin(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sin' op operand #0 must be}}
  %0 = "fusion.sin"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sinc(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sinc' op operand #0 must be}}
  %0 = "fusion.sinc"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sinh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sinh' op operand #0 must be}}
  %0 = "fusion.sinh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @sqrt(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.sqrt' op operand #0 must be}}
  %0 = "fusion.sqrt"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @tan(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.tan' op operand #0 must be}}
  %0 = "fusion.tan"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @tanh(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.tanh' op operand #0 must be}}
  %0 = "fusion.tanh"(%x) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
