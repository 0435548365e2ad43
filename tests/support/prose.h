// SPDX-License-Identifier: Apache-2.0
// The rules of writing (docs/glossary.md, CONTRIBUTING.md) that a machine can hold, and the texts that people read in
// sources.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace test {

constexpr int kMostWords = 25;

int words_in(std::string_view text);

/// Split behind ". ", "! ", "? " and at line breaks.
std::vector<std::string> sentences(const std::string& text);

/// What `text` writes that the glossary replaces, and what to write; empty: nothing.
std::string first_banned(const std::string& text);

/// A string literal of a source file, with its neighbours: "a " "b" is one text, escapes are read.
struct Literal {
  int line = 1;
  std::string text;
};

std::vector<Literal> literals(const std::string& source);

/// The comments of a header, those on neighbouring lines as one. Names of code in them (`x`, A::b, f()) are one word
/// without meaning. Left out: licence, marks of clang-format, and examples, which are indented.
std::vector<Literal> comments(const std::string& source);

/// Text for people: three words or more. Not SQL, markup, style sheets, code and formulas.
bool is_prose(const std::string& text);

}  // namespace test
