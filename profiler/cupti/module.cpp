// SPDX-License-Identifier: Apache-2.0
// Entry points of the module: CUPTI is looked for once, and traces once.
#include "profiler/cupti/module.h"

#include <atomic>

#include "profiler/cupti/examine.h"
#include "profiler/cupti/tracer.h"

namespace profiler::cupti {
namespace {

using engine::Result;

const Result<CuptiLibrary>& the_library() {
  static const Result<CuptiLibrary> library = load_cupti(cupti_places());
  return library;
}

std::vector<ChainLink> examine_here(bool attach) {
  return examine(the_library(), {.administrator = is_administrator(), .attach = attach});
}

/// CUPTI 13.0 mixes up graph launches in every session after a process's first.
Result<std::unique_ptr<GpuTracer>> start_trace() {
  static std::atomic<bool> started{false};
  const Result<CuptiLibrary>& library = the_library();
  if (!library) return library.error();
  if (started.exchange(true)) {
    return engine::refused_error("the GPU was traced in this process before; CUPTI is reliable once: start the program again");
  }
  auto tracer = CuptiTracer::start(library->api, {});
  if (!tracer) return tracer.error();
  return std::unique_ptr<GpuTracer>(*std::move(tracer));
}

}  // namespace

const GpuModule& gpu_module() {
  static const GpuModule module{.examine = examine_here, .start_trace = start_trace};
  return module;
}

}  // namespace profiler::cupti
