// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of a range.
#include "views/timeline/range_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/analysis/base/time_origin.h"
#include "profiler/base/say.h"

namespace views {

using profiler::Cell;
using profiler::GpuRegion;
using profiler::Origin;
using profiler::Quantity;

RangeDetails range_details(const profiler::Analyzed& analyzed, const profiler::GpuTimes& gpus, int64_t begin_ns,
                           int64_t end_ns) {
  return {analyzed.capture, profiler::range_profile(*analyzed.capture, begin_ns, end_ns), gpus.within(begin_ns, end_ns),
          range_statistics(analyzed, begin_ns, end_ns)};
}

namespace {

/// "GPU 0"; of several ranks "rank 1 · GPU 0".
std::string device_name(const profiler::Capture& capture, const GpuRegion& r) {
  const std::string device = r.device < 0 ? std::string("GPU") : profiler::say("GPU {}", r.device);
  return r.rank < capture.ranks().size() ? fmt::format("{} · {}", capture.name(capture.ranks()[r.rank].name), device)
                                         : device;
}

class Rows {
 public:
  Rows(profiler::Table& table, double span_ns) : table_(table), span_ns_(span_ns) {}
  void add(std::string where, std::string what, double time_ns, Cell count = {}, Cell bytes = {}) {
    const double share = span_ns_ > 0 ? time_ns / span_ns_ : 0;
    const bool rate = std::holds_alternative<double>(bytes) && time_ns > 0;
    table_.rows.push_back({std::move(where), std::move(what), time_ns, share, std::move(count), bytes,
                           rate ? Cell(std::get<double>(bytes) / time_ns * 1e9) : Cell()});
  }
  /// A cause of idle time, where there is any of it.
  void cause(const std::string& where, const std::string& what, double time_ns) {
    if (time_ns >= 0.5) add(where, profiler::say("  idle: {}", what), time_ns);
  }

