// SPDX-License-Identifier: Apache-2.0
// The kinds of devices there are: names, numbers and traits. A device's name as text, and back.
#include "engine/tensor/device_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "engine/base/nearest_name.h"

namespace engine {
namespace {

/// A kind of devices: how they are numbered, and what they are.
struct Kind {
  std::string_view name;
  bool needs_index;  ///< 0 is written too
  int count;         ///< how many there can be
  DeviceTraits traits;
  std::string_view people = {};                   ///< what people call GPUs of this kind
  std::array<std::string_view, 2> mistaken = {};  ///< what they write instead, in lower case
};
constexpr int kAnyNumber = std::numeric_limits<int>::max();
constexpr Kind kKinds[] = {
    {.name = "cpu", .needs_index = false, .count = 1, .traits = {.is_processor = true, .shares_host_memory = true}},
    {.name = "null", .needs_index = false, .count = 1, .traits = {.shares_host_memory = true, .computes = false}},
    {.name = "cuda",
     .needs_index = false,
     .count = kAnyNumber,
     .traits = {.is_gpu = true, .vendor = Vendor::nvidia},
     .people = "NVIDIA GPUs",
     .mistaken = {"gpu", "nvidia"}},
    {.name = "opencl",
     .needs_index = false,
     .count = kAnyNumber,
     .traits = {.is_gpu = true},
     .people = "OpenCL devices",
     .mistaken = {"pocl", "ocl"}},
    {.name = "sim",
     .needs_index = true,
     .count = kSimulatedDevices,
     .traits = {.shares_host_memory = true, .simulated = true}},
    {.name = "emu", .needs_index = true, .count = 1, .traits = {.is_gpu = true, .emulated = true}},
};

const Kind* find_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kKinds, name.substr(0, name.find(':')), &Kind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

/// The kind of GPUs that somebody calls otherwise.
const Kind* meant_kind(std::string_view text) {
  std::string word(text.substr(0, text.find(':')));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const found = std::ranges::find_if(
      kKinds, [&](const Kind& k) { return !word.empty() && std::ranges::find(k.mistaken, word) != k.mistaken.end(); });
  return found == std::end(kKinds) ? nullptr : found;
}

/// "cpu, null, cuda, cuda:k, sim:k and emu:0".
std::string all_forms() {
  std::vector<std::string> forms;
  for (const Kind& kind : kKinds) {
    if (!kind.needs_index) forms.emplace_back(kind.name);
    if (kind.count > 1) forms.push_back(fmt::format("{}:k", kind.name));
    if (kind.needs_index && kind.count == 1) forms.push_back(fmt::format("{}:0", kind.name));
  }
  const std::string last = std::move(forms.back());
  forms.pop_back();
  return fmt::format("{} and {}", fmt::join(forms, ", "), last);
}

struct TraitWord {
  std::string_view word;
  bool DeviceTraits::*trait;
  bool said;  ///< the value that the word stands for
};
constexpr TraitWord kTraitWords[] = {
    {"processor", &DeviceTraits::is_processor, true},
    {"gpu", &DeviceTraits::is_gpu, true},
    {"host_memory", &DeviceTraits::shares_host_memory, true},
    {"computes_nothing", &DeviceTraits::computes, false},
    {"emulated", &DeviceTraits::emulated, true},
    {"simulated", &DeviceTraits::simulated, true},
};
constexpr std::pair<std::string_view, Vendor> kVendorWords[] = {{"nvidia", Vendor::nvidia}};

Error wrong(std::string_view text, std::string_view right) {
  return usage_error(fmt::format("\"{}\" names no device: {}", text, right));
}

}  // namespace

std::string_view meant_gpu(std::string_view text) {
  const Kind* const kind = meant_kind(text);
  return kind == nullptr ? std::string_view() : kind->name;
}

std::string_view people_name(std::string_view device) {
  const Kind* const kind = find_kind(device);
  return kind == nullptr ? std::string_view() : kind->people;
}

const DeviceTraits& traits_of(std::string_view name) {
  static constexpr DeviceTraits kUnknownKind;
  const Kind* const kind = find_kind(name);
  return kind == nullptr ? kUnknownKind : kind->traits;
}

std::string to_words(const DeviceTraits& traits) {
  std::string words;
  const auto say = [&](std::string_view word) { words.append(words.empty() ? "" : " ").append(word); };
  for (const TraitWord& w : kTraitWords) {
    if (traits.*w.trait == w.said) say(w.word);
  }
  for (const auto& [word, vendor] : kVendorWords) {
    if (traits.vendor == vendor) say(word);
  }
  return words;
}

DeviceTraits traits_from_words(std::string_view words) {
  DeviceTraits traits;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    for (const TraitWord& w : kTraitWords) {
      if (w.word == word) traits.*w.trait = w.said;
    }
    for (const auto& [name, vendor] : kVendorWords) {
      if (name == word) traits.vendor = vendor;
    }
  }
  return traits;
}

std::string to_string(const Device& device) {
  const Kind* const kind = find_kind(device.kind);
  if (device.index == 0 && (kind == nullptr || !kind->needs_index)) return device.kind;
  return device.kind + ":" + std::to_string(device.index);
}

Result<Device> parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (const Kind* const found = find_kind(name)) {
    const Kind& kind = *found;
    if (colon == std::string_view::npos) {
      if (kind.needs_index && kind.count == 1) return wrong(text, fmt::format("there is one, called {}:0", name));
      if (kind.needs_index) return wrong(text, fmt::format("name one of {0}:0 to {0}:{1}", name, kind.count - 1));
      return Device{std::string(name), 0};
    }
    if (kind.count == 1 && !kind.needs_index) return wrong(text, fmt::format("there is one {0}, called {0}", name));
    const std::string_view digits = text.substr(colon + 1);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool number = !digits.empty() && digits[0] != '-' && end == digits.data() + digits.size() &&
                        error != std::errc::invalid_argument;
    if (!number) return wrong(text, fmt::format("write a number behind the colon, as in {}:0", name));
    if (error != std::errc() || index >= kind.count)
      return wrong(text, fmt::format("its number is at most {}", kind.count - 1));
    return Device{std::string(name), index};
  }
  if (const Kind* const meant = meant_kind(text))
    return wrong(text, fmt::format("{0} are called {1}, {1}:1, ...", meant->people, meant->name));
  std::vector<std::string> names;
  for (const Kind& kind : kKinds)
    names.push_back(kind.needs_index ? fmt::format("{}:0", kind.name) : std::string(kind.name));
  return wrong(text, fmt::format("did you mean \"{}\"? There are {}", nearest_name(name, names), all_forms()));
}

}  // namespace engine
