// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds and opens the drivers.
#include "gpu_driver.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "gpu_error.h"
#include "pyfusion_gpu.h"

namespace pf::gpu {
namespace {

struct Api {
  const char *name, *variable;
  const char* files[4];
  Driver* (*make)();
};

const Api kApis[2] = {
    {"CUDA", "PYFUSION_CUDA_LIBRARY", {"libcuda.so.1", "libcuda.so"}, new_cuda},
    {"HIP", "PYFUSION_HIP_LIBRARY", {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"}, new_hip},
};

std::atomic<Driver*> opened[2];
std::atomic<bool> ending{false};
pid_t opened_by[2];

void* open_library(const Api& api, const char** file) {
  const char* chosen = std::getenv(api.variable);
  if (chosen && *chosen) {
    *file = chosen;
    return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  }
  // One that the process has already comes first: two copies of a driver's library do not know each other's streams.
  for (int flags : {RTLD_NOLOAD, 0}) {
    for (const char* name : api.files) {
      if (!name) break;
      *file = name;
      if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | flags)) return library;
    }
  }
  *file = api.files[0];
  return dlopen(*file, RTLD_NOW | RTLD_LOCAL);  // for the error's text
}

// A failure is not kept: the next call tries again.
int open(const Api& api, Driver** result) {
  const char* file = nullptr;
  dlerror();
  void* library = open_library(api, &file);
  if (!library) {
    const char* why = dlerror();
    return fail(PF_NO_DRIVER, "no %s driver: %s", api.name, why ? why : file);
  }
  std::unique_ptr<Driver> driver(api.make());
  int code = driver->open(library, file);
  if (code != PF_OK) {
    dlclose(library);
    return code;
  }
  // Registered after the driver's own handlers, hence run before them.
  std::atexit([] { ending.store(true); });
  *result = driver.release();
  return PF_OK;
}

int copy_text(int code, const std::string& text, char* buffer, int32_t n) {
  if (code != PF_OK) return code;
  if (buffer && n > 0) {
    size_t copied = std::min(text.size(), static_cast<size_t>(n - 1));
    std::memcpy(buffer, text.data(), copied);
    buffer[copied] = 0;
  }
  return static_cast<int>(text.size());
}

template <class Get>
int describe(int32_t api, int32_t device, char* buffer, int32_t n, Get get) {
  try {
    int code = PF_OK;
    Driver* d = driver(api, &code);
    if (!d) return code;
    if (!d->has(device)) return PF_NO_DEVICE;
    std::string text;
    code = get(*d, text);
    return copy_text(code, text, buffer, n);
  } catch (const std::bad_alloc&) {
    return fail(PF_NO_MEMORY, "out of memory on the host");
  }
}

}  // namespace

Driver* driver(int api, int* code) {
  if (api != PF_CUDA && api != PF_HIP) {
    *code = fail(PF_INVALID, "no API has the number %d", api);
    return nullptr;
  }
  if (Driver* found = opened[api].load(std::memory_order_acquire)) return found;
  static std::mutex* mutex = new std::mutex;
  std::lock_guard<std::mutex> guard(*mutex);
  Driver* found = opened[api].load(std::memory_order_acquire);
  if (found) return found;
  try {
    *code = open(kApis[api], &found);
  } catch (const std::bad_alloc&) {
    *code = fail(PF_NO_MEMORY, "out of memory on the host");
  }
  if (*code != PF_OK) return nullptr;
  opened_by[api] = getpid();
  opened[api].store(found, std::memory_order_release);
  return found;
}

bool Driver::has(int device) const {
  if (device >= 0 && device < devices_) return true;
  if (devices_ == 0) {
    fail(PF_NO_DEVICE, "the %s driver (%s) finds no device", api_, file_.c_str());
  } else {
    fail(PF_NO_DEVICE, "no %s device %d: there are %d", api_, device, devices_);
  }
  return false;
}

bool Driver::usable() const {
  if (ending.load()) return false;
  for (int api = 0; api < 2; ++api)
    if (opened[api].load() == this) return opened_by[api] == getpid();
  return true;
}

void* Driver::find_symbol(const char* name) const { return dlsym(library_, name); }

int Driver::check_symbols() const {
  if (!missing_) return PF_OK;
  return fail(PF_NO_DRIVER, "the %s driver (%s) has no function %s: it is too old or damaged", api_, file_.c_str(),
              missing_);
}

}  // namespace pf::gpu

int32_t pf_gpu_count(int32_t api) {
  int code = PF_OK;
  pf::gpu::Driver* driver = pf::gpu::driver(api, &code);
  return driver ? driver->devices() : code;
}

int32_t pf_gpu_name(int32_t api, int32_t device, char* buffer, int32_t n) {
  return pf::gpu::describe(api, device, buffer, n,
                           [&](auto& driver, auto& text) { return driver.device_name(device, text); });
}

int32_t pf_gpu_arch(int32_t api, int32_t device, char* buffer, int32_t n) {
  return pf::gpu::describe(api, device, buffer, n,
                           [&](auto& driver, auto& text) { return driver.device_arch(device, text); });
}
