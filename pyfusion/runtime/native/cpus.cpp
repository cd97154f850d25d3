// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "threads.h"

#if defined(__linux__)
#include <sched.h>
#endif

namespace pf {
namespace {

int affinity_cpus() {
#if defined(__linux__)
  // The kernel's mask may be wider than cpu_set_t: grow until it fits.
  for (int cpus = CPU_SETSIZE; cpus <= (1 << 20); cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(cpus));
    if (!set) break;
    size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(cpus));
    int count = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

// A container with a quota of two CPUs on a large host is throttled when it uses more.
int quota_cpus() {
  int cpus = 1 << 20;
  if (FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long long quota, period;
    if (std::fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0)
      cpus = static_cast<int>(std::clamp<long long>((quota + period - 1) / period, 1, cpus));
    std::fclose(file);
  }
  return cpus;
}

}  // namespace

int available_cpus() { return std::min(affinity_cpus(), quota_cpus()); }

}  // namespace pf
