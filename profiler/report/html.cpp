// SPDX-License-Identifier: Apache-2.0
// Writes a report as one HTML file: XML syntax, inline pictures, no scripts, nothing loaded.
#include <fmt/format.h>

#include <algorithm>

#include "profiler/report/html_style.h"
#include "profiler/report/html_text.h"

namespace profiler {
namespace {

constexpr size_t kLongHeadline = 80;

std::string fact_value(const ReportFact& fact) {
  return fact.quantity == Quantity::text ? escaped(shown(fact)) : number_element(fact.key, fact.value, shown(fact));
}

class Writer {
 public:
  Writer(const Report& report, const std::vector<ReportPicture>& pictures) : report_(report), pictures_(pictures) {}
  std::string write();

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }
  void head();
  void first_page();
  void answer(const ReportAnswer&);
  void facts(const std::vector<ReportFact>&, const char* style);
  void block(const ReportText&);
  void block(const ReportFacts& b) { facts(b.facts, "facts two"); }
  void block(const ReportTable& b) { out_ += table_html(b); }
  void figure(const ReportPicture&, const std::string& why);
  void block(const ReportFindings&);
  void block(const ReportCharts&);
  void block(const ReportOrigins&);

  const Report& report_;
  const std::vector<ReportPicture>& pictures_;
  std::string out_;
};

void Writer::head() {
  add("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\"/>\n");
  add("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\"/>\n");
  add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" "
      "content=\"Tensortide {}\"/>\n",
      TENSORTIDE_VERSION);
  add("<meta name=\"{}\" content=\"{}\"/>\n", kRecordName, escaped(to_json(report_.record)));
  add("<title>{}</title>\n<style>\n{}</style>\n</head>\n", escaped(report_.title), kReportStyle);
}

void Writer::facts(const std::vector<ReportFact>& facts, const char* style) {
  if (facts.empty()) return;
  add("<dl class=\"{}\">\n", style);
  for (const ReportFact& fact : facts) {
    const bool marked = fact.quantity != Quantity::text;
    add("<div><dt>{}</dt><dd>{}{}{}</dd></div>\n", escaped(fact.label), marked ? origin_mark(fact.origin) : "",
        fact_value(fact), fact.note.empty() ? "" : fmt::format(" <span class=\"note\">{}</span>", escaped(fact.note)));
  }
  add("</dl>\n");
}

void Writer::answer(const ReportAnswer& answer) {
  add("<section class=\"answer\">\n<h2>{}</h2>\n<p class=\"headline{}\">{}</p>\n", escaped(answer.question),
      answer.headline.size() > kLongHeadline ? " long" : "", escaped(answer.headline));
  for (const std::string& sentence : answer.sentences) add("<p>{}</p>\n", escaped(sentence));
  facts(answer.facts, answer.wide_labels ? "facts wide" : "facts");
  add("</section>\n");
}

void Writer::first_page() {
  add("<header>\n<h1>{}</h1>\n<p class=\"note\">{}</p>\n", escaped(report_.title), escaped(report_.subtitle));
  if (const std::string badge = badge_words(report_); !badge.empty()) {
    const bool details = std::ranges::find(report_.sections, "quality", &ReportSection::id) != report_.sections.end();
    add("<p><{0}>{1}</{2}></p>\n", details ? "a class=\"badge\" href=\"#quality\"" : "span class=\"badge\"",
        escaped(badge), details ? "a" : "span");
  }
  add("</header>\n");
  if (!report_.answers.empty()) {
    add("<div class=\"answers\">\n");
    for (const ReportAnswer& a : report_.answers) answer(a);
    add("</div>\n");
  }
  for (const ReportPicture& picture : pictures_) {
    if (picture.key == kLeadPicture) figure(picture, {});
  }
  add("<nav aria-label=\"Contents\"><p>");
  for (const ReportSection& section : report_.sections)
    add("<a href=\"#{}\">{}</a> ", escaped(section.id), escaped(section.title));
  add("</p></nav>\n");
}

