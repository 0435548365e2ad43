// SPDX-License-Identifier: Apache-2.0
// What a display shows of hostile text: nothing that a terminal obeys, nothing invisible, everything that is harmless
// as it is.
#include "engine/base/display_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace engine {
namespace {

std::string utf8(char32_t c) {
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  if (c < 0x10000)
    return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
            static_cast<char>(0x80 | (c & 0x3F))};
  return {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
          static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
}

TEST(DisplayText, HarmlessTextStaysAsItIs) {
  for (const std::string text :
       {"", "conv1/7x7_s2 (3x3) \\ \"q\" <b>", "größe 卷积 مرحبا שלום ½ ∞ – …", "🙂", "e\xcc\x81"}) {
    EXPECT_EQ(display_line(text), text);
    EXPECT_EQ(display_text(text), text);
  }
}

TEST(DisplayText, EveryControlCharacterIsWrittenOut) {
  for (char32_t c = 0; c < 0xA0; ++c) {
    if (c >= 0x20 && c < 0x7F) continue;
    const std::string shown = display_line("a" + utf8(c) + "b");
    EXPECT_EQ(shown.substr(0, 3), "a\\x") << static_cast<uint32_t>(c);
    EXPECT_EQ(shown.size(), 6u) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(display_line("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
}

TEST(DisplayText, WhatTurnsOrHidesTextIsWrittenOut) {
  // marks, embeddings, overrides, isolates, no width, tags, variation selectors, separators, fillers, noncharacters
  for (const char32_t c : {0xADu,   0x34Fu,   0x61Cu,   0x115Fu,  0x180Eu,  0x200Bu,  0x200Du,  0x200Eu, 0x200Fu,
                           0x2028u, 0x2029u,  0x202Au,  0x202Bu,  0x202Du,  0x202Eu,  0x2060u,  0x2066u, 0x2067u,
                           0x2068u, 0x2069u,  0x206Fu,  0x3164u,  0xFDD0u,  0xFE0Fu,  0xFEFFu,  0xFFA0u, 0xFFF9u,
                           0xFFFEu, 0x1BCA0u, 0x1FFFFu, 0xE0001u, 0xE0041u, 0xE01EFu, 0x10FFFFu}) {
    const std::string shown = display_line(utf8(c));
    EXPECT_TRUE(shown.starts_with("\\")) << static_cast<uint32_t>(c);
    EXPECT_EQ(shown, display_text(utf8(c))) << static_cast<uint32_t>(c);
  }
  EXPECT_EQ(display_line(utf8(0x202E) + "gpj.exe"), "\\u202egpj.exe");
  EXPECT_EQ(display_line(utf8(0xE0041)), "\\U000e0041");
  for (const char32_t c : {0xA0u, 0x360u, 0x2026u, 0x202Fu, 0x205Fu, 0x2070u, 0xFFFDu, 0xFE10u, 0x1F600u})
    EXPECT_EQ(display_line(utf8(c)), utf8(c)) << static_cast<uint32_t>(c);
}

TEST(DisplayText, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(display_line("a\xff"), "a\\xff");
  EXPECT_EQ(display_line("\xc0\x9b"), "\\xc0\\x9b");                    // an overlong ESC
  EXPECT_EQ(display_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(display_line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  EXPECT_EQ(display_line("\xe2\x80"), "\\xe2\\x80");                    // cut off
}

TEST(DisplayText, SeveralLinesKeepTheirLinesAndNothingElse) {
  EXPECT_EQ(display_text("a\n\tb\r\n"), "a\n\tb\r\n");
  EXPECT_EQ(display_text("a\rb"), "a\\x0db");  // would overwrite what stands before
  EXPECT_EQ(display_text("a\x1b[2J\n"), "a\\x1b[2J\n");
  EXPECT_EQ(display_line("a\n\tb"), "a\\x0a\\x09b");
}

TEST(DisplayText, LinesAreCutBetweenCharacters) {
  EXPECT_EQ(display_line("abcdef", 6), "abcdef");
  EXPECT_EQ(display_line("abcdefg", 6), "abcdef...");
  EXPECT_EQ(display_line("ab\xe2\x80\xa6", 4), "ab...");
  EXPECT_EQ(display_line("abc\x1b", 4), "abc\\...");
}

TEST(DisplayText, JsonStaysTheSameDocument) {
  const std::string hostile = "a\x1b[2J\x7f" + utf8(0x9B) + "31m" + utf8(0x202E) + utf8(0xE0041) + "ok 卷";
  const nlohmann::json document = {{"name", hostile}, {hostile, 1}};
  const std::string shown = display_json(document.dump(2));
  EXPECT_EQ(nlohmann::json::parse(shown), document);
  for (const char32_t c : {0x1Bu, 0x7Fu, 0x9Bu, 0x202Eu, 0xE0041u})
    EXPECT_EQ(shown.find(utf8(c)), std::string::npos) << static_cast<uint32_t>(c);
  EXPECT_NE(shown.find("卷"), std::string::npos);
}

TEST(DisplayJson, AByteOrderMarkInFrontIsNotShown) {
  EXPECT_EQ(display_json("\xEF\xBB\xBF{\"a\": 1}"), "{\"a\": 1}")
      << "JSON readers pass over it, and an escape there would be no JSON";
  EXPECT_EQ(display_json("[\"\xEF\xBB\xBF\"]"), "[\"\\ufeff\"]");
}

}  // namespace
}  // namespace engine
