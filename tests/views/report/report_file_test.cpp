// SPDX-License-Identifier: GPL-3.0-or-later
// Reports as files: well-formed, self-contained, with the analyses' own numbers, of tiny, empty and large captures.
#include "views/report/report_file.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <map>
#include <set>

#include "profiler/analysis/tables/summary.h"
#include "tests/support/big_capture.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_document.h"
#include "tests/support/sample_sweep.h"

namespace {

/// What a page holds, found by a real parser.
struct Page {
  QString error;
  std::map<QString, int> elements;
  std::map<QString, double> figures;  // <data data-key>
  std::vector<QString> loaded;        // whatever a browser would fetch
  std::set<QString> ids;
  bool ids_unique = true, figures_have_names = true;
};

Page parse(const QByteArray& html) {
  Page page;
  QXmlStreamReader reader(html);
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) continue;
    const auto attributes = reader.attributes();
    ++page.elements[reader.name().toString()];
    if (const QString key = attributes.value(QLatin1String("data-key")).toString(); !key.isEmpty())
      page.figures[key] = attributes.value(QLatin1String("value")).toDouble();
    if (reader.name() == QLatin1String("svg") && attributes.value(QLatin1String("aria-label")).isEmpty())
      page.figures_have_names = false;
    if (const QString id = attributes.value(QLatin1String("id")).toString(); !id.isEmpty())
      page.ids_unique = page.ids.insert(id).second && page.ids_unique;
    for (const auto& a : attributes) {
      const QString name = a.name().toString(), value = a.value().toString();
      const bool link = name == QLatin1String("src") || name == QLatin1String("href") ||
                        name == QLatin1String("action") || name == QLatin1String("data");
      if (link && !value.startsWith(QLatin1String("data:")) && !value.startsWith(QLatin1Char('#')))
        page.loaded.push_back(value);
      if (name.startsWith(QLatin1String("on")) || value.startsWith(QLatin1String("javascript:")))
        page.loaded.push_back(value);
      if (value.contains(QLatin1String("url(")) && !value.contains(QLatin1String("url(#")))
        page.loaded.push_back(value);
    }
  }
  if (reader.hasError()) page.error = reader.errorString();
  return page;
}

class ReportFileTest : public testing::Test {
 protected:
  QByteArray save(const QString& name, bool of_sweep = false) {
    const QString path = folder.filePath(name);
    const auto done = views::save_report(document, of_sweep, path);
    EXPECT_TRUE(done) << (done ? std::string() : done.error().message);
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
  }
  void expect_self_contained(const QByteArray& html) {
    const Page page = parse(html);
    EXPECT_TRUE(page.error.isEmpty()) << page.error.toStdString();
    EXPECT_EQ(page.elements.count(QStringLiteral("script")), 0u);
    for (const char* element : {"link", "iframe", "object", "embed", "form"})
      EXPECT_EQ(page.elements.count(QLatin1String(element)), 0u) << element;
    EXPECT_TRUE(page.loaded.empty()) << page.loaded.front().toStdString();
    EXPECT_TRUE(page.ids_unique);
    EXPECT_TRUE(page.figures_have_names) << "a picture without words for those who cannot see it";
    EXPECT_EQ(page.elements.at(QStringLiteral("h1")), 1);
  }
  views::Document document;
  QTemporaryDir folder;
};

TEST_F(ReportFileTest, HtmlIsWellFormedSelfContainedAndTellsTheSummarysNumbers) {
  const auto analyzed = tests::sample_analyzed();
  document.set(analyzed, QStringLiteral("/tmp/r.tide"));
  const QByteArray html = save(QStringLiteral("r.html"));
  expect_self_contained(html);
  const Page page = parse(html);
  EXPECT_GE(page.elements.at(QStringLiteral("svg")), 4);
  const profiler::Summary s = profiler::summary(*analyzed);
  EXPECT_EQ(page.figures.at(QStringLiteral("step_ns")), s.step_ns.median);
  EXPECT_EQ(page.figures.at(QStringLiteral("dram_bytes")), s.dram_bytes);
  EXPECT_EQ(page.figures.at(QStringLiteral("compulsory_bytes")), s.compulsory_bytes);
  EXPECT_EQ(page.figures.at(QStringLiteral("samples_per_s")), s.samples_per_s);
  for (const auto& key : {"machine", "charts", "ops", "findings", "origins", "command"})
    EXPECT_TRUE(page.ids.count(QLatin1String(key))) << key;
}

TEST_F(ReportFileTest, PdfHasPagesAndTheRecord) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const QByteArray pdf = save(QStringLiteral("r.pdf"));
  EXPECT_TRUE(pdf.startsWith("%PDF-"));
  EXPECT_GE(pdf.count("/Type /Page\n") + pdf.count("/Type /Page\r") + pdf.count("/Type /Page "), 5);
  EXPECT_NE(pdf.indexOf("tensortide-record.json"), -1);
}

TEST_F(ReportFileTest, EmptyAndUnprobedCapturesReport) {
  auto empty = profiler::CaptureBuilder().finish();
  ASSERT_TRUE(empty);
  document.set(profiler::analyze(*empty), QStringLiteral("/tmp/e.tide"));
  expect_self_contained(save(QStringLiteral("e.html")));
  EXPECT_TRUE(save(QStringLiteral("e.pdf")).startsWith("%PDF-"));
  document.set(tests::unprobed_analyzed(), QStringLiteral("/tmp/u.tide"));
  const Page page = parse(save(QStringLiteral("u.html")));
  EXPECT_EQ(page.figures.count(QStringLiteral("dram_bytes")), 0u) << "unknown is a dash without a value";
}

TEST_F(ReportFileTest, ManyEventsReportInASmallPage) {
  document.set(profiler::analyze(tests::big_capture(300'000)), QStringLiteral("/tmp/b.tide"));
  const QByteArray html = save(QStringLiteral("b.html"));
  expect_self_contained(html);
  EXPECT_LT(html.size(), 2'000'000);
  EXPECT_GT(parse(html).elements.at(QStringLiteral("image")) + parse(html).elements.at(QStringLiteral("rect")), 20)
      << "the timeline was ready";
}

TEST_F(ReportFileTest, ASweepReports) {
  document.set_sweep(tests::sample_sweep(true), QStringLiteral("/tmp/s.tide"));
  const QByteArray html = save(QStringLiteral("s.html"), true);
  expect_self_contained(html);
  EXPECT_EQ(parse(html).elements.at(QStringLiteral("svg")), 1);
  EXPECT_TRUE(save(QStringLiteral("s.pdf"), true).startsWith("%PDF-"));
}

TEST_F(ReportFileTest, RefusesOtherSuffixesAndPlacesItCannotWrite) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const auto suffix = views::save_report(document, false, folder.filePath(QStringLiteral("r.docx")));
  ASSERT_FALSE(suffix);
  EXPECT_EQ(suffix.error().kind, engine::ErrorKind::usage);
  const auto place = views::save_report(document, false, QStringLiteral("/nonexistent/r.html"));
  const auto full = [&] {
    const tests::FullDisk disk(4096);
    EXPECT_TRUE(disk.works());
    return views::save_report(document, false, folder.filePath(QStringLiteral("full.html")));
  }();
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find(tests::FullDisk::words()), std::string::npos) << full.error().message;
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("full.html"))));
  ASSERT_FALSE(place);
  EXPECT_NE(place.error().message.find("/nonexistent/r.html"), std::string::npos);
}

}  // namespace
