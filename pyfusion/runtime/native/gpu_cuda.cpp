// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver API of CUDA. Kernels run in the primary context of a device, as those of other libraries do.
#include <atomic>
#include <cstring>
#include <mutex>

#include "gpu_driver.h"
#include "gpu_error.h"
#include "pyfusion_gpu.h"

namespace pf::gpu {
namespace {

using Result = int;
enum : Result {
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kJitCompilerNotFound = 221,
  kUnsupportedPtxVersion = 222,
  kJitCompilationDisabled = 223,
  kInvalidSource = 300,
  kNotFound = 500,
};
enum : int { kMajor = 75, kMinor = 76 };                                        // of the compute capability
enum : int { kErrorLog = 5, kErrorLogBytes = 6, kOptimizationLevel = 7 };       // options of the JIT

class Cuda final : public Driver {
 public:
  Cuda() : Driver("CUDA") {}
  int open(void* library, const char* file) override;
  int device_name(int device, std::string& name) override;
  int device_arch(int device, std::string& arch) override;
  int load(int device, const Code& code, void** module) override;
  void unload(int device, void* module) override;
  int find(int device, void* module, const char* name, void** function) override;
  int launch(int device, void* function, const char* name, const Grid& grid, void* stream, void** parameters) override;

 private:
  // The context of a device for a while.
  struct Inside {
    Inside(Cuda& cuda, int device) : cuda_(cuda) { code = cuda.enter(device, &pushed_); }
    ~Inside() {
      void* popped;
      if (pushed_) cuda_.cuCtxPopCurrent_(&popped);
    }
    int code;

   private:
    Cuda& cuda_;
    bool pushed_ = false;
  };

  int enter(int device, bool* pushed);
  int context(int device, void** context);
  int error(Result result, const char* call, const char* what = "");
  int load_error(Result result, int device, const Code& code, const char* log);

  Result (*cuInit_)(unsigned);
  Result (*cuDriverGetVersion_)(int*);
  Result (*cuDeviceGetCount_)(int*);
  Result (*cuDeviceGet_)(int*, int);
  Result (*cuDeviceGetName_)(char*, int, int);
  Result (*cuDeviceGetAttribute_)(int*, int, int);
  Result (*cuDevicePrimaryCtxRetain_)(void**, int);
  Result (*cuCtxGetCurrent_)(void**);
  Result (*cuCtxPushCurrent_)(void*);
  Result (*cuCtxPopCurrent_)(void**);
  Result (*cuModuleLoadDataEx_)(void**, const void*, unsigned, int*, void**);
  Result (*cuCtxSynchronize_)();
  Result (*cuModuleUnload_)(void*);
  Result (*cuModuleGetFunction_)(void**, void*, const char*);
  Result (*cuLaunchKernel_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                            void**);
  Result (*cuGetErrorName_)(Result, const char**);
  Result (*cuGetErrorString_)(Result, const char**);

