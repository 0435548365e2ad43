// SPDX-License-Identifier: GPL-3.0-or-later
// Reports as files: well-formed, self-contained, with the analyses' own numbers, of tiny, empty and large captures.
#include "views/report/report_file.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <algorithm>
#include <map>
#include <set>

#include "profiler/analysis/tables/summary.h"
#include "tests/support/big_capture.h"
#include "tests/support/full_disk.h"
#include "tests/support/sample_document.h"
#include "tests/support/sample_sweep.h"
#include "views/base/file_name.h"
#include "views/report/pdf_outline.h"

namespace {

using profiler::ReportKind;

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

/// Steps of so many ops, each with a name of its own that is as long as those of C++ kernels.
std::shared_ptr<const profiler::Capture> many_ops(uint32_t count) {
  profiler::CaptureBuilder builder;
  builder.run().title = "many ops";
  const profiler::NameId type = builder.intern("aten::mm");
  const profiler::TrackId track = builder.track(profiler::TrackKind::host_thread, "main", "host");
  for (uint32_t op = 0; op < count; ++op) {
    profiler::OpRecord record;
    record.name =
        builder.intern("model.layers." + std::to_string(op) + ".self_attention.projection_of_queries/aten::mm");
    record.type = type;
    record.kernel = builder.intern("void ns::kernel<" + std::to_string(op) + ", ns::Tile<128, 256, 64>>(float*, int)");
    builder.add_op(record, {});
  }
  int64_t now = 1'000'000;
  for (uint32_t step = 0; step < 2; ++step) {
    const int64_t start = now;
    for (uint32_t op = 0; op < count; ++op) {
      const int64_t ns = 1000 + op % 977;
      builder.add_activity({.start_ns = now,
                            .duration_ns = ns,
                            .correlation = 0,
                            .name = builder.so_far().ops()[op].name,
                            .op = op,
                            .step = step,
                            .track = track,
                            .kind = profiler::ActivityKind::op,
                            .flags = 0});
      now += ns;
    }
    builder.add_step({.index = step, .start_ns = start, .duration_ns = now - start, .traced = true, .warmup = false});
  }
  auto capture = builder.finish();
  CHECK(capture.ok());
  return *capture;
}

class ReportFileTest : public testing::Test {
 protected:
  QByteArray save(const QString& name, const views::ReportRequest& request = {}) {
    const QString path = folder.filePath(name);
    const auto done = views::save_report(document, request, path);
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
  EXPECT_GE(page.elements.at(QStringLiteral("svg")), 2) << "page 1 and what was found";
  const profiler::Summary s = profiler::summary(*analyzed);
  EXPECT_EQ(page.figures.at(QStringLiteral("step_ns")), s.step_ns.median);
  EXPECT_EQ(page.figures.at(QStringLiteral("dram_bytes")), s.dram_bytes);
  EXPECT_EQ(page.figures.at(QStringLiteral("compulsory_bytes")), s.compulsory_bytes);
  EXPECT_EQ(page.figures.at(QStringLiteral("samples_per_s")), s.samples_per_s);
  for (const auto& key : {"machine", "charts", "ops", "findings", "quality", "origins", "command", "chart-lead"})
    EXPECT_TRUE(page.ids.count(QLatin1String(key))) << key;
}

TEST_F(ReportFileTest, PdfHasPagesAndTheRecord) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const QByteArray pdf = save(QStringLiteral("r.pdf"));
  EXPECT_TRUE(pdf.startsWith("%PDF-"));
  EXPECT_GE(pdf.count("/Type /Page\n") + pdf.count("/Type /Page\r") + pdf.count("/Type /Page "), 5);
  EXPECT_NE(pdf.indexOf("tensortide-record.json"), -1);
}

TEST_F(ReportFileTest, APdfHasBookmarksForItsSections) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const QByteArray pdf = save(QStringLiteral("r.pdf"));
  const auto title = [](const char* text) {
    QByteArray hex = "<FEFF";
    for (const QChar c : QString::fromLatin1(text))
      hex += QByteArray::number(c.unicode(), 16).rightJustified(4, '0').toUpper();
    return hex + '>';
  };
  for (const char* section : {"Ops", "Findings with their evidence", "Data quality", "Run it again"})
    EXPECT_NE(pdf.indexOf("/Title " + title(section)), -1) << section;
  EXPECT_NE(pdf.indexOf("/PageMode /UseOutlines"), -1);
  EXPECT_EQ(views::with_outline("no PDF", {{QStringLiteral("x"), 1, 0, false}}, 595), QByteArray("no PDF"));
  // the last table of references gives the place of each object that it names
  const qsizetype table = pdf.lastIndexOf("xref\n", pdf.lastIndexOf("trailer"));
  const QList<QByteArray> lines = pdf.mid(table, pdf.lastIndexOf("trailer") - table).split('\n');
  int checked = 0;
  for (qsizetype i = 1; i + 1 < lines.size(); i += 2) {
    const QByteArray number = lines[i].left(lines[i].indexOf(' '));
    const qint64 at = lines[i + 1].left(10).toLongLong();
    EXPECT_EQ(pdf.mid(at, number.size() + 6), number + " 0 obj") << i;
    ++checked;
  }
  EXPECT_GE(checked, 6);
}

