// SPDX-License-Identifier: Apache-2.0
// Decoder: CUPTI's records into events of our own. The one place that knows CUPTI's structs: live buffers, tests and
// the fuzz target all come through here.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "profiler/cupti/cupti_api.h"
#include "profiler/gpu/events.h"

namespace profiler::cupti {

class Decoder {
 public:
  struct Functions {
    decltype(CuptiApi::activity_get_next_record) next_record = nullptr;
    decltype(CuptiApi::get_callback_name) callback_name = nullptr;
    /// Gives back what CUPTI allocated for a record (CUPTI says: free()).
    void (*release)(void*) = nullptr;
  };
  explicit Decoder(const Functions& functions) : functions_(functions) {}

  /// Appends the records of one buffer, 8-byte aligned, to `out`. Stops at the first that cannot be stepped over; what
  /// follows it is lost and counted as one unreadable record. Kinds we did not ask for are unreadable too.
  void decode(std::span<uint8_t> buffer, GpuEvents& out);

 private:
  void decode_record(const CUpti_Activity&, GpuEvents&);
  void decode_api_call(const CUpti_ActivityAPI&, GpuEvents&);
  std::string_view call_name(bool driver, CUpti_CallbackId);

  Functions functions_;
  std::unordered_map<uint64_t, std::string> call_names_;  // by domain and callback id
};

}  // namespace profiler::cupti
