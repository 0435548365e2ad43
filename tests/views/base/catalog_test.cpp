// SPDX-License-Identifier: GPL-3.0-or-later
// Every view of the catalog: empty, unprobed and full states, both themes, four kinds of files, errors that name the
// file.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QSet>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/sample_document.h"
#include "tests/support/sample_sweep.h"
#include "views/base/view.h"

namespace {

/// Lets what the view works on in the background end.
void settle(const views::View& view) {
  QApplication::processEvents();
  EXPECT_TRUE(QTest::qWaitFor([&] { return !view.busy(); }, 10000));
  QApplication::processEvents();
}

std::unique_ptr<views::View> make(const views::ViewEntry& entry, views::Document& document, QSize size) {
  std::unique_ptr<views::View> view(entry.make(document, nullptr));
  view->resize(size);
  view->show();
  settle(*view);
  return view;
}

QImage picture(views::View& view, const views::Theme& theme, QSize size) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::magenta);  // what is not painted shows
  QPainter painter(&image);
  view.render_picture(painter, QRectF(QPointF(0, 0), QSizeF(size)), theme);
  return image;
}

int colours(const QImage& image) {
  QSet<QRgb> seen;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) seen.insert(image.pixel(x, y));
  }
  return static_cast<int>(seen.size());
}

bool has(const QImage& image, const QColor& colour) {
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (image.pixel(x, y) == colour.rgb()) return true;
    }
  }
  return false;
}

TEST(Catalog, ViewsOfAGroupStandTogetherAndSayWhatWouldFillThem) {
  std::vector<views::ViewEntry::Group> groups;
  for (const auto& entry : views::view_catalog()) {
    if (groups.empty() || groups.back() != entry.group) groups.push_back(entry.group);
    EXPECT_TRUE(entry.filled_by.isEmpty() || entry.filled_by.endsWith(QLatin1Char('.'))) << entry.key.toStdString();
  }
  using Group = views::ViewEntry::Group;
  EXPECT_EQ(groups, (std::vector{Group::answer, Group::explore, Group::relate}));
}

TEST(Catalog, KeysAreUniqueAndEverythingIsDescribed) {
  QSet<QString> keys;
  for (const auto& entry : views::view_catalog()) {
    EXPECT_FALSE(keys.contains(entry.key)) << entry.key.toStdString();
    keys.insert(entry.key);
    EXPECT_FALSE(entry.title.isEmpty());
    EXPECT_TRUE(entry.help.endsWith(QLatin1Char('.'))) << entry.key.toStdString();
  }
  for (const char* key : {"traffic", "timeline", "roofline", "memory", "ops"})
    EXPECT_TRUE(keys.contains(QLatin1String(key))) << key;
}

TEST(Catalog, EveryViewPaintsAllItsStatesInBothThemes) {
  for (const auto& entry : views::view_catalog()) {
    SCOPED_TRACE(entry.key.toStdString());
    views::Document document;
    auto view = make(entry, document, {1280, 720});
    EXPECT_FALSE(view->accessibleName().isEmpty());
    const QImage empty = picture(*view, views::Theme::light(), {1280, 720});
    EXPECT_GT(colours(empty), 4) << "the empty state must say something";
    document.set(tests::unprobed_analyzed(), QStringLiteral("unprobed.tide"));
    document.set_sweep(tests::sample_sweep(true), QStringLiteral("sweep.tide"));
    EXPECT_NE(picture(*view, views::Theme::light(), {1280, 720}), empty);
    document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
    document.set_reference(tests::unprobed_analyzed(), QStringLiteral("unprobed.tide"));
    settle(*view);
    for (const views::Theme* theme : {&views::Theme::light(), &views::Theme::dark()}) {
      view->set_theme(*theme);
      for (const QSize size : {QSize(640, 420), QSize(1280, 720), QSize(1920, 1080)}) {
        view->resize(size);
        QApplication::processEvents();
        const QImage image = picture(*view, *theme, size);
        EXPECT_GT(colours(image), 12);
        EXPECT_FALSE(has(image, Qt::magenta)) << "unpainted ground at " << size.width();
      }
    }
    EXPECT_FALSE(view->data().rows.empty());
    document.set(nullptr, {});
    document.set_sweep(nullptr, {});
    document.set_reference(nullptr, {});
    EXPECT_EQ(picture(*view, views::Theme::light(), {1280, 720}), empty);
  }
}

TEST(Export, WritesPngSvgPdfAndCsvOfEveryView) {
  const QTemporaryDir folder;
  views::Document document;
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  document.set_reference(tests::sample_analyzed(), QStringLiteral("other.tide"));
  for (const auto& entry : views::view_catalog()) {
    SCOPED_TRACE(entry.key.toStdString());
    auto view = make(entry, document, {1000, 640});
    const auto file = [&](const char* suffix) {
      return folder.filePath(entry.key + QLatin1Char('.') + QLatin1String(suffix));
    };
    for (const char* suffix : {"png", "svg", "pdf", "csv"}) {
      const auto done = views::export_view(*view, file(suffix), views::Theme::light(), {1000, 640});
      ASSERT_TRUE(done.ok()) << done.error().message;
    }
    const QImage image(file("png"));
    EXPECT_EQ(image.size(), QSize(2000, 1280));
    EXPECT_GT(colours(image), 12);
    QSvgRenderer svg(file("svg"));
    ASSERT_TRUE(svg.isValid());
    EXPECT_EQ(svg.viewBox().size(), QSize(1000, 640));  // defaultSize() is in the renderer's 90 dpi
    QImage again(1000, 640, QImage::Format_RGB32);
    QPainter painter(&again);
    svg.render(&painter);
    painter.end();
    EXPECT_GT(colours(again), 12);
    QFile pdf(file("pdf"));
    ASSERT_TRUE(pdf.open(QIODevice::ReadOnly));
    EXPECT_TRUE(pdf.readAll().startsWith("%PDF-"));
    EXPECT_GT(pdf.size(), 5000);
    QFile csv(file("csv"));
    ASSERT_TRUE(csv.open(QIODevice::ReadOnly));
    EXPECT_EQ(csv.readAll().toStdString(), profiler::to_csv(view->data()));
  }
}

TEST(Export, RefusalsNameTheFileAndTheRemedy) {
  const QTemporaryDir folder;
  views::Document document;
  document.set(tests::sample_analyzed(), QStringLiteral("sample.tide"));
  auto view = make(views::view_catalog().front(), document, {800, 600});
  const auto refused = [&](const QString& path, QSize size) {
    const auto done = views::export_view(*view, path, views::Theme::light(), size);
    return done.ok() ? std::string() : done.error().message;
  };
  EXPECT_NE(refused(folder.filePath(QStringLiteral("a.bmp")), {800, 600}).find(".png, .svg, .pdf or .csv"),
            std::string::npos);
  EXPECT_NE(refused(folder.filePath(QStringLiteral("plain")), {800, 600}).find("plain"), std::string::npos);
  EXPECT_NE(refused(folder.filePath(QStringLiteral("none/b.png")), {800, 600}).find("none/b.png"), std::string::npos);
  EXPECT_NE(refused(folder.filePath(QStringLiteral("c.png")), {0, 600}).find("0 x 600"), std::string::npos);
  EXPECT_NE(refused(folder.filePath(QStringLiteral("c.png")), {800, 1 << 30}).find("16384"), std::string::npos);
  EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("c.png"))));
}

}  // namespace
