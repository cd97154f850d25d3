// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --verify-diagnostics --fusion-inline-custom

func.func @few(%a: ui32, %n: index) -> tensor<?xf32> {
  // expected-error@below {{pyfusion.random_unit_float32 takes 5 numbers of ui32, the number of elements and the extents, and gives one tensor of f32}}
  %0 = fusion.custom_call "pyfusion.random_unit_float32"(%a, %a, %n) : (ui32, ui32, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @result(%a: ui32, %n: index) -> tensor<?xf64> {
  // expected-error@below {{gives one tensor of f32}}
  %0 = fusion.custom_call "pyfusion.random_unit_float32"(%a, %a, %a, %a, %a, %n, %n) : (ui32, ui32, ui32, ui32, ui32, index, index) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// -----

func.func @narrow(%a: ui32, %n: index) -> tensor<?xui32> {
  // expected-error@below {{takes 5 numbers of ui64}}
  %0 = fusion.custom_call "pyfusion.random_bits_32_wide"(%a, %a, %a, %a, %a, %n, %n) : (ui32, ui32, ui32, ui32, ui32, index, index) -> tensor<?xui32>
  return %0 : tensor<?xui32>
}
