// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: pyfusion-opt %s --split-input-file --fusion-join-gpu-modules | FileCheck %s
// RUN: pyfusion-opt %s --fusion-join-gpu-modules=symbol=all --split-input-file | FileCheck %s --check-prefix=NAMED
// RUN: not pyfusion-opt %s --fusion-join-gpu-modules=symbol=host --split-input-file 2>&1 | FileCheck %s --check-prefix=TAKEN

// TAKEN: error: {{.*}}fusion-join-gpu-modules: there is a @host already

// CHECK-LABEL: func.func @host
// CHECK:         gpu.launch_func @kernels::@k blocks
// CHECK:         gpu.launch_func @kernels::@other blocks
// CHECK:         gpu.launch_func @kernels::@k_0 blocks
// CHECK:       gpu.module @kernels {
// CHECK-NEXT:    gpu.func @k() kernel
// CHECK:         gpu.func @other() kernel
// CHECK:         gpu.func @k_0() kernel
// CHECK-NOT:   gpu.module

// NAMED:       gpu.module @all {
module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @first::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @first::@other blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @second::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @first {
    gpu.func @k() kernel {
      gpu.return
    }
    gpu.func @other() kernel {
      gpu.return
    }
  }
  gpu.module @second {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

// Nothing to join.
// CHECK: // -----
// CHECK: func.func @nothing
func.func @nothing() {
  return
}
