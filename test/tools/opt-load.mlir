// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of a user, from a file or a module, are passes like the others.
// RUN: pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-count-ops=scale=10 | FileCheck %s
// RUN: pyfusion-opt %s --load=%S/Inputs/user_passes.py --pass-pipeline='builtin.module(user-count-ops{scale=10},cse)' | FileCheck %s
// RUN: %python -c "import sys; sys.path.append('%S/Inputs'); from pyfusion.tools.opt import main; sys.exit(main())" %s --load=user_passes --user-count-ops=scale=10 | FileCheck %s
// CHECK: // main: 20 operations
// CHECK: func.func @main

// What they do wrong becomes a diagnostic and exit code 1: an exception,
// RUN: not pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-misbehave 2>&1 | FileCheck %s --check-prefix=RAISE
// RAISE: Traceback
// RAISE: error: user-misbehave: LookupError: nothing here

// an error that is only reported,
// RUN: not pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-misbehave=how=report 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: opt-load.mlir:[[#]]:1: error: not with me

// invalid IR, found right behind the pass unless that is switched off,
// RUN: not pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-misbehave=how=break --canonicalize 2>&1 | FileCheck %s --check-prefix=BREAK
// RUN: pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-misbehave=how=break --verify-each=false 2>&1 | FileCheck %s --check-prefix=UNVERIFIED
// BREAK: opt-load.mlir:[[#]]:1: error: 'func.func' op type of entry block argument #0('f64') must match
// UNVERIFIED-NOT: error

// and even an abort of MLIR.
// RUN: not pyfusion-opt %s --load=%S/Inputs/user_passes.py --user-misbehave=how=abort 2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: pyfusion-opt: error: stopped by SIGABRT
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
