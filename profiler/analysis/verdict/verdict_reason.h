// SPDX-License-Identifier: Apache-2.0
// Reason: one step of a verdict's reasoning as data, its kind and its values. verdict_text.h makes a sentence of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/analysis/base/verdict_rules.h"

namespace profiler {

/// What a reason says. Sentence and name of each: a row in verdict_text_*.cpp.
enum class ReasonKind : uint8_t {
  // there is no class
  view,
  no_work,
  untimed_op,
  untimed_step,
  emulated,
  no_limits,
  // what was measured, and what the roofs demand
  time,
  scattered_times,
  few_threads,
  arithmetic,
  filtering,
  level,
  roofs_beside,
  above_roof,
  roofs,
  // what decided
  timer_noise,
  starting_threads,
  contradicts_arithmetic,
  contradicts_level,
  arithmetic_longer,
  data_longer,
  nearly_balanced,
  chain_of_loads,
  chain_of_multiply_adds,
  unforeseen_misses,
  scattered_access,
  beyond_roofs,
  // around it
  misses,
  refuted_start,
  unmeasured_level,
  other_amounts,
  corners,
  without_limit,
  stayed_in_cache,
  // what casts doubt
  launches_delayed,
  weak_roofs,
  // the processor's counters
  issue_slots,
  stalled_cycles,
  counters_agree,
  before_counters,
  // waiting
  waiting_time,
  waits,
  // on a GPU
  gpu_kernels,
  gpu_communication,
  gpu_copies,
  gpu_copies_alone,
  gpu_calls,
  gpu_arithmetic,
  gpu_level,
  gpu_level_unpublished,
  gpu_fits_l2,
  gpu_waves,
  gpu_class_unknown,
  gpu_use,
  gpu_corners,
  gpu_overlap,
  gpu_regions,
  gpu_kernel_share,
  // causes: why the limit binds
  cause_conflicts,
  cause_reuse_lost,
  cause_compulsory,
  cause_transformed_weights,
  cause_line_fills,
  cause_few_threads,
  cause_little_work,
  cause_far_from_roof,
  cause_transforms,
  cause_chain,
  cause_chain_of_multiply_adds,
  cause_scattered_access,
  cause_waits,
  cause_gpu_copies_alone,
  cause_gpu_communication,
  cause_gpu_short_kernels,
  cause_gpu_few_blocks,
  cause_gpu_uncoalesced,
  cause_gpu_reuse_lost,
};
inline constexpr size_t kReasonKindCount = static_cast<size_t>(ReasonKind::cause_gpu_reuse_lost) + 1;
std::string_view name(ReasonKind);  ///< "few_threads"

/// A value of a reason. `key` is a literal, with its unit: "time_ns".
struct ReasonValue {
  std::string_view key;
  std::variant<double, std::string, Threshold> value;
  template <class N>
  requires std::is_arithmetic_v<N> ReasonValue(std::string_view k, N number)
      : key(k), value(static_cast<double>(number)) {}
  ReasonValue(std::string_view k, std::string text) : key(k), value(std::move(text)) {}
  ReasonValue(std::string_view k, std::string_view text) : key(k), value(std::string(text)) {}
  ReasonValue(std::string_view k, const char* text) : key(k), value(std::string(text)) {}
  ReasonValue(std::string_view k, Threshold limit) : key(k), value(limit) {}
};

struct Reason {
  ReasonKind kind = ReasonKind::view;
  std::vector<ReasonValue> values = {};  ///< a key may stand there several times: what it says of each level

  bool has(std::string_view key) const;
  double number(std::string_view key) const;            ///< the first of that key; NaN: it has none
  const std::string& text(std::string_view key) const;  ///< empty: it has none
  Threshold limit(std::string_view key) const;          ///< NaN: it has none
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  void set(std::string_view key, double number);  ///< in place of what it has
};

/// The first reason of a kind; null: there is none.
const Reason* find(const std::vector<Reason>&, ReasonKind);

}  // namespace profiler
