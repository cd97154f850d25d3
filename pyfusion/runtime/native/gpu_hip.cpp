// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run time of HIP. A device, not a context, is current for a thread.
#include <cctype>
#include <cstring>

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
  kInvalidKernelFile = 218,
  kNotFound = 500,
};

class Hip final : public Driver {
 public:
  Hip() : Driver("HIP") {}
  int open(void* library, const char* file) override;
  int device_name(int device, std::string& name) override;
  int device_arch(int device, std::string& arch) override;
  int load(int device, const Code& code, void** module) override;
  void unload(int device, void* module) override;
  int find(int device, void* module, const char* name, void** function) override;
  int launch(int device, void* function, const char* name, const Grid& grid, void* stream, void** parameters) override;

 private:
  // The current device for a while.
  struct Inside {
    Inside(Hip& hip, int device) : hip_(hip) {
      int current = -1;
      Result r = hip.hipGetDevice_(&current);
      if (!r && current != device) {
        r = hip.hipSetDevice_(device);
        if (!r) before_ = current;
      }
      code = r ? hip.error(r, "hipSetDevice") : PF_OK;
    }
    ~Inside() {
      if (before_ >= 0) hip_.hipSetDevice_(before_);
    }
    int code;

   private:
    Hip& hip_;
    int before_ = -1;
  };

  int error(Result result, const char* call, const char* what = "");
  // An error stays the last one of the thread, which others would take for theirs.
  void forget() {
    if (hipGetLastError_) hipGetLastError_();
  }

  Result (*hipInit_)(unsigned);
  Result (*hipGetDeviceCount_)(int*);
  Result (*hipGetDevice_)(int*);
  Result (*hipSetDevice_)(int);
  Result (*hipDeviceGetName_)(char*, int, int);
  Result (*hipGetDeviceProperties_)(void*, int);
  Result (*hipModuleLoadData_)(void**, const void*);
  Result (*hipDeviceSynchronize_)();
  Result (*hipModuleUnload_)(void*);
  Result (*hipModuleGetFunction_)(void**, void*, const char*);
  Result (*hipModuleLaunchKernel_)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                                   void**, void**);
  const char* (*hipGetErrorName_)(Result);
  const char* (*hipGetErrorString_)(Result);
  Result (*hipGetLastError_)();
};

int Hip::open(void* library, const char* file) {
  library_ = library;
  file_ = file;
  symbol(hipInit_, "hipInit");
  symbol(hipGetDeviceCount_, "hipGetDeviceCount");
  symbol(hipGetDevice_, "hipGetDevice");
  symbol(hipSetDevice_, "hipSetDevice");
  symbol(hipDeviceGetName_, "hipDeviceGetName");
  // The first is that of ROCm 6 and later, where the second has become an older structure.
  const bool versioned = find_symbol("hipGetDevicePropertiesR0600");
  symbol(hipGetDeviceProperties_, versioned ? "hipGetDevicePropertiesR0600" : "hipGetDeviceProperties");
  symbol(hipModuleLoadData_, "hipModuleLoadData");
  symbol(hipDeviceSynchronize_, "hipDeviceSynchronize");
  symbol(hipModuleUnload_, "hipModuleUnload");
  symbol(hipModuleGetFunction_, "hipModuleGetFunction");
  symbol(hipModuleLaunchKernel_, "hipModuleLaunchKernel");
  symbol(hipGetErrorName_, "hipGetErrorName");
  symbol(hipGetErrorString_, "hipGetErrorString");
  symbol(hipGetLastError_, "hipGetLastError");
  if (int code = check_symbols()) return code;
  int count = 0;
  Result result = hipInit_(0);
  if (!result) result = hipGetDeviceCount_(&count);
  if (result == kNoDevice) {
    forget();
    return PF_OK;
  }
  if (result) {
    error(result, "hipInit");
    return PF_NO_DRIVER;
  }
  devices_ = count < kMaxDevices ? count : kMaxDevices;
  return PF_OK;
}

int Hip::error(Result result, const char* call, const char* what) {
  const char *name = hipGetErrorName_(result), *text = hipGetErrorString_(result);
  forget();
  int code = PF_DEVICE_ERROR;
  if (result == kOutOfMemory) code = PF_NO_MEMORY;
  if (result == kNoDevice || result == kInvalidDevice) code = PF_NO_DEVICE;
  return fail(code, "%s%s%s: %s (%s), HIP error %d", call, *what ? " of " : "", what, name ? name : "",
              text ? text : "", result);
}

int Hip::device_name(int device, std::string& name) {
  char text[256] = {};
  if (Result r = hipDeviceGetName_(text, sizeof text - 1, device)) return error(r, "hipDeviceGetName");
  name = text;
  return PF_OK;
}

// The place of gcnArchName in the structure depends on the release: it is the one text that is "gfx" and digits.
int Hip::device_arch(int device, std::string& arch) {
  std::string properties(16384, '\0');
  if (Result r = hipGetDeviceProperties_(properties.data(), device)) return error(r, "hipGetDeviceProperties");
  for (size_t at = 256; (at = properties.find("gfx", at)) != std::string::npos; ++at) {
    size_t end = at + 3;
    while (std::isxdigit(static_cast<unsigned char>(properties[end]))) ++end;
    if (end == at + 3) continue;
    arch = properties.substr(at, end - at);
    return PF_OK;
  }
  return fail(PF_DEVICE_ERROR, "the HIP driver (%s) does not name the architecture of device %d", file_.c_str(),
              device);
}

int Hip::load(int device, const Code& code, void** module) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  Result r = hipModuleLoadData_(module, code.data);
  if (!r) return PF_OK;
  std::string arch, name;
  if (device_arch(device, arch) != PF_OK) arch = "its architecture";
  if (device_name(device, name) != PF_OK) name = "the device";
  if (r == kNoBinaryForGpu) {
    forget();
    return fail(PF_BAD_BINARY, "the kernel's binary is for another GPU: %s (HIP device %d) needs code for %s",
                name.c_str(), device, arch.c_str());
  }
  if (r == kInvalidImage || r == kInvalidKernelFile) {
    forget();
    return fail(PF_BAD_BINARY, "the kernel's binary is damaged or not for HIP (HIP error %d)", r);
  }
  int kind = error(r, "hipModuleLoadData");
  return kind == PF_NO_DEVICE ? PF_DEVICE_ERROR : kind;
}

void Hip::unload(int device, void* module) {
  if (!usable()) return;
  Inside inside(*this, device);
  if (inside.code) return;
  // Kernels of it may be queued.
  if (hipDeviceSynchronize_()) forget();
  if (hipModuleUnload_(module)) forget();
}

int Hip::find(int device, void* module, const char* name, void** function) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  Result r = hipModuleGetFunction_(function, module, name);
  if (r == kNotFound) {
    forget();
    return fail(PF_BAD_BINARY, "the kernel's code has no function %s", name);
  }
  return r ? error(r, "hipModuleGetFunction", name) : PF_OK;
}

int Hip::launch(int device, void* function, const char* name, const Grid& grid, void* stream, void** parameters) {
  Inside inside(*this, device);
  if (inside.code) return inside.code;
  auto u = [](int64_t n) { return static_cast<unsigned>(n); };
  Result r = hipModuleLaunchKernel_(function, u(grid.x), u(grid.y), u(grid.z), u(grid.block_x), u(grid.block_y),
                                    u(grid.block_z), u(grid.shared_bytes), stream, parameters, nullptr);
  return r ? error(r, "hipModuleLaunchKernel", name) : PF_OK;
}

}  // namespace

Driver* new_hip() { return new Hip; }

}  // namespace pf::gpu
