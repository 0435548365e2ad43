// SPDX-License-Identifier: Apache-2.0
// gpu_goals [--present] OUT: holds what tests/gpu/run left in OUT against the goals, prints a line for each and writes
// OUT/goals.json. Exit code 1: a goal was missed; what could not be judged is said and counts as missed. --present:
// goals whose files are not there (a part that did not run) are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "profiler/analysis/analyze.h"
#include "profiler/analysis/gpu/links.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/base/origin.h"
#include "profiler/capture/capture.h"
#include "profiler/store/capture_file.h"

namespace {

using namespace profiler;  // NOLINT: a program of this floor's tests
using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kCopyShare = 0.90, kBestProduct = 0.97, kCounted = 0.02, kTraceCost = 0.01;
constexpr int64_t kClockNs = 2000;  // what the interpolation of two clocks may err

class Goals {
 public:
  Goals(fs::path folder, bool present_only) : folder_(std::move(folder)), present_only_(present_only) {}

  /// Whether the goals of these files are to be judged.
  bool wants(std::initializer_list<const char*> files) const {
    return !present_only_ || std::ranges::all_of(files, [&](const char* file) { return fs::exists(folder_ / file); });
  }

  void add(const std::string& name, double value, bool reached, const std::string& goal) {
    const bool known = !std::isnan(value);
    all_.push_back({{"name", name},
                    {"value", known ? json(value) : json(nullptr)},
                    {"goal", goal},
                    {"origin", "measured"},
                    {"state", known ? reached ? "pass" : "fail" : "unknown"}});
    missed_ = missed_ || !known || !reached;
    fmt::print("{:<8}{}: {} (goal: {})\n", known ? reached ? "reached" : "MISSED" : "UNKNOWN", name,
               known ? fmt::format("{:.4g}", value) : "not measured", goal);
  }
  void note(const std::string& name, const json& value) {
    all_.push_back({{"name", name}, {"value", value}, {"state", "note"}, {"origin", "measured"}});
    fmt::print("        {}: {}\n", name, value.dump());
  }

  /// Null, with the reason printed, where it does not open.
  std::shared_ptr<const Capture> capture(const std::string& name) {
    auto opened = open_capture(folder_ / (name + ".tide"));
    if (opened) return *opened;
    fmt::print("        {}\n", opened.error().message);
    return nullptr;
  }
  json figures() const {
    std::ifstream file(folder_ / "figures.json");
    json read = json::parse(file, nullptr, false);
    return read.is_object() ? read : json::object();
  }
  int finish() {
    std::ofstream(folder_ / "goals.json") << json{{"goals", all_}}.dump(2) << "\n";
    return missed_ ? 1 : 0;
  }

