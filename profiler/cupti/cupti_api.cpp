// SPDX-License-Identifier: Apache-2.0
// Finds CUPTI and its companions (libnvperf), and makes sure that we read its records as it writes them.
#include "profiler/cupti/cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "profiler/cupti/record_sizes.h"

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLibrary = "libcupti.so.13";

/// First function that the library lacks; empty: it has all.
template <class Visit>
std::string resolve(void* library, CuptiApi& api, Visit&& visit) {
  std::string missing;
  visit(api, [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, symbol));
    if (function == nullptr && missing.empty()) missing = symbol;
  });
  return missing;
}

/// CUPTI opens libnvperf by bare name, which finds nothing beside a module: open both from CUPTI's own folder first.
std::string open_nvperf(const fs::path& folder) {
  for (const char* name : {"libnvperf_host.so", "libnvperf_target.so"}) {
    void* opened = dlopen((folder / name).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr) opened = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (opened == nullptr) return fmt::format("{} does not open: {}", name, dlerror());
  }
  return {};
}

void add_folder(std::vector<std::string>& places, const fs::path& root) {
  for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"}) places.push_back((root / folder / kLibrary).string());
}

}  // namespace

std::string result_text(const CuptiApi& api, CUptiResult result) {
  const char* text = nullptr;
  if (api.get_result_string == nullptr || api.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    return fmt::format("error {}", static_cast<int>(result));
  }
  return fmt::format("{} ({})", text, static_cast<int>(result));
}

std::vector<std::string> cupti_places() {
  std::vector<std::string> places;
  if (const char* named = std::getenv("TENSORTIDE_CUPTI"); named != nullptr && *named != '\0') return {named};
  places.emplace_back(kLibrary);
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') add_folder(places, home);
  std::error_code ignored;
  std::vector<fs::path> toolkits;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored)) {
    if (entry.path().filename().string().starts_with("cuda")) toolkits.push_back(entry.path());
  }
  std::sort(toolkits.begin(), toolkits.end());
  for (const fs::path& toolkit : toolkits) add_folder(places, toolkit);
  return places;
}

Result<void> check_version(uint32_t version) {
  constexpr uint32_t kMajor = 13;
  // before CUDA 13 versions counted 1, 2, ... 28
  const uint32_t major = version >= 1000 ? version / 10000 : 0;
  if (major == kMajor) return {};
  const std::string found =
      major == 0 ? fmt::format("API {} (older than CUDA 13)", version) : fmt::format("{}.{}", major, version / 100 % 100);
  return refused_error(fmt::format("CUPTI {} lays out its records differently: this build reads those of CUPTI {}.x", found, kMajor));
}

Result<void> check_strides(decltype(CuptiApi::activity_get_next_record) next_record) {
  for (const RecordSize& known : kRecordSizes) {
    alignas(8) uint8_t buffer[2 * kLargestRecord] = {};
    for (size_t i = 0; i < 2; ++i) std::memcpy(buffer + i * known.bytes, &known.kind, sizeof known.kind);
    CUpti_Activity *first = nullptr, *second = nullptr;
    if (next_record(buffer, 2 * known.bytes, &first) == CUPTI_SUCCESS) second = first;
    if (second == nullptr || next_record(buffer, 2 * known.bytes, &second) != CUPTI_SUCCESS) {
      return refused_error(fmt::format("this CUPTI does not read records of kind {} ({}) as this build has them",
                                       static_cast<int>(known.kind), known.name));
    }
    const auto stride = reinterpret_cast<uint8_t*>(second) - reinterpret_cast<uint8_t*>(first);
    if (stride != static_cast<ptrdiff_t>(known.bytes)) {
      return refused_error(fmt::format("this CUPTI's records of kind {} ({}) have {} bytes, this build reads {}: update this program",
                                       static_cast<int>(known.kind), known.name, stride, known.bytes));
    }
  }
  return {};
}

Result<CuptiLibrary> load_cupti(const std::vector<std::string>& places) {
  void* handle = nullptr;
  std::string first_reason;
  for (const std::string& place : places) {
    handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) break;
    if (first_reason.empty()) first_reason = dlerror();
  }
  if (handle == nullptr) return refused_error(fmt::format("CUPTI was not found: {}", first_reason.empty() ? "no place to look" : first_reason));
  CuptiLibrary library;
  const std::string missing = resolve(handle, library.api, [](CuptiApi& api, auto&& f) { visit_trace_functions(api, f); });
  Dl_info where{};
  if (library.api.get_version != nullptr && dladdr(reinterpret_cast<void*>(library.api.get_version), &where) != 0) {
    library.file = where.dli_fname;
  }
  if (library.api.get_version != nullptr && library.api.get_version(&library.version) == CUPTI_SUCCESS) {
    if (Result<void> known = check_version(library.version); !known) {
      return refused_error(fmt::format("{}: {}", library.file.string(), known.error().message));
    }
  }
  if (!missing.empty()) return refused_error(fmt::format("{}: is no CUPTI this build can use: it has no {}", library.file.string(), missing));
  if (Result<void> same = check_strides(library.api.activity_get_next_record); !same) return same.error();
  const std::string no_counter = resolve(handle, library.api, [](CuptiApi& api, auto&& f) { visit_counter_functions(api, f); });
  library.no_counters = no_counter.empty() ? open_nvperf(library.file.parent_path()) : fmt::format("CUPTI has no {}", no_counter);
  const std::string no_sample = resolve(handle, library.api, [](CuptiApi& api, auto&& f) { visit_sample_functions(api, f); });
  if (!no_sample.empty()) library.no_samples = fmt::format("CUPTI has no {}", no_sample);
  return library;
}

}  // namespace profiler::cupti
