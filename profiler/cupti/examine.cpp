// SPDX-License-Identifier: Apache-2.0
// Library, subscriber, libnvperf, permission.
#include "profiler/cupti/examine.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

namespace profiler::cupti {
namespace {

ChainLink library_link(const engine::Result<CuptiLibrary>& library) {
  if (!library) {
    return {.name = "CUPTI", .works = false, .found = library.error().message, .remedy = kCuptiRemedy};
  }
  return {.name = "CUPTI",
          .works = true,
          .found = fmt::format("{}, version {}.{} (API {}), records as this build reads them{}{}",
                               library->file.string(), library->version / 10000, library->version / 100 % 100,
                               library->version, library->warning.empty() ? "" : "; ", library->warning),
          .remedy = ""};
}

ChainLink subscriber_link(const CuptiApi& api) {
  char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = {};
  CUpti_SubscriberParams params{.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                .subscriberName = "tensortide doctor",
                                .oldSubscriberName = other,
                                .oldSubscriberSize = sizeof other};
  CUpti_SubscriberHandle handle = nullptr;
  const auto ignore = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  const CUptiResult result = api.subscribe_v2(&handle, reinterpret_cast<CUpti_CallbackFunc>(+ignore), nullptr, &params);
  other[sizeof other - 1] = '\0';
  if (result == CUPTI_SUCCESS) {
    static_cast<void>(api.unsubscribe(handle));
    return {.name = "attaching", .works = true, .found = "no other profiler is attached to this process", .remedy = ""};
  }
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    return {.name = "attaching",
            .works = false,
            .found = fmt::format("another profiler ({}) is attached to this process",
                                 *other == '\0' ? "nsys, ncu, cuda-gdb or the like" : other),
            .remedy = "run Tensortide without that profiler around it"};
  }
  return {.name = "attaching",
          .works = false,
          .found = fmt::format("CUPTI refuses: {}", result_text(api, result)),
          .remedy = "nvidia-smi  (shows whether the driver works; CUPTI 13 needs driver 580 or newer)"};
}

ChainLink nvperf_link(const CuptiLibrary& library) {
  return {.name = "counter libraries",
          .works = library.no_counters.empty(),
          .found = library.no_counters.empty() ? "libnvperf_host.so and libnvperf_target.so" : library.no_counters,
          .remedy = library.no_counters.empty()
                        ? ""
                        : "install the CUPTI that has libnvperf_host.so and libnvperf_target.so beside libcupti.so",
          .for_counters_only = true};
}

ChainLink samples_link(const CuptiLibrary& library) {
  return {.name = "PM sampling",
          .works = library.no_samples.empty(),
          .found = library.no_samples.empty() ? "CUPTI has it; Turing and newer GPUs do" : library.no_samples,
          .remedy = library.no_samples.empty() ? "" : "install CUPTI 13.0 or newer",
          .for_counters_only = true,
          .for_samples_only = true};
}

/// Value of one line "RmProfilingAdminOnly: 1"; -1: there is none.
int profiling_restricted(const std::string& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view key = "RmProfilingAdminOnly:";
    if (line.starts_with(key)) return std::atoi(line.c_str() + key.size());
  }
  return -1;
}

ChainLink permission_link(const ExamineWorld& world) {
  ChainLink link{
      .name = "permission for counters", .works = true, .found = "", .remedy = "", .for_counters_only = true};
  const int restricted = profiling_restricted(world.driver_parameters);
  if (world.here.administrator) {
    const std::string& machine = world.here.virtual_machine;
    link.found =
        machine.empty()
            ? "this user may read counters in any case"
            : fmt::format(
                  "this user may read counters, unless the host of this virtual machine ({}) keeps them to itself",
                  machine);
  } else if (restricted == 0) {
    link.found = "the driver lets every user read counters";
  } else if (restricted < 0) {
    link.works = false;
    link.found = fmt::format("{} does not show whether users may read counters", world.driver_parameters);
    link.remedy = "nvidia-smi  (shows whether the driver works)";
  } else {
    link.works = false;
    link.found =
        "the NVIDIA driver lets only administrators read GPU counters (ERR_NVGPUCTRPERM); tracing needs no such "
        "permission";
    link.remedy =
        "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvidia-counters.conf  "
        "(then reboot)";
  }
  return link;
}

}  // namespace

std::vector<ChainLink> examine(const engine::Result<CuptiLibrary>& library, const ExamineWorld& world) {
  std::vector<ChainLink> chain{library_link(library)};
  if (!library) return chain;
  if (world.attach) {
    chain.push_back(subscriber_link(library->api));
    if (!chain.back().works) return chain;
  }
  chain.push_back(nvperf_link(*library));
  chain.push_back(permission_link(world));
  chain.push_back(samples_link(*library));
  return chain;
}

}  // namespace profiler::cupti
