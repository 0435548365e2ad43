// SPDX-License-Identifier: GPL-3.0-or-later
// A compacted picture is smaller and paints the same pixels.
#include "views/report/compact_svg.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QSvgGenerator>
#include <QSvgRenderer>

namespace {

QByteArray drawn() {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setViewBox(QRect(0, 0, 300, 200));
  generator.setSize({300, 200});
  QPainter p(&generator);
  p.fillRect(QRectF(0, 0, 300, 200), Qt::white);
  QColor faint(Qt::red);
  faint.setAlphaF(0.3f);
  for (int i = 0; i < 40; ++i) p.fillRect(QRectF(5 + 7 * i, 10.123456, 5, 30 + i), i < 20 ? QColor(Qt::blue) : faint);
  p.setPen(QPen(Qt::darkGreen, 2, Qt::DashLine));
  p.drawLine(QPointF(0, 150), QPointF(300, 120));
  p.setPen(Qt::black);
  p.setBrush(faint);
  p.drawText(QPointF(20, 130), QStringLiteral("a < b & \"c\""));
  p.save();
  p.scale(0.01, 0.01);
  p.fillRect(QRectF(15000.004, 15000, 6000.006, 3000), Qt::magenta);
  p.restore();
  p.setBrush(Qt::NoBrush);
  p.drawEllipse(QRectF(200, 100, 40, 40));
  p.end();
  return bytes;
}

QImage pixels(const QByteArray& svg) {
  QImage image(600, 400, QImage::Format_RGB32);
  image.fill(Qt::white);
  QSvgRenderer renderer(svg);
  EXPECT_TRUE(renderer.isValid());
  QPainter painter(&image);
  renderer.render(&painter);
  return image;
}

TEST(CompactSvg, PaintsTheSameInFewerBytes) {
  const QByteArray before = drawn();
  const std::string after = views::compact_svg(before, QStringLiteral("x"));
  EXPECT_LT(after.size(), static_cast<size_t>(before.size()) / 2);
  EXPECT_TRUE(after.starts_with("<svg xmlns"));
  const QImage a = pixels(before), b = pixels(QByteArray::fromStdString(after));
  int different = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const QColor c(a.pixel(x, y)), d(b.pixel(x, y));
      // the page, not the picture, names the font: text may differ in shape
      const bool text = y > 200 && y < 290 && x < 300;
      if (!text && std::abs(c.red() - d.red()) + std::abs(c.green() - d.green()) + std::abs(c.blue() - d.blue()) > 24)
        ++different;
    }
  }
  EXPECT_EQ(different, 0);
}

TEST(CompactSvg, TextKeepsItsFullColourInAFaintGroup) {
  const std::string svg = views::compact_svg(drawn(), QStringLiteral("x"));
  const size_t text = svg.find("<text");
  ASSERT_NE(text, std::string::npos);
  EXPECT_NE(svg.substr(text, 120).find("fill-opacity=\"1\""), std::string::npos) << svg.substr(text, 160);
}

TEST(CompactSvg, PatternsAreCalledAfterThePicture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setViewBox(QRect(0, 0, 50, 50));
  QPainter p(&generator);
  p.fillRect(QRectF(0, 0, 40, 40), QBrush(Qt::red, Qt::BDiagPattern));
  p.end();
  const std::string svg = views::compact_svg(bytes, QStringLiteral("memory"));
  EXPECT_NE(svg.find("id=\"memory-fillpattern"), std::string::npos);
  EXPECT_NE(svg.find("fill=\"url(#memory-fillpattern"), std::string::npos);
}

TEST(CompactSvg, WhatIsNoSvgGivesNothing) { EXPECT_TRUE(views::compact_svg("<svg><g>", QStringLiteral("x")).empty()); }

}  // namespace
