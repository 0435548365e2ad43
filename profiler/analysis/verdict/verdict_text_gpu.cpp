// SPDX-License-Identifier: Apache-2.0
// Sentences of the reasons of a GPU's ops and steps.
#include <fmt/format.h>

#include <cmath>

#include "profiler/analysis/verdict/reason_rows.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"

namespace profiler {
namespace {

using Kind = ReasonKind;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string percent(double ratio) { return format_quantity(ratio, Quantity::percent_of); }
std::string limit(const Reason& r, std::string_view key = "limit") { return text(r.limit(key)); }

std::string kernels_text(const Reason& r) {
  const double kernels = r.number("kernels"), whole = std::round(kernels);
  const std::string count =
      std::abs(kernels - whole) < 0.005 ? fmt::format("{:.0f}", whole) : fmt::format("{:.2f}", kernels);
  return say("{} of {} in a step ({} of {:.0f} steps).", count == "1" ? say("1 kernel") : say("{} kernels", count),
             duration(r.number("time_ns")), is(r, "median") ? say("median") : say("mean"), r.number("samples"));
}

std::string communication_text(const Reason& r) {
  const double all = r.number("communication_ns"), time = r.number("time_ns");
  return say(
      "{} of them carry data between GPUs for {}, {} of that without computation beside it. Such "
      "kernels wait for "
      "other ranks and the network; no roof of this GPU bounds them.",
      all < time ? percent(all / time) : say("All"), duration(all), percent(r.number("alone_ratio")));
}

/// Rate of an op's copies, each by itself, against the fastest of their directions in the capture.
std::string copies_text(const Reason& r) {
  const double use = r.number("use_ratio");
  if (std::isnan(use)) return say("The rate of the copies is unknown: their sizes are not recorded.");
  const std::string why = use >= r.limit("limit").value ? say("the link is full")
                          : is(r, "pageable")           ? say("pageable memory or small copies hold them back")
                                                        : say("small copies, or others beside them, hold them back");
  return say("Copies run at {} each, {} of the fastest of their direction in this capture (limit {}): {}.",
             format_quantity(r.number("bytes_per_s"), Quantity::bytes_per_s), percent(use), limit(r), why);
}

std::string level_what(const Reason& r) {
  if (!r.has("bytes")) return say("compulsory bytes");
  return say("{} {} between {} ({})", format_quantity(r.number("bytes"), Quantity::bytes),
             is(r, "counted") ? say("that the GPU counted") : say("of the sector model"),
             is(r, "memory") ? say("L2 and its memory") : say("L2 and the multiprocessors"),
             say_marked(r.text("origin")));
}

std::string level_text(const Reason& r) {
  return say("The {} would take {} at the data sheet's bandwidth (specified): {} used.", level_what(r),
             duration(r.number("roof_ns")), percent(r.number("roof_ns") / r.number("time_ns")));
}

std::string waves_text(const Reason& r) {
  const double waves = r.number("waves");
  const bool few = waves < r.limit("limit").value;
  return say("Its longest kernel fills {:.2g} waves of blocks{}.", waves,
             few ? say(": a grid too small for this device (limit {})", limit(r)) : "");
}

/// What the use of the busiest roof means.
std::string use_text(const Reason& r) {
  const double used = r.number("used_ratio");
  const std::string means = used >= r.limit("saturated_limit").value ? say("it is full")
                            : used >= r.limit("busy_limit").value    ? say("mostly that, with some waiting")
                                                                     : say("the device waits");
  return say("Its busiest roof is used to {} (limits: {} saturated, {} busy): {}.", percent(used),
             limit(r, "saturated_limit"), limit(r, "busy_limit"), means);
}

std::string corners_text(const Reason& r) {
  const auto corners = static_cast<int>(r.number("corners")), agreeing = static_cast<int>(r.number("agreeing"));
  if (is(r, "firm")) return say("Firm: the same answer in all {} corners of the error bands.", corners);
  if (is(r, "weak_roofs")) {
    return say(
        "The same answer in all {} corners of the error bands, but the roofs have low confidence: "
        "likely, not firm.",
        corners);
  }
  return say("Likely: the same answer in {} of {} corners of the error bands{}{}.", agreeing, corners,
             r.has("runner_up") ? say("; else ") + r.text("runner_up") : "",
             is(r, "specified_roofs") ? say("; roofs are the data sheet's, not measured") : "");
}

std::string regions_text(const Reason& r) {
  return say(
      "{:.0f} of {:.0f} regions (a step on a device) are {} (limits {}: communication alone, {}: copies alone, {}: "
      "idle, "
      "{}: idle before the launch).",
      r.number("regions"), r.number("of"), r.text("class"), limit(r, "communication_limit"), limit(r, "transfer_limit"),
      limit(r, "idle_limit"), limit(r, "host_limit"));
}

constexpr ReasonRow kRows[] = {
    {Kind::gpu_kernels, "gpu_kernels", kernels_text},
    {Kind::gpu_communication, "gpu_communication", communication_text},
    {Kind::gpu_copies, "gpu_copies", copies_text},
    {Kind::gpu_copies_alone, "gpu_copies_alone",
     [](const Reason& r) {
       return say("Copies run alone for {} (limit {} of copies and kernels together).", duration(r.number("alone_ns")),
                  limit(r));
     }},
    {Kind::gpu_calls, "gpu_calls",
     [](const Reason& r) {
       const double calls = r.number("calls_ns");
       return say("The calls that launch them take {}: {} of calls and kernels together (limit {}).", duration(calls),
                  percent(calls / (calls + r.number("time_ns"))), limit(r));
     }},
    {Kind::gpu_arithmetic, "gpu_arithmetic",
     [](const Reason& r) {
       const double part = r.number("flops_ratio");
       const std::string winograd =
           part > 0 && part < 1 ? say(" Its Winograd kernels compute 1/{:.3g} of its FLOPs.", 1 / part) : std::string();
       return say("Arithmetic would take {} at the data sheet's peak (specified): {} used.",
                  duration(r.number("roof_ns")), percent(r.number("roof_ns") / r.number("time_ns"))) +
              winograd;
     }},
    {Kind::gpu_level, "gpu_level", level_text},
    {Kind::gpu_level_unpublished, "gpu_level_unpublished",
     [](const Reason& r) {
       return say("{} cross. L2 is left out: its bandwidth is not published for this chip.", level_what(r));
     }},
    {Kind::gpu_fits_l2, "gpu_fits_l2",
     [](const Reason& r) {
       return say("The operands fit into L2: device memory would be used to {} at most.",
                  percent(r.number("roof_ns") / r.number("time_ns")));
     }},
    {Kind::gpu_waves, "gpu_waves", waves_text},
    {Kind::gpu_class_unknown, "gpu_class_unknown",
     [](const Reason& r) -> std::string {
       if (!(r.number("bandwidth") > 0))
         return say("Whether arithmetic or memory binds is unknown: no roofs of this device are known.");
       if (!(r.number("flops") > 0) || !(r.number("bytes") > 0)) {
         return say(
             "Whether arithmetic or memory binds is unknown: the shapes and constants that the capture holds do not "
             "give "
             "the op's FLOPs and bytes.");
       }
       if (r.number("winograd") > 0) {
         return say(
             "Whether arithmetic or memory binds is unknown: Winograd kernels compute a part of its FLOPs that their "
             "names do not tell.");
       }
       if (!(r.number("peak") > 0))
         return say("Whether arithmetic or memory binds is unknown: no peak of this device is known for its dtype.");
       return say(
           "Whether arithmetic or memory binds is unknown: the operands fit into L2, and may come from there or from "
           "memory.");
     }},
    {Kind::gpu_use, "gpu_use", use_text},
    {Kind::gpu_corners, "gpu_corners", corners_text},
    {Kind::gpu_overlap, "gpu_overlap", [](const Reason& r) { return r.text("words"); }},
    {Kind::gpu_regions, "gpu_regions", regions_text},
    {Kind::gpu_kernel_share, "gpu_kernel_share",
     [](const Reason& r) {
       return say("{} of the kernels' time is {}.", percent(r.number("time_ratio")), r.text("class"));
     }},
};

}  // namespace

std::span<const ReasonRow> gpu_reason_rows() { return kRows; }

}  // namespace profiler
