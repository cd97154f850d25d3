// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pyfusion-compile writes for each target without further programs.
// RUN: pyfusion-compile %s --target=cpu --emit=llvm | FileCheck %s --check-prefix=CPU-LLVM
// RUN: pyfusion-compile %s --target=cpu --emit=asm -o %t.s
// RUN: FileCheck %s --check-prefix=CPU-ASM < %t.s
// RUN: pyfusion-compile %s --target=cpu --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=CPU-OBJ
// RUN: pyfusion-compile %s --target=cuda:sm_80 --emit=llvm | FileCheck %s --check-prefix=CUDA-LLVM
// RUN: pyfusion-compile - --target=cuda:sm_80 --emit=ptx < %s | FileCheck %s --check-prefix=PTX
// RUN: pyfusion-compile %s --target=cuda:sm_80 --emit=asm | FileCheck %s --check-prefix=PTX
// RUN: pyfusion-compile %s --target=cuda --emit=obj -o %t.cuda.o
// RUN: llvm-nm %t.cuda.o | FileCheck %s --check-prefix=CUDA-OBJ
// RUN: pyfusion-compile %s --target=rocm:gfx1100 --emit=llvm | FileCheck %s --check-prefix=ROCM-LLVM

// RUN: pyfusion-opt %s --emit-bytecode -o %t.bc
// RUN: pyfusion-compile %t.bc --target=cuda:sm_80 --emit=ptx | FileCheck %s --check-prefix=PTX

// CPU-LLVM:  define void @_mlir_ciface_kernel_0(
// CPU-LLVM:  define void @_mlir_ciface_kernel_1(
// CPU-ASM:   _mlir_ciface_kernel_0:
// CPU-ASM:   _mlir_ciface_kernel_1:
// CPU-OBJ:   T _mlir_ciface_kernel_0
// CPU-OBJ:   T _mlir_ciface_kernel_1

// CUDA-LLVM: target triple = "nvptx64-nvidia-cuda"
// CUDA-LLVM: define ptx_kernel void @kernel_0
// CUDA-LLVM: define ptx_kernel void @kernel_1

// PTX:       .version 8.1
// PTX:       .target sm_80
// PTX:       .entry kernel_0
// PTX:       .entry kernel_1

// CUDA-OBJ:  T _mlir_ciface_kernel_0
// CUDA-OBJ:  T _mlir_ciface_kernel_1

// No stream is made, and nothing waits.
// CUDA-OBJ-NOT: mgpu
// CUDA-OBJ:       U mgpuLaunchKernel
// CUDA-OBJ-NEXT:  U mgpuModuleGetFunction
// CUDA-OBJ-NEXT:  U mgpuModuleLoadJIT
// CUDA-OBJ-NEXT:  U mgpuModuleUnload
// CUDA-OBJ-NOT: mgpu

// ROCM-LLVM: target triple = "amdgcn-amd-amdhsa"
// ROCM-LLVM: define amdgpu_kernel void @kernel_0
// ROCM-LLVM: define amdgpu_kernel void @kernel_1
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
  %1 = fusion.exp %0 : tensor<?xf32>
  %2 = fusion.sum %y axes [0] : tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<f32>
}
