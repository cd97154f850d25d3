// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-inline-custom | FileCheck %s
// RUN: pyfusion-opt %s --split-input-file --target=cpu --stop-after=merged | FileCheck %s --check-prefix=MERGED

// Of the first word the upper 24 bits, as a fraction: 20 rounds of 4 operations and a sum.
// CHECK-LABEL:   func.func @line
// CHECK:         %[[I:.*]] = fusion.iota %arg2, %arg3 [%arg6]
// CHECK:         %[[X0:.*]] = fusion.add %[[I]]
// CHECK:         %[[X1:.*]] = fusion.add %[[X0]]
// CHECK-COUNT-20: fusion.bitwise_or
// CHECK-NOT:     fusion.bitwise_or
// CHECK:         fusion.constant dense<8> : tensor<ui32>
// CHECK-NEXT:    %[[W:.*]] = fusion.bitwise_right_shift
// CHECK-NEXT:    %[[F:.*]] = fusion.cast %[[W]] : tensor<?xui32> to tensor<?xf32>
// CHECK-NEXT:    fusion.constant dense<5.96046448E-8>
// CHECK-NEXT:    %[[U:.*]] = fusion.multiply %[[F]]
// CHECK-NEXT:    return %[[U]]
// MERGED-LABEL:  func.func @line
// MERGED-NEXT:   fusion.fused
// MERGED-NOT:    fusion.fused
func.func @line(%a: ui32, %b: ui32, %zero: ui32, %one: ui32, %draw: ui32, %k: index, %n: index) -> tensor<?xf32> {
  %0 = fusion.custom_call "pyfusion.random_unit_float32"(%a, %b, %zero, %one, %draw, %k, %n) : (ui32, ui32, ui32, ui32, ui32, index, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Both words of one block; two calls of one draw compute it once.
// CHECK-LABEL:    func.func @matrix
// CHECK:          %[[I:.*]] = fusion.iota %{{.*}}, %{{.*}} [%arg5]
// CHECK-NEXT:     fusion.reshape %[[I]] [%arg6, %arg7]
// MERGED-LABEL:   func.func @matrix
// MERGED:         fusion.fused
// MERGED-COUNT-19: fusion.bitwise_xor %{{.*}} : tensor<?x?xui32>, tensor<?x?xui32>
// MERGED-NOT:     fusion.bitwise_xor %{{.*}} : tensor<?x?xui32>, tensor<?x?xui32>
// MERGED-NOT:     fusion.fused
func.func @matrix(%a: ui32, %b: ui32, %zero: ui32, %one: ui32, %draw: ui32, %k: index, %m: index, %n: index) -> tensor<?x?xui64> {
  %0 = fusion.custom_call "pyfusion.random_bits_64"(%a, %b, %zero, %one, %draw, %k, %m, %n) : (ui32, ui32, ui32, ui32, ui32, index, index, index) -> tensor<?x?xui64>
  %1 = fusion.custom_call "pyfusion.random_bits_32"(%a, %b, %zero, %one, %draw, %k, %m, %n) : (ui32, ui32, ui32, ui32, ui32, index, index, index) -> tensor<?x?xui32>
  %2 = fusion.cast %1 : tensor<?x?xui32> to tensor<?x?xui64>
  %3 = fusion.add %0, %2 : tensor<?x?xui64>, tensor<?x?xui64>
  return %3 : tensor<?x?xui64>
}

// -----

// A wide one counts to 64 bits: the upper half is added to the number of the draw.
// MERGED-LABEL: func.func @wide
// CHECK-LABEL: func.func @wide
// CHECK:       %[[I:.*]] = fusion.iota %arg2, %arg3 [%arg6] : ui64, ui64 to tensor<?xui64>
// CHECK:       %[[U:.*]] = fusion.bitwise_right_shift %[[I]]
// CHECK-NEXT:  %[[H:.*]] = fusion.cast %[[U]] : tensor<?xui64> to tensor<?xui32>
// CHECK-NEXT:  fusion.add %{{.*}}, %[[H]]
func.func @wide(%a: ui64, %b: ui64, %zero: ui64, %one: ui64, %draw: ui64, %k: index, %n: index) -> tensor<?xui32> {
  %0 = fusion.custom_call "pyfusion.random_bits_32_wide"(%a, %b, %zero, %one, %draw, %k, %n) : (ui64, ui64, ui64, ui64, ui64, index, index) -> tensor<?xui32>
  return %0 : tensor<?xui32>
}

// -----

// One element needs no range.
// CHECK-LABEL: func.func @single
// CHECK-NOT:   fusion.iota
// CHECK:       fusion.full %arg2 [1, 1]
// CHECK-NOT:   fusion.iota
func.func @single(%a: ui32, %b: ui32, %zero: ui32, %one: ui32, %draw: ui32, %k: index) -> tensor<1x1xui32> {
  %0 = fusion.custom_call "pyfusion.random_bits_32"(%a, %b, %zero, %one, %draw, %k, %k, %k) : (ui32, ui32, ui32, ui32, ui32, index, index, index) -> tensor<1x1xui32>
  return %0 : tensor<1x1xui32>
}