  std::mutex mutex_;
  std::atomic<void*> contexts_[kMaxDevices] = {};
  int handles_[kMaxDevices] = {};
};

int Cuda::open(void* library, const char* file) {
  library_ = library;
  file_ = file;
  symbol(cuInit_, "cuInit");
  symbol(cuDriverGetVersion_, "cuDriverGetVersion");
  symbol(cuDeviceGetCount_, "cuDeviceGetCount");
  symbol(cuDeviceGet_, "cuDeviceGet");
  symbol(cuDeviceGetName_, "cuDeviceGetName");
  symbol(cuDeviceGetAttribute_, "cuDeviceGetAttribute");
  symbol(cuDevicePrimaryCtxRetain_, "cuDevicePrimaryCtxRetain");
  symbol(cuCtxGetCurrent_, "cuCtxGetCurrent");
  symbol(cuCtxPushCurrent_, "cuCtxPushCurrent_v2");
  symbol(cuCtxPopCurrent_, "cuCtxPopCurrent_v2");
  symbol(cuModuleLoadDataEx_, "cuModuleLoadDataEx");
  symbol(cuCtxSynchronize_, "cuCtxSynchronize");
  symbol(cuModuleUnload_, "cuModuleUnload");
  symbol(cuModuleGetFunction_, "cuModuleGetFunction");
  symbol(cuLaunchKernel_, "cuLaunchKernel");
  symbol(cuGetErrorName_, "cuGetErrorName");
  symbol(cuGetErrorString_, "cuGetErrorString");
  if (int code = check_symbols()) return code;
  Result result = cuInit_(0);
  if (result == kNoDevice) return PF_OK;
  if (result) {
    error(result, "cuInit");
    return PF_NO_DRIVER;
  }
  int count = 0;
  if (Result r = cuDeviceGetCount_(&count)) return error(r, "cuDeviceGetCount");
  if (count > kMaxDevices) count = kMaxDevices;
  for (int i = 0; i < count; ++i)
    if (Result r = cuDeviceGet_(&handles_[i], i)) return error(r, "cuDeviceGet");
  devices_ = count;
  return PF_OK;
}

int Cuda::error(Result result, const char* call, const char* what) {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName_(result, &name);
  cuGetErrorString_(result, &text);
  int code = PF_DEVICE_ERROR;
  if (result == kOutOfMemory) code = PF_NO_MEMORY;
  if (result == kNoDevice || result == kInvalidDevice) code = PF_NO_DEVICE;
  if (!name) return fail(code, "%s%s%s: CUDA error %d", call, *what ? " of " : "", what, result);
  return fail(code, "%s%s%s: %s (%s)", call, *what ? " of " : "", what, name, text ? text : "");
}

int Cuda::device_name(int device, std::string& name) {
  char text[256] = {};
  if (Result r = cuDeviceGetName_(text, sizeof text - 1, handles_[device])) return error(r, "cuDeviceGetName");
  name = text;
  return PF_OK;
}

int Cuda::device_arch(int device, std::string& arch) {
  int major = 0, minor = 0;
  Result r = cuDeviceGetAttribute_(&major, kMajor, handles_[device]);
  if (!r) r = cuDeviceGetAttribute_(&minor, kMinor, handles_[device]);
  if (r) return error(r, "cuDeviceGetAttribute");
  arch = "sm_" + std::to_string(major) + std::to_string(minor);
  return PF_OK;
}

int Cuda::context(int device, void** context) {
  *context = contexts_[device].load(std::memory_order_acquire);
  if (*context) return PF_OK;
  std::lock_guard<std::mutex> guard(mutex_);
  *context = contexts_[device].load(std::memory_order_acquire);
  if (*context) return PF_OK;
  if (Result r = cuDevicePrimaryCtxRetain_(context, handles_[device])) return error(r, "cuDevicePrimaryCtxRetain");
  contexts_[device].store(*context, std::memory_order_release);
  return PF_OK;
}

int Cuda::enter(int device, bool* pushed) {
  void *wanted, *current = nullptr;
  if (int code = context(device, &wanted)) return code;
  if (Result r = cuCtxGetCurrent_(&current)) return error(r, "cuCtxGetCurrent");
  if (current == wanted) return PF_OK;
  if (Result r = cuCtxPushCurrent_(wanted)) return error(r, "cuCtxPushCurrent");
  *pushed = true;
  return PF_OK;
}

int Cuda::load_error(Result result, int device, const Code& code, const char* log) {
  std::string arch, name;
  if (device_arch(device, arch) != PF_OK) arch = "its architecture";
  if (device_name(device, name) != PF_OK) name = "the device";
  const char* form = code.text ? "PTX" : "binary";
  int version = 0;
  cuDriverGetVersion_(&version);
  switch (result) {
    case kNoBinaryForGpu:
      return fail(PF_BAD_BINARY, "the kernel's %s is for another GPU: %s (CUDA device %d) needs code for %s. %s", form,
                  name.c_str(), device, arch.c_str(), log);
    case kUnsupportedPtxVersion:
      return fail(PF_BAD_BINARY,
                  "the kernel's PTX is of a version that the driver, for CUDA %d.%d, does not know: a newer driver is "
                  "needed, or a %s binary. %s",
                  version / 1000, version % 1000 / 10, arch.c_str(), log);
    case kInvalidPtx:
      return fail(PF_BAD_BINARY, "the driver, for CUDA %d.%d, does not compile the kernel's PTX for %s: %s",
                  version / 1000, version % 1000 / 10, arch.c_str(), *log ? log : "no log");
    case kJitCompilerNotFound:
    case kJitCompilationDisabled:
      return fail(PF_BAD_BINARY, "the driver compiles no PTX here (CUDA error %d): a %s binary is needed", result,
                  arch.c_str());
    case kInvalidImage:
    case kInvalidSource:
      return fail(PF_BAD_BINARY, "the kernel's %s is damaged or not for CUDA (CUDA error %d). %s", form, result, log);
    default: {
      int kind = error(result, "cuModuleLoadDataEx");
      return kind == PF_NO_DEVICE ? PF_DEVICE_ERROR : kind;
    }
  }
}

int Cuda::load(int device, const Code& code, void** module) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  char log[2048] = {};
  int options[] = {kErrorLog, kErrorLogBytes, kOptimizationLevel};
  auto number = [](size_t n) { return reinterpret_cast<void*>(static_cast<uintptr_t>(n)); };
  void* values[] = {log, number(sizeof log - 1), number(static_cast<size_t>(code.optimization))};
  Result r = cuModuleLoadDataEx_(module, code.data, code.text ? 3 : 2, options, values);
  if (!r) return PF_OK;
  for (size_t n = std::strlen(log); n > 0 && (log[n - 1] == '\n' || log[n - 1] == ' ');) log[--n] = 0;
  return load_error(r, device, code, log);
}

void Cuda::unload(int device, void* module) {
  if (!usable()) return;
  Inside inside(*this, device);
  if (inside.code) return;
  cuCtxSynchronize_();  // kernels of it may be queued; what they report is for those who wait for them
  cuModuleUnload_(module);
}

int Cuda::find(int device, void* module, const char* name, void** function) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  Result r = cuModuleGetFunction_(function, module, name);
  if (r == kNotFound) return fail(PF_BAD_BINARY, "the kernel's code has no function %s", name);
  return r ? error(r, "cuModuleGetFunction", name) : PF_OK;
}

int Cuda::launch(int device, void* function, const char* name, const Grid& grid, void* stream, void** parameters) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  auto u = [](int64_t n) { return static_cast<unsigned>(n); };
  Result r = cuLaunchKernel_(function, u(grid.x), u(grid.y), u(grid.z), u(grid.block_x), u(grid.block_y),
                             u(grid.block_z), u(grid.shared_bytes), stream, parameters, nullptr);
  return r ? error(r, "cuLaunchKernel", name) : PF_OK;
}

}  // namespace

Driver* new_cuda() { return new Cuda; }

}  // namespace pf::gpu
