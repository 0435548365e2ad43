// SPDX-License-Identifier: Apache-2.0
// Counts words, finds what the glossary replaces, and reads string literals out of C++ sources.
#include "tests/support/prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <utility>

namespace test {
namespace {

/// Patterns that the glossary replaces, and what to write.
const std::vector<std::pair<std::string, std::string>> kBanned{
    {"foreign (trace|load)s?", "imported trace, background load"},
    {"honesty", "data quality"},
    {"(weak|sound) (roof|probe|reading)s?", "low-confidence, valid"},
    {"roofs? (sa(y|id)s?|had said|told)", "roofline prediction"},
    {"told|likewise|anew|so many|(stands?|stood) beside", "a plain verb; again"},
    {"disturb(s|ed|ing|ance)?", "background load; noisy"},
    {"wins? ([0-9.]+|code|\\{[^}]*\\}|%[0-9])", "saves"},
    {"(matrix )?products?( of matrices)", "matrix multiplication"},
    {"matrix products?", "matrix multiplication, GEMM"},
    {"look-?ups?", "accesses"},
    {"(could|can|to) be won|winnable", "potential savings"},
    {"element types?", "dtype, data type"},
    {"the world refused", "runtime error"},
    {"the answer is no", "check failed"},
    {"beyond (the )?medians?|slower than (the )?medians?", "step-to-step variation"},
    {"wrong guess(es)?", "bad speculation"},
    {"made one|as one op", "fused"},
    {"1 (threads|ops|samples|cores|steps|runs|pages|points|copies|bytes|levels|captures|kernels|lines|pairs|processes)",
     "the singular"}};

/// Reads one string literal that begins at `i`; `i` ends behind it.
std::string read_literal(const std::string& source, size_t& i) {
  std::string text;
  if (source[i] == 'R') {
    const size_t open = source.find('(', i);
    const std::string close = ")" + source.substr(i + 2, open - i - 2) + "\"";
    const size_t end = source.find(close, open);
    text = source.substr(open + 1, end - open - 1);
    i = end == std::string::npos ? source.size() : end + close.size();
    return text;
  }
  for (++i; i < source.size() && source[i] != '"'; ++i) {
    if (source[i] != '\\') text += source[i];
    else if (++i < source.size()) text += source[i] == 'n' ? '\n' : source[i];
  }
  ++i;
  return text;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

int words_in(std::string_view text) {
  std::istringstream in{std::string(text)};
  int words = 0;
  for (std::string word; in >> word;) ++words;
  return words;
}

std::vector<std::string> sentences(const std::string& text) {
  std::vector<std::string> out;
  size_t begin = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const bool ends =
        (text[i] == '.' || text[i] == '!' || text[i] == '?') && (text[i + 1] == ' ' || text[i + 1] == '<');
    if (!ends && text[i] != '\n') continue;
    out.push_back(text.substr(begin, i + 1 - begin));
    begin = i + 1;
  }
  out.push_back(text.substr(begin));
  return out;
}

std::string first_banned(const std::string& text) {
  static const auto bounded = [](const std::string& word) {
    return std::regex("(^|[^A-Za-z0-9_.,%-])(" + word + ")($|[^A-Za-z0-9_])", std::regex::icase);
  };
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    std::string any;
    for (const auto& [word, instead] : kBanned) any += (any.empty() ? "" : "|") + word;
    all.push_back(bounded(any));
    for (const auto& [word, instead] : kBanned) all.push_back(bounded(word));
    return all;
  }();
  if (!std::regex_search(text, patterns[0])) return {};
  for (size_t i = 0; i < kBanned.size(); ++i) {
    std::smatch match;
    if (std::regex_search(text, match, patterns[i + 1]))
      return fmt::format("\"{}\": write {}", match[2].str(), kBanned[i].second);
  }
  return {};
}

std::vector<Literal> literals(const std::string& source) {
  std::vector<Literal> out;
  int line = 1;
  bool joins = false;  // nothing but white space and comments since the last literal
  for (size_t i = 0; i < source.size();) {
    const char c = source[i];
    const std::string_view two = std::string_view(source).substr(i, 2);
    if (c == '\n') ++line;
    if (c == ' ' || c == '\n') {
      ++i;
    } else if (two == "//") {
      i = std::min(source.find('\n', i), source.size());
    } else if (c == '"' || (two == "R\"" && (i == 0 || !is_name(source[i - 1])))) {
      const size_t begin = i;
      const std::string text = read_literal(source, i);
      if (joins) out.back().text += text;
      else out.push_back({line, text});
      line +=
          static_cast<int>(std::count(source.begin() + static_cast<std::ptrdiff_t>(begin),
                                      source.begin() + static_cast<std::ptrdiff_t>(std::min(i, source.size())), '\n'));
      joins = true;
    } else {
      joins = false;
      if (c == '\'' && (i == 0 || !is_name(source[i - 1]))) {
        for (++i; i < source.size() && source[i] != '\''; ++i) i += source[i] == '\\' ? 1 : 0;
      }
      ++i;
    }
  }
  return out;
}

std::vector<Literal> comments(const std::string& source) {
  static const std::regex alone(R"(^\s*(///<|///|//) ?(.*)$)"), behind(R"(^.*\S\s+(///<|//) (.*)$)"),
      left_out(R"(^(SPDX-|clang-format|  ))"),
      names(R"(`[^`]*`|[A-Za-z_0-9]+(::[A-Za-z_0-9~]+)+(\(\))?|[A-Za-z_0-9]+\(\))");
  std::vector<Literal> out;
  std::string mark;  // of the comment that the next line may continue
  std::istringstream in(source);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch found;
    const bool whole = std::regex_match(text, found, alone);
    if (!whole && (text.find("//") == std::string::npos || !std::regex_match(text, found, behind))) {
      mark.clear();
      continue;
    }
    const std::string words = found[2].str();
    if (std::regex_search(words, left_out)) {
      mark.clear();
    } else if (whole && mark == found[1].str()) {
      out.back().text += (words.empty() ? "\n" : " ") + words;
    } else {
      out.push_back({line, words});
      mark = found[1].str();
    }
  }
  for (Literal& comment : out) comment.text = std::regex_replace(comment.text, names, "x");
  return out;
}

bool is_prose(const std::string& text) {
  static const std::regex word("(^|[ (\"\\[>])[A-Za-z][a-z']+"),
      code(
          R"(NOT NULL|^ *(SELECT|INSERT|CREATE|DROP|PRAGMA|UPDATE|DELETE|ATTACH)\b|^[^A-Za-z]*\{"|padding: |"type": "| = [^ ]+ [-+*/] |sum_|^#|\\begin)");
  const auto count = std::distance(std::sregex_iterator(text.begin(), text.end(), word), std::sregex_iterator());
  return count >= 3 && !std::regex_search(text, code);
}

}  // namespace test
