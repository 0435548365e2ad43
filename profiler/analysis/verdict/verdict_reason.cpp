// SPDX-License-Identifier: Apache-2.0
// Values of a reason, by key.
#include "profiler/analysis/verdict/verdict_reason.h"

#include <algorithm>

#include "profiler/base/unknown.h"

namespace profiler {
namespace {

/// The first value of that key and type; null: there is none.
template <class T>
const T* first(const std::vector<ReasonValue>& values, std::string_view key) {
  for (const ReasonValue& v : values) {
    if (const T* value = std::get_if<T>(&v.value); v.key == key && value != nullptr) return value;
  }
  return nullptr;
}

template <class T>
std::vector<T> all(const std::vector<ReasonValue>& values, std::string_view key) {
  std::vector<T> found;
  for (const ReasonValue& v : values) {
    if (const T* value = std::get_if<T>(&v.value); v.key == key && value != nullptr) found.push_back(*value);
  }
  return found;
}

}  // namespace

bool Reason::has(std::string_view key) const {
  return std::ranges::find(values, key, &ReasonValue::key) != values.end();
}

double Reason::number(std::string_view key) const {
  const double* value = first<double>(values, key);
  return value == nullptr ? kUnknown : *value;
}

const std::string& Reason::text(std::string_view key) const {
  static const std::string none;
  const std::string* value = first<std::string>(values, key);
  return value == nullptr ? none : *value;
}

Threshold Reason::limit(std::string_view key) const {
  const Threshold* value = first<Threshold>(values, key);
  return value == nullptr ? Threshold{kUnknown, kUnknown} : *value;
}

std::vector<double> Reason::numbers(std::string_view key) const { return all<double>(values, key); }
std::vector<std::string> Reason::texts(std::string_view key) const { return all<std::string>(values, key); }

void Reason::set(std::string_view key, double number) {
  std::erase_if(values, [&](const ReasonValue& v) { return v.key == key; });
  values.emplace_back(key, number);
}

const Reason* find(const std::vector<Reason>& reasons, ReasonKind kind) {
  const auto found = std::ranges::find(reasons, kind, &Reason::kind);
  return found == reasons.end() ? nullptr : &*found;
}

}  // namespace profiler
