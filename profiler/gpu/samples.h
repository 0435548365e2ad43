// SPDX-License-Identifier: Apache-2.0
// GpuSamples: figures of a whole GPU over time (bytes of device memory, PCIe and NVLink, shares of cycles), from a
// GpuSampler, which profiler/cupti implements.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace profiler {

struct SampledFigure {
  std::string key;             ///< of the metric table: "dram_read_bytes"
  std::string title;           ///< "Device memory, read"
  std::string unit;            ///< "B/s", "Hz", or "ratio"
  std::vector<double> values;  ///< of each sample: its mean rate, ratio or clock
};

struct GpuSamples {
  std::string chip;                       ///< "GH100"
  int device = 0;                         ///< CUDA's number
  int64_t interval_ns = 0;                ///< as asked of the device
  int merged = 1;                         ///< samples of the device that one here summarises
  std::vector<int64_t> start_ns, end_ns;  ///< CLOCK_MONOTONIC, in order, apart from each other
  std::vector<SampledFigure> figures;     ///< one value per sample each
  std::vector<std::string> missing;       ///< keys this chip has no counter for
  int64_t overflows = 0;                  ///< how often the device's buffer ran over
  int64_t lost = 0;                       ///< samples that are missing in between, by the time they would have taken
};

/// Takes samples collected as they come; beyond `most` neighbours are merged, so that a long run costs no more than a
/// short one.
class SampleStore {
 public:
  explicit SampleStore(size_t figures, size_t most) : most_(most), sums_(figures) {}
  /// `sums`: per figure the sum over the sample: bytes, or ratio x nanoseconds. Samples come in order.
  void add(int64_t start_ns, int64_t end_ns, const std::vector<double>& sums);
  /// What has come so far, into times, values (sums per nanosecond) and `merged`; the last, unfinished merge included.
  void hand_out(GpuSamples&) const;
  size_t size() const { return start_ns_.size(); }

 private:
  void halve();
  const size_t most_;
  int merged_ = 1, in_last_ = 0;  ///< in_last_: how many samples the last entry holds
  std::vector<int64_t> start_ns_, end_ns_, covered_ns_;
  std::vector<std::vector<double>> sums_;
};

/// Samples one GPU from the moment it is made.
class GpuSampler {
 public:
  virtual ~GpuSampler() = default;
  /// Ends the sampling, reads what is left and returns all of it. Once. After any trace was stopped: CUPTI tears down
  /// more than this.
  virtual engine::Result<GpuSamples> stop() = 0;
};

}  // namespace profiler
