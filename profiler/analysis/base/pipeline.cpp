// SPDX-License-Identifier: Apache-2.0
// Which lane of a data-loading pipeline limits: medians per batch of what the loader reported, and what remains of the
// step.
#include "profiler/analysis/base/pipeline.h"
#include "profiler/analysis/base/time_origin.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/base/lane_names.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

constexpr std::string_view kWait = kWaitLane, kCopy = kCopyLane, kCompute = kComputeLane;

std::string time_text(double ns) { return format_quantity(ns, Quantity::duration_ns); }

struct Window {
  int64_t begin_ns = std::numeric_limits<int64_t>::max(), end_ns = std::numeric_limits<int64_t>::min();
};

Window window_of(const std::vector<StepRecord>& steps) {
  Window window;
  for (const StepRecord& step : steps) {
    if (step.warmup) continue;
    window.begin_ns = std::min(window.begin_ns, step.start_ns);
    window.end_ns = std::max(window.end_ns, step.start_ns + step.duration_ns);
  }
  return window;
}

/// Spans of the loader's tracks that begin within the measured steps, by lane in the order of the tracks; those of
/// several ranks within each one's own steps, under one name together.
std::vector<std::pair<std::string, std::vector<double>>> spans_by_lane(const Capture& capture) {
  const RankOfTrack rank_of(capture);
  std::vector<Window> windows;
  for (const RankRecord& rank : capture.ranks()) windows.push_back(window_of(rank.steps));
  if (windows.empty()) windows.push_back(window_of(capture.steps()));
  std::map<TrackId, size_t> lane_of;
  std::vector<std::pair<std::string, std::vector<double>>> lanes;
  for (size_t t = 0; t < capture.tracks().size(); ++t) {
    const auto track = static_cast<TrackId>(t);
    if (!is_loader_group(capture.tracks()[t].group)) continue;
    const auto same =
        std::ranges::find(lanes, capture.tracks()[t].name, &std::pair<std::string, std::vector<double>>::first);
    const bool joins = same != lanes.end() && rank_of(track) > 0;
    lane_of.emplace(track, joins ? static_cast<size_t>(same - lanes.begin()) : lanes.size());
    if (!joins) lanes.push_back({capture.tracks()[t].name, {}});
  }
  if (lanes.empty()) return lanes;
  const ActivityColumns& all = capture.activities();
  for (size_t i = 0; i < all.size(); ++i) {
    const auto lane = lane_of.find(all.track[i]);
    if (lane == lane_of.end()) continue;
    const Window& window = windows[rank_of(all.track[i])];
    if (all.start_ns[i] < window.begin_ns || all.start_ns[i] >= window.end_ns) continue;
    lanes[lane->second].second.push_back(static_cast<double>(all.duration_ns[i]));
  }
  return lanes;
}

/// Order of a batch's way; what a later version loads with comes behind.
size_t rank_of(const PipelineLane& lane) {
  constexpr std::string_view kWay[] = {kReadLane, "decode", kWait, kCopy, kCompute};
  return static_cast<size_t>(std::ranges::find(kWay, lane.name) - std::begin(kWay));
}

double busy(const Pipeline& p, std::string_view name) {
  const auto lane = std::ranges::find(p.lanes, name, &PipelineLane::name);
  return lane == p.lanes.end() ? 0 : lane->busy_ns;
}

/// Which lane sets the pace: threads beside the step each on their own, copy and compute after each other.
void find_limit(Pipeline& p) {
  const double main = busy(p, kCopy) + busy(p, kCompute);
  p.limit = busy(p, kCopy) > busy(p, kCompute) ? kCopy : kCompute;
  p.pace_ns = main;
  for (const PipelineLane& lane : p.lanes) {
    if (lane.name == kCopy || lane.name == kCompute || lane.name == kWait || lane.busy_ns <= p.pace_ns) continue;
    p.pace_ns = lane.busy_ns;
    p.limit = lane.name;
  }
}