/// Zoom is a width that radio buttons choose.
void Writer::figure(const ReportPicture& picture, const std::string& why) {
  const std::string key = escaped(picture.key);
  add("<figure id=\"chart-{}\">\n<figcaption><h3>{}</h3> {}{}</figcaption>\n", key, escaped(picture.title),
      why.empty() ? "" : fmt::format("<strong>{}</strong> ", escaped(why)), escaped(picture.description));
  add("<div class=\"zoom\" role=\"radiogroup\" aria-label=\"Zoom of {}\">", escaped(picture.title));
  for (const auto& [factor, words] : {std::pair{1, "Fit"}, {2, "2x"}, {4, "4x"}}) {
    add("<input class=\"z{1}\" type=\"radio\" name=\"zoom-{0}\" id=\"zoom-{0}-{1}\"{2}/><label "
        "for=\"zoom-{0}-{1}\">{3}</label>",
        key, factor, factor == 1 ? " checked=\"checked\"" : "", words);
  }
  const std::string label =
      fmt::format("<svg role=\"img\" aria-label=\"{}\"", escaped(picture.title + ". " + picture.description));
  add("<div class=\"frame\" tabindex=\"0\">");
  out_ += picture.svg.starts_with("<svg") ? label + picture.svg.substr(4) : picture.svg;
  add("</div></div>\n</figure>\n");
}

void Writer::block(const ReportText& text) {
  if (text.kind == ReportText::Kind::code) add("<pre><code>{}</code></pre>\n", escaped(text.text));
  else add("<p{}>{}</p>\n", text.kind == ReportText::Kind::warning ? " class=\"warning\"" : "", escaped(text.text));
}

void Writer::block(const ReportFindings& b) {
  add("<ol class=\"findings\">\n");
  for (const ReportFinding& finding : b.findings) {
    add("<li><p class=\"claim\">{}</p>\n", escaped(finding.claim));
    if (!finding.evidence.empty()) {
      add("<ul>");
      for (const std::string& line : finding.evidence) add("<li>{}</li>\n", escaped(line));
      add("</ul>\n");
    }
    if (!finding.advice.empty()) add("<p class=\"advice\">{}</p>\n", escaped(finding.advice));
    add("</li>\n");
  }
  add("</ol>\n");
}

void Writer::block(const ReportCharts&) {
  size_t drawn = 0;
  for (const ReportPicture& picture : pictures_) {
    if (picture.key == kLeadPicture) continue;
    const auto chart = std::ranges::find(report_.charts, picture.key, &Report::Chart::key);
    figure(picture, chart == report_.charts.end() ? std::string() : chart->why);
    ++drawn;
  }
  if (drawn == 0) add("<p>There is nothing to draw.</p>\n");
}

void Writer::block(const ReportOrigins&) {
  add("<p>The mark of a number is its origin:</p>\n<dl class=\"facts\">\n");
  for (const Origin origin : kOrigins) {
    add("<div><dt>{}{}</dt><dd>{}</dd></div>\n", origin_mark(origin), name(origin), escaped(origin_meaning(origin)));
  }
  add("</dl>\n<p>An en dash (–) means unknown, never 0. Numbers are rounded to three digits; the "
      "file keeps all "
      "digits.</p>\n");
}

std::string Writer::write() {
  head();
  add("<body>\n<main>\n");
  first_page();
  for (const ReportSection& section : report_.sections) {
    add("<section id=\"{}\">\n<h2>{}</h2>\n", escaped(section.id), escaped(section.title));
    for (const ReportBlock& b : section.blocks) {
      std::visit([this](const auto& each) { block(each); }, b);
    }
    add("</section>\n");
  }
  add("</main>\n<footer><p class=\"note\">Written by Tensortide {}. This file loads nothing and runs no "
      "script.</p></footer>\n</body>\n</html>\n",
      TENSORTIDE_VERSION);
  return std::move(out_);
}

}  // namespace

std::string report_html(const Report& report, const std::vector<ReportPicture>& pictures) {
  return Writer(report, pictures).write();
}

}  // namespace profiler
