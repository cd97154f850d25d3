// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass, its class, its file and its test have one name, and MLIR is imported late.
// RUN: %python %S/Inputs/check_names.py %S | FileCheck %s

// CHECK:      fusion-inline-custom
// CHECK-NEXT: fusion-canonicalize
// CHECK-NEXT: fusion-hoist-views
// CHECK-NEXT: fusion-merge-elementwise
// CHECK-NEXT: fusion-merge-reductions
// CHECK-NEXT: fusion-plan-buffers
// CHECK-NEXT: fusion-outline-kernels
