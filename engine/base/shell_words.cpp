// SPDX-License-Identifier: Apache-2.0
// Quoting words, and reading quoted words.
#include "engine/base/shell_words.h"

#include <fmt/format.h>

namespace engine {
namespace {

constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
/// Characters that mean something to a shell outside quotes.
constexpr std::string_view kSpecial = "|&;<>()$`*?[]#~!{}\n";

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Error not_closed(std::string_view line, char quote) {
  return refused_error(fmt::format("the command \"{}\" has a {} that is not closed", line,
                                   quote == '\'' ? "single quote" : "double quote"));
}

Error not_plain(std::string_view line, char c) {
  return refused_error(fmt::format("the command \"{}\" is more than one program with its words: '{}' outside quotes",
                                   line, c == '\n' ? ' ' : c));
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

Result<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;  // a word has begun, perhaps an empty one
  const auto word = [&]() -> std::string& {
    if (!open) words.emplace_back();
    open = true;
    return words.back();
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' || c == '\t') {
      open = false;
    } else if (c == '\'') {
      const size_t end = line.find('\'', i + 1);
      if (end == std::string_view::npos) return not_closed(line, c);
      word() += line.substr(i + 1, end - i - 1);
      i = end;
    } else if (c == '"') {
      std::string& text = word();
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '$' || line[i] == '`') return not_plain(line, line[i]);
        if (line[i] == '\\' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) ++i;
        text += line[i];
      }
      if (i == line.size()) return not_closed(line, c);
    } else if (c == '\\' && i + 1 < line.size()) {
      word() += line[++i];
    } else if (kSpecial.find(c) != std::string_view::npos) {
      return not_plain(line, c);
    } else {
      word() += c;
    }
  }
  return words;
}

}  // namespace engine
