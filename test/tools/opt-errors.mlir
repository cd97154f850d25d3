// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrong command line, file or pipeline: a message and exit code 1.
// RUN: not pyfusion-opt %s.none 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: pyfusion-opt: error: {{.*}}opt-errors.mlir.none: No such file or directory

// RUN: not pyfusion-opt %s --fusion-merge-elemntwise 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: error: unknown flag --fusion-merge-elemntwise; did you mean '--fusion-merge-elementwise'?
// RUN: not pyfusion-opt %s --canonicalise 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: error: unknown flag --canonicalise; did you mean '--canonicalize'?
// RUN: not pyfusion-opt %s --split-input 2>&1 | FileCheck %s --check-prefix=TOOL
// TOOL: error: unknown flag --split-input; did you mean '--split-input-file'?

// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(cse,fusion-plan-bufers)' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: 'fusion-plan-bufers' does not refer to a registered pass{{.*}}; did you mean 'fusion-plan-buffers'?
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=BRACKET
// BRACKET: error: missing ')' at the end
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(func.func(fusion-canonicalize))' 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: fusion-canonicalize runs on a module, not inside func.func
// RUN: not pyfusion-opt %s --fusion-merge-elementwise=max-op=3 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: fusion-merge-elementwise has no option 'max-op'; did you mean 'max-ops'?; its options: max-ops, max-operands
// RUN: not pyfusion-opt %s --fusion-merge-elementwise=max-ops=many 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: fusion-merge-elementwise: max-ops takes int, not 'many'
// RUN: not pyfusion-opt %s --cse --pass-pipeline='builtin.module(cse)' 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: give --pass-pipeline, --target or flags of passes, not several
// RUN: not pyfusion-opt %s --gpu-module-to-binary=format=foo 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(cse,gpu-module-to-binary{format=foo})' 2>&1 | FileCheck %s --check-prefix=CHOICE
// CHOICE: error: gpu-module-to-binary: format takes offloading, llvm, assembly, isa, binary, bin, fatbinary or fatbin, not 'foo'
// RUN: not pyfusion-opt %s --target=cpu --stop-after=outlned 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: no phase 'outlned'; did you mean 'outlined'?; the phases are fusion, merged, outlined, flat
// RUN: not pyfusion-opt %s --target=abacus 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: no target 'abacus'; there are cpu
// RUN: not pyfusion-opt %s --target= 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: no target ''; there are cpu, cuda, rocm
// RUN: not pyfusion-opt %s -o '' 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: argument -o: takes the name of a file, not ''
// RUN: not pyfusion-opt %s --load=no_such_module 2>&1 | FileCheck %s --check-prefix=LOAD
// LOAD: error: --load=no_such_module: ModuleNotFoundError

// RUN: echo 'raise SystemExit(3)' > %t.py && not pyfusion-opt %s --load=%t.py 2>&1 | FileCheck %s --check-prefix=EXIT
// EXIT: error: --load={{.*}}.py: SystemExit: 3
// RUN: not pyfusion-opt %s --load=%S/Inputs/no_default.py 2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: error: NoDefault.limit needs a default
// RUN: not pyfusion-opt %S/opt-split-input.mlir --split-input-file --emit-bytecode 2>&1 | FileCheck %s --check-prefix=PARTS
// PARTS: error: --emit-bytecode writes one module

// Something that is neither text nor bytecode, and bytecode that is cut short.
// RUN: %python -c "import sys; sys.stdout.buffer.write(b'func\xff')" | not pyfusion-opt 2>&1 | FileCheck %s --check-prefix=UTF8
// UTF8: error: <stdin>: not UTF-8 at byte 4, and not bytecode
// RUN: %python -c "import sys; sys.stdout.buffer.write(b'ML\xefR\x0d')" | not pyfusion-opt 2>&1 | FileCheck %s --check-prefix=BYTECODE
// BYTECODE: <stdin>: error:

// IR that is wrong: the place, the message and the line.
// RUN: not pyfusion-opt %s 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID:      {{.*}}opt-errors.mlir:[[#@LINE+4]]:8: error: 'fusion.exp' op operand #0 must be
// INVALID-NEXT:   %0 = fusion.exp %x
// INVALID-NEXT:        ^
func.func @main(%x: tensor<?xi32>) {
  %0 = fusion.exp %x : tensor<?xi32>
  return
}