 private:
  fs::path folder_;
  const bool present_only_;
  json all_ = json::array();
  bool missed_ = false;
};

void judge_figures(Goals& goals) {
  const json figures = goals.figures();
  for (const json& kernel : figures.value("kernels", json::array())) {
    if (!kernel.value("bound_by_memory", false)) continue;
    const double share = kernel.value("share_of_copy", NAN);
    goals.add("memory-bound kernel " + kernel.value("name", "?") + " / copy within the GPU", share, share >= kCopyShare,
              ">= 0.90");
  }
  for (const json& product : figures.value("products", json::array())) {
    const double share = product.value("share_of_best", NAN);
    goals.add("product " + product.value("name", "?") + " / cuBLASLt's best algorithm", share, share >= kBestProduct,
              ">= 0.97");
  }
  for (const json& convolution : figures.value("convolutions", json::array())) {
    goals.note("convolution " + convolution.value("name", "?") + ": " + convolution.value("kernel", "?"),
               {{"flop_per_s", convolution.value("flop_per_s", 0.0)},
                {"own_flop_per_s", convolution.value("own_flop_per_s", 0.0)}});
  }
  if (!figures.contains("kernels")) goals.add("figures.json", NAN, false, "measured");
}

/// Losses, attribution, and the order of launches and kernels in one trace.
void judge_trace(Goals& goals, const std::string& name) {
  const auto capture = goals.capture(name);
  const auto goal = [&](const char* what) { return fmt::format("{}: {}", name, what); };
  if (capture == nullptr || capture->gpu().kernels.empty()) return goals.add(goal("kernels traced"), NAN, false, "> 0");
  const GpuLosses& lost = capture->honesty().gpu_losses;
  goals.add(goal("kernels and copies of steps that belong to no op"), static_cast<double>(lost.unattributed),
            lost.unattributed == 0, "0");
  const auto gone = static_cast<double>(lost.dropped + lost.untimed + lost.unreadable);
  goals.add(goal("records dropped, untimed or unreadable"), gone, gone == 0, "0");
  const ActivityColumns& a = capture->activities();
  std::unordered_map<uint64_t, int64_t> calls;
  for (const ApiCallRecord& call : capture->gpu().api_calls) {
    const auto [entry, added] = calls.try_emplace(a.correlation[call.activity], a.start_ns[call.activity]);
    if (!added) entry->second = std::min(entry->second, a.start_ns[call.activity]);
  }
  double early = 0, joined = 0;
  for (const KernelRecord& kernel : capture->gpu().kernels) {
    const auto call = calls.find(a.correlation[kernel.activity]);
    if (call == calls.end()) continue;
    ++joined;
    early += a.start_ns[kernel.activity] + kClockNs < call->second ? 1 : 0;
  }
  goals.add(goal("kernels that began before their launch"), joined > 0 ? early : NAN, early == 0, "0");
  goals.add(goal("kernels whose call is known, of all"), joined / static_cast<double>(capture->gpu().kernels.size()),
            joined == static_cast<double>(capture->gpu().kernels.size()), "1");
}

/// Counted bytes of a stream of known length.
void judge_counters(Goals& goals) {
  const auto capture = goals.capture("stream");
  const TrafficSource* source = capture == nullptr ? nullptr : capture->traffic_of(Origin::measured);
  if (source == nullptr || source->records.empty()) {
    if (source != nullptr) fmt::print("        {}\n", source->method);
    return goals.add("stream: counted bytes / known bytes - 1", NAN, false, "within 0.02");
  }
  for (const OpRecord& op : capture->ops()) {
    const TrafficRecord* record =
        op.view ? nullptr : source->of(op.id, static_cast<uint32_t>(source->link_between("DRAM", "L2")));
    if (op.view) continue;
    double known = 0;
    for (const OperandRecord& operand : capture->operands(op))
      known += static_cast<double>(operand.read_bytes + operand.written_bytes);
    const double off = record == nullptr ? NAN : record->total_bytes() / known - 1;
    goals.add(fmt::format("stream: {}: counted bytes / known bytes - 1", capture->name(op.name)), off,
              std::abs(off) <= kCounted, "within 0.02");
  }
}

/// Bytes of device memory that samples over time add up to, from the first step to the last, beside those the steps are
/// known to move.
void judge_samples(Goals& goals) {
  constexpr double kSampled = 0.10;
  const auto capture = goals.capture("sampled");
  const std::string goal = "sampled: bytes of all samples / known bytes - 1";
  if (capture == nullptr || capture->steps().empty()) return goals.add(goal, NAN, false, "within 0.10");
  for (const std::string& note : capture->honesty().notes) {
    if (note.find("sampled") != std::string::npos || note.find("Samples") != std::string::npos)
      fmt::print("        {}\n", note);
  }
  const int64_t begin = capture->steps().front().start_ns,
                end = capture->steps().back().start_ns + capture->steps().back().duration_ns;
  double sampled = 0, known = 0;
  bool any = false;
  for (const CounterSeries& series : capture->counters()) {
    if (!capture->name(series.name).starts_with("Device memory")) continue;
    for (size_t i = 0; i + 1 < series.time_ns.size(); ++i) {
      const int64_t from = std::max(series.time_ns[i], begin), to = std::min(series.time_ns[i + 1], end);
      if (to > from) sampled += series.value[i] * 1e-9 * static_cast<double>(to - from), any = true;
    }
  }
  for (const OpRecord& op : capture->ops()) {
    if (op.view) continue;
    for (const OperandRecord& operand : capture->operands(op))
      known += static_cast<double>(operand.read_bytes + operand.written_bytes);
  }
  known *= static_cast<double>(capture->steps().size());
  const double off = any ? sampled / known - 1 : NAN;
  goals.add(goal, off, std::abs(off) <= kSampled, "within 0.10");
}

double step_ns(Goals& goals, const std::string& name) {
  const auto capture = goals.capture(name);
  return capture == nullptr ? NAN : summary(*analyze(capture)).step_ns.median;
}

void judge_costs(Goals& goals) {
  if (goals.wants({"resnet50.tide", "resnet50_untraced.tide"})) {
    const double cost = step_ns(goals, "resnet50") / step_ns(goals, "resnet50_untraced") - 1;
    goals.add("ResNet-50: step with CUPTI's trace / without - 1", cost, cost < kTraceCost, "< 0.01");
  }
  const auto beside = [&goals](const char* words, const std::string& a, const std::string& b) {
    if (goals.wants({(a + ".tide").c_str(), (b + ".tide").c_str()}))
      goals.note(words, step_ns(goals, a) / step_ns(goals, b));
  };
  beside("launch: step as one graph / one launch after the other", "launch_replay", "launch");
  beside("fusion: step fused / not fused", "fusion_fused", "fusion");
  beside("divergence: paths mixed / sorted", "divergence", "divergence_sorted");
}

void tell_links(Goals& goals) {
  for (const char* name : {"transfer", "transfer_pageable", "transfer_both"}) {
    if (!goals.wants({(std::string(name) + ".tide").c_str()})) continue;
    const auto capture = goals.capture(name);
    if (capture == nullptr) continue;
    for (const LinkFit& fit : link_fits(*capture)) {
      goals.note(fmt::format("{}: {}", name, profiler::name(fit.kind)),
                 {{"alpha_ns", fit.alpha_ns},
                  {"rate_bytes_per_s", fit.rate_bytes_per_s()},
                  {"both_ways_bytes_per_s", fit.both_ways_bytes_per_s}});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool present_only = argc == 3 && std::string_view(argv[1]) == "--present";
  if (argc != 2 && !present_only) {
    fmt::print(stderr, "usage: gpu_goals [--present] OUT\n");
    return 2;
  }
  Goals goals(argv[argc - 1], present_only);
  if (goals.wants({"figures.json"})) judge_figures(goals);
  for (const char* name : {"gemm", "gemm_fp8", "mlp", "resnet50", "transformer"}) {
    if (goals.wants({(std::string(name) + ".tide").c_str()})) judge_trace(goals, name);
  }
  if (goals.wants({"stream.tide"})) judge_counters(goals);
  if (goals.wants({"sampled.tide"})) judge_samples(goals);
  judge_costs(goals);
  tell_links(goals);
  return goals.finish();
}
