// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(convert-linalg-to-gpu{vector-bytes=12})' 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not pyfusion-opt %s --pass-pipeline='builtin.module(convert-linalg-to-gpu{block=33})' 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: pyfusion-opt %s --target=cuda --stop-after=linalg -o %t.mlir
// RUN: not pyfusion-opt %t.mlir --pass-pipeline='builtin.module(convert-linalg-to-gpu{reduction-block=1024})' 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: pyfusion-opt %t.mlir --pass-pipeline='builtin.module(convert-linalg-to-gpu{reduction-block=512})'

// VECTOR: vector-bytes one from 1 to 16
// BLOCK:  blocks take a power of two
// SHARED: needs 73728 bytes of shared memory, there are 49152: a smaller reduction-block will do
func.func @main(%x: tensor<?x?xi8>) -> tensor<?xi64> {
  %0 = fusion.argmax %x axes [0] : tensor<?x?xi8>
  return %0 : tensor<?xi64>
}
