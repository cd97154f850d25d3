// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver of two devices that writes down what it is asked for, as libcuda (-DFAKE_CUDA) or as libamdhip64. A module
// is the text "FAKE <architecture> <function>:<bytes of a parameter>,<bytes>... <function>:...". A parameter's bytes
// are logged in hexadecimal. fake_inject makes the n-th call of a function fail from then on, `times` times.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char log_text[1 << 20];
static size_t log_length;
static int lock, devices = 2;

static void enter(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {} }
static void leave(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

#define LOG(...)                                                                                          \
  do {                                                                                                    \
    enter();                                                                                              \
    if (log_length < sizeof log_text - 4096)                                                              \
      log_length += (size_t)snprintf(log_text + log_length, sizeof log_text - log_length, __VA_ARGS__);   \
    leave();                                                                                              \
  } while (0)

static int full(void) {
  enter();
  int is = log_length >= sizeof log_text - 4096;
  leave();
  return is;
}

static struct { char name[64]; int nth, times, error; } injected[8];
static int n_injected;

void fake_inject(const char* name, int nth, int times, int error) {
  snprintf(injected[n_injected].name, 64, "%s", name);
  injected[n_injected].nth = nth;
  injected[n_injected].times = times;
  injected[n_injected++].error = error;
}
static int failing(const char* name) {
  int error = 0;
  enter();
  for (int i = 0; i < n_injected; ++i) {
    if (strcmp(injected[i].name, name) != 0) continue;
    if (injected[i].nth > 0) --injected[i].nth;
    if (injected[i].nth == 0 && injected[i].times > 0) --injected[i].times, error = injected[i].error;
  }
  leave();
  return error;
}
#define MAY_FAIL(name)                    \
  do {                                    \
    int error = failing(name);            \
    if (error) return error;              \
  } while (0)

void fake_devices(int n) { devices = n; }
void fake_reset(void) { log_length = 0; log_text[0] = 0; n_injected = 0; }
const char* fake_log(void) { return log_text; }
void fake_quiet(int on) { log_length = on ? sizeof log_text : 0; }  // for timing

struct function { char name[64]; int sizes[256]; int n; };
struct module { struct function functions[16]; int n; };

static int load(const char* arch, const char* text, int device, void** out) {
  char copy[4096], *rest;
  if (strncmp(text, "FAKE ", 5) != 0) return 200;
  snprintf(copy, sizeof copy, "%s", text + 5);
  char* word = strtok_r(copy, " ", &rest);
  if (strcmp(word, arch) != 0) return 209;
  struct module* m = calloc(1, sizeof *m);
  while ((word = strtok_r(NULL, " ", &rest))) {
    struct function* f = &m->functions[m->n++];
    char* sizes = strchr(word, ':');
    *sizes++ = 0;
    snprintf(f->name, sizeof f->name, "%s", word);
    while (*sizes) {
      f->sizes[f->n++] = (int)strtol(sizes, &sizes, 10);
      if (*sizes == ',') ++sizes;
    }
  }
  *out = m;
  LOG("load %d\n", device);
  return 0;
}
static int find(void** out, struct module* m, const char* name) {
  LOG("find %s\n", name);
  for (int i = 0; i < m->n; ++i)
    if (strcmp(m->functions[i].name, name) == 0) return *out = &m->functions[i], 0;
  return 500;
}
static int launch(struct function* f, int device, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned shared, void* stream, void** parameters) {
  if (full()) return 0;
  char hex[8192] = "";
  size_t at = 0;
  for (int i = 0; i < f->n; ++i) {
    hex[at++] = i ? ',' : ' ';
    for (int b = 0; b < f->sizes[i]; ++b)
      at += (size_t)sprintf(hex + at, "%02x", ((unsigned char*)parameters[i])[b]);
  }
  LOG("launch %s %d %u,%u,%u %u,%u,%u %u %zu%s\n", f->name, device, gx, gy, gz, bx, by, bz, shared, (size_t)stream,
      hex);
  return 0;
}

#ifdef FAKE_CUDA
static __thread void* stack[16];
static __thread int depth;
static char contexts[8];
static const char* const archs[] = {"sm_90", "sm_80"};
static int device_of_context(void) { return depth ? (int)((char*)stack[depth - 1] - contexts) : -1; }

int cuInit(unsigned flags) { (void)flags; MAY_FAIL("cuInit"); return devices ? 0 : 100; }
int cuDriverGetVersion(int* version) { *version = 12020; return 0; }
int cuDeviceGetCount(int* n) { MAY_FAIL("cuDeviceGetCount"); *n = devices; return 0; }
int cuDeviceGet(int* device, int i) { MAY_FAIL("cuDeviceGet"); *device = i + 40; return 0; }
int cuDeviceGetName(char* name, int n, int device) {
  MAY_FAIL("cuDeviceGetName");
  snprintf(name, (size_t)n, "Fake GPU %d", device - 40);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  MAY_FAIL("cuDeviceGetAttribute");
  *value = attribute == 75 ? 9 - (device - 40) : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  MAY_FAIL("cuDevicePrimaryCtxRetain");
  LOG("retain %d\n", device - 40);
  *context = contexts + (device - 40);
  return 0;
}
int cuCtxGetCurrent(void** context) {
  MAY_FAIL("cuCtxGetCurrent");
  *context = depth ? stack[depth - 1] : NULL;
  return 0;
}
int cuCtxPushCurrent_v2(void* context) {
  MAY_FAIL("cuCtxPushCurrent");
  LOG("push %d\n", (int)((char*)context - contexts));
  stack[depth++] = context;
  return 0;
}
int cuCtxPopCurrent_v2(void** context) { LOG("pop\n"); *context = stack[--depth]; return 0; }
int cuModuleLoadDataEx(void** module, const void* data, unsigned n, int* options, void** values) {
  int error = failing("cuModuleLoadDataEx");
  for (unsigned i = 0; i < n; ++i)
    if (options[i] == 5 && error) snprintf(values[i], 64, "ptxas: line 7: unexpected token\n");
  return error ? error : load(archs[device_of_context()], data, device_of_context(), module);
}
int cuCtxSynchronize(void) { LOG("synchronize %d\n", device_of_context()); return 0; }
int cuModuleUnload(void* module) { LOG("unload %d\n", device_of_context()); free(module); return 0; }
#ifndef FAKE_OLD
int cuModuleGetFunction(void** out, void* module, const char* name) {
  MAY_FAIL("cuModuleGetFunction");
  return find(out, module, name);
}
#endif
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** parameters, void** extra) {
  (void)extra;
  MAY_FAIL("cuLaunchKernel");
  return launch(f, device_of_context(), gx, gy, gz, bx, by, bz, shared, stream, parameters);
}
int cuGetErrorName(int error, const char** name) {
  *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : error == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : NULL;
  return *name ? 0 : 1;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 2 ? "out of memory" : error == 719 ? "unspecified launch failure" : NULL;
  return *text ? 0 : 1;
}
#else
static __thread int current_device;
static const char* const archs[] = {"gfx942", "gfx90a"};
static __thread int last_error;

