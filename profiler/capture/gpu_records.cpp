// SPDX-License-Identifier: Apache-2.0
// Names of copy, memory and synchronisation kinds; kernel names made short.
#include "profiler/capture/gpu_records.h"

#include <fmt/format.h>

#include <iterator>

#include "engine/base/check.h"

namespace profiler {
namespace {

template <size_t N, class Kind>
std::string_view named(const std::string_view (&names)[N], Kind kind) {
  const auto index = static_cast<size_t>(kind);
  CHECK(index < N);
  return names[index];
}

/// Position of the bracket that opens what the last character of `text` closes; npos: none.
size_t opening(std::string_view text, char open, char close) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == close) ++depth;
    if (text[i] == open && --depth == 0) return i;
  }
  return std::string_view::npos;
}

void drop_trailing(std::string_view& text, char open, char close) {
  if (text.empty() || text.back() != close) return;
  const size_t at = opening(text, open, close);
  if (at != std::string_view::npos && at > 0) text = text.substr(0, at);
}

/// Frames of libraries (CUTLASS) around what is computed: what the kernel does stands in their first template argument
/// alone.
bool says_nothing(std::string_view name) {
  return name == "Kernel" || name == "Kernel2" || name == "kernel" || name == "device_kernel";
}

/// "<a::B<1, 2>, 3>" -> "a::B<1, 2>".
std::string_view first_argument(std::string_view arguments) {
  int depth = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const char c = arguments[i];
    if (c == '<' || c == '(') ++depth;
    if (c == '>' || c == ')') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    std::string_view argument = arguments.substr(1, i - 1);
    while (argument.ends_with(' ')) argument.remove_suffix(1);  // "> >"
    return argument;
  }
  return {};
}

struct BareName {
  std::string_view name, arguments;  // "Kernel", "<Gemm, 3>"
};

/// Without qualifiers, parameters, scope and return type.
BareName bare_name(std::string_view text) {
  if (text.ends_with(" const")) text.remove_suffix(6);
  drop_trailing(text, '(', ')');
  std::string_view arguments = text;
  drop_trailing(text, '<', '>');
  arguments.remove_prefix(text.size());
  // what stands before the last "::" or blank outside of brackets is scope and return type
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    const char c = text[i];
    if (c == '>' || c == ')') ++depth;
    if (c == '<' || c == '(') --depth;
    if (depth == 0 && (c == ':' || c == ' ')) {
      text.remove_prefix(i + 1);
      break;
    }
  }
  return {text, arguments};
}

}  // namespace

std::string_view name(CopyKind kind) {
  static constexpr std::string_view names[] = {
      "unknown",           "host to device",    "device to host",  "host to array",          "array to host",
      "array to array",    "array to device",   "device to array", "device to device",       "host to host",
      "device to another", "managed to device", "managed to host", "managed between devices"};
  static_assert(std::size(names) == kCopyKindCount);
  return named(names, kind);
}

std::string_view name(MemoryKind kind) {
  static constexpr std::string_view names[] = {"pageable", "pinned",        "device",         "array",
                                               "managed",  "device static", "managed static", "unknown"};
  static_assert(std::size(names) == kMemoryKindCount);
  return named(names, kind);
}

std::string_view name(SyncKind kind) {
  static constexpr std::string_view names[] = {"unknown", "event", "stream waits for event", "stream", "context"};
  static_assert(std::size(names) == kSyncKindCount);
  return named(names, kind);
}

std::string short_kernel_name(std::string_view demangled) {
  const BareName bare = bare_name(demangled);
  if (bare.name.empty()) return std::string(demangled);
  const std::string_view argument =
      says_nothing(bare.name) ? bare_name(first_argument(bare.arguments)).name : std::string_view();
  return argument.empty() ? std::string(bare.name) : fmt::format("{}<{}>", bare.name, argument);
}

}  // namespace profiler
