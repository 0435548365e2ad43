// SPDX-License-Identifier: Apache-2.0
// Sampling over time against a device of our own behind CUPTI's functions; configuration and metrics are CUPTI's for
// GH100.
#include "profiler/cupti/pm_sampler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "engine/base/clock.h"
#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

constexpr int64_t kOffset = 1'700'000'000'000'000'000;  // CUPTI's clock is this far ahead

struct Sample {
  int64_t start_ns, end_ns;
  double value;
};
/// What one decode finds.
struct Batch {
  std::vector<Sample> samples;
  bool more = false, overflow = false;
  CUptiResult result = CUPTI_SUCCESS;
};
struct FakeDevice {
  std::mutex mutex;
  std::map<std::string, CUptiResult> refuse;
  std::deque<Batch> waiting;
  std::vector<Sample> decoded;
  std::string chip = "GH100";
  std::atomic<int> enabled{0}, running{0}, cleared{0}, decodes{0};
  CUpti_PmSampling_SetConfig_Params config{};
};
FakeDevice& device() {
  static FakeDevice fake;
  return fake;
}
CUptiResult answer(const char* function) {
  const std::lock_guard lock(device().mutex);
  const auto refused = device().refuse.find(function);
  return refused == device().refuse.end() ? CUPTI_SUCCESS : refused->second;
}

CUptiResult decode(CUpti_PmSampling_DecodeData_Params* p) {
  if (const CUptiResult refused = answer("decode"); refused != CUPTI_SUCCESS) return refused;
  const std::lock_guard lock(device().mutex);
  ++device().decodes;
  device().decoded.clear();
  p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  if (device().waiting.empty()) return CUPTI_SUCCESS;
  Batch batch = device().waiting.front();
  device().waiting.pop_front();
  device().decoded = batch.samples;
  if (batch.more) p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
  p->overflow = batch.overflow ? 1 : 0;
  return batch.result;
}

CuptiApi fake_api() {
  CuptiApi api = real_cupti()->api;  // the host's side is CUPTI's own
  api.get_timestamp = [](uint64_t* now) {
    *now = static_cast<uint64_t>(engine::now_ns() + kOffset);
    return CUPTI_SUCCESS;
  };
  api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) { return answer("initialize"); };
  api.profiler_device_supported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    EXPECT_EQ(p->api, CUPTI_PROFILER_PM_SAMPLING) << "what range counters can do says nothing about samples";
    EXPECT_EQ(p->cuDevice, 3);
    p->architecture = p->sli = p->vGpu = p->confidentialCompute = p->cmp = p->wsl =
        CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    if (answer("device_supported") != CUPTI_SUCCESS) {
      p->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
      p->vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
    }
    return CUPTI_SUCCESS;
  };
  api.device_get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = device().chip.c_str();
    return answer("chip_name");
  };
  api.pm_sampling_get_counter_availability = [](CUpti_PmSampling_GetCounterAvailability_Params*) {
    return answer("availability");
  };
  api.pm_sampling_enable = [](CUpti_PmSampling_Enable_Params* p) {
    p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(&device());
    const CUptiResult result = answer("enable");
    if (result == CUPTI_SUCCESS) ++device().enabled;
    return result;
  };
  api.pm_sampling_disable = [](CUpti_PmSampling_Disable_Params*) {
    EXPECT_EQ(device().running.load(), 0) << "stopped before it is switched off";
    --device().enabled;
    return CUPTI_SUCCESS;
  };
  api.pm_sampling_set_config = [](CUpti_PmSampling_SetConfig_Params* p) {
    EXPECT_GT(p->configSize, 0u);
    device().config = *p;
    return answer("set_config");
  };
  api.pm_sampling_get_counter_data_size = [](CUpti_PmSampling_GetCounterDataSize_Params* p) {
    EXPECT_GT(p->numMetrics, 0u);
    p->counterDataSize = 512;
    return CUPTI_SUCCESS;
  };
  api.pm_sampling_counter_data_image_initialize = [](CUpti_PmSampling_CounterDataImage_Initialize_Params* p) {
    EXPECT_EQ(p->counterDataSize, 512u);
    ++device().cleared;
    return CUPTI_SUCCESS;
  };
  api.pm_sampling_start = [](CUpti_PmSampling_Start_Params*) {
    const CUptiResult result = answer("start");
    if (result == CUPTI_SUCCESS) ++device().running;
    return result;
  };
  api.pm_sampling_stop = [](CUpti_PmSampling_Stop_Params*) {
    --device().running;
    return answer("stop");
  };
  api.pm_sampling_decode_data = decode;
  api.pm_sampling_get_counter_data_info = [](CUpti_PmSampling_GetCounterDataInfo_Params* p) {
    p->numCompletedSamples = device().decoded.size();
    p->numTotalSamples = 4096;
    return CUPTI_SUCCESS;
  };
  api.pm_sampling_counter_data_get_sample_info = [](CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
    p->startTimestamp = static_cast<uint64_t>(device().decoded[p->sampleIndex].start_ns);
    p->endTimestamp = static_cast<uint64_t>(device().decoded[p->sampleIndex].end_ns);
    return CUPTI_SUCCESS;
  };
  api.profiler_host_evaluate_to_gpu_values = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    for (size_t m = 0; m < p->numMetrics; ++m) p->pMetricValues[m] = device().decoded[p->rangeIndex].value;
    return CUPTI_SUCCESS;
  };
  return api;
}

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr || !real_cupti()->no_samples.empty() || !real_cupti()->no_counters.empty())
      GTEST_SKIP() << "no CUPTI with libnvperf on this machine";
    FakeDevice& d = device();
    d.refuse.clear(), d.waiting.clear(), d.decoded.clear();
    d.chip = "GH100";
    d.enabled = d.running = d.cleared = d.decodes = 0;
    api_ = fake_api();
    begin_ = engine::now_ns() + kOffset;
  }
  void TearDown() override {
    EXPECT_EQ(device().running, 0);
    EXPECT_EQ(device().enabled, 0) << "whatever happened, it is switched off";
  }
  auto start(SamplerOptions options = {}) { return PmSampler::start(api_, 3, 0, options); }
  std::string refusal() {
    const auto made = start();
    return made ? "made" : made.error().message;
  }
  /// Samples of 100 us from the number `first` on.
  std::vector<Sample> samples(int first, int count, double value) const {
    std::vector<Sample> all;
    for (int i = first; i < first + count; ++i)
      all.push_back({begin_ + i * 100'000, begin_ + (i + 1) * 100'000, value});
    return all;
  }
  static void deliver(Batch batch) {
    const std::lock_guard lock(device().mutex);
    device().waiting.push_back(std::move(batch));
  }
  static const std::vector<double>& values(const GpuSamples& s, const char* key) {
    for (const SampledFigure& f : s.figures) {
      if (f.key == key) return f.values;
    }
    static const std::vector<double> none;
    return none;
  }

  CuptiApi api_;
  int64_t begin_ = 0;
};

