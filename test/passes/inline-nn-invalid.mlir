// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --verify-diagnostics --fusion-inline-custom

func.func @extents(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{nn.relu takes tensors of extents 1 and ? alone in IR}}
  %0 = fusion.custom_call "nn.relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @operands(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{nn.leaky_relu takes no such operands: TypeError}}
  %0 = fusion.custom_call "nn.leaky_relu"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @result(%x: tensor<?xf32>) -> tensor<?xf16> {
  // expected-error@+1 {{the body of nn.relu gives (tensor<?xf32>), where the call has (tensor<?xf16>)}}
  %0 = fusion.custom_call "nn.relu"(%x) : (tensor<?xf32>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}
