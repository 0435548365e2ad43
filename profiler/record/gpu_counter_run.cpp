// SPDX-License-Identifier: Apache-2.0
// Runs counted steps, one range per op, and makes records of medians.
#include "profiler/record/gpu_counter_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/runtime/plan.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"

namespace profiler {
namespace {

using engine::refused_error;
using engine::Result;

/// A range around each op. The device is waited for before a range ends, so that all of the op lies in it.
class RangeObserver final : public engine::Observer {
 public:
  RangeObserver(GpuCounters& counters, engine::Backend& backend) : counters_(counters), backend_(backend) {}
  void step_begin(uint32_t, int64_t) override { note(counters_.begin()); }
  void step_end(uint32_t, int64_t) override {}
  void op_begin(uint32_t op) override {
    if (!error_) note(counters_.push(op));
  }
  void op_done(uint32_t, int64_t, int64_t) override {
    backend_.synchronize();
    if (!error_) note(counters_.pop());
  }
  const std::optional<engine::Error>& error() const { return error_; }

 private:
  void note(const Result<void>& done) {
    if (!done && !error_) error_ = done.error();
  }
  GpuCounters& counters_;
  engine::Backend& backend_;
  std::optional<engine::Error> error_;
};

/// All values of the counted steps: by op, by key.
using Counted = std::map<OpId, std::vector<std::vector<double>>>;

class Source {
 public:
  Source(const Capture& capture, const GpuCounters& counters, const Counted& counted)
      : capture_(capture), keys_(counters.keys()), counted_(counted) {}

  TrafficSource make() {
    TrafficSource source;
    source.origin = Origin::measured;
    double l2_bytes = kUnknownBytes;
    for (const GpuDevice& device : capture_.gpu().devices) {
      if (device.l2_bytes > 0) l2_bytes = static_cast<double>(device.l2_bytes);
    }
    source.links = {{"DRAM", "L2", l2_bytes}, {"L2", "L1", kUnknownBytes}};
    source.op_notes.resize(capture_.ops().size());
    for (const auto& [op, values] : counted_) {
      if (op >= capture_.ops().size()) continue;
      add(source, op, 0, values, "dram_read_bytes", "dram_written_bytes");
      add(source, op, 1, values, "l2_read_bytes", "l2_written_bytes");
      source.op_notes[op] = note(values);
    }
    std::erase_if(source.records, [](const TrafficRecord& r) { return !r.known(); });
    return source;
  }

 private:
  size_t index(std::string_view key) const {
    return static_cast<size_t>(std::ranges::find(keys_, key) - keys_.begin());
  }
  double middle(const std::vector<std::vector<double>>& values, std::string_view key) const {
    const size_t k = index(key);
    return k < keys_.size() && !values[k].empty() ? median(values[k]) : kUnknownBytes;
  }

  void add(TrafficSource& source, OpId op, uint32_t link, const std::vector<std::vector<double>>& values,
           std::string_view read, std::string_view written) const {
    TrafficRecord record;
    record.op = op;
    record.link = link;
    record.read_bytes = middle(values, read);
    record.written_bytes = middle(values, written);
    if (!record.known()) return;
    const std::vector<double>&r = values[index(read)], &w = values[index(written)];
    double least = r[0] + w[0], most = least;
    for (size_t i = 1; i < std::min(r.size(), w.size()); ++i)
      least = std::min(least, r[i] + w[i]), most = std::max(most, r[i] + w[i]);
    record.error_band = record.total_bytes() > 0 ? (most - least) / 2 / record.total_bytes() : 0;
    source.records.push_back(record);
  }

  /// What has no place among the links: "tensor cores active 61 %, L1 1.2 GB".
  std::string note(const std::vector<std::vector<double>>& values) const {
    struct Part {
      std::string_view key, words;
      Quantity quantity;
    };
    constexpr Part kParts[] = {{"tensor_active_ratio", "tensor cores active", Quantity::percent_of},
                               {"warps_active_ratio", "warps in flight of those that fit", Quantity::percent_of},
                               {"l2_hit_ratio", "requests that L2 held", Quantity::percent_of},
                               {"l1_hit_ratio", "sectors that L1 held", Quantity::percent_of},
                               {"l1_bytes", "through L1", Quantity::bytes},
                               {"host_bytes", "host memory past L2", Quantity::bytes},
                               {"time_ns", "time with ops one by one", Quantity::duration_ns}};
    std::vector<std::string> parts;
    for (const Part& part : kParts) {
      const double value = middle(values, part.key);
      if (!std::isnan(value)) parts.push_back(fmt::format("{} {}", part.words, format_quantity(value, part.quantity)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  const Capture& capture_;
  const std::vector<std::string> keys_;
  const Counted& counted_;
};

bool stopped(const CounterRunRequest& request) { return request.stop != nullptr && request.stop->load(); }

Result<void> count_one(engine::Plan& plan, const CounterRunRequest& request, GpuCounters& counters, uint32_t step,
                       Counted& counted) {
  RangeObserver observer(counters, *request.backend);
  plan.run_step(step, &observer);
  if (Result<void> well = request.health ? request.health() : Result<void>(); !well) return well;
  if (observer.error()) return *observer.error();
  Result<std::vector<CounterRange>> ranges = counters.end();
  if (!ranges) return ranges.error();
  for (const CounterRange& range : *ranges) {
    auto& values = counted[range.op];
    values.resize(counters.keys().size());
    for (size_t k = 0; k < std::min(values.size(), range.values.size()); ++k) values[k].push_back(range.values[k]);
  }
  return {};
}

}  // namespace

Result<TrafficSource> count_step(const Capture& capture, const CounterRunRequest& request) {
  auto plan = engine::Plan::make(request.graph, *request.backend, {.seed = request.seed});
  if (!plan) return plan.error();
  size_t ops = 0;
  for (const engine::Node& node : request.graph->nodes()) ops += node.op->view == nullptr ? 1 : 0;
  (*plan)->run_step(0, nullptr);  // kernels are loaded by it
  auto counters = request.start(std::max<size_t>(ops, 1));
  if (!counters) return counters.error();
  Counted counted;
  for (int i = 0; i < request.steps; ++i) {
    if (stopped(request)) return refused_error("the counter run was cancelled");
    if (request.progress) request.progress(static_cast<double>(i) / request.steps);
    if (Result<void> done = count_one(**plan, request, **counters, static_cast<uint32_t>(i + 1), counted); !done)
      return done.error();
  }
  TrafficSource source = Source(capture, **counters, counted).make();
  source.policy = fmt::format("hardware counters of {}", (*counters)->chip());
  source.method = fmt::format(
      "Counted by the GPU ({}, CUPTI's range profiler, one pass) in {} extra steps after the timed "
      "ones. One range per "
      "op, ops serialised; medians, with half their spread as the band. Caches are as the op "
      "before left them.{}",
      (*counters)->chip(), request.steps,
      (*counters)->missing().empty() ? ""
                                     : fmt::format(" This chip has no counter, or not in the same pass, for: {}.",
                                                   fmt::join((*counters)->missing(), ", ")));
  return source;
}

TrafficSource joined(TrafficSource first, const TrafficSource& second) {
  first.op_notes.resize(std::max(first.op_notes.size(), second.op_notes.size()));
  for (size_t op = 0; op < second.op_notes.size(); ++op) {
    if (second.op_notes[op].empty()) continue;
    first.op_notes[op] += (first.op_notes[op].empty() ? "" : ", ") + second.op_notes[op];
  }
  return first;
}

}  // namespace profiler
