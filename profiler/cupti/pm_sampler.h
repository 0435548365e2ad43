// SPDX-License-Identifier: Apache-2.0
// PmSampler: device memory, PCIe, NVLink and multiprocessors of one GPU over time, through CUPTI's PM sampling. The
// device writes a record per interval into a buffer; a thread of ours reads it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "profiler/cupti/metrics.h"
#include "profiler/gpu/clock_map.h"
#include "profiler/gpu/samples.h"

namespace profiler::cupti {

struct SamplerOptions {
  int64_t interval_ns = 100'000;  ///< of the device; NVIDIA's own default is 10 us, which a timeline does not need
  int64_t read_out_ns = 10'000'000;
  size_t device_buffer_bytes = size_t{64} << 20;
  uint32_t most_in_image = 4096;  ///< samples decoded at a time
  size_t most_samples = 16384;    ///< kept; see SampleStore
};

/// While one exists the driver holds the GPU's clocks, so that times are not those of a normal run.
class PmSampler final : public GpuSampler {
 public:
  /// Sampling begins. Refused: no permission (with the one command), counters taken by another tool, a device that
  /// cannot be sampled (a virtual GPU, ...), an unknown chip.
  static engine::Result<std::unique_ptr<PmSampler>> start(const CuptiApi&, CUdevice, size_t device_index,
                                                          const SamplerOptions& = {});
  ~PmSampler() override;
  PmSampler(const PmSampler&) = delete;
  PmSampler& operator=(const PmSampler&) = delete;

  engine::Result<GpuSamples> stop() override;
  const MetricChoice& choice() const { return choice_; }

 private:
  struct Raw {
    int64_t start_ns, end_ns;  ///< CUPTI's clock
  };
  PmSampler(const CuptiApi& api, const SamplerOptions& options, HostProfiler host, MetricChoice choice,
            size_t device_index);
  engine::Result<void> enable();
  engine::Result<void> configure();
  engine::Result<void> clear();
  engine::Result<void> read_out();     ///< on the thread; all that is there
  engine::Result<bool> decode_once();  ///< false: nothing is left
  engine::Result<void> take_samples();
  void take_clock();
  void end_thread();

  const CuptiApi* api_;
  const SamplerOptions options_;
  HostProfiler host_;
  const MetricChoice choice_;
  const size_t device_index_;
  CUpti_PmSampling_Object* object_ = nullptr;
  bool started_ = false;
  std::vector<uint8_t> image_;  ///< CUPTI's, of decoded samples
  ClockMap clock_;
  SampleStore store_;
  int64_t last_end_ns_ = 0;  ///< CUPTI's clock; 0: no sample yet
  bool first_ = true;        ///< the first sample is an outlier: it began before the sampling did
  int64_t overflows_ = 0, lost_ = 0;
  engine::Result<void> failure_;  ///< the first that the thread met

  std::mutex wake_mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace profiler::cupti
