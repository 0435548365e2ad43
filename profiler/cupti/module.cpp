// SPDX-License-Identifier: Apache-2.0
// Entry points of the module: CUPTI is looked for once, and traces once.
#include "profiler/cupti/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "profiler/cupti/examine.h"
#include "profiler/cupti/pm_sampler.h"
#include "profiler/cupti/range_counters.h"
#include "profiler/cupti/tracer.h"

namespace profiler::cupti {
namespace {

using engine::Result;

struct Found {
  engine::LibrarySearch search;
  Result<CuptiLibrary> library = load_cupti(cupti_places(), &search);
};
const Found& found() {
  static const Found once;
  return once;
}
const Result<CuptiLibrary>& the_library() { return found().library; }

std::vector<ChainLink> examine_here(bool attach) {
  return examine(the_library(), {.here = surroundings(), .attach = attach});
}

/// CUPTI 13.0 mixes up graph launches in every session after a process's first.
Result<std::unique_ptr<GpuTracer>> start_trace() {
  static std::atomic<bool> started{false};
  const Result<CuptiLibrary>& library = the_library();
  if (!library) return library.error();
  if (started.exchange(true)) {
    return engine::refused_error(
        "the GPU was traced in this process before; CUPTI is reliable once: start the program again");
  }
  auto tracer = CuptiTracer::start(library->api, {.warning = library->warning});
  if (!tracer) return tracer.error();
  return std::unique_ptr<GpuTracer>(*std::move(tracer));
}

/// The driver's functions that counters need, of the driver this process uses already: nothing is linked with it.
struct Driver {
  decltype(&::cuDeviceGet) device = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release = nullptr;

  static Result<Driver> open() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      return engine::refused_error(fmt::format("[counters] there is no NVIDIA driver: {}", dlerror()));
    Driver driver;
    driver.device = reinterpret_cast<decltype(driver.device)>(dlsym(library, "cuDeviceGet"));
    driver.retain = reinterpret_cast<decltype(driver.retain)>(dlsym(library, "cuDevicePrimaryCtxRetain"));
    driver.release = reinterpret_cast<decltype(driver.release)>(dlsym(library, "cuDevicePrimaryCtxRelease_v2"));
    if (driver.device != nullptr && driver.retain != nullptr && driver.release != nullptr) return driver;
    return engine::refused_error(
        "[counters] the NVIDIA driver lacks a function of its primary contexts: install driver 580 or newer");
  }
};

/// Counters and the hold on the context that they count in.
class HeldCounters final : public GpuCounters {
 public:
  HeldCounters(std::unique_ptr<RangeCounters> counters, Driver driver, CUdevice device)
      : counters_(std::move(counters)), driver_(driver), device_(device) {}
  ~HeldCounters() override {
    counters_.reset();
    static_cast<void>(driver_.release(device_));
  }
  HeldCounters(const HeldCounters&) = delete;
  HeldCounters& operator=(const HeldCounters&) = delete;

  std::vector<std::string> keys() const override { return counters_->keys(); }
  std::vector<std::string> missing() const override { return counters_->missing(); }
  std::string chip() const override { return counters_->chip(); }
  Result<void> begin() override { return counters_->begin(); }
  Result<void> push(OpId op) override { return counters_->push(op); }
  Result<void> pop() override { return counters_->pop(); }
  Result<std::vector<CounterRange>> end() override { return counters_->end(); }

 private:
  std::unique_ptr<RangeCounters> counters_;
  Driver driver_;
  CUdevice device_;
};

Result<std::unique_ptr<GpuCounters>> start_counters(int index, CounterSet set, size_t most_ops) {
  const Result<CuptiLibrary>& library = the_library();
  if (!library) return library.error();
  if (!library->no_counters.empty()) return engine::refused_error("[counters] " + library->no_counters);
  Result<Driver> driver = Driver::open();
  if (!driver) return driver.error();
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUresult code = driver->device(&device, index);
  if (code == CUDA_SUCCESS) code = driver->retain(&context, device);
  if (code != CUDA_SUCCESS) {
    return engine::refused_error(
        fmt::format("[counters] the context of GPU {} cannot be had: CUDA error {}", index, static_cast<int>(code)));
  }
  Result<RangeCounters> counters =
      RangeCounters::make(library->api, context, device, static_cast<size_t>(index), set, most_ops);
  if (!counters) {
    static_cast<void>(driver->release(device));
    return counters.error();
  }
  return std::unique_ptr<GpuCounters>(
      std::make_unique<HeldCounters>(std::make_unique<RangeCounters>(*std::move(counters)), *driver, device));
}

Result<std::unique_ptr<GpuSampler>> start_samples(int index) {
  const Result<CuptiLibrary>& library = the_library();
  if (!library) return library.error();
  for (const std::string& why : {library->no_counters, library->no_samples}) {
    if (!why.empty()) return engine::refused_error("[counters] " + why);
  }
  Result<Driver> driver = Driver::open();
  if (!driver) return driver.error();
  CUdevice device = 0;
  if (const CUresult code = driver->device(&device, index); code != CUDA_SUCCESS) {
    return engine::refused_error(
        fmt::format("[counters] there is no GPU {}: CUDA error {}", index, static_cast<int>(code)));
  }
  auto sampler = PmSampler::start(library->api, device, static_cast<size_t>(index));
  if (!sampler) return sampler.error();
  return std::unique_ptr<GpuSampler>(*std::move(sampler));
}

}  // namespace

engine::LibraryReport library_report() { return {"CUPTI", kCuptiRemedy, found().search}; }

const GpuModule& gpu_module() {
  static const GpuModule module{.examine = examine_here,
                                .start_trace = start_trace,
                                .start_counters = start_counters,
                                .start_samples = start_samples};
  return module;
}

}  // namespace profiler::cupti