std::string sentence_of(const Pipeline& p) {
  const double main = busy(p, kCopy) + busy(p, kCompute);
  const bool loads = std::ranges::any_of(
      p.lanes, [](const PipelineLane& l) { return l.name != kCopy && l.name != kCompute && l.name != kWait; });
  if (!loads) {
    return say("Nothing is loaded in a step of {}: its batch is in memory, copy takes {}.", time_text(p.step_ns),
               time_text(busy(p, kCopy)));
  }
  if (!p.overlapped) {
    const auto longest = std::ranges::max_element(p.lanes, {}, &PipelineLane::busy_ns);
    return say(
        "The lanes take turns: together they are the step of {}, most of it {} ({}). Side by side the slowest, {}, "
        "would set the pace: "
        "at best {} per batch.",
        time_text(p.step_ns), longest->name, time_text(longest->busy_ns), p.limit, time_text(p.pace_ns));
  }
  if (p.limit == kCopy || p.limit == kCompute) {
    return say(
        "The step itself limits: copy and compute take {} of {} per batch. Data is ready before it "
        "is "
        "needed (waits of {}).",
        time_text(main), time_text(p.step_ns), time_text(p.wait_ns));
  }
  return say(
      "The lane {0} limits: it takes {1} per batch, and each step of {2} waits {3} for data; copy and compute take "
      "{4}.",
      p.limit, time_text(p.pace_ns), time_text(p.step_ns), time_text(p.wait_ns), time_text(main));
}

}  // namespace

double Pipeline::next_pace_ns() const {
  double pace = limit == kCopy || limit == kCompute ? 0 : busy(*this, kCopy) + busy(*this, kCompute);
  for (const PipelineLane& lane : lanes) {
    if (!lane.in_step && lane.name != limit) pace = std::max(pace, lane.busy_ns);
  }
  return pace;
}

bool Pipeline::loader_sets_pace() const { return overlapped && !lanes.empty() && limit != kCopy && limit != kCompute; }

Pipeline pipeline(const Capture& capture) {
  Pipeline p;
  for (const auto& [name, spans] : spans_by_lane(capture)) {
    if (!spans.empty()) p.lanes.push_back({name, false, static_cast<int64_t>(spans.size()), median(spans)});
  }
  if (p.lanes.empty()) return p;
  p.step_ns = median(timed_steps_ns(capture));
  p.wait_ns = busy(p, kWait);
  p.overlapped = std::ranges::find(p.lanes, kWait, &PipelineLane::name) != p.lanes.end();
  double loading = 0;
  int64_t batches = 0;
  for (PipelineLane& lane : p.lanes) {
    lane.in_step = !p.overlapped || lane.name == kWait || lane.name == kCopy;
    if (lane.in_step) loading += lane.busy_ns;
    batches = std::max(batches, lane.batches);
  }
  p.lanes.push_back({std::string(kCompute), true, batches,
                     std::isfinite(p.step_ns) ? std::max(0.0, p.step_ns - loading) : p.step_ns});
  std::ranges::stable_sort(p.lanes, {}, rank_of);
  find_limit(p);
  p.sentence = sentence_of(p);
  return p;
}

Table pipeline_table(const Capture& capture, const Pipeline& p) {
  Table table;
  table.name = "pipeline";
  table.columns = {{"lane", "Lane", Quantity::text, Origin::exact, "What happens to a batch, in its order"},
                   {"thread", "Thread", Quantity::text, Origin::exact, "main: in the step; own: beside it"},
                   {"batches_count", "Batches", Quantity::count, Origin::measured,
                    "Seen within the measured steps, untraced ones included"},
                   {"busy_ns", "Per batch", Quantity::duration_ns, Origin::measured,
                    "Median; compute: the median step without the lanes in it"},
                   {"step_ratio", "Of a step", Quantity::percent_of, Origin::measured,
                    "Per batch / median step; lanes beside the step do not add up to it"},
                   {"limits", "Limits", Quantity::text, Origin::measured,
                    "yes: the lane whose thread takes longest per batch (copy and compute share one)"}};
  for (const PipelineLane& lane : p.lanes) {
    const double ratio = lane.busy_ns / p.step_ns;
    table.rows.push_back({lane.name, std::string(lane.in_step ? "main" : "own"), static_cast<double>(lane.batches),
                          lane.busy_ns, std::isfinite(ratio) ? Cell(ratio) : Cell(),
                          std::string(lane.name == p.limit ? "yes" : "")});
  }
  return with_time_origin(std::move(table), capture);
}

}  // namespace profiler
