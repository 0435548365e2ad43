// SPDX-License-Identifier: Apache-2.0
// Walks UTF-8 and writes what no display should obey or hide as escapes.
#include "engine/base/display_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace engine {
namespace {

struct Range {
  char32_t first, last;
};

/// Shown as escapes, besides ASCII controls. C1; Zl and Zp; Bidi_Control; Default_Ignorable_Code_Point with its
/// unassigned ranges; interlinear annotation; noncharacters of the first plane (those of others have a rule). Source:
/// Unicode 15, DerivedCoreProperties.txt and PropList.txt.
constexpr std::array kHidden{
    Range{0x80, 0x9F},       Range{0xAD, 0xAD},       Range{0x34F, 0x34F},    Range{0x61C, 0x61C},
    Range{0x115F, 0x1160},   Range{0x17B4, 0x17B5},   Range{0x180B, 0x180F},  Range{0x200B, 0x200F},
    Range{0x2028, 0x202E},   Range{0x2060, 0x206F},   Range{0x3164, 0x3164},  Range{0xFDD0, 0xFDEF},
    Range{0xFE00, 0xFE0F},   Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},  Range{0xFFF0, 0xFFFB},
    Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A}, Range{0xE0000, 0xE0FFF}};

bool hidden(char32_t c) {
  if (c < 0x80) return c < 0x20 || c == 0x7F;
  if ((c & 0xFFFE) == 0xFFFE) return true;  // the last two of each plane
  const auto* range = std::ranges::lower_bound(kHidden, c, {}, &Range::last);
  return range != kHidden.end() && c >= range->first;
}

/// Of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t c = first & (0x7Fu >> sequence.size());
  for (const char next : sequence.substr(1)) c = c << 6 | (static_cast<unsigned char>(next) & 0x3Fu);
  return c;
}

bool plain_ascii(char c) { return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F; }

std::string escape(char32_t c) {
  const auto number = static_cast<uint32_t>(c);
  return number < 0x100     ? fmt::format("\\x{:02x}", number)
         : number < 0x10000 ? fmt::format("\\u{:04x}", number)
                            : fmt::format("\\U{:08x}", number);
}

std::string json_escape(char32_t c) {
  const auto number = static_cast<uint32_t>(c);
  if (number < 0x10000) return fmt::format("\\u{:04x}", number);
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((number - 0x10000) >> 10), 0xDC00 + ((number - 0x10000) & 0x3FF));
}

/// Calls keep(sequence), escape(code point) or broken(byte) for each character.
template <class Keep, class Escape, class Broken>
void walk(std::string_view text, const Keep& keep, const Escape& escaped, const Broken& broken) {
  for (size_t i = 0; i < text.size();) {
    const size_t plain =
        static_cast<size_t>(std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), plain_ascii) -
                            text.begin()) -
        i;
    if (plain > 0) {
      keep(text.substr(i, plain));
      i += plain;
      continue;
    }
    const size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      broken(static_cast<unsigned char>(text[i]));
      ++i;
      continue;
    }
    const std::string_view sequence = text.substr(i, length);
    const char32_t c = code_point(sequence);
    if (hidden(c)) escaped(c, i);
    else keep(sequence);
    i += length;
  }
}

template <class Stays>
std::string shown(std::string_view text, const Stays& stays) {
  std::string out;
  out.reserve(text.size());
  walk(
      text, [&](std::string_view kept) { out += kept; },
      [&](char32_t c, size_t at) {
        if (c < 0x80 && stays(at)) out += static_cast<char>(c);
        else out += escape(c);
      },
      [&](unsigned char byte) { out += escape(byte); });
  return out;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // of the second byte
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

std::string display_line(std::string_view text) {
  if (std::ranges::all_of(text, plain_ascii)) return std::string(text);
  return shown(text, [](size_t) { return false; });
}

std::string display_text(std::string_view text) {
  return shown(text, [text](size_t at) {
    return text[at] == '\n' || text[at] == '\t' || (text[at] == '\r' && text.substr(at + 1).starts_with('\n'));
  });
}

std::string display_json(std::string_view json) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // a byte order mark, which JSON readers pass over
  if (json.starts_with(kMark)) json.remove_prefix(kMark.size());
  std::string out;
  out.reserve(json.size());
  walk(
      json, [&](std::string_view kept) { out += kept; },
      [&](char32_t c, size_t) {
        if (c == '\n' || c == '\t' || c == '\r')
          out += static_cast<char>(c);  // between values; inside strings JSON has them escaped
        else out += json_escape(c);
      },
      [&](unsigned char) { out += "\xEF\xBF\xBD"; });
  return out;
}

std::string display_line(std::string_view text, size_t most_bytes) {
  std::string line = display_line(
      text.substr(0, std::min(text.size(), most_bytes + 4)));  // an escape is never shorter than what it stands for
  if (line.size() <= most_bytes && text.size() <= most_bytes) return line;
  size_t end = std::min(line.size(), most_bytes);
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

}  // namespace engine
