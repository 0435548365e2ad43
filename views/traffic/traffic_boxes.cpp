// SPDX-License-Identifier: GPL-3.0-or-later
// A box's lines stand around its middle; those at the end go where there is no room, the tooltip has them.
#include "views/traffic/traffic_boxes.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"

namespace views {
namespace {

constexpr double kBoxInset = 3;        // px between a box and its texts
constexpr double kSmallText = 0.92;    // of the font, as secondary texts are painted
constexpr size_t kMostInstances = 16;  // that are drawn one by one

/// A name in at most `most` lines of that width, broken behind its separators; what has no room even so loses its
/// middle.
QStringList name_lines(const QString& name, double width, const QFont& font, size_t most) {
  QStringList lines{QString()};
  for (qsizetype from = 0; from < name.size();) {
    qsizetype to = from;
    while (to < name.size() && !QStringLiteral("./_").contains(name[to])) ++to;
    to = std::min(to + 1, name.size());
    const QString piece = name.mid(from, to - from);
    if (!lines.last().isEmpty() && text_width(font, lines.last() + piece) > width) lines << QString();
    lines.last() += piece;
    from = to;
  }
  const auto room = static_cast<qsizetype>(std::max<size_t>(1, most));
  while (lines.size() > room) {
    const QString rest = lines.takeLast();
    lines.last() += rest;
  }
  for (QString& line : lines) line = QFontMetricsF(font).elidedText(line, Qt::ElideMiddle, width);
  return lines;
}

/// What a box says, from the top, without places. Sets how full its level is.
std::vector<PlacedText> box_lines(const TrafficFigure& figure, LevelBox& box) {
  const TrafficLevel& level = figure.levels[box.level];
  const bool core = box.level + 1 == figure.levels.size();
  std::vector<PlacedText> lines;
  const auto add = [&](const QString& s, TextRole role) { lines.push_back({{}, s, role, Qt::AlignCenter}); };
  add(level.name, TextRole::bold);
  if (core) {
    if (figure.gpu) {
      if (level.instances > 1) add(QStringLiteral("%1 SMs").arg(level.instances), TextRole::normal);
    } else if (level.instances > 0)
      add(level.instances == 1 ? QObject::tr("1 thread") : QObject::tr("%1 threads").arg(level.instances),
          TextRole::normal);
    add(quantity(
            figure.time_ns > 0 && figure.no_rates.isEmpty() ? figure.flops / (figure.time_ns * 1e-9) : std::nan(""),
            profiler::Quantity::flop_per_s),
        TextRole::secondary);
    add(std::isnan(figure.roof_ratio) ? figure.no_rates.isEmpty() ? QObject::tr("roof unknown") : QObject::tr("no roof")
        : profiler::above_roof(figure.roof_ratio)
            ? QObject::tr("above its roof")
            : QObject::tr("%1 of roof").arg(quantity(figure.roof_ratio, profiler::Quantity::percent_of)),
        TextRole::secondary);
  } else if (level.beyond) {
    if (!std::isnan(level.busy_bytes_per_s)) {
      add(QObject::tr("while busy"), TextRole::secondary);
      add(quantity(level.busy_bytes_per_s, profiler::Quantity::bytes_per_s), TextRole::secondary);
    }
  } else if (figure.gpu && std::isnan(level.capacity_bytes)) {
    if (level.instances > 1) add(QStringLiteral("%1 SMs").arg(level.instances), TextRole::normal);
    if (level.cache)
      add(QObject::tr("hits %1").arg(quantity(level.hit_ratio, profiler::Quantity::percent_of)), TextRole::secondary);
    if (!level.share.isEmpty()) add(level.share, TextRole::secondary);
  } else {
    const QString size = binary_bytes(level.capacity_bytes / level.instances);
    add(std::isnan(level.capacity_bytes) ? QObject::tr("size unknown")
        : level.instances > 1            ? QStringLiteral("%1 × %2").arg(level.instances).arg(size)
                                         : size,
        TextRole::normal);
    box.fill_ratio = level.capacity_bytes > 0 ? figure.working_set_bytes / level.capacity_bytes : std::nan("");
    add(QObject::tr("needs %1")
            .arg(std::isnan(box.fill_ratio) ? QStringLiteral("–")
                 : box.fill_ratio > 1.0     ? quantity(box.fill_ratio, profiler::Quantity::ratio)
                 : box.fill_ratio < 0.01    ? QStringLiteral("< 1 %")
                                            : quantity(box.fill_ratio, profiler::Quantity::percent_of)),
        TextRole::secondary);
    if (level.cache) {
      add(QObject::tr("hits %1").arg(quantity(level.hit_ratio, profiler::Quantity::percent_of)), TextRole::secondary);
    }
    if (!level.share.isEmpty()) add(level.share, TextRole::secondary);
  }
  return lines;
}

}  // namespace

void place_box_texts(TrafficLayout& out, const TrafficFigure& figure, LevelBox& box, double line, const QFont& font) {
  const TrafficLevel& level = figure.levels[box.level];
  const bool core = box.level + 1 == figure.levels.size();
  std::vector<PlacedText> lines = box_lines(figure, box);
  const auto add = [&](const QString& s, TextRole role) { lines.push_back({{}, s, role, Qt::AlignCenter}); };
  const bool gauged = !core && !level.beyond && !(figure.gpu && std::isnan(level.capacity_bytes));
  const double gauge = gauged ? 14 : 0;
  const QFont small = scaled_font(font, kSmallText);
  const double small_line = std::ceil(QFontMetricsF(small).height()) + 1, width = box.rect.width() - 2 * kBoxInset;
  const auto height_of = [&](const PlacedText& text) { return text.role == TextRole::secondary ? small_line : line; };
  double used = gauge;
  for (const PlacedText& text : lines) used += height_of(text);
  // Where there is no room the tooltip still says it.
  const double free = box.rect.height() - 2 * kBoxInset - used;
  if (const auto room = static_cast<size_t>(std::max(0.0, std::floor(free / small_line)));
      room > 0 && !level.most_evicted.isEmpty()) {
    const QString whole = QObject::tr("evicts %1").arg(level.most_evicted);
    if (text_width(small, whole) <= width) {
      add(whole, TextRole::secondary);
    } else if (room > 1) {  // in one line nothing that tells tensors apart would be left of the name
      add(QObject::tr("evicts"), TextRole::secondary);
      for (const QString& part : name_lines(level.most_evicted, width, small, room - 1)) add(part, TextRole::secondary);
    }
  }
  const auto height = [&] {
    double sum = gauge;
    for (const PlacedText& text : lines) sum += height_of(text);
    return sum;
  };
  while (lines.size() > 3 && height() > box.rect.height()) lines.pop_back();
  double y = box.rect.center().y() - height() / 2;
  for (size_t i = 0; i < lines.size(); ++i) {
    lines[i].rect = QRectF(box.rect.left() + kBoxInset, y, width, height_of(lines[i]));
    y += height_of(lines[i]);
    if (gauged && i == 1) {
      box.gauge = QRectF(box.rect.left() + 14, y + 3, box.rect.width() - 28, 7);
      const auto parts =
          static_cast<double>(std::clamp<size_t>(static_cast<size_t>(std::max(1, level.instances)), 1, kMostInstances));
      const double part = (box.gauge.width() + 2) / parts;
      for (double p = 0; p < parts; ++p)
        box.instances.emplace_back(box.gauge.left() + p * part, box.gauge.top(), part - 2, box.gauge.height());
      y += gauge;
    }
    out.texts.push_back(lines[i]);
  }
}

}  // namespace views
