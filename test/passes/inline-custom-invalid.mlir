// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --verify-diagnostics --load=%S/Inputs/custom_ops.py --fusion-inline-custom

func.func @no_such_arguments(%x: tensor<?xi32>) -> tensor<?xi32> {
  // expected-error @+1 {{custom.doubled takes (tensor<?xf32>) or (tensor<?x?xf32>, f32), not (tensor<?xi32>)}}
  %0 = fusion.custom_call "custom.doubled"(%x) : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

func.func @another_result(%x: tensor<?xf32>) -> tensor<?xf64> {
  // expected-error @+1 {{the body of custom.doubled gives (tensor<?xf32>), where the call has (tensor<?xf64>)}}
  %0 = fusion.custom_call "custom.doubled"(%x) : (tensor<?xf32>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @wrong_lowering(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{the body of custom.tripled gives (tensor<?xi1>), where the call has (tensor<?xf32>)}}
  %0 = fusion.custom_call "custom.tripled"(%x) options {} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @a_static_extent(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{custom.silu has a body in Python, which takes tensors of extents 1 and ? alone in IR}}
  %0 = fusion.custom_call "custom.silu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @an_extent_is_needed(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{custom.counted has a body in Python that asks for extents}}
  %0 = fusion.custom_call "custom.counted"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @an_extent_as_a_number(%x: tensor<?xf32>) -> tensor<f32> {
  // expected-error @+1 {{custom.averaged has a body in Python that asks for extents}}
  %0 = fusion.custom_call "custom.averaged"(%x) : (tensor<?xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @a_body_that_raises(%x: tensor<?xi32>) -> tensor<?xf64> {
  // expected-error @+1 {{custom.centred cannot be recorded: TypeError}}
  %0 = fusion.custom_call "custom.centred"(%x) : (tensor<?xi32>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @a_declaration(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{custom.declared_too: its text holds a function without a body}}
  %0 = fusion.custom_call "custom.declared_too"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @a_body_that_gives_no_array(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{custom.said cannot be recorded: TypeError: its body gave '(3,)', not an array}}
  %0 = fusion.custom_call "custom.said"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
