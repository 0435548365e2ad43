// SPDX-License-Identifier: GPL-3.0-or-later
// export_view: renders a view into memory, then writes the file at once, so that a failure leaves no half file behind.
#include <QBuffer>
#include <QDir>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "views/base/save_file.h"
#include "views/base/view.h"

namespace views {
namespace {

constexpr int kDpi = 96;  // fonts measured on screen must keep their size in SVG and PDF
constexpr qreal kPngScale = 2.0;
constexpr int kMaxSide = 16384;

void paint(QPainter& painter, View& view, QSize size, const Theme& theme) {
  painter.setFont(data_font());
  view.render_picture(painter, QRectF(QPointF(0, 0), QSizeF(size)), theme);
}

QByteArray png(View& view, QSize size, const Theme& theme) {
  QImage image(size * kPngScale, QImage::Format_RGB32);
  if (image.isNull()) return {};
  image.setDevicePixelRatio(kPngScale);
  image.fill(theme.surface);
  QPainter painter(&image);
  paint(painter, view, size, theme);
  painter.end();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  return image.save(&buffer, "PNG") ? bytes : QByteArray();
}

QByteArray pdf(View& view, QSize size, const Theme& theme, const QString& title) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kDpi);
  writer.setTitle(title);
  writer.setCreator(QStringLiteral("Tensortide " TENSORTIDE_VERSION));
  const QSizeF points(size.width() * 72.0 / kDpi, size.height() * 72.0 / kDpi);
  writer.setPageSize(QPageSize(points, QPageSize::Point, QString(), QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF());
  QPainter painter(&writer);
  painter.fillRect(QRect(QPoint(0, 0), size), theme.surface);
  paint(painter, view, size, theme);
  painter.end();
  return bytes;
}

engine::Error refused(const QString& path, const QString& why) {
  return engine::refused_error(
      QStringLiteral("[export] cannot write %1: %2").arg(QDir::toNativeSeparators(path), why).toStdString());
}

}  // namespace

QByteArray view_svg(View& view, QSize size, const Theme& theme, const QString& title) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(kDpi);
  generator.setSize(size);
  generator.setViewBox(QRect(QPoint(0, 0), size));
  generator.setTitle(title);
  QPainter painter(&generator);
  painter.fillRect(QRect(QPoint(0, 0), size), theme.surface);
  paint(painter, view, size, theme);
  painter.end();
  return bytes;
}

engine::Result<void> export_view(View& view, const QString& path, const Theme& theme, QSize size) {
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (size.width() < 1 || size.height() < 1 || size.width() > kMaxSide || size.height() > kMaxSide) {
    return engine::usage_error(
        QStringLiteral("[export] %1: a picture of %2 x %3 px is not possible; choose 1 to %4 px per side")
            .arg(path)
            .arg(size.width())
            .arg(size.height())
            .arg(kMaxSide)
            .toStdString());
  }
  const QString title = view.windowTitle().isEmpty() ? QStringLiteral("Tensortide") : view.windowTitle();
  QByteArray bytes;
  if (suffix == QLatin1String("png")) {
    bytes = png(view, size, theme);
  } else if (suffix == QLatin1String("svg")) {
    bytes = view_svg(view, size, theme, title);
  } else if (suffix == QLatin1String("pdf")) {
    bytes = pdf(view, size, theme, title);
  } else if (suffix == QLatin1String("csv")) {
    bytes = QByteArray::fromStdString(profiler::to_csv(view.data()));
  } else {
    const QString given = suffix.isEmpty() ? QStringLiteral("no suffix") : QStringLiteral("the suffix .%1").arg(suffix);
    return engine::usage_error(
        QStringLiteral("[export] %1 has %2; use .png, .svg, .pdf or .csv").arg(path, given).toStdString());
  }
  if (bytes.isEmpty()) return refused(path, QStringLiteral("the picture does not fit in memory"));
  if (const QString why = save_file(path, bytes); !why.isEmpty()) return refused(path, why);
  return {};
}

}  // namespace views
