// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An option of one of MLIR's passes that is wrong: one line with the pass, the option, those there are.
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{max-iteration=3}))' 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines
// RUN: not pyfusion-opt %s --canonicalize=max-iteration=3 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines
// NAME-NOT: {{.}}
// NAME:     pyfusion-opt: error: canonicalize has no option 'max-iteration'; did you mean 'max-iterations'?; its options: max-iterations=10, {{.*}}
// NAME-NOT: {{.}}

// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(cse,nvvm-attach-target{chip=sm_90 O=high})' 2>&1 | FileCheck %s --check-prefix=VALUE --match-full-lines
// VALUE-NOT: {{.}}
// VALUE:     pyfusion-opt: error: nvvm-attach-target: O: 'high' value invalid for uint argument; its options: O=2, chip=sm_50, {{.*}}
// VALUE-NOT: {{.}}

// What the pass finds itself, without the module.
// RUN: not pyfusion-opt %s --cse --convert-linalg-to-gpu=block=7 2>&1 | FileCheck %s --check-prefix=OWN
// OWN:     error: convert-linalg-to-gpu{block=7}: blocks take a power of two {{.*}}; its options: ahead=8, block=128,
// OWN-NOT: @main

// What stops the process, with the pass that did.
// RUN: not pyfusion-opt %s --cse --load=%S/Inputs/user_passes.py --user-misbehave=how=abort 2>&1 | FileCheck %s --check-prefix=ABORT
// ABORT: pyfusion-opt: error: stopped by SIGABRT in user-misbehave

// Places of errors in operations that are large, or in long lines, are shown in part.
// RUN: %python -c "print('func.func @f() {' + ' ' * 300 + 'bad }')" | not pyfusion-opt 2>&1 | FileCheck %s --check-prefix=LONG --match-full-lines
// LONG:     <stdin>:1:317: error: {{.*}}bad{{.*}}
// LONG-NEXT:func.func @f() {{{ +}}...
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.exp %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
