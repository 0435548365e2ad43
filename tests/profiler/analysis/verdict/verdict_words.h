// SPDX-License-Identifier: Apache-2.0
// What tests ask of a verdict: one of its reasons or causes, with its values; and all of it in words, for messages.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "profiler/analysis/verdict/verdict_text.h"

namespace profiler {

inline std::string all(const Verdict& v) {
  std::string text = headline(v) + "; " + cause_text(v);
  for (const std::string& sentence : verdict_text(v)) text += "\n  " + sentence;
  return text;
}

inline bool says(const Verdict& v, ReasonKind kind) { return find(v.reasons, kind) != nullptr; }
inline bool is_caused(const Verdict& v, ReasonKind kind) { return find(v.causes, kind) != nullptr; }

/// The first reason or cause of that kind; a failure, and one without values, where there is none.
inline Reason reason(const Verdict& v, ReasonKind kind) {
  const Reason* found = find(v.reasons, kind);
  if (found == nullptr) found = find(v.causes, kind);
  EXPECT_NE(found, nullptr) << name(kind) << " is not said of: " << all(v);
  return found == nullptr ? Reason{kind} : *found;
}

/// Of several reasons of one kind that which speaks of `level`.
inline Reason reason_of_level(const Verdict& v, ReasonKind kind, std::string_view level) {
  for (const Reason& r : v.reasons) {
    if (r.kind == kind && r.text("level") == level) return r;
  }
  ADD_FAILURE() << name(kind) << " is not said of " << level << " in: " << all(v);
  return {kind};
}

}  // namespace profiler
