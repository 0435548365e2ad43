// SPDX-License-Identifier: Apache-2.0
// The alias table, and the choice of what fits into one pass.
#include "profiler/cupti/metrics.h"

#include <fmt/format.h>

#include <utility>

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;

const std::vector<MetricSpec>& metric_specs(CounterSet set) {
  static const std::vector<MetricSpec> hit_rates{
      {"dram_read_bytes", "Read from device memory", 1, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
      {"dram_written_bytes", "Written to device memory", 1, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
      {"l2_hit_ratio", "Requests that L2 held", 0.01, {"lts__t_request_hit_rate.pct"}},
      {"l1_hit_ratio", "Sectors that L1 held", 0.01, {"l1tex__t_sector_hit_rate.pct"}},
  };
  static const std::vector<MetricSpec> specs{
      {"time_ns",
       "Time of the range on the GPU; longer than in a normal run: ops are serialised",
       1,
       {"gpu__time_duration.sum"}},
      {"dram_read_bytes", "Read from device memory", 1, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
      {"dram_written_bytes", "Written to device memory", 1, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
      {"l2_read_bytes", "Read from L2, 32-byte sectors", 32, {"lts__t_sectors_op_read.sum"}},
      {"l2_written_bytes", "Written to L2, 32-byte sectors", 32, {"lts__t_sectors_op_write.sum"}},
      {"host_bytes",
       "Host memory read and written past L2, 32-byte sectors",
       32,
       {"lts__t_sectors_aperture_sysmem.sum"}},
      {"l1_bytes", "Through L1 and texture caches", 1, {"l1tex__t_bytes.sum"}},
      {"tensor_active_ratio",
       "Cycles in which the tensor cores were at work",
       0.01,
       {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}},
      {"warps_active_ratio",
       "Warps in flight, of as many as fit",
       0.01,
       {"sm__warps_active.avg.pct_of_peak_sustained_active"}},
      {"sm_active_cycles", "Cycles in which a multiprocessor had work, mean of all", 1, {"sm__cycles_active.avg"}},
  };
  static const std::vector<MetricSpec> samples{
      {"dram_read_bytes", "Device memory, read", 1, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
      {"dram_written_bytes", "Device memory, written", 1, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
      {"pcie_received_bytes", "PCIe, received", 1, {"pcie__read_bytes.sum"}},
      {"pcie_sent_bytes", "PCIe, sent", 1, {"pcie__write_bytes.sum"}},
      {"nvlink_received_bytes", "NVLink, received", 1, {"nvlrx__bytes.sum"}},
      {"nvlink_sent_bytes", "NVLink, sent", 1, {"nvltx__bytes.sum"}},
      {"sm_active_ratio", "Multiprocessors at work", 0.01, {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed"}},
      {"tensor_active_ratio",
       "Tensor cores at work",
       0.01,
       {"sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"}},
      {"sm_clock_hz", "Clock of the multiprocessors", 1, {"gpc__cycles_elapsed.avg.per_second"}},
  };
  return set == CounterSet::hit_rates ? hit_rates : set == CounterSet::samples ? samples : specs;
}

std::vector<const char*> MetricChoice::names() const {
  std::vector<const char*> names;
  for (const ChosenMetric& m : metrics) names.push_back(m.source.c_str());
  return names;
}

Result<HostProfiler> HostProfiler::make(const CuptiApi& api, const std::string& chip, const uint8_t* availability,
                                        CounterSet set) {
  auto params = params_of<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  params.profilerType =
      set == CounterSet::samples ? CUPTI_PROFILER_TYPE_PM_SAMPLING : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability;
  const CUptiResult result = api.profiler_host_initialize(&params);
  if (result != CUPTI_SUCCESS) {
    return refused_error(
        fmt::format("[counters] CUPTI has no counters for chip \"{}\": {}", chip, result_text(api, result)));
  }
  return HostProfiler(api, params.pHostObject);
}

HostProfiler::HostProfiler(HostProfiler&& other) noexcept
    : api_(other.api_), object_(std::exchange(other.object_, nullptr)) {}

HostProfiler::~HostProfiler() {
  if (object_ == nullptr) return;
  auto params = params_of<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  static_cast<void>(api_->profiler_host_deinitialize(&params));
}

CUptiResult HostProfiler::add(std::vector<const char*> names) {
  auto params =
      params_of<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return api_->profiler_host_config_add_metrics(&params);
}

Result<std::vector<uint8_t>> HostProfiler::config_image() const {
  auto size = params_of<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = object_;
  if (auto done = check_counters(*api_, api_->profiler_host_get_config_image_size(&size), "size of the configuration");
      !done)
    return done.error();
  std::vector<uint8_t> image(size.configImageSize);
  auto params =
      params_of<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  if (auto done = check_counters(*api_, api_->profiler_host_get_config_image(&params), "configuration"); !done)
    return done.error();
  return image;
}

Result<size_t> HostProfiler::passes(std::vector<uint8_t>& image) const {
  auto params =
      params_of<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  if (auto done = check_counters(*api_, api_->profiler_host_get_num_of_passes(&params), "number of passes"); !done)
    return done.error();
  return params.numOfPasses;
}

Result<std::vector<double>> HostProfiler::evaluate(const std::vector<uint8_t>& counter_data, size_t range,
                                                   std::vector<const char*> names) const {
  std::vector<double> values(names.size());
  auto params = params_of<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  params.pHostObject = object_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = range;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  if (auto done = check_counters(*api_, api_->profiler_host_evaluate_to_gpu_values(&params), "values of a range");
      !done)
    return done.error();
  return values;
}

Result<std::vector<std::string>> supported_chips(const CuptiApi& api) {
  auto params =
      params_of<CUpti_Profiler_Host_GetSupportedChips_Params>(CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  if (auto done = check_counters(api, api.profiler_host_get_supported_chips(&params), "list of chips"); !done)
    return done.error();
  return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

Result<MetricChoice> choose_metrics(const CuptiApi& api, const std::string& chip, const uint8_t* availability,
                                    CounterSet set) {
  MetricChoice choice;
  choice.chip = chip;
  for (const MetricSpec& spec : metric_specs(set)) {
    // with what was chosen before: taken when the chip knows it and one pass still suffices
    bool taken = false;
    for (const char* name : spec.names) {
      auto host = HostProfiler::make(api, chip, availability, set);
      if (!host) return host.error();
      std::vector<const char*> names = choice.names();
      names.push_back(name);
      if (host->add(names) != CUPTI_SUCCESS) continue;
      auto image = host->config_image();
      if (!image) continue;
      const Result<size_t> passes = host->passes(*image);
      if (!passes || *passes != 1) continue;
      choice.metrics.push_back({std::string(spec.key), name, spec.scale});
      choice.config_image = *std::move(image);
      choice.passes = *passes;
      taken = true;
      break;
    }
    if (!taken) choice.missing.emplace_back(spec.key);
  }
  if (choice.metrics.empty())
    return refused_error(fmt::format("[counters] none of our counters exists on chip {}", chip));
  return choice;
}

}  // namespace profiler::cupti