#define RESULT(e) (last_error = (e))
int hipInit(unsigned flags) { (void)flags; return RESULT(failing("hipInit")); }
int hipGetDeviceCount(int* n) { *n = devices; return RESULT(devices ? failing("hipGetDeviceCount") : 100); }
int hipGetDevice(int* device) { *device = current_device; return RESULT(failing("hipGetDevice")); }
int hipSetDevice(int device) {
  int error = failing("hipSetDevice");
  LOG("set %d\n", device);
  if (!error) current_device = device;
  return RESULT(error);
}
int hipDeviceGetName(char* name, int n, int device) {
  snprintf(name, (size_t)n, "Fake GPU %d gfx", device);
  return RESULT(failing("hipDeviceGetName"));
}
int hipGetDevicePropertiesR0600(void* properties, int device) {
  snprintf(properties, 256, "Fake gfx1");
  snprintf((char*)properties + 1160, 256, "%s:sramecc+:xnack-", archs[device]);
  return RESULT(failing("hipGetDeviceProperties"));
}
int hipModuleLoadData(void** module, const void* data) {
  int error = failing("hipModuleLoadData");
  return RESULT(error ? error : load(archs[current_device], data, current_device, module));
}
int hipDeviceSynchronize(void) { LOG("synchronize %d\n", current_device); return 0; }
int hipModuleUnload(void* module) { LOG("unload %d\n", current_device); free(module); return RESULT(0); }
#ifndef FAKE_OLD
int hipModuleGetFunction(void** out, void* module, const char* name) {
  int error = failing("hipModuleGetFunction");
  return RESULT(error ? error : find(out, module, name));
}
#endif
int hipModuleLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void* stream, void** parameters, void** extra) {
  (void)extra;
  int error = failing("hipModuleLaunchKernel");
  return RESULT(error ? error : launch(f, current_device, gx, gy, gz, bx, by, bz, shared, stream, parameters));
}
const char* hipGetErrorName(int error) { return error == 2 ? "hipErrorOutOfMemory" : "hipErrorUnknown"; }
const char* hipGetErrorString(int error) { return error == 2 ? "out of memory" : "unknown error"; }
int hipGetLastError(void) { int e = last_error; last_error = 0; return e; }
int fake_last_error(void) { return last_error; }
#endif
