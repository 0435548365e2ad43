// SPDX-License-Identifier: Apache-2.0
// Reading a node's constants, and what an op says of those it takes.
#include "engine/graph/op.h"

#include <algorithm>

#include "engine/base/check.h"

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

template <class T, class Fallback>
AttributeSpec spec_of(std::string_view key, AttributeKind kind, const std::optional<Fallback>& fallback) {
  AttributeSpec spec{.key = key, .kind = kind};
  if (fallback) spec.fallback = Attributes::Item(std::in_place_type<T>, *fallback);
  return spec;
}

double number_of(const AttributeSpec& spec, const Attributes::Item& item) {
  CHECK(item.index() == static_cast<size_t>(spec.kind));
  if (spec.kind == AttributeKind::whole) return static_cast<double>(std::get<int64_t>(item));
  return spec.kind == AttributeKind::real ? std::get<double>(item) : item == spec.fallback ? 0 : 1;
}

}  // namespace

AttributeSpec AttributeSpec::whole(std::string_view key, std::optional<int64_t> fallback) {
  return spec_of<int64_t>(key, AttributeKind::whole, fallback);
}

AttributeSpec AttributeSpec::real(std::string_view key, std::optional<double> fallback) {
  return spec_of<double>(key, AttributeKind::real, fallback);
}

AttributeSpec AttributeSpec::word(std::string_view key, std::optional<std::string_view> fallback) {
  return spec_of<std::string>(key, AttributeKind::text, fallback);
}

AttributeSpec AttributeSpec::list(std::string_view key) { return {.key = key, .kind = AttributeKind::list}; }

AttributeSpec AttributeSpec::list(std::string_view key, std::vector<int64_t> fallback) {
  return {.key = key, .kind = AttributeKind::list, .fallback = std::move(fallback)};
}

std::vector<AttributeSpec> joined_attributes(std::vector<AttributeSpec> specs, const std::vector<AttributeSpec>& more) {
  specs.insert(specs.end(), more.begin(), more.end());
  return specs;
}

FusionPart fusion_part(const Op& op) {
  if (op.view != nullptr) return FusionPart::view;
  if (op.program != nullptr) return FusionPart::elementwise;
  if (std::ranges::any_of(op.in_place, [](int k) { return k >= 0; })) return FusionPart::update;
  return op.fusion == FusionPart::none && op.matrix_product ? FusionPart::library_call : op.fusion;
}

std::vector<double> attribute_numbers(const Op& op, const Attributes& attributes) {
  std::vector<double> numbers;
  for (const AttributeSpec& spec : op.attributes) {
    if (spec.kind == AttributeKind::list || spec.per_axis) continue;
    const auto found = attributes.items().find(spec.key);
    CHECK(found != attributes.items().end() || spec.fallback.has_value());
    numbers.push_back(number_of(spec, found != attributes.items().end() ? found->second : *spec.fallback));
  }
  return numbers;
}

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

std::vector<int64_t> Attributes::get_ints(std::string_view key, std::vector<int64_t> fallback) const {
  return get<std::vector<int64_t>>(items_, key, std::move(fallback));
}

}  // namespace engine
