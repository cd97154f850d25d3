// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_GPU_MODULE_H
#define PYFUSION_GPU_MODULE_H

#include <atomic>
#include <cstdint>

namespace pf::gpu {

class Driver;

// Where the host functions that this thread calls put their kernels, and what became of them.
struct Target {
  Driver* driver = nullptr;  // null: no launch is under way
  int device = 0;
  void* stream = nullptr;
  bool load_only = false;
  int code = 0;  // the first error

  void note(int error) {
    if (code == 0) code = error;
  }
};
Target& target();

// Sets the target of this thread for a while.
class Targeted {
 public:
  Targeted(Driver* driver, int device, void* stream, bool load_only) : target_(target()), before_(target_) {
    target_ = Target{driver, device, stream, load_only, 0};
  }
  ~Targeted() { target_ = before_; }
  int code() const { return target_.code; }

 private:
  Target& target_;
  Target before_;
};

extern std::atomic<int64_t> modules_loaded, functions_found;

}  // namespace pf::gpu

#endif  // PYFUSION_GPU_MODULE_H
