// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifier says of kernels and backend calls.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op has the kind "scan"; there are "elementwise" and "reduction"}}
  %0 = fusion.fused "scan" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @no_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op has no results}}
  fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> () {
    fusion.yield
  }
  return
}

// -----

func.func @input_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{has 1 inputs but 2 input types}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op has 1 inputs but its body has 2 arguments}}
  %0 = "fusion.fused"(%x) <{kind = "elementwise"}> ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    fusion.yield %a : tensor<4xf32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @argument_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op argument #0 of the body has type 'tensor<5xf32>' but the input has type 'tensor<4xf32>'}}
  %0 = "fusion.fused"(%x) <{kind = "elementwise"}> ({
  ^bb0(%a: tensor<5xf32>):
    fusion.yield %a : tensor<5xf32>
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op results have types ('tensor<4xi32>') but the body yields others}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xi32> {
    // expected-note @+1 {{yields ('tensor<4xf32>')}}
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @stray_yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.yield' op expects parent op 'fusion.fused'}}
  fusion.yield %x : tensor<4xf32>
}

// -----

func.func @view(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'fusion.fused' op may hold element-wise, creation and reduction operations only}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-note @+1 {{found 'fusion.transpose'}}
    %1 = fusion.transpose %a perm [1, 0] : tensor<4x4xf32>
    fusion.yield %1 : tensor<4x4xf32>
  }
  return
}

// -----

// The region is isolated.
func.func @capture(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'fusion.add' op using value defined outside the region}}
    %1 = fusion.add %a, %x : tensor<4xf32>, tensor<4xf32>
    fusion.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @reduction_in_elementwise(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op of kind "elementwise" must hold 0 reductions, not 1}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<f32> {
    // expected-note @+1 {{a reduction}}
    %1 = fusion.sum %a axes [0] : tensor<4xf32>
    fusion.yield %1 : tensor<f32>
  }
  return
}

// -----

func.func @no_reduction(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op of kind "reduction" must hold 1 reductions, not 0}}
  %0 = fusion.fused "reduction" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

// What follows a reduction cannot go back to the operand's shape.
func.func @after_reduction(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'fusion.fused' op holds an operation after the reduction with another shape}}
  %0 = fusion.fused "reduction" (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %1 = fusion.sum %a axes [1] keepdims : tensor<4x4xf32>
    // expected-note @+1 {{'tensor<4x4xf32>' is not of the shape of 'tensor<4x1xf32>'}}
    %2 = fusion.divide %a, %1 : tensor<4x4xf32>, tensor<4x1xf32>
    fusion.yield %2 : tensor<4x4xf32>
  }
  return
}

// -----

func.func @reduction_results(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'fusion.fused' op results must have one shape, that of the reduction: 'tensor<4xf32>' and 'tensor<4x4xf32>'}}
  %0:2 = fusion.fused "reduction" (%a = %x) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %1 = fusion.exp %a : tensor<4x4xf32>
    %2 = fusion.sum %1 axes [1] : tensor<4x4xf32>
    fusion.yield %2, %1 : tensor<4xf32>, tensor<4x4xf32>
  }
  return
}

// -----

func.func @elementwise_results(%x: tensor<4xf32>, %y: tensor<f32>) {
  // expected-error @+1 {{'fusion.fused' op results must have one shape: 'tensor<4xf32>' and 'tensor<f32>'}}
  %0:2 = fusion.fused "elementwise" (%a = %x, %b = %y) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
    fusion.yield %a, %b : tensor<4xf32>, tensor<f32>
  }
  return
}

// -----

func.func @takes_over_count(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op has 2 entries in takes_over for 1 results}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> attributes {takes_over = array<i64: 0, -1>} {
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @takes_over_range(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op result #0 takes over input #1, which does not exist}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> attributes {takes_over = array<i64: 1>} {
    fusion.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @takes_over_twice(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op two results take over input #0}}
  %0:2 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {takes_over = array<i64: 0, 0>} {
    fusion.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @takes_over_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.fused' op result #0 of type 'tensor<4xi32>' cannot take over input #0 of type 'tensor<4xf32>'}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<4xf32>) -> tensor<4xi32> attributes {takes_over = array<i64: 0>} {
    %1 = fusion.cast %a : tensor<4xf32> to tensor<4xi32>
    fusion.yield %1 : tensor<4xi32>
  }
  return
}

// -----

func.func @callee(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.custom_call' op has an empty callee}}
  %0 = fusion.custom_call ""(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
