// SPDX-License-Identifier: Apache-2.0
// Sentences of the reasons of ops and steps: a function or a line per kind.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "profiler/analysis/verdict/reason_rows.h"
#include "profiler/base/say.h"
#include "profiler/base/statistics.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/capture/noise.h"
#include "profiler/machine/roofs_trust.h"

namespace profiler {
namespace {

using Kind = ReasonKind;

std::string duration(double ns) { return format_quantity(ns, Quantity::duration_ns); }
std::string bytes(double value) { return format_quantity(value, Quantity::bytes); }
std::string bandwidth(double bytes_per_s) { return format_quantity(bytes_per_s, Quantity::bytes_per_s); }
std::string rounded_percent(double ratio) { return fmt::format("{:.0f} %", 100 * ratio); }

std::string threads_text(int threads) { return counted(static_cast<uint64_t>(threads), "thread"); }
std::string threads_text(const Reason& r) { return threads_text(whole(r, "threads")); }
std::string limit(const Reason& r, std::string_view key = "limit") { return text(r.limit(key)); }

std::string time_text(const Reason& r) {
  const double ns = r.number("time_ns");
  const int samples = whole(r, "samples");
  if (samples == 1) return say("Takes {} (one step measured).", duration(ns));
  return say("Takes {} (median of {} steps; {} {} to {}).", duration(ns), samples,
             samples < kSamplesOfAnInterval ? say("all within") : say("95 % interval"), duration(r.number("low_ns")),
             duration(r.number("high_ns")));
}

/// "93 % of the measured"; of a roof that something went above, that it bounds nothing.
std::string of_measured(double ratio) {
  if (above_roof(ratio)) return say("above the roof, which is no bound here: the measured");
  return part(ratio) + say(" of the measured");
}

/// Where an op runs on fewer threads than the run has: on how many, and whose roofs it is held against.
std::string few_threads_text(const Reason& r) {
  const int used = whole(r, "used_threads"), roofs = whole(r, "roof_threads");
  const std::string where = say("Runs on {} of the run's {}", used, threads_text(whole(r, "run_threads")));
  if (roofs == used) return where + say(", and is compared with the roofs of that number.");
  return say("{}, but is compared with the roofs of {}. Measure the roofs of {}, then record again.", where, roofs,
             threads_text(used));
}

std::string arithmetic_text(const Reason& r) {
  const double ns = r.number("time_ns");
  return say("Computes {} in {} = {}, {} {} ({}, {}).", format_quantity(r.number("flops"), Quantity::flops),
             duration(ns), format_quantity(r.number("flops") / ns * 1e9, Quantity::flop_per_s),
             of_measured(r.number("roof_ns") / ns), format_quantity(r.number("peak_flop_per_s"), Quantity::flop_per_s),
             r.has("dtype") ? r.text("dtype") : say("peaks of the ops' dtypes"), threads_text(r));
}

std::string level_text(const Reason& r) {
  const double ns = r.number("time_ns"), moved = r.number("bytes");
  return say("Moves {} from {} ({}, ± {}) in {} = {}, {} {} ({}, {} writes).", bytes(moved), r.text("level"),
             say_marked(r.text("origin")), part(r.number("band_ratio")), duration(ns), bandwidth(moved / ns * 1e9),
             of_measured(r.number("roof_ns") / ns), bandwidth(r.number("roof_bytes_per_s")), threads_text(r),
             part(r.number("written_ratio")));
}

/// A use above 100 % that the error band allows: said, because it bounds the bytes from above.
std::string above_roof_text(const Reason& r) {
  return say("That is more than {} can deliver: the true bytes are at most {}, within the error band of the {} {}.",
             r.text("level"), bytes(r.number("most_bytes")), say_marked(r.text("origin")), bytes(r.number("bytes")));
}

std::string roofs_text(const Reason& r) {
  const std::vector<std::string> levels = r.texts("part_level");
  const std::vector<double> ns = r.numbers("part_ns");
  std::vector<std::string> parts;
  for (size_t i = 0; i < levels.size(); ++i) parts.push_back(say("{} for {}", duration(ns[i]), levels[i]));
  std::string text =
      say("At the roofs it would take {} (arithmetic {}, data {}{}); it takes {} that.", duration(r.number("roofs_ns")),
          duration(r.number("arithmetic_ns")), duration(r.number("data_ns")),
          parts.empty() ? "" : fmt::format(" = {}", fmt::join(parts, " + ")),
          format_quantity(r.number("time_ns") / r.number("roofs_ns"), Quantity::ratio));
  if (parts.empty()) return text;
  text +=
      say(" Times of levels add up (ECM model): transfers between the caches of a core do not overlap. "
          "Each level adds "
          "what it takes beyond the next nearer one. Shares of single roofs are of one level alone.");
  if (is(r, "overlapped")) {
    text +=
        say(" It is faster than that sum: transfers overlapped, or fewer bytes moved. Within the error "
            "bands no single "
            "roof demands more than the time, so the figures agree.");
  }
  return text;
}

std::string starting_threads_text(const Reason& r) {
  return say("Starting and joining {} costs {} ({} of the time; limit {}): {} too small to be split.", threads_text(r),
             duration(r.number("start_ns")), part(r.number("start_ns") / r.number("time_ns")), limit(r),
             is(r, "whole_step") ? say("its ops are") : say("the op is"));
}

/// "waiting for L3 and nearer levels takes about 3 ms (80 % of the time, limit 50 %)"; time that was fitted is no
/// evidence, and says so.
std::string waiting_text(const Reason& r, std::string_view what) {
  const double waited = r.number("waiting_ns");
  if (r.has("unlimited_ns")) {
    return say(
        "{} {} and nearer levels, limited to the measured time, takes about {} (all of the misses would take {})", what,
        r.text("level"), duration(waited), duration(r.number("unlimited_ns")));
  }
  return say("{} {} and nearer levels takes about {} ({} of the time, limit {})", what, r.text("level"),
             duration(waited), part(waited / r.number("time_ns")), limit(r));
}

std::string chain_text(const Reason& r) {
  const double loads = r.number("loads");
  return say(
      "Each load names the address of the next, so one is under way at a time: {} loads take {} "
      "each, and {}.",
      format_quantity(loads, Quantity::count), duration(r.number("time_ns") / loads),
      waiting_text(r, say("waiting for")));
}

std::string data_longer_text(const Reason& r) {
  return say(
      "Moving data takes longer than arithmetic. {} is the slowest level, and the time is within "
      "{} times that "
      "(limit). A level that all threads share decides alone from {} of its bandwidth on.",
      r.text("level"), limit(r), limit(r, "saturated_limit"));
}

std::string contradicts_level_text(const Reason& r) {
  return say(
      "There is no verdict: the {2} bytes or the roof are wrong here. Even with bytes at the low "
      "edge of their error "
      "band the roof of {0} demands {1} (limit {3} of that).",
      r.text("level"), duration(r.number("demanded_ns")), say_marked(r.text("origin")), limit(r));
}

std::string beyond_roofs_text(const Reason& r) {
  const bool several = whole(r, "threads") > 1;
  return say(
      "That is more than {} times the time at the roofs. Cache misses do not explain it; "
      "instructions, branches{} TLB "
      "misses{} do.",
      limit(r), several ? std::string(",") : say(" or"), several ? say(" or idle threads") : "");
}

std::string misses_text(const Reason& r) {
  return say("Misses in {} by cause (simulated): {} compulsory, {} capacity, {} conflict (limit {}).", r.text("level"),
             part(r.number("compulsory_ratio")), part(r.number("capacity_ratio")), part(r.number("conflict_ratio")),
             limit(r));
}

/// "41.9 MB from DRAM, 50 MB from L3"
std::string amounts(const std::vector<double>& amounts, const std::vector<std::string>& levels) {
  std::vector<std::string> all;
  for (size_t i = 0; i < levels.size(); ++i) all.push_back(say("{} from {}", bytes(amounts[i]), levels[i]));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string other_amounts_text(const Reason& r) {
  const std::string more = amounts(r.numbers("most_bytes"), r.texts("most_level"));
  const std::string less = amounts(r.numbers("least_bytes"), r.texts("least_level"));
  std::string text;
  if (!more.empty()) text = say("More may move than that, as much as ") + more;
  if (!less.empty())
    text += say("{}, as little as {}", text.empty() ? say("Less may move than that") : say("; or less"), less);
  return text + say(": the working set is about the size of a cache, or bytes are a lower bound. The corners "
                    "include that.");
}

/// " (of DRAM from 50.2 GB/s to 104 GB/s)": roofs with room beyond the usual band.
std::string room_text(const Reason& r) {
  const std::vector<std::string> levels = r.texts("room_level");
  const std::vector<double> low = r.numbers("room_low_bytes_per_s"), high = r.numbers("room_high_bytes_per_s");
  std::string text;
  for (size_t i = 0; i < levels.size(); ++i) {
    text += say(" (of {} from {} to {})", levels[i], bandwidth(low[i]), bandwidth(high[i]));
  }
  return text;
}

std::string corners_text(const Reason& r) {
  const int corners = whole(r, "corners");
  const std::string time =
      r.has("time_band_ratio") ? say("time ± ") + part(r.number("time_band_ratio")) : say("the time of the one step");
  const std::string load =
      r.has("load_ratio") ? say(", and a time shorter by the background load ({})", part(r.number("load_ratio"))) : "";
  const std::string pushed = say("bytes ± {} at most, roofs{} ± {}, {}{}", part(r.number("bytes_band_ratio")),
                                 room_text(r), part(r.number("roof_band_ratio")), time, load);
  if (is(r, "firm")) return say("Firm: the same answer in all {} corners of {}.", corners, pushed);
  if (is(r, "weak_roofs")) {
    return say(
        "The same answer in all {} corners of {}, but the roofs have low confidence: likely, not "
        "firm.",
        corners, pushed);
  }
  std::string text = say("Likely: the same answer in {} of {} corners of {}", whole(r, "agreeing"), corners, pushed);
  if (is(r, "fitted_waiting")) text += say(", but the waiting was fitted to the time that it explains");
  if (is(r, "unseen_misses")) {
    text +=
        say("; modelled bytes ignore the order in which an op walks its operands. Record with simulated caches, which "
            "count the misses that no prefetcher covers");
  }
  return text + (r.has("runner_up") ? say("; else {}.", r.text("runner_up")) : ".");
}

std::string without_limit_text(const Reason& r) {
  const std::string ratio = format_quantity(r.number("speedup_ratio"), Quantity::ratio);
  if (!(r.number("speedup_ratio") > 1) || ratio == format_quantity(1, Quantity::ratio)) {
    return say("Without this limit ({}) nothing is saved: the next one is as near.", r.text("of"));
  }
  return say("Without this limit ({}) the {} could be at most {} as fast.", r.text("of"),
             is(r, "whole_step") ? say("step") : say("op"), ratio);
}

std::string issue_slots_text(const Reason& r) {
  const auto part = [&](std::string_view key) { return rounded_percent(r.number(key)); };
  return say(
      "Issue slots (measured, top-down): {} retiring, {} front-end bound, {} bad speculation, {} "
      "memory bound, {} core "
      "bound.",
      part("retiring_ratio"), part("frontend_ratio"), part("bad_speculation_ratio"), part("memory_ratio"),
      part("core_ratio"));
}

std::string stalled_text(const Reason& r) {
  const bool stores = is(r, "stores"), memory = r.has("latency");
  return say("{} of the cycles stall for {} (limit {}){}.", rounded_percent(r.number("stalled_ratio")),
             memory   ? say("data from memory")
             : stores ? say("stores")
                      : say("data from ") + r.text("level"),
             limit(r),
             !memory            ? ""
             : is(r, "latency") ? say(", with few reads under way: its latency")
                                : say(", with many reads under way: its bandwidth"));
}

std::string filtering_text(const Reason& r) {
  const int tile = whole(r, "tile");
  const double direct = r.number("direct_roof_ns"), time = r.number("time_ns");
  return say(
      "Those are the FLOPs of Winograd's F({0}x{0}, 3x3). Direct sums compute {1} and would take {2} at the same roof, "
      "{3} of this time. Transforming tiles is in no roof.",
      tile, format_quantity(r.number("direct_flops"), Quantity::flops), duration(direct), part(direct / time));
}

constexpr ReasonRow kRows[] = {
    {Kind::view, "view",
     [](const Reason&) -> std::string {
       return say("A view shares the bytes of its input; it runs and moves nothing.");
     }},
    {Kind::no_work, "no_work",
     [](const Reason&) -> std::string { return say("It computes nothing and moves no bytes: no roof limits it."); }},
    {Kind::untimed_op, "untimed_op",
     [](const Reason&) -> std::string { return say("No time was recorded for this op in a step that counts."); }},
    {Kind::untimed_step, "untimed_step", [](const Reason&) -> std::string { return say("No step was timed."); }},
    {Kind::emulated, "emulated",
     [](const Reason&) -> std::string {
       return say("Unknown: the GPU was emulated, and times of an emulation are not those of a GPU.");
     }},
    {Kind::no_limits, "no_limits", [](const Reason& r) { return say("Unknown: {}.", r.text("because")); }},
    {Kind::time, "time", time_text},
    {Kind::scattered_times, "scattered_times",
     [](const Reason& r) {
       return say("These times scatter: their lower quartile, {}, is judged, which background load changes least.",
                  duration(r.number("time_ns")));
     }},
    {Kind::few_threads, "few_threads", few_threads_text},
    {Kind::arithmetic, "arithmetic", arithmetic_text},
    {Kind::level, "level", level_text},
    {Kind::filtering, "filtering", filtering_text},
    {Kind::roofs_beside, "roofs_beside", [](const Reason&) { return say("The roofs have low confidence."); }},
    {Kind::above_roof, "above_roof", above_roof_text},
    {Kind::roofs, "roofs", roofs_text},
    {Kind::timer_noise, "timer_noise",
     [](const Reason& r) {
       return say("A time stamp costs {}: a duration below {} of them is noise.", duration(r.number("timer_ns")),
                  limit(r));
     }},
    {Kind::starting_threads, "starting_threads", starting_threads_text},
    {Kind::contradicts_arithmetic, "contradicts_arithmetic",
     [](const Reason& r) {
       return say(
           "There is no verdict: at the arithmetic roof it would take {} (limit {} of that). That "
           "roof or the count of "
           "FLOPs is wrong here.",
           duration(r.number("demanded_ns")), limit(r));
     }},
    {Kind::contradicts_level, "contradicts_level", contradicts_level_text},
    {Kind::arithmetic_longer, "arithmetic_longer",
     [](const Reason& r) {
       return say("Arithmetic takes longer than moving the data, and the time is within {} times that (limit).",
                  limit(r));
     }},
    {Kind::data_longer, "data_longer", data_longer_text},
    {Kind::nearly_balanced, "nearly_balanced",
     [](const Reason& r) {
       return say("Arithmetic and data differ by less than {} of the longer (limit).", limit(r));
     }},
    {Kind::chain_of_loads, "chain_of_loads", chain_text},
    {Kind::chain_of_multiply_adds, "chain_of_multiply_adds",
     [](const Reason& r) {
       return say("Multiply-adds wait for one another: {} each as probed, {} of {} in all, at least {} of it (limit).",
                  duration(r.number("each_ns")), duration(r.number("chain_ns")), duration(r.number("time_ns")),
                  limit(r));
     }},
    {Kind::unforeseen_misses, "unforeseen_misses",
     [](const Reason& r) { return waiting_text(r, say("Latency of misses that no prefetcher covers, at")) + "."; }},
    {Kind::scattered_access, "scattered_access",
     [](const Reason& r) {
       return say("Strided or random access defeats the prefetchers: {}; {:.0f} misses are under way per core.",
                  waiting_text(r, say("waiting for")), r.number("parallel_misses"));
     }},
    {Kind::beyond_roofs, "beyond_roofs", beyond_roofs_text},
    {Kind::misses, "misses", misses_text},
    {Kind::refuted_start, "refuted_start",
     [](const Reason& r) {
       return say(
           "Starting and joining {} took {} in the probe, longer than this op: its cost here is "
           "unknown.",
           threads_text(r), duration(r.number("start_ns")));
     }},
    {Kind::unmeasured_level, "unmeasured_level",
     [](const Reason& r) {
       return say("The probe has no {0} bandwidth: {0} is left out, and the verdict cannot be firm.", r.text("level"));
     }},
    {Kind::other_amounts, "other_amounts", other_amounts_text},
    {Kind::corners, "corners", corners_text},
    {Kind::without_limit, "without_limit", without_limit_text},
    {Kind::stayed_in_cache, "stayed_in_cache",
     [](const Reason&) -> std::string {
       return say(
           "This is faster than farther levels could deliver the modelled bytes. Bytes whose "
           "reuse distance is "
           "about a cache's size stayed in it and are left out.");
     }},
    {Kind::launches_delayed, "launches_delayed",
     [](const Reason& r) {
       return background_load_words(r.number("load_ratio")) + say(" It may have delayed the launches.");
     }},
    {Kind::weak_roofs, "weak_roofs", [](const Reason& r) { return r.text("words"); }},
    {Kind::issue_slots, "issue_slots", issue_slots_text},
    {Kind::stalled_cycles, "stalled_cycles", stalled_text},
    {Kind::counters_agree, "counters_agree",
     [](const Reason&) -> std::string { return say("The counters agree with the class that bytes and times gave."); }},
    {Kind::before_counters, "before_counters",
     [](const Reason& r) { return say("By bytes and times alone it would be: {}.", r.text("class")); }},
    {Kind::waiting_time, "waiting_time",
     [](const Reason& r) {
       return say("It waits for {} of {} (measured; limit {}).", duration(r.number("waited_ns")),
                  duration(r.number("time_ns")), limit(r));
     }},
    {Kind::waits, "waits", [](const Reason& r) { return r.text("words"); }},
};

}  // namespace

std::span<const ReasonRow> reason_rows() { return kRows; }

}  // namespace profiler
