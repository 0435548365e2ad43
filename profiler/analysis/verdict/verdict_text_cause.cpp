// SPDX-License-Identifier: Apache-2.0
// Clauses of causes: why a limit binds.
#include "profiler/analysis/verdict/reason_rows.h"
#include "profiler/base/say.h"
#include "profiler/base/table.h"
#include "profiler/base/words.h"
#include "profiler/memory/gpu_sectors.h"

namespace profiler {
namespace {

using Kind = ReasonKind;

std::string capacity(double bytes) { return format_quantity(bytes, Quantity::capacity_bytes); }

std::string conflicts_text(const Reason& r) {
  return say(
      "conflict misses: in a fully associative {1}, {0} of the missing lines would hit "
      "(simulated). Strides of a power "
      "of two cause this: other row lengths or padding can help",
      part(r.number("conflict_ratio")), r.text("level"));
}

/// What an op's distinct bytes do to a cache of its threads: "because its footprint of 2 MiB exceeds the 48 KiB of L1".
std::string reuse_lost_text(const Reason& r) {
  const double footprint = r.number("footprint_bytes"), cache = r.number("cache_bytes");
  const std::string cross = say("reuse lost: {:.1f} times the compulsory bytes cross", r.number("times"));
  if (footprint > cache) {
    return say("{}, because its footprint (distinct bytes) of {} exceeds the {} of {}", cross, capacity(footprint),
               capacity(cache), r.text("level"));
  }
  return say("{}, though its footprint (distinct bytes) of {} is no larger than the {} of {}", cross,
             capacity(footprint), capacity(cache), r.text("level"));
}

std::string compulsory_text(const Reason& r) {
  if (is(r, "uncounted")) {
    return say("its compulsory bytes alone take that long: only fusion or a smaller dtype can help");
  }
  if (is(r, "weights")) return say("compulsory: mostly weights, so only a bigger batch or a smaller dtype can help");
  return say("compulsory: only fusion or a smaller dtype can help");
}

std::string line_fills_text(const Reason& r) {
  return say(
      "write-allocate: {} of the bytes are lines fetched only to be overwritten; {} would save "
      "them",
      part(r.number("fills_ratio")), is(r, "from_memory") ? say("non-temporal stores") : say("computing in place"));
}

std::string few_threads_text(const Reason& r) {
  return say("runs on {} of {}: shared among all, its roofs would allow up to {}", whole(r, "used_threads"),
             counted(static_cast<uint64_t>(whole(r, "run_threads")), "thread"),
             format_quantity(r.number("speedup_ratio"), Quantity::ratio));
}

std::string uncoalesced_text(const Reason& r) {
  return say(
      "uncoalesced: 32 neighbours of the result read {} in {} sectors of {} bytes where {} suffice "
      "(modelled from "
      "strides; limit {} times). Another layout can help",
      r.text("tensor"), whole(r, "sectors"), kSectorBytes, whole(r, "least_sectors"), text(r.limit("limit")));
}

std::string gpu_reuse_lost_text(const Reason& r) {
  if (is(r, "from_l2")) {
    return say(
        "reuse lost: {:.1f} times the compulsory bytes cross from L2 ({}): larger tiles in shared memory and registers "
        "can help",
        r.number("times"), say_marked(r.text("origin")));
  }
  const double operands = r.number("operands_bytes"), l2 = r.number("l2_bytes");
  return say("reuse lost: {:.1f} times the compulsory bytes cross from device memory ({}){}", r.number("times"),
             say_marked(r.text("origin")),
             operands > l2 ? say(", because the operands' {} exceed the {} of L2",
                                 format_quantity(operands, Quantity::bytes), capacity(l2))
                           : "");
}

constexpr ReasonRow kRows[] = {
    {Kind::cause_conflicts, "cause_conflicts", conflicts_text},
    {Kind::cause_reuse_lost, "cause_reuse_lost", reuse_lost_text},
    {Kind::cause_compulsory, "cause_compulsory", compulsory_text},
    {Kind::cause_transformed_weights, "cause_transformed_weights",
     [](const Reason& r) {
       const std::string moved = format_quantity(r.number("bytes"), Quantity::bytes);
       if (is(r, "each_step")) {
         return say(
             "mostly weights that each step transforms again for Winograd's filtering, {:.2g} times as large ({} in "
             "all): a bigger batch uses them for more images",
             r.number("times"), moved);
       }
       return say(
           "mostly weights transformed for Winograd's filtering, {:.2g} times as large ({}): a bigger batch reads them "
           "once for more images",
           r.number("times"), moved);
     }},
    {Kind::cause_line_fills, "cause_line_fills", line_fills_text},
    {Kind::cause_few_threads, "cause_few_threads", few_threads_text},
    {Kind::cause_little_work, "cause_little_work",
     [](const Reason&) -> std::string {
       return say("too little work per thread: a bigger batch, fusion or fewer threads can help");
     }},
    {Kind::cause_far_from_roof, "cause_far_from_roof",
     [](const Reason& r) {
       return say("the kernel uses {} of its nearest roof, {}", part(r.number("used_ratio")), r.text("roof"));
     }},
    {Kind::cause_transforms, "cause_transforms",
     [](const Reason& r) {
       return say(
           "no roof counts the transforms of Winograd's filtering; direct sums at their roof would take {} of this "
           "time",
           part(r.number("direct_ratio")));
     }},
    {Kind::cause_chain, "cause_chain",
     [](const Reason& r) -> std::string {
       return is(r, "nearest_cache") ? say("a chain of loads: several chains at once can help")
                                     : say("a chain of loads: several chains at once, or a working set that fits a "
                                           "nearer cache, can help");
     }},
    {Kind::cause_chain_of_multiply_adds, "cause_chain_of_multiply_adds",
     [](const Reason&) -> std::string {
       return say("a chain of multiply-adds: more independent chains in flight can help");
     }},
    {Kind::cause_scattered_access, "cause_scattered_access",
     [](const Reason&) -> std::string {
       return say("strided or random access: a layout in which the op walks memory in order can help");
     }},
    {Kind::cause_waits, "cause_waits", [](const Reason& r) { return r.text("words"); }},
    {Kind::cause_gpu_copies_alone, "cause_gpu_copies_alone",
     [](const Reason&) -> std::string {
       return say("copies that overlap nothing: copy the next input while this one is computed");
     }},
    {Kind::cause_gpu_communication, "cause_gpu_communication",
     [](const Reason& r) -> std::string {
       return is(r, "alone") ? say("communication that overlaps nothing: start it earlier beside other "
                                   "work, or send fewer bytes")
                             : say("communication, mostly beside work that computes");
     }},
    {Kind::cause_gpu_short_kernels, "cause_gpu_short_kernels",
     [](const Reason&) -> std::string {
       return say("kernels shorter than the calls that launch them: fusion, a CUDA graph or a bigger batch can help");
     }},
    {Kind::cause_gpu_few_blocks, "cause_gpu_few_blocks",
     [](const Reason&) -> std::string {
       return say("too few blocks for the multiprocessors: a bigger batch can help");
     }},
    {Kind::cause_gpu_uncoalesced, "cause_gpu_uncoalesced", uncoalesced_text},
    {Kind::cause_gpu_reuse_lost, "cause_gpu_reuse_lost", gpu_reuse_lost_text},
};

}  // namespace

std::span<const ReasonRow> cause_rows() { return kRows; }

}  // namespace profiler
