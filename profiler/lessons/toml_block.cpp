// SPDX-License-Identifier: Apache-2.0
// Keys of a block by toml++, which knows the line of each.
#include "profiler/lessons/toml_block.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/display_text.h"
#include "engine/base/nearest_name.h"

// Some of what a damaged text breaks toml++ only asserts, and in a release build it takes it for granted ("[?" as the
// head of a table). Here a broken assertion ends the parsing, as an error does.
namespace profiler {
struct BrokenToml {};
[[noreturn]] static void broken_toml() { throw BrokenToml(); }
}  // namespace profiler
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ASSERT(expr) (static_cast<bool>(expr) ? static_cast<void>(0) : profiler::broken_toml())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace profiler {

struct TomlBlock::State {
  std::string kind;
  Fault fault;
  int line = 1;  ///< of the file, of the first line of the text
  toml::table table;
  bool parsed = false;
  std::set<std::string> asked;

  int line_of(const toml::node& node) const { return line + static_cast<int>(node.source().begin.line) - 1; }
  const toml::node* find(const char* key) {
    asked.insert(key);
    return table.get(key);
  }
  const toml::node* need(const char* key, bool required) {
    const toml::node* node = find(key);
    if (node == nullptr && required && parsed) fault(line, fmt::format("{} {} is missing", kind, key));
    return node;
  }
  void wrong(const char* key, const toml::node& node, const std::string& what) {
    fault(line_of(node), fmt::format("{} {}: {}", kind, key, what));
  }
};

TomlBlock::TomlBlock(std::string_view text, int line, std::string kind, Fault fault)
    : state_(std::make_unique<State>()) {
  state_->kind = std::move(kind);
  state_->fault = std::move(fault);
  state_->line = line;
  const auto no_toml = [&](int at, std::string_view why) {
    state_->fault(at, fmt::format("{} is no TOML: {}", state_->kind, why));
  };
  try {
    state_->table = toml::parse(text);
    state_->parsed = true;
  } catch (const toml::parse_error& error) {
    no_toml(line + std::max(0, static_cast<int>(error.source().begin.line) - 1),
            engine::display_line(error.description(), 200));
  } catch (const BrokenToml&) {
    no_toml(line, "a key or a value does not begin as one");
  }
}
TomlBlock::~TomlBlock() = default;

bool TomlBlock::parsed() const { return state_->parsed; }
bool TomlBlock::has(const char* key) const { return state_->table.contains(key); }

std::string TomlBlock::text(const char* key, bool required, size_t most_bytes) {
  const toml::node* node = state_->need(key, required);
  if (node == nullptr) return {};
  const auto value = node->value_exact<std::string>();
  if (!value) {
    state_->wrong(key, *node, "expected text in quotes");
  } else if (value->size() > most_bytes) {
    state_->wrong(key, *node, fmt::format("has {} bytes; at most {} are allowed", value->size(), most_bytes));
  } else if (required && value->empty()) {
    state_->wrong(key, *node, "is empty");
  } else {
    return *value;
  }
  return {};
}

std::string TomlBlock::word(const char* key, const std::vector<std::string>& choices, const char* usual) {
  const toml::node* node = state_->need(key, usual == nullptr);
  if (node == nullptr) return usual != nullptr ? usual : "";
  const auto value = node->value_exact<std::string>();
  if (value && std::ranges::find(choices, *value) != choices.end()) return *value;
  const std::string given = value ? engine::display_line(*value, 60) : std::string();
  state_->wrong(key, *node,
                fmt::format("{}expected one of {}",
                            value ? fmt::format("\"{}\"{} ", given, engine::did_you_mean(given, choices)) : "",
                            fmt::join(choices, ", ")));
  return {};
}

double TomlBlock::number(const char* key, double usual, double low, double high, bool required) {
  const toml::node* node = state_->need(key, required);
  if (node == nullptr) return usual;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && *value >= low && *value <= high) return *value;
  state_->wrong(key, *node,
                value ? fmt::format("{:g} is out of range; expected {:g} to {:g}", *value, low, high)
                      : fmt::format("expected a number from {:g} to {:g}", low, high));
  return usual;
}

bool TomlBlock::flag(const char* key) {
  const toml::node* node = state_->find(key);
  if (node == nullptr) return false;
  const auto value = node->value_exact<bool>();
  if (!value) state_->wrong(key, *node, "expected true or false");
  return value.value_or(false);
}

std::vector<std::string> TomlBlock::texts(const char* key, size_t least, size_t most, bool required) {
  constexpr size_t kMostBytes = 1000;
  const toml::node* node = state_->need(key, required);
  std::vector<std::string> all;
  if (node == nullptr) return all;
  const toml::array* array = node->as_array();
  if (array == nullptr || array->size() < least || array->size() > most) {
    state_->wrong(key, *node,
                  fmt::format("expected a list of {} to {} texts{}", least, most,
                              array != nullptr ? fmt::format(", got {}", array->size()) : std::string()));
    return all;
  }
  for (const toml::node& item : *array) {
    const auto value = item.value_exact<std::string>();
    if (!value || value->empty() || value->size() > kMostBytes) {
      state_->wrong(key, item, fmt::format("expected texts in quotes of 1 to {} bytes", kMostBytes));
      return {};
    }
    all.push_back(*value);
  }
  return all;
}

std::vector<double> TomlBlock::numbers(const char* key) {
  const toml::node* node = state_->find(key);
  std::vector<double> all;
  if (node == nullptr) return all;
  const toml::array* array = node->as_array();
  if (array != nullptr && !array->empty() && array->size() <= 12) {
    for (const toml::node& item : *array) {
      const auto value = item.is_number() ? item.value<double>() : std::nullopt;
      if (!value || !std::isfinite(*value)) break;
      all.push_back(*value);
    }
    if (all.size() == array->size()) return all;
  }
  state_->wrong(key, *node, "expected a list of 1 to 12 numbers");
  return {};
}

void TomlBlock::fault(const char* key, const std::string& what) {
  const toml::node* node = state_->table.get(key);
  state_->fault(node != nullptr ? state_->line_of(*node) : state_->line,
                fmt::format("{} {}: {}", state_->kind, key, what));
}

void TomlBlock::finish() {
  const std::vector<std::string> known(state_->asked.begin(), state_->asked.end());
  for (const auto& [key, node] : state_->table) {
    const std::string name(key.str());
    if (state_->asked.contains(name)) continue;
    const std::string shown = engine::display_line(name, 60);
    state_->fault(state_->line_of(node), fmt::format("{} has no key \"{}\"{} There are: {}", state_->kind, shown,
                                                     engine::did_you_mean(shown, known), fmt::join(known, ", ")));
  }
}

}  // namespace profiler