TEST_F(Samples, BecomeRatesOnTheClockOfTheCapture) {
  auto sampler = start();
  ASSERT_TRUE(sampler.ok()) << sampler.error().message;
  EXPECT_EQ(device().config.triggerMode, CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL);
  EXPECT_EQ(device().config.samplingInterval, 100'000u);
  EXPECT_EQ(device().config.hwBufferAppendMode, CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST);
  deliver({.samples = samples(0, 3, 1000), .more = true});
  deliver({.samples = samples(3, 2, 50)});
  const auto got = (*sampler)->stop();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->chip, "GH100");
  EXPECT_EQ(got->overflows + got->lost, 0);
  EXPECT_TRUE(got->missing.empty());
  ASSERT_EQ(got->start_ns.size(), 4u) << "the first sample is an outlier and left out";
  EXPECT_NEAR(static_cast<double>(got->start_ns[0]), static_cast<double>(begin_ - kOffset + 100'000), 20'000);
  EXPECT_NEAR(static_cast<double>(got->end_ns[3] - got->start_ns[0]), 400'000, 1000);
  const std::vector<double>& read = values(*got, "dram_read_bytes");
  ASSERT_EQ(read.size(), 4u);
  EXPECT_NEAR(read[0], 1000 / 100e-6, 1) << "1000 bytes in 100 us";
  EXPECT_NEAR(read[3], 50 / 100e-6, 1);
  EXPECT_NEAR(values(*got, "sm_active_ratio")[3], 0.5, 1e-9) << "percent become parts";
  EXPECT_NEAR(values(*got, "sm_clock_hz")[3], 50, 1e-9);
  for (const SampledFigure& f : got->figures)
    EXPECT_EQ(f.unit, f.key.ends_with("_bytes") ? "B/s" : f.key.ends_with("_hz") ? "Hz" : "ratio") << f.key;
  EXPECT_GE(device().cleared.load(), 3) << "each image is cleared before it is filled again";
}

TEST_F(Samples, AreReadWhileTheWorkGoesOn) {
  auto sampler = start({.read_out_ns = 1'000'000});
  ASSERT_TRUE(sampler.ok());
  deliver({.samples = samples(0, 2, 7)});
  for (int i = 0; i < 2000 && device().decodes < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_GE(device().decodes.load(), 3);
  const auto got = (*sampler)->stop();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->start_ns.size(), 1u);
}

TEST_F(Samples, LossesAreCounted) {
  auto sampler = start();
  ASSERT_TRUE(sampler.ok());
  deliver({.samples = samples(0, 3, 1), .more = true});
  deliver({.samples = {}, .result = CUPTI_ERROR_OUT_OF_MEMORY});  // "record overflow in the hardware buffer"
  deliver({.samples = samples(13, 2, 1), .overflow = true});
  // the first read-out ends with the overflow, the last one finds the rest
  for (int i = 0; i < 2000 && device().decodes < 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto got = (*sampler)->stop();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->overflows, 2);
  EXPECT_EQ(got->lost, 10) << "numbers 3 to 12";
  EXPECT_EQ(got->start_ns.size(), 4u);
}

TEST_F(Samples, OutOfOrderAndEmptyOnesAreLeftOut) {
  auto sampler = start();
  ASSERT_TRUE(sampler.ok());
  std::vector<Sample> mixed = samples(0, 3, 1);
  mixed.push_back(mixed[1]);                                 // once more
  mixed.push_back({begin_ + 900'000, begin_ + 900'000, 1});  // no time in it
  mixed.push_back({begin_ + 300'000, begin_ + 400'000, 1});
  deliver({.samples = mixed});
  const auto got = (*sampler)->stop();
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(got->start_ns.size(), 3u);
  EXPECT_EQ(got->lost, 0);
}

TEST_F(Samples, OfALongRunAreMerged) {
  auto sampler = start({.most_samples = 8});
  ASSERT_TRUE(sampler.ok());
  for (int i = 0; i < 10; ++i) deliver({.samples = samples(10 * i, 10, 100 * (i + 1)), .more = true});
  const auto got = (*sampler)->stop();
  ASSERT_TRUE(got.ok());
  EXPECT_LE(got->start_ns.size(), 8u);
  EXPECT_EQ(got->merged, 16);
  double bytes = 0;
  for (size_t i = 0; i < got->start_ns.size(); ++i)
    bytes += values(*got, "dram_read_bytes")[i] * 1e-9 * static_cast<double>(got->end_ns[i] - got->start_ns[i]);
  EXPECT_NEAR(bytes, 10 * 5500 - 100, 100) << "nothing but the first is lost";
}

TEST_F(Samples, RefusalsNameTheirCauseAndLeaveNothingOn) {
  device().refuse = {{"availability", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
  EXPECT_NE(refusal().find("ERR_NVGPUCTRPERM"), std::string::npos) << refusal();
  device().refuse = {{"device_supported", CUPTI_ERROR_UNKNOWN}};
  EXPECT_NE(
      refusal().find("cannot sample this device because of a virtual GPU (profiling is switched off by its host)"),
      std::string::npos)
      << refusal();
  device().refuse = {{"enable", CUPTI_ERROR_INVALID_OPERATION}};
  EXPECT_NE(refusal().find("this GPU is being sampled already"), std::string::npos) << refusal();
  device().refuse = {{"enable", CUPTI_ERROR_HARDWARE_BUSY}};
  EXPECT_NE(refusal().find("dcgmi profile --pause"), std::string::npos) << refusal();
  for (const char* function : {"set_config", "start"}) {
    device().refuse = {{function, CUPTI_ERROR_UNKNOWN}};
    EXPECT_NE(refusal().find("(999)"), std::string::npos) << function;
    EXPECT_EQ(device().enabled, 0) << function;
  }
}

TEST_F(Samples, AFailureOfTheDecoderIsTold) {
  device().refuse = {{"decode", CUPTI_ERROR_UNKNOWN}};
  auto sampler = start();
  ASSERT_TRUE(sampler.ok());
  const auto got = (*sampler)->stop();
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().message.find("read the samples: CUPTI_ERROR_UNKNOWN (999)"), std::string::npos)
      << got.error().message;
}

TEST_F(Samples, ChipsWithoutATimerAreTriggeredByCycles) {
  device().chip = "TU102";
  {
    const auto sampler = start();
    ASSERT_TRUE(sampler.ok()) << sampler.error().message;
    EXPECT_EQ(device().config.triggerMode, CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL);
    EXPECT_EQ(device().config.hwBufferAppendMode, CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST);
  }
  device().chip = "GA100";
  const auto sampler = start();
  ASSERT_TRUE(sampler.ok()) << sampler.error().message;
  EXPECT_EQ(device().config.triggerMode, CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL);
  EXPECT_EQ(device().config.hwBufferAppendMode, CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_LATEST);
}

}  // namespace
}  // namespace profiler::cupti
