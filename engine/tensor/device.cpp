// SPDX-License-Identifier: Apache-2.0
// A device's name as text, and back.
#include "engine/tensor/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "engine/base/nearest_name.h"

namespace engine {
namespace {

/// Which names may carry an index, and how many devices of a kind there can be.
struct Kind {
  std::string_view name;
  bool needs_index;
  int count;
};
constexpr Kind kKinds[] = {{"cpu", false, 1}, {"null", false, 1}, {"cuda", false, std::numeric_limits<int>::max()}, {"sim", true, kSimulatedDevices}, {"emu", true, 1}};

Error wrong(std::string_view text, std::string_view right) {
  return usage_error(fmt::format("\"{}\" names no device: {}", text, right));
}

}  // namespace

bool means_gpu(std::string_view text) {
  std::string kind(text.substr(0, text.find(':')));
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return kind == "gpu" || kind == "nvidia";
}

bool is_gpu(std::string_view name) { return name.starts_with("cuda") || is_emulated(name); }
bool is_gpu(const Device& device) { return is_gpu(device.kind); }
bool is_emulated(std::string_view name) { return name.starts_with("emu"); }

std::string to_string(const Device& device) {
  if (device.index == 0 && device.kind != "sim" && device.kind != "emu") return device.kind;
  return device.kind + ":" + std::to_string(device.index);
}

Result<Device> parse_device(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    if (colon == std::string_view::npos) {
      if (kind.needs_index && kind.count == 1) return wrong(text, fmt::format("there is one, called {}:0", name));
      if (kind.needs_index) return wrong(text, fmt::format("say which, {0}:0 to {0}:{1}", name, kind.count - 1));
      return Device{std::string(name), 0};
    }
    if (kind.count == 1 && !kind.needs_index) return wrong(text, fmt::format("there is one {0}, called {0}", name));
    const std::string_view digits = text.substr(colon + 1);
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool number = !digits.empty() && digits[0] != '-' && end == digits.data() + digits.size() &&
                        error != std::errc::invalid_argument;
    if (!number) return wrong(text, fmt::format("behind the colon stands a number, as in {}:0", name));
    if (error != std::errc() || index >= kind.count) return wrong(text, fmt::format("its number is at most {}", kind.count - 1));
    return Device{std::string(name), index};
  }
  if (means_gpu(text)) return wrong(text, "NVIDIA GPUs are called cuda, cuda:1, ...");
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.push_back(kind.needs_index ? fmt::format("{}:0", kind.name) : std::string(kind.name));
  return wrong(text, fmt::format("did you mean \"{}\"? There are cpu, null, cuda, cuda:k, sim:k and emu:0", nearest_name(name, names)));
}

}  // namespace engine
