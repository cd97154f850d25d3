// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --verify-diagnostics
// RUN: not pyfusion-opt %S/Inputs/unmet.txt --split-input-file --verify-diagnostics 2>&1 | FileCheck %S/Inputs/unmet.txt

func.func @next(%x: tensor<?xi32>) {
  // expected-error@+1 {{'fusion.exp' op operand #0 must be}}
  %0 = fusion.exp %x : tensor<?xi32>
  return
}

// -----

func.func @below(%x: tensor<?xi32>) {
  // expected-error@below {{operand #0}}
  %0 = fusion.exp %x : tensor<?xi32>
  return
}

// -----

func.func @above(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  %0 = fusion.add %x, %y : tensor<4xf32>, tensor<3xf32>
  // expected-error@above {{do not broadcast}}
  return
}

// -----

func.func @regular_expression(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error-re@+1 {{operand shapes {{[a-z ]+}} broadcast}}
  %0 = fusion.add %x, %y : tensor<4xf32>, tensor<3xf32>
  return
}

// -----

func.func @same_line(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  %0 = fusion.add %x, %y : tensor<4xf32>, tensor<3xf32> // expected-error {{do not broadcast}}
  return
}

// -----

func.func @notes(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{may hold element-wise}}
  %0 = fusion.fused "elementwise" (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    // expected-note@+1 {{found 'fusion.flip'}}
    %1 = fusion.flip %a axes [0] : tensor<?xf32>
    fusion.yield %1 : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
