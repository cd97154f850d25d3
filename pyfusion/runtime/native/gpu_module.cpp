// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled host code calls: modules that are loaded when a device first needs them, and launches.
#include "gpu_module.h"

#include <cstring>
#include <mutex>
#include <new>

#include "gpu_driver.h"
#include "gpu_error.h"
#include "pyfusion_gpu.h"

namespace pf::gpu {

std::atomic<int64_t> modules_loaded, functions_found;

Target& target() {
  static thread_local Target current;
  return current;
}

namespace {

// A module or a function as one device has it. Lists only grow, until the module goes.
struct Instance {
  Driver* driver;
  int device;
  void* handle;
  Instance* next;
};

Instance* find_instance(Instance* first, const Driver* driver, int device) {
  while (first && (first->driver != driver || first->device != device)) first = first->next;
  return first;
}

struct Module;

struct Function {
  Module* module;
  const char* name;  // of the module's constants
  std::atomic<Instance*> instances{nullptr};
  Function* next;
};

struct Module {
  Code code;
  std::mutex mutex;  // for additions
  Instance* instances = nullptr;
  std::atomic<Function*> functions{nullptr};

  Function* find(const char* name) const {
    Function* f = functions.load(std::memory_order_acquire);
    while (f && f->name != name && std::strcmp(f->name, name) != 0) f = f->next;
    return f;
  }
};

int no_memory() { return fail(PF_NO_MEMORY, "out of memory on the host"); }

// The function on a device; loads the module there first if nobody has.
int resolve(Function& function, Driver* driver, int device, void** handle) {
  if (Instance* found = find_instance(function.instances.load(std::memory_order_acquire), driver, device)) {
    *handle = found->handle;
    return PF_OK;
  }
  Module& module = *function.module;
  std::lock_guard<std::mutex> guard(module.mutex);
  Instance* first = function.instances.load(std::memory_order_relaxed);
  if (Instance* found = find_instance(first, driver, device)) {
    *handle = found->handle;
    return PF_OK;
  }
  Instance* loaded = find_instance(module.instances, driver, device);
  if (!loaded) {
    void* code = nullptr;
    if (int error = driver->load(device, module.code, &code)) return error;
    loaded = new (std::nothrow) Instance{driver, device, code, module.instances};
    if (!loaded) {
      driver->unload(device, code);
      return no_memory();
    }
    module.instances = loaded;
    modules_loaded.fetch_add(1, std::memory_order_relaxed);
  }
  if (int error = driver->find(device, loaded->handle, function.name, handle)) return error;
  auto* instance = new (std::nothrow) Instance{driver, device, *handle, first};
  if (!instance) return no_memory();
  function.instances.store(instance, std::memory_order_release);
  functions_found.fetch_add(1, std::memory_order_relaxed);
  return PF_OK;
}

void destroy(Instance* instance) {
  while (instance) {
    Instance* next = instance->next;
    delete instance;
    instance = next;
  }
}

void* remember(const Code& code) {
  auto* module = new (std::nothrow) Module;
  if (module) module->code = code;
  return module;
}

void not_allowed(const char* what) { target().note(fail(PF_INVALID, "compiled host code may not call %s", what)); }

}  // namespace
}  // namespace pf::gpu

using pf::gpu::target;

void* mgpuModuleLoad(void* data, uint64_t bytes) {
  return pf::gpu::remember({data, static_cast<size_t>(bytes), false, 0});
}

void* mgpuModuleLoadJIT(char* text, int32_t optimization) {
  const int level = optimization < 0 || optimization > 4 ? 4 : optimization;
  return pf::gpu::remember({text, text ? std::strlen(text) + 1 : 0, true, level});
}

void mgpuModuleUnload(void* pointer) {
  using namespace pf::gpu;
  auto* module = static_cast<Module*>(pointer);
  if (!module) return;
  for (Instance* i = module->instances; i; i = i->next) i->driver->unload(i->device, i->handle);
  destroy(module->instances);
  for (Function* f = module->functions.load(); f;) {
    Function* next = f->next;
    destroy(f->instances.load());
    delete f;
    f = next;
  }
  delete module;
}

void* mgpuModuleGetFunction(void* pointer, const char* name) {
  using namespace pf::gpu;
  auto* module = static_cast<Module*>(pointer);
  if (!module) {
    target().note(fail(PF_INVALID, "the code of the function %s is not there: its constructor has not run "
                                   "(ExecutionEngine.initialize), or there was no memory", name));
    return nullptr;
  }
  if (Function* found = module->find(name)) return found;
  std::lock_guard<std::mutex> guard(module->mutex);
  if (Function* found = module->find(name)) return found;
  auto* function = new (std::nothrow) Function;
  if (!function) {
    target().note(no_memory());
    return nullptr;
  }
  function->module = module;
  function->name = name;
  function->next = module->functions.load(std::memory_order_relaxed);
  module->functions.store(function, std::memory_order_release);
  return function;
}

void mgpuLaunchKernel(void* pointer, int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y,
                      int64_t block_z, int32_t shared_bytes, void* stream, void** parameters, void**, uint64_t) {
  using namespace pf::gpu;
  Target& to = target();
  auto* function = static_cast<Function*>(pointer);
  if (!function || to.code) return;  // an error is noted already
  if (!to.driver) {
    fail(PF_INVALID, "the kernel %s was called outside of pf_gpu_launch", function->name);
    return;
  }
  void* handle = nullptr;
  int code = resolve(*function, to.driver, to.device, &handle);
  if (!code && !to.load_only) {
    code = to.driver->launch(to.device, handle, function->name,
                             {grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes}, stream, parameters);
  }
  if (code) to.note(code);
}

void* mgpuStreamCreate(void) { return target().stream; }
void mgpuStreamSynchronize(void*) {}
void mgpuStreamDestroy(void*) {}

void mgpuLaunchClusterKernel(void*, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                             int32_t, void*, void**, void**, uint64_t) {
  pf::gpu::not_allowed("mgpuLaunchClusterKernel");
}
void mgpuStreamWaitEvent(void*, void*) { pf::gpu::not_allowed("mgpuStreamWaitEvent"); }
void* mgpuEventCreate(void) {
  pf::gpu::not_allowed("mgpuEventCreate");
  return nullptr;
}
void mgpuEventDestroy(void*) { pf::gpu::not_allowed("mgpuEventDestroy"); }
void mgpuEventSynchronize(void*) { pf::gpu::not_allowed("mgpuEventSynchronize"); }
void mgpuEventRecord(void*, void*) { pf::gpu::not_allowed("mgpuEventRecord"); }
void* mgpuMemAlloc(uint64_t, void*, uint8_t) {
  pf::gpu::not_allowed("mgpuMemAlloc");
  return nullptr;
}
void mgpuMemFree(void*, void*) { pf::gpu::not_allowed("mgpuMemFree"); }
void mgpuMemcpy(void*, void*, uint64_t, void*) { pf::gpu::not_allowed("mgpuMemcpy"); }
void mgpuMemset32(void*, uint32_t, uint64_t, void*) { pf::gpu::not_allowed("mgpuMemset32"); }
void mgpuMemset16(void*, uint16_t, uint64_t, void*) { pf::gpu::not_allowed("mgpuMemset16"); }
void mgpuSetDefaultDevice(int32_t) { pf::gpu::not_allowed("mgpuSetDefaultDevice"); }
