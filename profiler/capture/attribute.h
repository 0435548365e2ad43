// SPDX-License-Identifier: Apache-2.0
// Constants of an op as a file may claim them: of any kind, or none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/capture/capture.h"

namespace profiler {

/// An op's constant of one kind (int64_t, double, std::string, std::vector<int64_t>); nullptr: it has none, or one of
/// another kind. The getters of engine::Attributes abort then, so those are for graphs of our own alone.
template <class T>
const T* attribute(const Capture& capture, OpId op, std::string_view key) {
  const auto& items = capture.attributes(op).items();
  const auto found = items.find(key);
  return found == items.end() ? nullptr : std::get_if<T>(&found->second);
}

/// A whole number of an op; `otherwise` where it has none, or one of another kind.
inline int64_t whole_attribute(const Capture& capture, OpId op, std::string_view key, int64_t otherwise) {
  const auto* value = attribute<int64_t>(capture, op, key);
  return value == nullptr ? otherwise : *value;
}

}  // namespace profiler
