// SPDX-License-Identifier: Apache-2.0
// Tables of an HTML report, which sort without scripts: each row carries its rank by each column.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/display_text.h"
#include "profiler/report/html_text.h"

namespace profiler {

/// As text or attribute of XML, in which control characters and the like stand as engine::display_text() shows them.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : engine::display_text(text)) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (c == '"') result += "&quot;";
    else result += c;
  }
  return result;
}

std::string origin_mark(Origin origin) {
  return fmt::format("<span class=\"o {0}\" role=\"img\" aria-label=\"{0}\" title=\"{0}: {1}\"></span>", name(origin),
                     escaped(origin_meaning(origin)));
}

/// Numbers keep all their digits for machines: <data value>.
std::string number_element(const std::string& key, double value, const std::string& text) {
  if (!std::isfinite(value)) return escaped(text);
  return fmt::format("<data{} value=\"{}\">{}</data>", key.empty() ? "" : fmt::format(" data-key=\"{}\"", escaped(key)),
                     value, escaped(text));
}

namespace {

constexpr size_t kLeastToSort = 3, kMostColumns = 16;  // the style sheet has rules for so many columns
constexpr size_t kLeastWidth = 5, kMostWidth = 46, kAllVisible = 40;

bool numeric(const Column& c) { return c.quantity != Quantity::text; }

/// Unknown last in both directions would need two ranks: it is last where the largest are first.
bool before(const Cell& a, const Cell& b) {
  const auto *x = std::get_if<double>(&a), *y = std::get_if<double>(&b);
  if (x != nullptr && y != nullptr) return (std::isnan(*x) ? -HUGE_VAL : *x) > (std::isnan(*y) ? -HUGE_VAL : *y);
  const auto *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  if (s != nullptr && t != nullptr) return *s < *t;
  return !std::holds_alternative<std::monostate>(a) && std::holds_alternative<std::monostate>(b);
}

/// Per column the rank of each row.
std::vector<std::vector<size_t>> ranks_of(const Table& table) {
  std::vector<std::vector<size_t>> ranks;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<size_t> order(table.rows.size()), rank(table.rows.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return before(table.rows[a][c], table.rows[b][c]); });
    for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

size_t characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class TableWriter {
 public:
  explicit TableWriter(const ReportTable& block)
      : block_(block),
        table_(block.table),
        sorts_(table_.rows.size() >= kLeastToSort && table_.columns.size() <= kMostColumns) {
    if (sorts_) ranks_ = ranks_of(table_);
  }
  std::string write() {
    if (table_.rows.empty()) return {};
    const std::string name = escaped(block_.title.empty() ? table_.name : block_.title);
    add("<div class=\"table\">\n");
    if (!block_.title.empty()) add("<p class=\"caption\">{}</p>\n", escaped(block_.title));
    if (sorts_) buttons();
    add("<div class=\"scroll{}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n",
        table_.rows.size() > kAllVisible ? " tall" : "", name);
    add("<table id=\"table-{}\" aria-label=\"{}\"{}>\n", escaped(table_.name), name,
        sorts_ ? fmt::format(" class=\"sortable\" style=\"{}\"", columns_style()) : "");
    head();
    add("<tbody>\n");
    for (size_t r = 0; r < table_.rows.size(); ++r) row(r);
    add("</tbody>\n</table>\n</div>\n");
    if (!block_.rest.empty()) add("<p class=\"note\">{}</p>\n", escaped(block_.rest));
    add("</div>\n");
    return std::move(out_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  /// What is chosen among them decides the order of the rows.
  void buttons() {
    const std::string group = escaped("sort-" + table_.name);
    add("<input class=\"sort s\" type=\"radio\" name=\"{0}\" id=\"{0}\" checked=\"checked\" aria-label=\"As "
        "listed\"/>",
        group);
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      const std::string title = escaped(table_.columns[c].title);
      const bool number = numeric(table_.columns[c]);
      add("<input class=\"sort d{0}\" type=\"radio\" name=\"{1}\" id=\"{1}-d{0}\" aria-label=\"Sort by {2}, {3}\"/>", c,
          group, title, number ? "largest first" : "A to Z");
      add("<input class=\"sort u{0}\" type=\"radio\" name=\"{1}\" id=\"{1}-u{0}\" aria-label=\"Sort by {2}, {3}\"/>", c,
          group, title, number ? "smallest first" : "Z to A");
    }
    add("\n");
  }

  /// All rows share the widths that their longest cells need.
  std::string columns_style() const {
    std::string widths;
    size_t sum = 0;
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      size_t most = std::max(kLeastWidth, characters(table_.columns[c].title) + 4);
      for (size_t r = 0; r < table_.rows.size(); ++r) most = std::max(most, characters(shown_cell(block_, r, c).text));
      most = std::min(most + 1, kMostWidth);
      widths += fmt::format(" minmax(0,{}fr)", most);
      sum += most;
    }
    return fmt::format("--c:{};min-width:{}ch", widths.substr(1), sum);
  }

  void head() {
    add("<thead><tr>");
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      const Column& column = table_.columns[c];
      add("<th scope=\"col\"{}{}>{}{}", numeric(column) ? " class=\"n\"" : "",
          column.help.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.help)),
          numeric(column) ? origin_mark(column.origin) : "", escaped(column.title));
      if (sorts_) {
        const std::string group = escaped("sort-" + table_.name);
        add("<span class=\"by\"><label class=\"d{0}\" for=\"{1}-d{0}\">▼</label><label class=\"u{0}\" "
            "for=\"{1}-u{0}\">▲</label></span>",
            c, group);
      }
      add("</th>");
    }
    add("</tr></thead>\n");
  }

  void row(size_t r) {
    std::string style;
    for (size_t c = 0; c < ranks_.size(); ++c) style += fmt::format("{}--{}:{}", c == 0 ? "" : ";", c, ranks_[c][r]);
    add("<tr{}{}>", block_.paper_rows > 0 && r >= block_.paper_rows ? " class=\"more\"" : "",
        style.empty() ? "" : fmt::format(" style=\"{}\"", style));
    for (size_t c = 0; c < table_.columns.size(); ++c) {
      const ShownCell cell = shown_cell(block_, r, c);
      const double* value = std::get_if<double>(&table_.rows[r][c]);
      const auto* whole = std::get_if<std::string>(&table_.rows[r][c]);
      const bool cut = cell.shortened || characters(cell.text) > kMostWidth - 6;  // by us, or by the style sheet
      add("<td{}{}>{}</td>", numeric(table_.columns[c]) ? " class=\"n\"" : "",
          cut && whole != nullptr ? fmt::format(" title=\"{}\"", escaped(*whole)) : "",
          value != nullptr ? number_element("", *value, cell.text) : escaped(cell.text));
    }
    add("</tr>\n");
  }

  const ReportTable& block_;
  const Table& table_;
  bool sorts_;
  std::vector<std::vector<size_t>> ranks_;
  std::string out_;
};

}  // namespace

std::string table_html(const ReportTable& block) { return TableWriter(block).write(); }

}  // namespace profiler
