// SPDX-License-Identifier: Apache-2.0
// Sentences of the reasons of a GPU's ops and steps.
#include <fmt/format.h>

#include <cmath>

#include "profiler/analysis/verdict/reason_rows.h"
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
  return fmt::format("{} kernel{} of {} in a step ({} of {:.0f} steps).", count, count == "1" ? "" : "s",
                     duration(r.number("time_ns")), is(r, "median") ? "median" : "mean", r.number("samples"));
}

std::string communication_text(const Reason& r) {
  const double all = r.number("communication_ns"), time = r.number("time_ns");
  return fmt::format(
      "{} of them carry data between GPUs for {}, {} of that without computation beside it. Such "
      "kernels wait for "
      "other ranks and the network; no roof of this GPU bounds them.",
      all < time ? percent(all / time) : "All", duration(all), percent(r.number("alone_ratio")));
}

/// Rate of an op's copies, each by itself, against the fastest of their directions in the capture.
std::string copies_text(const Reason& r) {
  const double use = r.number("use_ratio");
  if (std::isnan(use)) return "The rate of the copies is unknown: their sizes are not recorded.";
  const char* why = use >= r.limit("limit").value ? "the link is full"
                    : is(r, "pageable")           ? "pageable memory or small copies hold them back"
                                                  : "small copies, or others beside them, hold them back";
  return fmt::format("Copies run at {} each, {} of the fastest of their direction in this capture (limit {}): {}.",
                     format_quantity(r.number("bytes_per_s"), Quantity::bytes_per_s), percent(use), limit(r), why);
}

std::string level_what(const Reason& r) {
  if (!r.has("bytes")) return "compulsory bytes";
  return fmt::format("{} {} between {} ({})", format_quantity(r.number("bytes"), Quantity::bytes),
                     is(r, "counted") ? "that the GPU counted" : "of the sector model",
                     is(r, "memory") ? "L2 and its memory" : "L2 and the multiprocessors", r.text("origin"));
}

std::string level_text(const Reason& r) {
  return fmt::format("The {} would take {} at the data sheet's bandwidth (specified): {} used.", level_what(r),
                     duration(r.number("roof_ns")), percent(r.number("roof_ns") / r.number("time_ns")));
}

std::string waves_text(const Reason& r) {
  const double waves = r.number("waves");
  const bool few = waves < r.limit("limit").value;
  return fmt::format("Its longest kernel fills {:.2g} waves of blocks{}.", waves,
                     few ? fmt::format(": a grid too small for this device (limit {})", limit(r)) : "");
}

/// What the use of the busiest roof means.
std::string use_text(const Reason& r) {
  const double used = r.number("used_ratio");
  const char* means = used >= r.limit("saturated_limit").value ? "it is full"
                      : used >= r.limit("busy_limit").value    ? "mostly that, with some waiting"
                                                               : "the device waits";
  return fmt::format("Its busiest roof is used to {} (limits: {} saturated, {} busy): {}.", percent(used),
                     limit(r, "saturated_limit"), limit(r, "busy_limit"), means);
}

std::string corners_text(const Reason& r) {
  const auto corners = static_cast<int>(r.number("corners")), agreeing = static_cast<int>(r.number("agreeing"));
  if (is(r, "firm")) return fmt::format("Firm: the same answer in all {} corners of the error bands.", corners);
  if (is(r, "weak_roofs")) {
    return fmt::format(
        "The same answer in all {} corners of the error bands, but the roofs have low confidence: "
        "likely, not firm.",
        corners);
  }
  return fmt::format("Likely: the same answer in {} of {} corners of the error bands{}{}.", agreeing, corners,
                     r.has("runner_up") ? "; else " + r.text("runner_up") : "",
                     is(r, "specified_roofs") ? "; roofs are the data sheet's, not measured" : "");
}

std::string regions_text(const Reason& r) {
  return fmt::format(
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
       return fmt::format("Copies run alone for {} (limit {} of copies and kernels together).",
                          duration(r.number("alone_ns")), limit(r));
     }},
    {Kind::gpu_calls, "gpu_calls",
     [](const Reason& r) {
       const double calls = r.number("calls_ns");
       return fmt::format("The calls that launch them take {}: {} of calls and kernels together (limit {}).",
                          duration(calls), percent(calls / (calls + r.number("time_ns"))), limit(r));
     }},
    {Kind::gpu_arithmetic, "gpu_arithmetic",
     [](const Reason& r) {
       return fmt::format("Arithmetic would take {} at the data sheet's peak (specified): {} used.",
                          duration(r.number("roof_ns")), percent(r.number("roof_ns") / r.number("time_ns")));
     }},
    {Kind::gpu_level, "gpu_level", level_text},
    {Kind::gpu_level_unpublished, "gpu_level_unpublished",
     [](const Reason& r) {
       return fmt::format("{} cross. L2 is left out: its bandwidth is not published for this chip.", level_what(r));
     }},
    {Kind::gpu_fits_l2, "gpu_fits_l2",
     [](const Reason& r) {
       return fmt::format("The operands fit into L2: device memory would be used to {} at most.",
                          percent(r.number("roof_ns") / r.number("time_ns")));
     }},
    {Kind::gpu_waves, "gpu_waves", waves_text},
    {Kind::gpu_class_unknown, "gpu_class_unknown",
     [](const Reason&) -> std::string {
       return "Whether arithmetic or memory binds is unknown: the capture lacks this device's peaks, or the operands "
              "fit "
              "into its L2.";
     }},
    {Kind::gpu_use, "gpu_use", use_text},
    {Kind::gpu_corners, "gpu_corners", corners_text},
    {Kind::gpu_overlap, "gpu_overlap", [](const Reason& r) { return r.text("words"); }},
    {Kind::gpu_regions, "gpu_regions", regions_text},
    {Kind::gpu_kernel_share, "gpu_kernel_share",
     [](const Reason& r) {
       return fmt::format("{} of the kernels' time is {}.", percent(r.number("time_ratio")), r.text("class"));
     }},
};

}  // namespace

std::span<const ReasonRow> gpu_reason_rows() { return kRows; }

}  // namespace profiler
