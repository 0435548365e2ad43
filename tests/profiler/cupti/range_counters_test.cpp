// SPDX-License-Identifier: Apache-2.0
// Counters per op against a profiler of our own behind CUPTI's functions; configuration and metrics are CUPTI's for
// GH100.
#include "profiler/cupti/range_counters.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/profiler/cupti/records.h"

namespace profiler::cupti {
namespace {

/// What the device side of the fake knows; CUPTI's functions carry no object.
struct FakeDevice {
  std::map<std::string, CUptiResult> refuse;
  std::vector<std::string> ranges;
  int open = 0, enabled = 0;
  size_t dropped = 0, most = 0;
  bool all_passes = true, configured = false;
};
FakeDevice& device() {
  static FakeDevice fake;
  return fake;
}
CUptiResult answer(const char* function) {
  const auto refused = device().refuse.find(function);
  return refused == device().refuse.end() ? CUPTI_SUCCESS : refused->second;
}

CuptiApi fake_api() {
  CuptiApi api = real_cupti()->api;  // the host's side is CUPTI's own
  api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) { return answer("initialize"); };
  api.profiler_device_supported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    p->architecture = p->sli = p->vGpu = p->confidentialCompute = p->cmp = p->wsl =
        CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    if (answer("device_supported") != CUPTI_SUCCESS)
      p->isSupported = p->vGpu = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    return CUPTI_SUCCESS;
  };
  api.device_get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = "GH100";
    return answer("chip_name");
  };
  api.profiler_get_counter_availability = [](CUpti_Profiler_GetCounterAvailability_Params*) {
    return answer("availability");
  };
  api.range_profiler_enable = [](CUpti_RangeProfiler_Enable_Params* p) {
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&device());
    ++device().enabled;
    return answer("enable");
  };
  api.range_profiler_disable = [](CUpti_RangeProfiler_Disable_Params*) {
    --device().enabled;
    return CUPTI_SUCCESS;
  };
  api.range_profiler_get_counter_data_size = [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
    p->counterDataSize = 256;
    device().most = p->maxNumOfRanges;
    return CUPTI_SUCCESS;
  };
  api.range_profiler_counter_data_image_initialize = [](CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
    return CUPTI_SUCCESS;
  };
  api.range_profiler_set_config = [](CUpti_RangeProfiler_SetConfig_Params* p) {
    EXPECT_EQ(p->range, CUPTI_UserRange);
    EXPECT_EQ(p->replayMode, CUPTI_UserReplay);
    EXPECT_GT(p->configSize, 0u);
    EXPECT_EQ(p->maxRangesPerPass, device().most);
    EXPECT_EQ(p->numNestingLevels, 1);
    device().configured = true;
    return answer("set_config");
  };
  api.range_profiler_start = [](CUpti_RangeProfiler_Start_Params*) {
    device().ranges.clear();
    if (!device().configured) return CUPTI_ERROR_INVALID_OPERATION;  // each session wants a configuration of its own
    return answer("start");
  };
  api.range_profiler_push_range = [](CUpti_RangeProfiler_PushRange_Params* p) {
    ++device().open;
    if (device().ranges.size() < device().most) {
      device().ranges.emplace_back(p->pRangeName);
    } else {
      ++device().dropped;
    }
    return CUPTI_SUCCESS;
  };
  api.range_profiler_pop_range = [](CUpti_RangeProfiler_PopRange_Params*) {
    --device().open;
    return CUPTI_SUCCESS;
  };
  api.range_profiler_stop = [](CUpti_RangeProfiler_Stop_Params* p) {
    EXPECT_EQ(device().open, 0) << "every range is closed";
    p->isAllPassSubmitted = device().all_passes;
    device().configured = false;
    return CUPTI_SUCCESS;
  };
  api.range_profiler_decode_data = [](CUpti_RangeProfiler_DecodeData_Params* p) {
    p->numOfRangeDropped = device().dropped;
    return CUPTI_SUCCESS;
  };
  api.range_profiler_get_counter_data_info = [](CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
    p->numTotalRanges = device().ranges.size();
    return CUPTI_SUCCESS;
  };
  api.range_profiler_counter_data_get_range_info = [](CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* p) {
    p->rangeName = device().ranges[p->rangeIndex].c_str();
    return CUPTI_SUCCESS;
  };
  api.profiler_host_evaluate_to_gpu_values = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    for (size_t m = 0; m < p->numMetrics; ++m) p->pMetricValues[m] = 100 * static_cast<double>(p->rangeIndex + 1);
    return CUPTI_SUCCESS;
  };
  return api;
}

