// SPDX-License-Identifier: Apache-2.0
// Reading a node's constants.
#include "engine/graph/op.h"

namespace engine {
namespace {

using Items = std::map<std::string, Attributes::Item, std::less<>>;

template <class T>
T get(const Items& items, std::string_view key, T fallback) {
  const auto found = items.find(key);
  if (found == items.end()) return fallback;
  const T* value = std::get_if<T>(&found->second);
  CHECK(value != nullptr);
  return *value;
}

}  // namespace

bool Attributes::has(std::string_view key) const { return items_.find(key) != items_.end(); }

int64_t Attributes::get_int(std::string_view key, int64_t fallback) const {
  return get<int64_t>(items_, key, fallback);
}

double Attributes::get_double(std::string_view key, double fallback) const {
  return get<double>(items_, key, fallback);
}

std::string Attributes::get_string(std::string_view key, std::string_view fallback) const {
  return get<std::string>(items_, key, std::string(fallback));
}

std::vector<int64_t> Attributes::get_ints(std::string_view key,
                                          std::vector<int64_t> fallback) const {
  return get<std::vector<int64_t>>(items_, key, std::move(fallback));
}

}  // namespace engine