 private:
  profiler::Table& table_;
  double span_ns_;
};

void add_gpu(Rows& rows, const profiler::Capture& capture, const GpuRegion& r) {
  const std::string gpu = device_name(capture, r);
  rows.add(gpu, profiler::say("kernels run"), r.kernel_ns, static_cast<double>(r.kernels));
  if (r.communication_ns > 0) {
    rows.add(gpu, profiler::say("communication runs"), r.communication_ns, static_cast<double>(r.communications));
    rows.add(gpu, profiler::say("communication, nothing computes"), r.exposed_communication_ns);
  }
  rows.add(gpu, profiler::say("copies run"), r.copy_ns, static_cast<double>(r.copies));
  if (r.copy_ns > 0) rows.add(gpu, profiler::say("copies beside kernels"), r.overlapped_ns);
  rows.add(gpu, "idle", r.idle_ns);
  rows.cause(gpu, profiler::say("the host was inside CUDA calls"), r.idle.calls_ns);
  rows.cause(gpu, profiler::say("the host was waiting for the GPU"), r.idle.waits_ns);
  rows.cause(gpu, profiler::say("the host fetched its data"), r.idle.fetch_ns);
  rows.cause(gpu, profiler::say("the host did something else"), r.idle.host_ns);
  rows.cause(gpu, profiler::say("launched, on its way"), r.idle.start_ns);
  rows.cause(gpu, profiler::say("launched before, queued"), r.idle.queued_ns);
  rows.cause(gpu, profiler::say("launched, but held"), r.idle.held_ns);
  rows.cause(gpu, profiler::say("the launch of the next is not recorded"), r.idle.unknown_ns);
}

}  // namespace

profiler::Table busy_table(const RangeDetails& d) {
  profiler::Table table;
  table.name = "range";
  table.columns = {
      {"where", "Where", Quantity::text, Origin::measured, "Host threads or device"},
      {"what", "What", Quantity::text, Origin::measured, "Busy time is a union: what ran at once counts once"},
      {"time_ns", "Time", Quantity::duration_ns, Origin::measured, "Inside the range"},
      {"share_ratio", "Share", Quantity::percent_of, Origin::measured, "Time / length of the range"},
      {"count", "Count", Quantity::count, Origin::measured, "Begun inside the range"},
      {"copied_bytes", "Bytes", Quantity::bytes, Origin::measured,
       "Of copies, in proportion to the part inside; unknown sizes are left out"},
      {"rate_bytes_per_s", "Rate", Quantity::bytes_per_s, Origin::measured, "Bytes / sum of the copies' times"}};
  Rows rows(table, static_cast<double>(d.profile.end_ns - d.profile.begin_ns));
  if (d.ops.op_count > 0) {
    rows.add("Host", profiler::say("ops run"), static_cast<double>(d.ops.busy_ns), static_cast<double>(d.ops.op_count));
    if (d.ops.idle_in_steps_ns > 0)
      rows.add("Host", profiler::say("  idle: between ops of a step"), static_cast<double>(d.ops.idle_in_steps_ns));
    if (d.ops.idle_untraced_ns > 0)
      rows.add("Host", profiler::say("  in untraced steps: ops unknown"), static_cast<double>(d.ops.idle_untraced_ns));
    if (d.ops.idle_between_ns > 0)
      rows.add("Host", profiler::say("  idle: outside steps"), static_cast<double>(d.ops.idle_between_ns));
  }
  for (const GpuRegion& r : d.gpus) add_gpu(rows, *d.capture, r);
  for (const auto& c : d.profile.copies)
    rows.add("Copies", std::string(profiler::name(c.kind)), static_cast<double>(c.time_ns),
             static_cast<double>(c.count), c.unsized < c.count ? Cell(c.bytes) : Cell());
  return profiler::with_time_origin(std::move(table), *d.capture);
}

profiler::Table names_table(const RangeDetails& d, size_t most) {
  profiler::Table table;
  table.name = "names";
  table.columns = {{"name", "Name", Quantity::text, Origin::measured, "Op, kernel, copy, call or range"},
                   {"kind", "Kind", Quantity::text, Origin::measured, "What it is"},
                   {"own_ns", "Own time", Quantity::duration_ns, Origin::measured,
                    "Sum inside the range without what ran inside them: a layer without its ops"},
                   {"covered_ratio", "Of range", Quantity::percent_of, Origin::measured,
                    "Part of the range in which at least one of them ran, with what is in them"},
                   {"time_ns", "Total", Quantity::duration_ns, Origin::measured,
                    "Sum inside the range with what ran inside them: what ran at once counts twice"},
                   {"count", "Count", Quantity::count, Origin::measured, "That overlap the range"}};
  const double span = static_cast<double>(d.profile.end_ns - d.profile.begin_ns);
  for (size_t i = 0; i < std::min(most, d.profile.names.size()); ++i) {
    const auto& n = d.profile.names[i];
    table.rows.push_back({std::string(d.capture->name(n.name)), std::string(profiler::name(n.kind)),
                          static_cast<double>(n.own_ns), static_cast<double>(n.covered_ns) / span,
                          static_cast<double>(n.time_ns), static_cast<double>(n.count)});
    table.row_ops.push_back(static_cast<uint32_t>(i));
  }
  return profiler::with_time_origin(std::move(table), *d.capture);
}

std::string gpu_sentence(const RangeDetails& d) {
  std::string text;
  for (const GpuRegion& r : d.gpus) {
    if (!text.empty()) text += " · ";
    const auto share = [](double part, double whole) {
      return profiler::format_quantity(part / whole, Quantity::percent_of);
    };
    text += profiler::say("{}: kernels {}", device_name(*d.capture, r), share(r.kernel_ns, r.span_ns));
    if (r.communication_ns > 0)
      text += profiler::say(", communication alone {}", share(r.exposed_communication_ns, r.span_ns));
    if (r.copy_ns > 0)
      text += profiler::say(", copies {} ({} of them beside kernels)", share(r.copy_ns, r.span_ns),
                            share(r.overlapped_ns, r.copy_ns));
    text += profiler::say(", idle {}", share(r.idle_ns, r.span_ns));
  }
  return text;
}

}  // namespace views
