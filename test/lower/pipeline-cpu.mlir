// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --target=cpu | FileCheck %s
// RUN: pyfusion-opt %s --target=cpu --stop-after=cpu | FileCheck %s --check-prefix=LOOPS

// From the operations of a block to the LLVM dialect.
// CHECK-NOT:   unrealized_conversion_cast
// CHECK-LABEL: llvm.func linkonce_odr @_mlir_ciface_kernel_0(
// CHECK-NOT:     llvm.call
// CHECK:         llvm.load {{.*}}alias_scopes
// CHECK:         llvm.fadd
// CHECK-NOT:     llvm.call
// CHECK:         llvm.store {{.*}}alias_scopes
// CHECK-NOT:   llvm.func

// LOOPS-LABEL: func.func @kernel_0(
// LOOPS:         scf.for
// LOOPS-NOT:     scf.for
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = fusion.add %x, %y : tensor<?x?xf32>, tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