class Counters : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr || !real_cupti()->no_counters.empty())
      GTEST_SKIP() << "no CUPTI with libnvperf on this machine";
    device() = {};
    api_ = fake_api();
  }
  engine::Result<RangeCounters> make(size_t most_ops = 100) {
    return RangeCounters::make(api_, nullptr, 0, 0, CounterSet::traffic, most_ops);
  }
  std::string refusal() {
    const auto made = make();
    return made ? "made" : made.error().message;
  }
  CuptiApi api_;
};

TEST_F(Counters, OneRangePerOpInUnitsOfOurOwn) {
  {
    auto counters = make();
    ASSERT_TRUE(counters.ok()) << counters.error().message;
    for (int step = 0; step < 2; ++step) {
      ASSERT_TRUE(counters->begin().ok());
      for (const OpId op : {7u, 3u}) {
        ASSERT_TRUE(counters->push(op).ok());
        ASSERT_TRUE(counters->pop().ok());
      }
      const auto ranges = counters->end();
      ASSERT_TRUE(ranges.ok()) << ranges.error().message;
      ASSERT_EQ(ranges->size(), 2u);
      EXPECT_EQ((*ranges)[0].op, 7u);
      EXPECT_EQ((*ranges)[1].op, 3u);
      const auto& metrics = counters->choice().metrics;
      for (size_t m = 0; m < metrics.size(); ++m) {
        const double expected = metrics[m].key == "l2_read_bytes"         ? 6400
                                : metrics[m].key == "dram_read_bytes"     ? 200
                                : metrics[m].key == "tensor_active_ratio" ? 2
                                                                          : (*ranges)[1].values[m];
        EXPECT_DOUBLE_EQ((*ranges)[1].values[m], expected) << metrics[m].key;
      }
    }
  }
  EXPECT_EQ(device().enabled, 0);
}

TEST_F(Counters, RefusalsNameTheirCauseAndWhatHelps) {
  device().refuse = {{"availability", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
  EXPECT_NE(refusal().find("ERR_NVGPUCTRPERM"), std::string::npos) << refusal();
  device().refuse = {{"enable", CUPTI_ERROR_HARDWARE_BUSY}};
  EXPECT_NE(refusal().find("dcgmi profile --pause"), std::string::npos) << refusal();
  device().refuse = {{"device_supported", CUPTI_ERROR_UNKNOWN}};
  EXPECT_NE(refusal().find("because of a virtual GPU"), std::string::npos) << refusal();
  device().refuse = {{"initialize", CUPTI_ERROR_UNKNOWN}};
  EXPECT_NE(refusal().find("start: CUPTI_ERROR_UNKNOWN (999)"), std::string::npos) << refusal();
}

TEST_F(Counters, PrivilegesMayBeMissedAsLateAsTheStart) {
  auto counters = make();
  ASSERT_TRUE(counters.ok());
  device().refuse = {{"start", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}};
  EXPECT_NE(counters->begin().error().message.find("ERR_NVGPUCTRPERM"), std::string::npos);
}

TEST_F(Counters, LostRangesGiveNoValues) {
  auto counters = make(1);
  ASSERT_TRUE(counters.ok() && counters->begin().ok());
  for (const OpId op : {1u, 2u, 3u}) {
    ASSERT_TRUE(counters->push(op).ok());
    ASSERT_TRUE(counters->pop().ok());
  }
  const auto ranges = counters->end();
  ASSERT_FALSE(ranges.ok());
  EXPECT_EQ(ranges.error().message, "[counters] 2 ranges were dropped; there was room for 1");
  device().all_passes = false;
  ASSERT_TRUE(counters->begin().ok());
  EXPECT_NE(counters->end().error().message.find("one pass did not suffice"), std::string::npos);
}

}  // namespace
}  // namespace profiler::cupti
