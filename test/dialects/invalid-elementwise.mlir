// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifier says of element-wise operations.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @shapes(%x: tensor<4x3xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'fusion.add' op operand shapes do not broadcast: 'tensor<4x3xf32>' and 'tensor<8xf32>'}}
  %0 = fusion.add %x, %y : tensor<4x3xf32>, tensor<8xf32>
  return
}

// -----

func.func @element_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'fusion.multiply' op operands have different element types: 'f32' and 'f64'}}
  %0 = fusion.multiply %x, %y : tensor<4xf32>, tensor<4xf64>
  return
}

// -----

// The third operand meets what the first two make together.
func.func @clamp(%x: tensor<1xf32>, %lo: tensor<3xf32>, %hi: tensor<2xf32>) {
  // expected-error @+1 {{'fusion.clamp' op operand shapes do not broadcast: 'tensor<3xf32>' and 'tensor<2xf32>'}}
  %0 = fusion.clamp %x, %lo, %hi : tensor<1xf32>, tensor<3xf32>, tensor<2xf32>
  return
}

// -----

func.func @integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{'fusion.exp' op operand #0 must be a ranked tensor of f16, bf16, f32 or f64, but got 'tensor<4xi32>'}}
  %0 = fusion.exp %x : tensor<4xi32>
  return
}

// -----

func.func @booleans(%x: tensor<4xi1>) {
  // expected-error @+1 {{'fusion.subtract' op operand #0 must be a ranked tensor of integers or floats, but got 'tensor<4xi1>'}}
  %0 = fusion.subtract %x, %x : tensor<4xi1>, tensor<4xi1>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'fusion.add' op operand #0 must be a ranked tensor of i1, integers or floats, but got 'tensor<*xf32>'}}
  %0 = "fusion.add"(%x, %x) : (tensor<*xf32>, tensor<*xf32>) -> tensor<4xf32>
  return
}

// -----

// A comparison's result is of booleans; the operand types say the rest.
func.func @result_type(%x: tensor<4xf32>) {
  // expected-error @+2 {{'fusion.less' op failed to infer returned types}}
  // expected-error @+1 {{'fusion.less' op inferred type(s) 'tensor<4xi1>' are incompatible with return type(s) of operation 'tensor<5xi1>'}}
  %0 = "fusion.less"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

// Types are inferred from the operands alone, so an unknown extent stays unknown.
func.func @refined(%x: tensor<?xf32>) {
  // expected-error @+2 {{'fusion.add' op failed to infer returned types}}
  // expected-error @+1 {{'fusion.add' op inferred type(s) 'tensor<?xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  %0 = "fusion.add"(%x, %x) : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_condition(%c: tensor<3xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.select' op operand shapes do not broadcast: 'tensor<3xi1>' and 'tensor<4xf32>'}}
  %0 = fusion.select %c, %x, %x : tensor<3xi1>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @select_types(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{'fusion.select' op operands have different element types: 'f32' and 'i32'}}
  %0 = fusion.select %c, %x, %y : tensor<4xi1>, tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @cast_shape(%x: tensor<?xf32>) {
  // expected-error @+1 {{'fusion.cast' op changes the shape: 'tensor<?xf32>' to 'tensor<4xf64>'}}
  %0 = fusion.cast %x : tensor<?xf32> to tensor<4xf64>
  return
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'fusion.cast' op operand #0 must be a ranked tensor of i1, integers or floats, but got 'tensor<4xcomplex<f32>>'}}
  %0 = fusion.cast %x : tensor<4xcomplex<f32>> to tensor<4xf32>
  return
}

// -----

// An extent of `?` is not 1: it becomes the static extent that it meets.
func.func @dynamic(%x: tensor<?x1xf32>, %y: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = fusion.add %x, %y : tensor<?x1xf32>, tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
