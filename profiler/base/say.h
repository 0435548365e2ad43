// SPDX-License-Identifier: Apache-2.0
// Sentences for people, in the reader's language. The English text is what a translation is found by.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace profiler {

/// The translation of an English text with its {} in place; empty: there is none.
using Translator = std::string (*)(std::string_view english);
/// Once, before other threads; null: texts stay English. What is stored in files and messages about bad input stay
/// English; tables that the window saves have its words.
void set_translator(Translator);

/// While one lives, its thread says all in English: reports are.
class InEnglish {
 public:
  InEnglish();
  ~InEnglish();
  InEnglish(const InEnglish&) = delete;
  InEnglish& operator=(const InEnglish&) = delete;
};
bool in_english();

/// A text that stands elsewhere as a literal, marked there; as it is without a translation.
std::string say_marked(std::string_view english);
/// Marks a literal that say_marked() is given later.
consteval const char* marked(const char* english) { return english; }

/// The translation with these values in its {}; English where there is none, or where its {} do not fit the values.
std::string say_formatted(std::string_view english, fmt::format_args values);
template <class... Values>
std::string say(fmt::format_string<Values...> english, Values&&... values) {
  const fmt::string_view text = english;
  return say_formatted({text.data(), text.size()}, fmt::make_format_args(values...));
}

}  // namespace profiler
