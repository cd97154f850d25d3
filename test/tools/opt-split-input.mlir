// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each part is a module; one that is wrong does not stop the others, and lines count in the file.
// RUN: not pyfusion-opt %s --split-input-file 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR < %t.err
// RUN: not pyfusion-opt %s 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: custom op 'bad' is unknown
// WHOLE-NOT: func.func

// CHECK: func.func private @f()
// CHECK: // -----
// CHECK: func.func private @f(i32)
func.func private @f()
// -----
// ERROR: opt-split-input.mlir:[[#@LINE+1]]:1: error:
bad
// -----
func.func private @f(i32)
