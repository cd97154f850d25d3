// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, booleans and bits.
//
// RUN: pyfusion-opt --canonicalize %s | FileCheck %s

// NaN is unordered.
//
// CHECK-LABEL: func.func @comparisons
func.func @comparisons() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %x = fusion.constant dense<[1.0, -0.0, 0x7FC00000]> : tensor<3xf32>
  %y = fusion.constant dense<[2.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  // CHECK-DAG: %[[EQ:.*]] = fusion.constant dense<[false, true, false]>
  %0 = fusion.equal %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK-DAG: %[[NE:.*]] = fusion.constant dense<[true, false, true]>
  %1 = fusion.not_equal %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK-DAG: %[[LT:.*]] = fusion.constant dense<[true, false, false]>
  %2 = fusion.less %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK-DAG: %[[LE:.*]] = fusion.constant dense<[true, true, false]>
  %3 = fusion.less_equal %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK-DAG: %[[GT:.*]] = fusion.constant dense<false>
  %4 = fusion.greater %x, %y : tensor<3xf32>, tensor<3xf32>
  %5 = fusion.greater_equal %x, %y : tensor<3xf32>, tensor<3xf32>
  // CHECK: return %[[EQ]], %[[NE]], %[[LT]], %[[LE]], %[[GT]], %[[EQ]]
  return %0, %1, %2, %3, %4, %5 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// CHECK-LABEL: func.func @signedness
func.func @signedness() -> (tensor<i1>, tensor<i1>) {
  %x = fusion.constant dense<-1> : tensor<i8>
  %y = fusion.constant dense<1> : tensor<i8>
  %u = fusion.constant dense<255> : tensor<ui8>
  %v = fusion.constant dense<1> : tensor<ui8>
  // CHECK-DAG: %[[TRUE:.*]] = fusion.constant dense<true>
  // CHECK-DAG: %[[FALSE:.*]] = fusion.constant dense<false>
  %0 = fusion.less %x, %y : tensor<i8>, tensor<i8>
  %1 = fusion.less %u, %v : tensor<ui8>, tensor<ui8>
  // CHECK: return %[[TRUE]], %[[FALSE]]
  return %0, %1 : tensor<i1>, tensor<i1>
}

// x == x is known for integers; for floats only x < x and x > x are, as NaN may be there.
//
// CHECK-LABEL: func.func @same_operand
func.func @same_operand(%i: tensor<2xi32>, %f: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = fusion.constant dense<true>
  // CHECK-DAG: %[[FALSE:.*]] = fusion.constant dense<false>
  %0 = fusion.less_equal %i, %i : tensor<2xi32>, tensor<2xi32>
  %1 = fusion.less %f, %f : tensor<2xf32>, tensor<2xf32>
  // CHECK-DAG: %[[EQ:.*]] = fusion.equal
  %2 = fusion.equal %f, %f : tensor<2xf32>, tensor<2xf32>
  // CHECK-DAG: %[[NE:.*]] = fusion.not_equal
  %3 = fusion.not_equal %f, %f : tensor<2xf32>, tensor<2xf32>
  // CHECK: return %[[TRUE]], %[[FALSE]], %[[EQ]], %[[NE]]
  return %0, %1, %2, %3 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%i: tensor<3xi32>) -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %x = fusion.constant dense<[1.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  // CHECK-DAG: %[[NAN:.*]] = fusion.constant dense<[false, false, true]>
  %0 = fusion.isnan %x : tensor<3xf32>
  // CHECK-DAG: %[[INF:.*]] = fusion.constant dense<[false, true, false]>
  %1 = fusion.isinf %x : tensor<3xf32>
  // CHECK-DAG: %[[FINITE:.*]] = fusion.constant dense<[true, false, false]>
  %2 = fusion.isfinite %x : tensor<3xf32>
  // CHECK-DAG: %[[TRUE:.*]] = fusion.constant dense<true>
  // CHECK-DAG: %[[FALSE:.*]] = fusion.constant dense<false>
  %3 = fusion.isnan %i : tensor<3xi32>
  %4 = fusion.isfinite %i : tensor<3xi32>
  // CHECK: return %[[NAN]], %[[INF]], %[[FINITE]], %[[FALSE]], %[[TRUE]]
  return %0, %1, %2, %3, %4 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// Sums and products of booleans are or and and.
//
// CHECK-LABEL: func.func @boolean_arithmetic
func.func @boolean_arithmetic() -> (tensor<2xi1>, tensor<2xi1>) {
  %x = fusion.constant dense<[true, false]> : tensor<2xi1>
  %y = fusion.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[OR:.*]] = fusion.constant dense<true> : tensor<2xi1>
  %0 = fusion.add %x, %y : tensor<2xi1>, tensor<i1>
  // CHECK-DAG: %[[AND:.*]] = fusion.constant dense<[true, false]> : tensor<2xi1>
  %1 = fusion.multiply %x, %y : tensor<2xi1>, tensor<i1>
  // CHECK: return %[[OR]], %[[AND]]
  return %0, %1 : tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func.func @logic
// CHECK-SAME: (%[[X:.*]]: tensor<2xi1>)
func.func @logic(%x: tensor<2xi1>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %true = fusion.constant dense<true> : tensor<i1>
  %false = fusion.constant dense<false> : tensor<i1>
  // CHECK: %[[FALSE:.*]] = fusion.constant dense<false> : tensor<2xi1>
  %0 = fusion.logical_and %true, %x : tensor<i1>, tensor<2xi1>
  %1 = fusion.logical_and %false, %x : tensor<i1>, tensor<2xi1>
  %2 = fusion.logical_or %x, %x : tensor<2xi1>, tensor<2xi1>
  %3 = fusion.logical_xor %x, %x : tensor<2xi1>, tensor<2xi1>
  %n = fusion.logical_not %x : tensor<2xi1>
  %4 = fusion.logical_not %n : tensor<2xi1>
  // CHECK: return %[[X]], %[[FALSE]], %[[X]], %[[FALSE]], %[[X]]
  return %0, %1, %2, %3, %4 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK-LABEL: func.func @bits
// CHECK-SAME: (%[[X:.*]]: tensor<2xi8>)
func.func @bits(%x: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<i8>, tensor<i8>) {
  %ones = fusion.constant dense<-1> : tensor<i8>
  %a = fusion.constant dense<12> : tensor<i8>
  %b = fusion.constant dense<10> : tensor<i8>
  // CHECK-DAG: %[[ONES:.*]] = fusion.constant dense<-1> : tensor<2xi8>
  // CHECK-DAG: %[[XOR:.*]] = fusion.constant dense<6> : tensor<i8>
  // CHECK-DAG: %[[NOT:.*]] = fusion.constant dense<-13> : tensor<i8>
  %0 = fusion.bitwise_and %x, %ones : tensor<2xi8>, tensor<i8>
  %1 = fusion.bitwise_or %x, %ones : tensor<2xi8>, tensor<i8>
  %n = fusion.bitwise_invert %x : tensor<2xi8>
  %2 = fusion.bitwise_invert %n : tensor<2xi8>
  %3 = fusion.bitwise_xor %a, %b : tensor<i8>, tensor<i8>
  %4 = fusion.bitwise_invert %a : tensor<i8>
  // CHECK: return %[[X]], %[[ONES]], %[[X]], %[[XOR]], %[[NOT]]
  return %0, %1, %2, %3, %4 : tensor<2xi8>, tensor<2xi8>, tensor<2xi8>, tensor<i8>, tensor<i8>
}
