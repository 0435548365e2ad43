// SPDX-License-Identifier: Apache-2.0
// Collector: a source of figures of a run: when it works, whether it works here, and how it is started.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/gpu/counters.h"
#include "profiler/gpu/samples.h"
#include "profiler/gpu/tracer.h"
#include "profiler/record/recorder.h"

namespace profiler {

/// Whether a source works here. When it does not: one sentence why, and one command (or action) that helps.
struct Availability {
  bool available = false;
  std::string why;     ///< also set when available: what was found
  std::string remedy;  ///< empty when nothing is to be done
};

/// Walks from the run-time module to the GPU and its counters; asked only by sources that need one. Empty: this program
/// has none.
using GpuChain = std::function<std::vector<ChainLink>()>;

/// What this program's module of the GPU starts. Refused in the words of the chain.
struct GpuAccess {
  std::function<engine::Result<std::unique_ptr<GpuTracer>>(const std::string& device)> start_trace;
  std::function<engine::Result<std::unique_ptr<GpuCounters>>(const engine::Device&, CounterSet, size_t most_ops)>
      start_counters;
  std::function<engine::Result<std::unique_ptr<GpuSampler>>(const engine::Device&)> start_samples;
};

/// Names of the collectors that a run was asked for besides those that every run has.
using CollectorNames = std::set<std::string, std::less<>>;

/// The run that collectors are started for.
struct CollectContext {
  std::string device;  ///< as --device names it: "cuda", "emu:0"
  CollectorNames asked;
  bool eager = false;     ///< ops are not known ahead
  RecordRequest& record;  ///< what works during the run puts itself here; `backend` is set once the device is made
  GpuAccess gpu = {};
  /// Times of the steps of a process without CUPTI. Refused, saying why they were not measured.
  std::function<engine::Result<std::vector<double>>()> time_untraced = {};
  double simulate_seconds = 60;                              ///< see StepSimulationRequest
  std::function<void(const RecordProgress&)> progress = {};  ///< may be empty
  const std::atomic<bool>& stop;

  void tell(const RecordProgress& p) const {
    if (progress) progress(p);
  }
};

/// A collector at work. Lives from its start, which for those that work during the run is before the device is made, to
/// the end of the run.
class Collection {
 public:
  Collection() = default;
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;
  virtual ~Collection() = default;
  /// The capture with what was found, in its file too. What works during the run has put it there already. A source
  /// that finds nothing says why in the capture; refused only where the file cannot be written.
  virtual engine::Result<std::shared_ptr<const Capture>> finish(std::shared_ptr<const Capture> capture) {
    return capture;
  }
};

enum class When : uint8_t {
  always,  ///< every run has it; nothing is started
  during,  ///< while steps run
  after,   ///< in further steps behind the timed ones, on the same device
  apart,   ///< on the finished capture; the device has no part in it
};

/// One constant per collector, each in a file of its own.
struct Collector {
  std::string_view name;   ///< as in --collect: "perf"
  std::string_view title;  ///< "CPU counters: measured bytes per cache level"
  When when = When::always;
  Availability (*check)(const GpuChain&);
  /// Null: nothing is started. May return null: another collector that was asked for does its work.
  engine::Result<std::unique_ptr<Collection>> (*start)(CollectContext&) = nullptr;
  /// Whether a run on this device may ask for it, else (usage) what is wrong; null: on any.
  engine::Result<void> (*takes)(const std::string& device) = nullptr;
  bool changes_times = false;  ///< of those that work during the run: steps with it do not take as long as without
  bool in_sweeps = false;      ///< the points of a sweep keep what it finds
  std::string_view missing =
      {};  ///< what a capture of the CPU says that it lacks where this is not available; empty: nothing
};

/// The first broken link of the chain, among those that matter; else what was found.
enum class ChainNeeds : uint8_t { trace, counters, samples };
Availability check_chain(const GpuChain&, ChainNeeds);
/// Collector::takes of what only NVIDIA's GPUs have.
engine::Result<void> takes_nvidia(const std::string& device);

/// A capture with more traffic, in the file of `record` too. Where there is none, the capture says why ("Not simulated:
/// ...").
engine::Result<std::shared_ptr<const Capture>> with_found(const Capture&, engine::Result<TrafficSource>, Origin,
                                                          std::string_view missing, const RecordRequest& record);
/// What takes the place of traffic that there is none of.
TrafficSource without_traffic(const engine::Error& why, Origin, std::string_view missing);

}  // namespace profiler
