// SPDX-License-Identifier: Apache-2.0
// User ranges, user replay, one pass: nothing is saved, restored or run twice.
#include "profiler/cupti/range_counters.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;

namespace {

constexpr std::string_view kRangePrefix = "op:";

Result<std::vector<uint8_t>> availability(const CuptiApi& api, CUcontext context) {
  auto params =
      params_of<CUpti_Profiler_GetCounterAvailability_Params>(CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  params.ctx = context;
  if (auto done = check_counters(api, api.profiler_get_counter_availability(&params), "which counters are free"); !done)
    return done.error();
  std::vector<uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  if (auto done = check_counters(api, api.profiler_get_counter_availability(&params), "which counters are free"); !done)
    return done.error();
  return image;
}

}  // namespace

Result<void> RangeCounters::check(CUptiResult result, const char* doing) const {
  return check_counters(*api_, result, doing);
}

Result<RangeCounters> RangeCounters::make(const CuptiApi& api, CUcontext context, CUdevice device, size_t device_index,
                                          CounterSet set, size_t most_ops) {
  auto start = params_of<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  if (auto done = check_counters(api, api.profiler_initialize(&start), "start"); !done) return done.error();
  if (auto done = check_device(api, device, CUPTI_PROFILER_RANGE_PROFILING); !done) return done.error();
  auto chip = params_of<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = device_index;
  if (auto done = check_counters(api, api.device_get_chip_name(&chip), "name of the chip"); !done) return done.error();
  const auto free_counters = availability(api, context);
  if (!free_counters) return free_counters.error();
  auto choice = choose_metrics(api, chip.pChipName, free_counters->data(), set);
  if (!choice) return choice.error();
  auto host = HostProfiler::make(api, chip.pChipName, free_counters->data(), set);
  if (!host) return host.error();
  RangeCounters counters(api, *std::move(host), *std::move(choice));
  if (auto done = counters.enable(context, most_ops); !done) return done.error();
  return counters;
}

std::vector<std::string> RangeCounters::keys() const {
  std::vector<std::string> keys;
  for (const ChosenMetric& metric : choice_.metrics) keys.push_back(metric.key);
  return keys;
}

RangeCounters::RangeCounters(RangeCounters&& other) noexcept
    : api_(other.api_),
      host_(std::move(other.host_)),
      choice_(std::move(other.choice_)),
      object_(std::exchange(other.object_, nullptr)),
      most_ops_(other.most_ops_),
      data_(std::move(other.data_)) {}

// cuptiProfilerDeInitialize stays uncalled: it counts nobody, and a second user of it would crash.
RangeCounters::~RangeCounters() {
  if (object_ == nullptr) return;
  auto params = params_of<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = object_;
  static_cast<void>(api_->range_profiler_disable(&params));
}

Result<void> RangeCounters::enable(CUcontext context, size_t most_ops) {
  most_ops_ = most_ops;
  auto enable = params_of<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context;
  if (auto done = check(api_->range_profiler_enable(&enable), "switch on"); !done) return done;
  object_ = enable.pRangeProfilerObject;
  std::vector<const char*> names = choice_.names();
  auto size = params_of<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = most_ops;
  size.maxNumRangeTreeNodes = static_cast<uint32_t>(most_ops);
  if (auto done = check(api_->range_profiler_get_counter_data_size(&size), "size of the counted values"); !done)
    return done;
  data_.resize(size.counterDataSize);
  return clear();
}

/// Before every begin(): a session that has ended takes its configuration with it.
Result<void> RangeCounters::configure() {
  auto config = params_of<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  config.pRangeProfilerObject = object_;
  config.configSize = choice_.config_image.size();
  config.pConfig = choice_.config_image.data();
  config.counterDataImageSize = data_.size();
  config.pCounterDataImage = data_.data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = most_ops_;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  return check(api_->range_profiler_set_config(&config), "configure");
}

Result<void> RangeCounters::clear() {
  auto params = params_of<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = object_;
  params.counterDataSize = data_.size();
  params.pCounterData = data_.data();
  return check(api_->range_profiler_counter_data_image_initialize(&params), "clear the counted values");
}

Result<void> RangeCounters::begin() {
  if (auto done = clear(); !done) return done;
  if (auto done = configure(); !done) return done;
  auto params = params_of<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = object_;
  return check(api_->range_profiler_start(&params), "begin");
}

Result<void> RangeCounters::push(OpId op) {
  const std::string name = fmt::format("{}{}", kRangePrefix, op);
  auto params = params_of<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = object_;
  params.pRangeName = name.c_str();
  return check(api_->range_profiler_push_range(&params), "begin a range");
}

Result<void> RangeCounters::pop() {
  auto params = params_of<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  params.pRangeProfilerObject = object_;
  return check(api_->range_profiler_pop_range(&params), "end a range");
}

Result<std::vector<CounterRange>> RangeCounters::end() {
  auto stop = params_of<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stop.pRangeProfilerObject = object_;
  if (auto done = check(api_->range_profiler_stop(&stop), "end"); !done) return done.error();
  if (stop.isAllPassSubmitted == 0)
    return refused_error(
        "[counters] one pass did not suffice, against CUPTI's claim: "
        "no values");
  auto decode = params_of<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = object_;
  if (auto done = check(api_->range_profiler_decode_data(&decode), "read the values"); !done) return done.error();
  if (decode.numOfRangeDropped > 0) {
    return refused_error(
        fmt::format("[counters] {} ranges were dropped; there was room for {}", decode.numOfRangeDropped, most_ops_));
  }
  auto info = params_of<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  if (auto done = check(api_->range_profiler_get_counter_data_info(&info), "number of ranges"); !done)
    return done.error();
  std::vector<CounterRange> ranges;
  for (size_t i = 0; i < info.numTotalRanges; ++i) {
    auto range = params_of<CUpti_RangeProfiler_CounterData_GetRangeInfo_Params>(
        CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE);
    range.pCounterDataImage = data_.data();
    range.counterDataImageSize = data_.size();
    range.rangeIndex = i;
    range.rangeDelimiter = "/";
    if (auto done = check(api_->range_profiler_counter_data_get_range_info(&range), "name of a range"); !done)
      return done.error();
    const std::string_view name = range.rangeName == nullptr ? "" : range.rangeName;
    CounterRange counted;
    const bool ours = name.starts_with(kRangePrefix);
    const char* const digits = name.data() + (ours ? kRangePrefix.size() : 0);
    if (!ours || std::from_chars(digits, name.data() + name.size(), counted.op).ptr != name.data() + name.size()) {
      return refused_error(fmt::format("[counters] a range is called \"{}\", which is none of ours", name));
    }
    auto values = host_.evaluate(data_, i, choice_.names());
    if (!values) return values.error();
    counted.values = *std::move(values);
    for (size_t m = 0; m < counted.values.size(); ++m) counted.values[m] *= choice_.metrics[m].scale;
    ranges.push_back(std::move(counted));
  }
  return ranges;
}

}  // namespace profiler::cupti
