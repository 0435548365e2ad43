// SPDX-License-Identifier: Apache-2.0
#include "profiler/base/say.h"

namespace profiler {
namespace {

Translator translator = nullptr;
thread_local int english_asked = 0;

std::string translation(std::string_view english) {
  return translator == nullptr || in_english() ? std::string() : translator(english);
}

}  // namespace

void set_translator(Translator chosen) { translator = chosen; }

InEnglish::InEnglish() { ++english_asked; }
InEnglish::~InEnglish() { --english_asked; }
bool in_english() { return english_asked > 0; }

std::string say_marked(std::string_view english) {
  std::string text = translation(english);
  return text.empty() ? std::string(english) : text;
}

std::string say_formatted(std::string_view english, fmt::format_args values) {
  if (const std::string text = translation(english); !text.empty()) {
    try {
      return fmt::vformat(text, values);
    } catch (const fmt::format_error&) {  // a faulty translation: English is better than nothing
    }
  }
  return fmt::vformat(fmt::string_view(english.data(), english.size()), values);
}

}  // namespace profiler
