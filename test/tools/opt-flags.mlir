// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --print-ir-after-all shows MLIR's and Python passes alike; so does --timing.
// RUN: pyfusion-opt %s --cse --fusion-merge-elementwise --print-ir-after-all -o /dev/null 2>&1 | FileCheck %s --check-prefix=AFTER
// AFTER: IR Dump After cse
// AFTER: fusion.exp
// AFTER: IR Dump After fusion-merge-elementwise
// AFTER: fusion.fused
// RUN: pyfusion-opt %s --cse --fusion-merge-elementwise --timing -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIMING
// TIMING: ms {{.*}} cse
// TIMING: ms {{.*}} fusion-merge-elementwise
// TIMING: ms {{.*}} total

// --dump-dir writes a file for each pass, of a target for each phase.
// RUN: rm -rf %t && pyfusion-opt %s --cse --fusion-merge-elementwise --dump-dir=%t -o /dev/null
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// FILES:      0-input.mlir
// FILES-NEXT: 1-cse.mlir
// FILES-NEXT: 2-fusion-merge-elementwise.mlir
// RUN: rm -rf %t && pyfusion-opt %s --target=cpu --stop-after=outlined --dump-dir=%t | FileCheck %s --check-prefix=OUTLINED
// RUN: ls %t | FileCheck %s --check-prefix=PHASES
// RUN: FileCheck %s --check-prefix=MERGED < %t/1-merged.mlir
// OUTLINED:    call @kernel_0
// PHASES:      0-fusion.mlir
// PHASES-NEXT: 1-merged.mlir
// PHASES-NEXT: 2-outlined.mlir
// PHASES-NOT:  {{.}}
// MERGED:      fusion.fused

// --mlir-print-op-generic, and bytecode, which is read as well.
// RUN: pyfusion-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// GENERIC: "fusion.exp"(%{{.*}})
// RUN: pyfusion-opt %s --emit-bytecode -o %t.mlirbc && pyfusion-opt %t.mlirbc | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: fusion.exp

// Every Python pass is listed, with its options.
// RUN: pyfusion-opt --list-passes | FileCheck %s --check-prefix=LIST
// LIST: --fusion-canonicalize
// LIST: --fusion-merge-elementwise
// LIST: max-ops=512: Operations that a kernel may hold.
// LIST: --fusion-flatten-kernels

func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
