// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM and ptxas 13.0 would make wrong of integers that are divided as floats, and of 64-bit shifts.
//
// RUN: pyfusion-compile %s --target=cuda --emit=ptx | FileCheck %s
// RUN: pyfusion-compile %s --target=cuda --emit=ptx | FileCheck %s --check-prefix=NARROW

// An amount of 2^32 and more is not cut to 32 bits, in the vectors and in the tail.
// CHECK:     .entry kernel_0_flat(
// CHECK:       min.u64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 63;
// CHECK:       setp.lt.u64 %p{{[0-9]+}}, %rd{{[0-9]+}}, 64;
// CHECK:       $L__BB0_4:
// CHECK:       min.u64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 63;
// CHECK:       setp.lt.u64 %p{{[0-9]+}}, %rd{{[0-9]+}}, 64;

// No store is narrower than its register, which a float instruction wrote.
// NARROW:     .entry kernel_1_flat(
// NARROW:       add.rn.f64
// NARROW-NOT:   st.global.b32 [%rd{{[0-9]+}}], %rd
// NARROW:     .entry kernel_2_flat(
// NARROW:       add.rn.f32
// NARROW-NOT:   st.global.b8 [%rd{{[0-9]+}}], %r{{[0-9]}}
func.func @main(%x: tensor<?xi64>, %y: tensor<?xi64>) -> tensor<?xi64> {
  %0 = fusion.bitwise_left_shift %x, %y : tensor<?xi64>, tensor<?xi64>
  return %0 : tensor<?xi64>
}

func.func @words(%x: tensor<?xi32>, %d: i32) -> tensor<?xi32> {
  %0 = fusion.full %d [] : i32 to tensor<i32>
  %1 = fusion.floor_divide %x, %0 : tensor<?xi32>, tensor<i32>
  return %1 : tensor<?xi32>
}

func.func @bytes(%x: tensor<?xi8>, %d: i8) -> tensor<?xi8> {
  %0 = fusion.full %d [] : i8 to tensor<i8>
  %1 = fusion.floor_divide %x, %0 : tensor<?xi8>, tensor<i8>
  return %1 : tensor<?xi8>
}
