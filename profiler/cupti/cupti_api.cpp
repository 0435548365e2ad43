// SPDX-License-Identifier: Apache-2.0
// Finds CUPTI and its companions (libnvperf), and makes sure that we read its records as it writes them.
#include "profiler/cupti/cupti_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

#include "profiler/cupti/record_sizes.h"

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;
namespace fs = std::filesystem;

namespace {

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

/// Every call of CUPTI 13.2 and later, cuptiGetVersion() too, calls itself until the stack ends where there is no
/// driver. They are told by a function that came with 13.2.
bool needs_driver(void* library) { return dlsym(library, "cuptiActivityEnable_v2") != nullptr; }
bool has_driver() {
  static const bool has = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return has;
}

/// Fills `library` from an opened one; its version in words.
Result<std::string> examine_library(void* handle, CuptiLibrary& library) {
  library = {};
  const std::string missing =
      resolve(handle, library.api, [](CuptiApi& api, auto&& f) { visit_trace_functions(api, f); });
  if (needs_driver(handle) && !has_driver()) {
    return refused_error(
        "CUPTI 13.2 and later crash in every call where there is no NVIDIA driver, so it was not asked anything");
  }
  if (library.api.get_version != nullptr && library.api.get_version(&library.version) == CUPTI_SUCCESS) {
    if (Result<void> known = check_version(library.version); !known) return known.error();
  }
  if (!missing.empty()) return refused_error(fmt::format("it is no CUPTI this build can use: it has no {}", missing));
  if (Result<void> same = check_strides(library.api.activity_get_next_record); !same) return same.error();
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(library.api.get_version), &where) != 0) library.file = where.dli_fname;
  library.warning = version_warning(library.version);
  return fmt::format("CUPTI {}.{} (API {})", library.version / 10000, library.version / 100 % 100, library.version);
}

}  // namespace

std::string result_text(const CuptiApi& api, CUptiResult result) {
  const char* text = nullptr;
  if (api.get_result_string == nullptr || api.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    return fmt::format("error {}", static_cast<int>(result));
  }
  return fmt::format("{} ({})", text, static_cast<int>(result));
}

engine::LibraryPlaces cupti_places() { return engine::nvidia_library_places("TENSORTIDE_CUPTI", {"libcupti.so.13"}); }

std::string version_warning(uint32_t version) {
  constexpr uint32_t kFirstSound = 130001;
  if (version >= kFirstSound) return {};
  return fmt::format(
      "CUPTI API {} is older than CUDA 13.0 update 1 (API {}). It can deadlock when a trace ends, "
      "and "
      "crash while it is read. Install CUPTI 13.0 update 1 or newer",
      version, kFirstSound);
}

Result<void> check_version(uint32_t version) {
  constexpr uint32_t kMajor = 13;
  // before CUDA 13 versions counted 1, 2, ... 28
  const uint32_t major = version >= 1000 ? version / 10000 : 0;
  if (major == kMajor) return {};
  const std::string found = major == 0 ? fmt::format("API {} (older than CUDA 13)", version)
                                       : fmt::format("{}.{}", major, version / 100 % 100);
  return refused_error(
      fmt::format("CUPTI {} lays out its records differently: this build reads those of CUPTI {}.x", found, kMajor));
}

Result<void> check_strides(decltype(CuptiApi::activity_get_next_record) next_record) {
  constexpr size_t kRecords = 8;  // room for the second record of a CUPTI whose records have grown several times
  for (const RecordSize& known : kRecordSizes) {
    // The kind stands wherever a record may begin.
    alignas(8) uint8_t buffer[kRecords * kLargestRecord] = {};
    for (size_t at = 0; at < sizeof buffer; at += alignof(uint64_t))
      std::memcpy(buffer + at, &known.kind, sizeof known.kind);
    CUpti_Activity *first = nullptr, *second = nullptr;
    if (next_record(buffer, sizeof buffer, &first) == CUPTI_SUCCESS) second = first;
    if (second == nullptr || next_record(buffer, sizeof buffer, &second) != CUPTI_SUCCESS) {
      return refused_error(fmt::format("this CUPTI does not read records of kind {} ({}) as this build has them",
                                       static_cast<int>(known.kind), known.name));
    }
    const auto stride = reinterpret_cast<uint8_t*>(second) - reinterpret_cast<uint8_t*>(first);
    if (stride < static_cast<ptrdiff_t>(known.bytes)) {
      return refused_error(
          fmt::format("this CUPTI's records of kind {} ({}) have {} bytes, this build reads {}: install CUPTI 13.0 "
                      "update 1 or newer",
                      static_cast<int>(known.kind), known.name, stride, known.bytes));
    }
  }
  return {};
}

Result<CuptiLibrary> load_cupti(const engine::LibraryPlaces& places, engine::LibrarySearch* told) {
  CuptiLibrary library;
  engine::LibrarySearch search =
      engine::search_library(places, [&library](void* handle) { return examine_library(handle, library); });
  if (told != nullptr) *told = search;
  if (search.handle == nullptr) return refused_error(fmt::format("CUPTI was not found: {}", search.why()));
  const std::string no_counter =
      resolve(search.handle, library.api, [](CuptiApi& api, auto&& f) { visit_counter_functions(api, f); });
  library.no_counters =
      no_counter.empty() ? open_nvperf(library.file.parent_path()) : fmt::format("CUPTI has no {}", no_counter);
  const std::string no_sample =
      resolve(search.handle, library.api, [](CuptiApi& api, auto&& f) { visit_sample_functions(api, f); });
  if (!no_sample.empty()) library.no_samples = fmt::format("CUPTI has no {}", no_sample);
  return library;
}

}  // namespace profiler::cupti