TEST_F(ReportFileTest, AManyOpsReportStaysSmallAndOnFewPages) {
  document.set(profiler::analyze(many_ops(100'000)), QStringLiteral("/tmp/m.tide"));
  const QByteArray html =
      save(QStringLiteral("m.html"),
           {ReportKind::capture, std::vector<std::string>{"answers", "ops", "findings", "quality", "names"}});
  EXPECT_LT(html.size(), 5'000'000);
  const Page page = parse(html);
  EXPECT_TRUE(page.error.isEmpty()) << page.error.toStdString();
  EXPECT_GE(page.elements.at(QStringLiteral("tr")), 2000);
  EXPECT_GT(page.elements.at(QStringLiteral("input")), 10) << "sorting and zoom are inputs without scripts";
  const QByteArray pdf =
      save(QStringLiteral("m.pdf"),
           {ReportKind::capture, std::vector<std::string>{"answers", "ops", "findings", "quality", "names"}});
  EXPECT_LE(pdf.count("/Type /Page\n"), 8);
}

TEST_F(ReportFileTest, AComparisonReportsBothRuns) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/after.tide"));
  document.set_reference(tests::unprobed_analyzed(), QStringLiteral("/tmp/before.tide"));
  EXPECT_EQ(views::report_kinds(document), (std::vector{ReportKind::capture, ReportKind::comparison}));
  const QByteArray html = save(QStringLiteral("c.html"), {ReportKind::comparison, {}});
  expect_self_contained(html);
  EXPECT_NE(html.indexOf("after.tide compared with before.tide"), -1);
  EXPECT_TRUE(parse(html).ids.count(QStringLiteral("chart-compare")));
  EXPECT_TRUE(save(QStringLiteral("c.pdf"), {ReportKind::comparison, {}}).startsWith("%PDF-"));
}

TEST_F(ReportFileTest, SectionsAreThoseThatAreChosen) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const Page page = parse(save(QStringLiteral("o.html"), {ReportKind::capture, std::vector<std::string>{"memory"}}));
  EXPECT_TRUE(page.ids.count(QStringLiteral("chart-memory")));
  for (const char* other : {"ops", "findings", "machine", "chart-lead"})
    EXPECT_FALSE(page.ids.count(QLatin1String(other))) << other;
  const auto refused = views::save_report(document, {ReportKind::capture, std::vector<std::string>{"points"}},
                                          folder.filePath(QStringLiteral("p.html")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, engine::ErrorKind::usage);
  const auto usual = views::usual_sections(document, ReportKind::capture);
  EXPECT_EQ(std::ranges::count(usual, "answers"), 1);
  EXPECT_EQ(std::ranges::count(usual, "thresholds"), 0);
}

TEST_F(ReportFileTest, NamesThatAreNoUtf8AreShown) {
  const QString path = views::name_text("/tmp/caf\xe9 <b>.tide");
  document.set(tests::sample_analyzed(), path);
  const QByteArray html = save(QStringLiteral("n.html"));
  expect_self_contained(html);
  EXPECT_NE(html.indexOf("Report of caf"), -1);
  EXPECT_EQ(html.indexOf("<b>"), -1);
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
  const QByteArray html =
      save(QStringLiteral("b.html"), {ReportKind::capture, std::vector<std::string>{"answers", "timeline", "ops"}});
  expect_self_contained(html);
  EXPECT_LT(html.size(), 2'000'000);
  EXPECT_GT(parse(html).elements.at(QStringLiteral("image")) + parse(html).elements.at(QStringLiteral("rect")), 20)
      << "the timeline was ready";
}

TEST_F(ReportFileTest, ASweepReports) {
  document.set_sweep(tests::sample_sweep(true), QStringLiteral("/tmp/s.tide"));
  const QByteArray html = save(QStringLiteral("s.html"), {ReportKind::sweep, {}});
  expect_self_contained(html);
  EXPECT_EQ(parse(html).elements.at(QStringLiteral("svg")), 2) << "page 1 and the curves";
  EXPECT_TRUE(save(QStringLiteral("s.pdf"), {ReportKind::sweep, {}}).startsWith("%PDF-"));
}

TEST_F(ReportFileTest, RefusesOtherSuffixesAndPlacesItCannotWrite) {
  document.set(tests::sample_analyzed(), QStringLiteral("/tmp/r.tide"));
  const auto suffix = views::save_report(document, {}, folder.filePath(QStringLiteral("r.docx")));
  ASSERT_FALSE(suffix);
  EXPECT_EQ(suffix.error().kind, engine::ErrorKind::usage);
  const auto place = views::save_report(document, {}, QStringLiteral("/nonexistent/r.html"));
  const auto full = [&] {
    const tests::FullDisk disk(4096);
    EXPECT_TRUE(disk.works());
    return views::save_report(document, {}, folder.filePath(QStringLiteral("full.html")));
  }();
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find(tests::FullDisk::words()), std::string::npos) << full.error().message;
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("full.html"))));
  ASSERT_FALSE(place);
  EXPECT_NE(place.error().message.find("/nonexistent/r.html"), std::string::npos);
}

}  // namespace
