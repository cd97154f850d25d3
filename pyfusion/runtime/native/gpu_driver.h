// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_GPU_DRIVER_H
#define PYFUSION_GPU_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace pf::gpu {

constexpr int kMaxDevices = 64;

struct Code {
  const void* data;
  size_t bytes;
  bool text;          // assembly, which the driver compiles
  int optimization;   // 0..4 for that
};

struct Grid {
  int64_t x, y, z, block_x, block_y, block_z;
  int32_t shared_bytes;
};

// One of the two drivers. Functions return a code; after other than PF_OK the error of the thread says more.
// Devices are 0..devices()-1. The current device or context of the thread is the same afterwards.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual int open(void* library, const char* file) = 0;
  virtual int device_name(int device, std::string& name) = 0;
  virtual int device_arch(int device, std::string& arch) = 0;
  virtual int load(int device, const Code& code, void** module) = 0;
  virtual void unload(int device, void* module) = 0;
  virtual int find(int device, void* module, const char* name, void** function) = 0;
  virtual int launch(int device, void* function, const char* name, const Grid& grid, void* stream,
                     void** parameters) = 0;

  int devices() const { return devices_; }
  const char* api() const { return api_; }
  bool has(int device) const;  // else an error is noted
  // False once the process ends or has forked: the driver may be gone.
  bool usable() const;

 protected:
  explicit Driver(const char* api) : api_(api) {}
  // The function of that name; the first that is missing is kept for the error.
  template <class F>
  void symbol(F& function, const char* name) {
    function = reinterpret_cast<F>(find_symbol(name));
    if (!function && !missing_) missing_ = name;
  }
  void* find_symbol(const char* name) const;
  int check_symbols() const;

  const char* api_;
  void* library_ = nullptr;
  std::string file_;
  const char* missing_ = nullptr;
  int devices_ = 0;
};

Driver* new_cuda();  // not opened
Driver* new_hip();

// The opened driver; null and an error of this thread when there is none: *code says which.
Driver* driver(int api, int* code);

}  // namespace pf::gpu

#endif  // PYFUSION_GPU_DRIVER_H
