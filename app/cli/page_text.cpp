// SPDX-License-Identifier: Apache-2.0
// Lays out the Markdown of docs/ for a terminal.
#include "app/cli/page_text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace app::cli {
namespace {

constexpr size_t kBetween = 2;      ///< blanks between columns of a table
constexpr size_t kLeastColumn = 8;  ///< characters that a column of a table keeps

size_t width(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Without the signs of emphasis, code and links.
std::string plain(std::string_view text) {
  std::string out;
  bool code = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      code = !code;
      out += c;
      continue;
    }
    if (!code && c == '*') continue;
    if (!code && c == '[') {
      const size_t end = text.find("](", i), close = end == std::string_view::npos ? end : text.find(')', end);
      if (close != std::string_view::npos) {
        const bool picture = !out.empty() && out.back() == '!';
        if (picture) out.pop_back();
        out += (picture ? "(picture: " : "") + plain(text.substr(i + 1, end - i - 1)) + (picture ? ")" : "");
        i = close;
        continue;
      }
    }
    out += c;
  }
  return out;
}

/// In lines of at most `columns` characters, broken at blanks.
std::vector<std::string> filled(std::string_view text, size_t columns) {
  std::vector<std::string> lines(1);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!lines.back().empty() && width(lines.back()) + 1 + width(word) > columns) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  row = row.substr(1, row.rfind('|') - 1);
  for (size_t begin = 0; begin <= row.size();) {
    const size_t end = std::min(row.find('|', begin), row.size());
    const std::vector<std::string> one = filled(plain(row.substr(begin, end - begin)), std::string::npos);
    cells.push_back(one.front());
    begin = end + 1;
  }
  return cells;
}

/// Widths of columns in `columns` characters: the widest give way.
std::vector<size_t> widths_of(const std::vector<std::vector<std::string>>& rows, size_t columns) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  const size_t room = columns > kBetween * widths.size() ? columns - kBetween * (widths.size() - 1) : 0;
  while (std::accumulate(widths.begin(), widths.end(), size_t{0}) > room) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= kLeastColumn) break;
    --*widest;
  }
  return widths;
}

std::string table_text(const std::vector<std::vector<std::string>>& rows, size_t columns) {
  const std::vector<size_t> widths = widths_of(rows, columns);
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 1;
    for (size_t c = 0; c < rows[r].size(); ++c) {
      cells.push_back(filled(rows[r][c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (size_t l = 0; l < height; ++l) {
      std::string line;
      for (size_t c = 0; c < cells.size(); ++c) {
        const std::string part = l < cells[c].size() ? cells[c][l] : std::string();
        line += part +
                std::string(c + 1 < cells.size() ? std::max(widths[c], width(part)) - width(part) + kBetween : 0, ' ');
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    if (r == 0) {
      for (size_t c = 0; c < widths.size(); ++c)
        text += std::string(widths[c], '-') + (c + 1 < widths.size() ? std::string(kBetween, ' ') : "\n");
    }
  }
  return text;
}

/// "- " or "12. ": the length of what begins an item of a list; 0: nothing does.
size_t bullet(std::string_view line) {
  if (line.starts_with("- ")) return 2;
  const size_t digits = line.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

class Layout {
 public:
  explicit Layout(size_t columns) : columns_(columns) {}

  void take(std::string_view line) {
    if (line.starts_with("```")) {
      flush();
      code_ = !code_;
      return;
    }
    if (code_) {
      text_ += line.empty() ? "\n" : "    " + std::string(line) + "\n";
      return;
    }
    const std::string_view body = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    if (body.starts_with("|")) {
      if (rows_.empty()) flush();
      if (body.find_first_not_of("|-: ") != std::string_view::npos) rows_.push_back(cells_of(body));
      return;
    }
    if (body.empty()) {
      flush();
      if (!text_.empty() && !text_.ends_with("\n\n")) text_ += "\n";
    } else if (body.starts_with("#")) {
      flush();
      heading(body);
    } else {
      if (bullet(body) > 0) {
        flush();
        indent_ = (line.size() - body.size()) + bullet(body);
      }
      paragraph_ += (paragraph_.empty() ? "" : " ") + std::string(body);
    }
  }

  std::string finish() {
    flush();
    return std::move(text_);
  }

 private:
  void heading(std::string_view line) {
    const size_t level = line.find_first_not_of('#');
    const std::string title = plain(line.substr(std::min(line.size(), level + 1)));
    text_ += title + "\n" + (level <= 2 ? std::string(width(title), level == 1 ? '=' : '-') + "\n" : "");
  }

  void flush() {
    if (!rows_.empty()) text_ += table_text(rows_, columns_);
    rows_.clear();
    if (!paragraph_.empty()) {
      const size_t mark = bullet(paragraph_), before = indent_ - std::min(indent_, mark);
      bool first = true;
      for (const std::string& line : filled(plain(paragraph_), columns_ > indent_ ? columns_ - indent_ : 1)) {
        text_ += std::string(first ? before : indent_, ' ') + line + "\n";
        first = false;
      }
    }
    paragraph_.clear();
    indent_ = 0;
  }

  size_t columns_, indent_ = 0;
  bool code_ = false;
  std::string text_, paragraph_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace

std::string page_text(std::string_view markdown, size_t columns) {
  Layout layout(columns);
  for (size_t begin = 0; begin < markdown.size();) {
    const size_t end = std::min(markdown.find('\n', begin), markdown.size());
    layout.take(markdown.substr(begin, end - begin));
    begin = end + 1;
  }
  return layout.finish();
}

}  // namespace app::cli
