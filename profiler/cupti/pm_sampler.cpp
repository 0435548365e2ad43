// SPDX-License-Identifier: Apache-2.0
// Configuration, the reading thread, and samples made figures.
#include "profiler/cupti/pm_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/clock.h"

namespace profiler::cupti {

using engine::refused_error;
using engine::Result;

namespace {

constexpr double kNsPerSecond = 1e9;

Result<std::vector<uint8_t>> availability(const CuptiApi& api, size_t device_index) {
  auto params = params_of<CUpti_PmSampling_GetCounterAvailability_Params>(
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
  params.deviceIndex = device_index;
  if (auto done =
          check_counters(api, api.pm_sampling_get_counter_availability(&params), "which counters can be sampled");
      !done)
    return done.error();
  std::vector<uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  if (auto done =
          check_counters(api, api.pm_sampling_get_counter_availability(&params), "which counters can be sampled");
      !done)
    return done.error();
  return image;
}

bool is_turing(const std::string& chip) { return chip.starts_with("TU"); }
/// Turing and the A100 cannot be triggered by time, only by cycles of the system clock (cupti_pmsampling.h).
bool has_timer(const std::string& chip) { return !is_turing(chip) && chip != "GA100"; }

bool is_sum(const ChosenMetric& metric) { return metric.key.ends_with("_bytes"); }
const char* unit_of(const ChosenMetric& metric) {
  return is_sum(metric) ? "B/s" : metric.key.ends_with("_hz") ? "Hz" : "ratio";
}

}  // namespace

PmSampler::PmSampler(const CuptiApi& api, const SamplerOptions& options, HostProfiler host, MetricChoice choice,
                     size_t device_index)
    : api_(&api),
      options_(options),
      host_(std::move(host)),
      choice_(std::move(choice)),
      device_index_(device_index),
      store_(choice_.metrics.size(), options.most_samples) {}

Result<std::unique_ptr<PmSampler>> PmSampler::start(const CuptiApi& api, CUdevice device, size_t device_index,
                                                    const SamplerOptions& options) {
  auto initialize = params_of<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  if (auto done = check_counters(api, api.profiler_initialize(&initialize), "start"); !done) return done.error();
  if (auto done = check_device(api, device, CUPTI_PROFILER_PM_SAMPLING); !done) return done.error();
  auto chip = params_of<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  chip.deviceIndex = device_index;
  if (auto done = check_counters(api, api.device_get_chip_name(&chip), "name of the chip"); !done) return done.error();
  const auto free_counters = availability(api, device_index);
  if (!free_counters) return free_counters.error();
  auto choice = choose_metrics(api, chip.pChipName, free_counters->data(), CounterSet::samples);
  if (!choice) return choice.error();
  auto host = HostProfiler::make(api, chip.pChipName, free_counters->data(), CounterSet::samples);
  if (!host) return host.error();
  std::unique_ptr<PmSampler> sampler(new PmSampler(api, options, *std::move(host), *std::move(choice), device_index));
  if (auto done = sampler->enable(); !done) return done.error();
  sampler->thread_ = std::jthread([self = sampler.get()](std::stop_token stop) {
    std::unique_lock lock(self->wake_mutex_);
    while (!stop.stop_requested() && self->failure_.ok()) {
      self->wake_.wait_for(lock, stop, std::chrono::nanoseconds(self->options_.read_out_ns), [] { return false; });
      if (!stop.stop_requested()) self->failure_ = self->read_out();
    }
  });
  return sampler;
}

PmSampler::~PmSampler() {
  end_thread();
  if (started_) {
    auto stop = params_of<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
    stop.pPmSamplingObject = object_;
    static_cast<void>(api_->pm_sampling_stop(&stop));
  }
  if (object_ == nullptr) return;
  auto disable = params_of<CUpti_PmSampling_Disable_Params>(CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
  disable.pPmSamplingObject = object_;
  static_cast<void>(api_->pm_sampling_disable(&disable));
}

void PmSampler::end_thread() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

Result<void> PmSampler::enable() {
  auto enable = params_of<CUpti_PmSampling_Enable_Params>(CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
  enable.deviceIndex = device_index_;
  const CUptiResult result = api_->pm_sampling_enable(&enable);
  if (result == CUPTI_ERROR_INVALID_OPERATION) {
    return refused_error(
        "[counters] this GPU is being sampled already: one process at a time can; end the other one, or leave "
        "pm_sampling out");
  }
  if (auto done = check_counters(*api_, result, "switch the sampling on"); !done) return done;
  object_ = enable.pPmSamplingObject;
  if (auto done = configure(); !done) return done;
  take_clock();
  auto start = params_of<CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
  start.pPmSamplingObject = object_;
  if (auto done = check_counters(*api_, api_->pm_sampling_start(&start), "begin to sample"); !done) return done;
  started_ = true;
  return {};
}

Result<void> PmSampler::configure() {
  auto config = params_of<CUpti_PmSampling_SetConfig_Params>(CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
  config.pPmSamplingObject = object_;
  config.configSize = choice_.config_image.size();
  config.pConfig = choice_.config_image.data();
  config.hardwareBufferSize = options_.device_buffer_bytes;
  // without a timer: as many cycles of a clock of about 1 GHz
  config.samplingInterval = static_cast<uint64_t>(options_.interval_ns);
  config.triggerMode = has_timer(choice_.chip) ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
                                               : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
  config.hwBufferAppendMode = is_turing(choice_.chip) ? CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST
                                                      : CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST;
  if (auto done = check_counters(*api_, api_->pm_sampling_set_config(&config), "configure the sampling"); !done)
    return done;
  std::vector<const char*> names = choice_.names();
  auto size =
      params_of<CUpti_PmSampling_GetCounterDataSize_Params>(CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pPmSamplingObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = options_.most_in_image;
  if (auto done = check_counters(*api_, api_->pm_sampling_get_counter_data_size(&size), "size of the samples"); !done)
    return done;
  image_.resize(size.counterDataSize);
  return clear();
}

Result<void> PmSampler::clear() {
  auto params = params_of<CUpti_PmSampling_CounterDataImage_Initialize_Params>(
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  params.pPmSamplingObject = object_;
  params.counterDataSize = image_.size();
  params.pCounterData = image_.data();
  return check_counters(*api_, api_->pm_sampling_counter_data_image_initialize(&params), "clear the samples");
}

void PmSampler::take_clock() {
  clock_.add(bracket_clock([] { return engine::now_ns(); },
                           [this] {
                             uint64_t now = 0;
                             static_cast<void>(api_->get_timestamp(&now));
                             return static_cast<int64_t>(now);
                           }));
}

Result<void> PmSampler::read_out() {
  constexpr int kMostImages = 4096;  // far more than the device's buffer holds: a decoder that never ends is a failure
  take_clock();
  for (int i = 0; i < kMostImages; ++i) {
    const Result<bool> more = decode_once();
    if (!more) return more.error();
    if (!*more) return {};
  }
  return refused_error("[counters] the samples of the GPU have no end");
}

Result<bool> PmSampler::decode_once() {
  auto decode = params_of<CUpti_PmSampling_DecodeData_Params>(CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
  decode.pPmSamplingObject = object_;
  decode.pCounterDataImage = image_.data();
  decode.counterDataImageSize = image_.size();
  const CUptiResult result = api_->pm_sampling_decode_data(&decode);
  // "record overflow in the hardware buffer": what was in it is gone, the sampling goes on
  const bool ran_over = result == CUPTI_ERROR_OUT_OF_MEMORY || decode.overflow != 0;
  overflows_ += ran_over ? 1 : 0;
  if (result != CUPTI_ERROR_OUT_OF_MEMORY) {
    if (auto done = check_counters(*api_, result, "read the samples"); !done) return done.error();
    if (auto done = take_samples(); !done) return done.error();
  }
  if (auto done = clear(); !done) return done.error();
  return decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL && result == CUPTI_SUCCESS;
}

Result<void> PmSampler::take_samples() {
  auto info =
      params_of<CUpti_PmSampling_GetCounterDataInfo_Params>(CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (auto done = check_counters(*api_, api_->pm_sampling_get_counter_data_info(&info), "number of samples"); !done)
    return done;
  for (size_t i = 0; i < info.numCompletedSamples; ++i) {
    auto sample = params_of<CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
        CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
    sample.pPmSamplingObject = object_;
    sample.pCounterDataImage = image_.data();
    sample.counterDataImageSize = image_.size();
    sample.sampleIndex = i;
    if (auto done = check_counters(*api_, api_->pm_sampling_counter_data_get_sample_info(&sample), "time of a sample");
        !done)
      return done;
    const auto begin = static_cast<int64_t>(sample.startTimestamp), end = static_cast<int64_t>(sample.endTimestamp);
    if (std::exchange(first_, false) || end <= begin || begin < last_end_ns_) continue;
    auto values = host_.evaluate(image_, i, choice_.names());
    if (!values) return values.error();
    for (size_t m = 0; m < values->size(); ++m) {
      const ChosenMetric& metric = choice_.metrics[m];
      (*values)[m] *= metric.scale * (is_sum(metric) ? 1 : static_cast<double>(end - begin));
    }
    if (last_end_ns_ > 0) lost_ += (begin - last_end_ns_) / options_.interval_ns;
    last_end_ns_ = end;
    store_.add(begin, end, *values);
  }
  return {};
}

Result<GpuSamples> PmSampler::stop() {
  end_thread();
  if (failure_ && started_) {
    auto stop = params_of<CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
    stop.pPmSamplingObject = object_;
    failure_ = check_counters(*api_, api_->pm_sampling_stop(&stop), "end the sampling");
    started_ = false;
    if (failure_) failure_ = read_out();
  }
  if (!failure_) return failure_.error();
  GpuSamples samples;
  samples.chip = choice_.chip;
  samples.device = static_cast<int>(device_index_);
  samples.interval_ns = options_.interval_ns;
  samples.missing = choice_.missing;
  samples.overflows = overflows_;
  samples.lost = lost_;
  const std::vector<MetricSpec>& specs = metric_specs(CounterSet::samples);
  for (const ChosenMetric& metric : choice_.metrics) {
    const auto spec = std::ranges::find(specs, metric.key, &MetricSpec::key);
    samples.figures.push_back({metric.key, std::string(spec->help), unit_of(metric), {}});
  }
  store_.hand_out(samples);
  for (SampledFigure& figure : samples.figures) {
    if (figure.unit != "B/s") continue;
    for (double& value : figure.values) value *= kNsPerSecond;
  }
  for (std::vector<int64_t>* times : {&samples.start_ns, &samples.end_ns}) {
    for (int64_t& time : *times) time = clock_.to_steady(time);
  }
  return samples;
}

}  // namespace profiler::cupti
