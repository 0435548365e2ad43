// SPDX-License-Identifier: Apache-2.0
// The catalog of reasons: what each kind is called, and the sentence that is made of its values.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profiler/analysis/verdict/verdict_reason.h"

namespace profiler {

struct ReasonRow {
  ReasonKind kind;
  std::string_view name;
  std::string (*text)(const Reason&);
};

std::span<const ReasonRow> reason_rows();      ///< of ops and steps of a processor (verdict_text_why.cpp)
std::span<const ReasonRow> gpu_reason_rows();  ///< verdict_text_gpu.cpp
std::span<const ReasonRow> cause_rows();       ///< verdict_text_cause.cpp

// What the sentences of all three files say alike.
inline bool is(const Reason& r, std::string_view key) { return r.number(key) > 0; }
inline int whole(const Reason& r, std::string_view key) { return static_cast<int>(r.number(key)); }
/// A part of a whole as a verdict says it: "93 %", "less than 1 %".
std::string part(double ratio);

}  // namespace profiler
