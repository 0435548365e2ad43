// SPDX-License-Identifier: Apache-2.0
// Which of a chip's counters we read around an op, under names of our own that are the same on all chips, in one pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/cupti/counter_refusals.h"
#include "profiler/cupti/cupti_api.h"
#include "profiler/gpu/counters.h"

namespace profiler::cupti {

/// One figure and what chips call it, the usual name first.
struct MetricSpec {
  std::string_view key;  ///< ends in its unit: "dram_read_bytes"
  std::string_view help;
  double scale;  ///< bytes per sector where the chip counts sectors, parts per percent
  std::vector<const char*> names;
};
/// A set of one pass, most wanted first.
const std::vector<MetricSpec>& metric_specs(CounterSet);

struct ChosenMetric {
  std::string key;     ///< of MetricSpec
  std::string source;  ///< the chip's: "dram__bytes_read.sum"
  double scale = 1;
};
struct MetricChoice {
  std::string chip;
  std::vector<ChosenMetric> metrics;
  std::vector<std::string> missing;   ///< keys this chip has no counter for, or none that fits into the pass
  std::vector<uint8_t> config_image;  ///< what the range profiler is configured with
  size_t passes = 0;
  std::vector<const char*> names() const;  ///< of the sources, as CUPTI takes them
};

/// Host side of CUPTI's profiler for one chip; needs no GPU. `availability`: the counters this GPU lets us use;
/// nullptr: all of the chip's.
class HostProfiler {
 public:
  static engine::Result<HostProfiler> make(const CuptiApi&, const std::string& chip, const uint8_t* availability,
                                           CounterSet);
  HostProfiler(HostProfiler&&) noexcept;
  HostProfiler& operator=(HostProfiler&&) = delete;
  ~HostProfiler();
  CUptiResult add(std::vector<const char*> names);
  engine::Result<std::vector<uint8_t>> config_image() const;
  engine::Result<size_t> passes(std::vector<uint8_t>& config_image) const;
  /// Values of one range of a counter data image, in the order of `names`.
  engine::Result<std::vector<double>> evaluate(const std::vector<uint8_t>& counter_data, size_t range,
                                               std::vector<const char*> names) const;

 private:
  HostProfiler(const CuptiApi& api, CUpti_Profiler_Host_Object* object) : api_(&api), object_(object) {}
  const CuptiApi* api_;
  CUpti_Profiler_Host_Object* object_;
};

/// All chips this CUPTI knows: "GH100", ...
engine::Result<std::vector<std::string>> supported_chips(const CuptiApi&);

/// What fits into one pass on a chip; least wanted ones are left out until it does. Refused: the chip is unknown, none
/// fits.
engine::Result<MetricChoice> choose_metrics(const CuptiApi&, const std::string& chip, const uint8_t* availability,
                                            CounterSet);

}  // namespace profiler::cupti
