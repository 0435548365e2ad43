// SPDX-License-Identifier: GPL-3.0-or-later
// Four panels in two columns; every text has a rectangle of its own.
#include "views/cache/cache_layout.h"

#include <QFontMetricsF>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "views/base/paint.h"
#include "views/cache/cache_worker.h"

namespace views {
namespace {

using profiler::OpSimulation;
using profiler::Quantity;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

QString size_text(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) bytes /= 1024, ++unit;
  return QStringLiteral("%1 %2").arg(bytes, 0, 'g', 3).arg(QLatin1String(kUnits[unit]));
}

QString percent(double ratio) { return quantity(ratio, Quantity::percent_of); }

struct Panels {
  QRectF heading, state, curve, causes, sets, order;
  QStringList states;  ///< lines of `state`
  double line = 0;
};

const QString kSeparator = QStringLiteral("  ·  ");
constexpr double kTallestTrack = 40, kAroundTrack = 8;  // px of a bar of causes, and above and below it
constexpr qsizetype kMostStateLines = 4;

/// The parts of a line, joined into as many lines as it takes; a part that is wider than a line goes on in the next
/// one. The last of `most` lines has all the rest, whether there is room or not.
QStringList state_lines(const QString& state, double width, const QFont& font, qsizetype most) {
  QStringList lines;
  const auto fits = [&](const QString& more) {
    return lines.size() == most || text_width(font, lines.last() + more) <= width;
  };
  for (const QString& part : state.split(kSeparator)) {
    if (!lines.isEmpty() && fits(kSeparator + part)) {
      lines.last() += kSeparator + part;
      continue;
    }
    lines << QString();
    for (const QString& word : part.split(QLatin1Char(' '))) {
      if (lines.last().isEmpty()) lines.last() = word;
      else if (fits(QLatin1Char(' ') + word)) lines.last() += QLatin1Char(' ') + word;
      else lines << word;
    }
  }
  return lines;
}

/// Pieces are left out of the middle until the rest has room: a piece ends at a comma or a separator, so that no figure
/// is cut in two.
QString shortened(const QString& text, double width, const QFont& font) {
  static const QRegularExpression ends(QStringLiteral("(?<=, )|(?<=; )|(?<=  ·  )"));
  const QStringList pieces = text.split(ends);
  for (qsizetype left_out = 0; left_out < pieces.size(); ++left_out) {
    const qsizetype kept = pieces.size() - left_out, first = (kept + 1) / 2;
    const QString middle = left_out == 0 ? QString() : QStringLiteral("… ");
    const QString shorter =
        pieces.mid(0, first).join(QString()) + middle + pieces.mid(first + left_out).join(QString());
    if (text_width(font, shorter) <= width) return shorter;
  }
  return QStringLiteral("…");
}

Panels split(const QRectF& area, const QFont& font, const QString& state) {
  Panels panels;
  panels.line = std::ceil(QFontMetricsF(font).height()) + 3;
  const double heading = std::ceil(QFontMetricsF(scaled_font(font, 1.2, true)).height()) + 2;
  const QRectF inner = area.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid);
  panels.heading = QRectF(inner.left(), inner.top(), inner.width(), heading);
  const QFont small = scaled_font(font, 0.92);
  panels.states = state_lines(state, inner.width(), small, kMostStateLines);
  panels.states.last() = shortened(panels.states.last(), inner.width(), small);
  // A further line must not cost the causes theirs: three lines and 12 px for each of three levels, title and legend.
  const auto panel_height = [&](double lines) {
    return (inner.height() - heading - lines * panels.line - 3 * kGrid) / 2;
  };
  const double wanted = 8 * panels.line + 40;
  qsizetype lines = panels.states.size();
  while (lines > 1 && panel_height(1) >= wanted && panel_height(static_cast<double>(lines)) < wanted) --lines;
  if (lines < panels.states.size()) {
    panels.states = state_lines(state, inner.width(), small, lines);
    panels.states.last() = shortened(panels.states.last(), inner.width(), small);
  }
  panels.state = QRectF(inner.left(), panels.heading.bottom(), inner.width(),
                        panels.line * static_cast<double>(panels.states.size()));
  const double top = panels.state.bottom() + kGrid, gap = 2 * kGrid;
  const double width = (inner.width() - gap) / 2, height = std::max(60.0, (inner.bottom() - top - gap) / 2);
  panels.curve = QRectF(inner.left(), top, width, height);
  panels.causes = QRectF(inner.left() + width + gap, top, width, height);
  panels.sets = QRectF(inner.left(), top + height + gap, width, height);
  panels.order = QRectF(inner.left() + width + gap, top + height + gap, width, height);
  return panels;
}

/// Puts a bold title at the top of a panel, and beside it the first of the notes (longest first) that has room; returns
/// what is left.
QRectF titled(CacheLayout& out, const QRectF& panel, double line, const QString& title, const QStringList& notes = {}) {
  const QFont bold = scaled_font(data_font(), 1.0, true);
  const double width = std::min(panel.width(), std::ceil(text_width(bold, title)) + 4);
  out.texts.push_back({QRectF(panel.left(), panel.top(), width, line), title, CacheTextRole::bold});
  const double room = panel.width() - width - kGrid;
  const QFont small = scaled_font(data_font(), 0.92);
  const auto note = std::ranges::find_if(notes, [&](const QString& text) { return text_width(small, text) <= room; });
  if (note != notes.end()) {
    out.texts.push_back({QRectF(panel.left() + width + kGrid, panel.top(), room, line), *note, CacheTextRole::secondary,
                         Qt::AlignLeft | Qt::AlignVCenter, notes.first()});
  }
  return panel.adjusted(0, line + 2, 0, 0);
}

/// Labels stand in rows from the top; one that finds no room in two rows is left to its tooltip.
void place_mark_labels(CacheLayout& out, double line, const QFont& font) {
  std::vector<QRectF> taken;
  for (CurveMark& mark : out.marks) {
    const double width = text_width(font, mark.text) + 4;
    for (int row = 0; row < 2 && mark.label.isEmpty(); ++row) {
      QRectF rect(mark.x - width / 2, out.curve_axes.top() + row * line, width, line);
      rect.moveLeft(std::clamp(rect.left(), out.curve_axes.left(),
                               std::max(out.curve_axes.left(), out.curve_axes.right() - width)));
      if (std::ranges::none_of(taken, [&](const QRectF& t) { return t.adjusted(-3, 0, 3, 0).intersects(rect); })) {
        mark.label = rect;
        taken.push_back(rect);
      }
    }
  }
}

/// What the curve is of; shorter and shorter.
QStringList curve_notes(const profiler::MissCurve& curve) {
  if (!curve.sampled())
    return {QObject::tr("fully associative LRU, from empty"), QObject::tr("fully associative LRU"),
            QStringLiteral("LRU")};
  const QString sampled =
      QObject::tr("sampled 1/%1 ± %2").arg(1 / curve.rate, 0, 'g', 3).arg(percent(curve.mean_error()));
  return {QObject::tr("fully associative LRU, from empty, %1").arg(sampled), QObject::tr("LRU, %1").arg(sampled),
          sampled};
}

void place_curve(CacheLayout& out, const OpSimulation& simulation, const CacheFigure& figure, const QRectF& panel,
                 double line, const QFont& font) {
  const QFont small = scaled_font(font, 0.92);
  const QRectF body = titled(out, panel, line, QObject::tr("Miss ratio by cache size"), curve_notes(simulation.curve));
  const std::vector<profiler::CurvePoint>& points = simulation.curve.points;
  if (points.empty()) {
    const bool many = simulation.accesses > kMostExactAccesses;
    const QString why = figure.more_follows && many ? QObject::tr("The curve follows, from a sample of the lines.")
                        : figure.more_follows       ? QObject::tr("The curve follows with the exact simulation.")
                        : simulation.accesses == 0  ? QObject::tr("No curve: there are no accesses.")
                        : many
                            ? QObject::tr("No curve: too many accesses to count one by one, and no sample was taken.")
                            : QObject::tr("No curve: the exact simulation was not made.");
    out.texts.push_back({body, why, CacheTextRole::secondary, Qt::AlignCenter});
    return;
  }
  const double left = std::ceil(text_width(small, QStringLiteral("0.005 %"))) + 6;
  out.curve_axes = body.adjusted(left, 0, -2, -line);
  double low = static_cast<double>(points.front().cache_bytes), high = static_cast<double>(points.back().cache_bytes),
         most = 0;
  for (const CacheLevelFigure& level : figure.levels) {
    low = std::min(low, level.size_bytes / 2);
    high = std::max(high, level.size_bytes * 2);
    if (level.global_ratio > 0) most = std::max(most, level.global_ratio);
  }
  for (const auto& point : points) most = std::max(most, point.miss_ratio);
  const QRectF& axes = out.curve_axes;
  // Two rows of labels stand above the highest point.
  const double room = axes.height() / std::max(axes.height() * 0.4, axes.height() - 2 * line - 4);
  most = most > 0 ? most * room : 1;
  const auto x = [&](double bytes) {
    return axes.left() + axes.width() * std::log(bytes / low) / std::log(high / low);
  };
  const auto y = [&](double ratio) { return axes.bottom() - axes.height() * ratio / most; };
  for (const auto& point : points) out.curve << QPointF(x(static_cast<double>(point.cache_bytes)), y(point.miss_ratio));
  out.curve << QPointF(axes.right(), out.curve.back().y());  // larger caches miss no less
  for (int tick = 0; tick <= 2; ++tick) {
    const double ratio = most / room * tick / 2;
    out.y_ticks.emplace_back(axes.left(), y(ratio));
    out.texts.push_back({QRectF(body.left(), std::min(y(ratio) - line / 2, axes.bottom() - line * 0.6), left - 5, line),
                         percent(ratio), CacheTextRole::secondary, Qt::AlignRight | Qt::AlignVCenter});
  }
  double free_from = axes.left() - 20;
  for (double bytes = 64; bytes <= high; bytes *= 16) {
    if (bytes < low) continue;
    out.x_ticks.emplace_back(x(bytes), axes.bottom());
    const double width = text_width(small, size_text(bytes)) + 4;
    const QRectF rect(std::min(x(bytes) - width / 2, panel.right() - width), axes.bottom() + 2, width, line - 2);
    if (rect.left() < free_from) continue;
    out.texts.push_back({rect, size_text(bytes), CacheTextRole::secondary, Qt::AlignCenter});
    free_from = rect.right() + 6;
  }
  for (size_t l = 0; l < figure.levels.size(); ++l) {
    const CacheLevelFigure& level = figure.levels[l];
    out.marks.push_back({l, x(level.size_bytes), {x(level.size_bytes), y(level.global_ratio)}, level.name, {}});
  }
  if (simulation.curve.working_set_bytes > 0) {
    const double at = std::clamp(static_cast<double>(simulation.curve.working_set_bytes), low, high);
    out.marks.push_back({{}, x(at), {kNaN, kNaN}, QObject::tr("working set ") + size_text(at), {}});
  }
  place_mark_labels(out, line, small);
}

/// Off-chip bytes of a step by on-chip memory. A place at the left is for no memory at all.
void place_on_chip(CacheLayout& out, const profiler::OnChipCurve& curve, const CacheFigure& figure, const QRectF& panel,
                   double line, const QFont& font) {
  const QFont small = scaled_font(font, 0.92);
  const QRectF body = titled(out, panel, line, QObject::tr("Off-chip bytes by on-chip memory"),
                             {QObject::tr("modelled: buffers used last stay"), QObject::tr("modelled")});
  if (curve.points.size() < 2) {
    out.texts.push_back({body, QObject::tr("No curve: no op moves bytes."), CacheTextRole::secondary, Qt::AlignCenter});
    return;
  }
  const double none = curve.points.front().off_chip_bytes, all = curve.points.back().on_chip_bytes;
  double low = curve.points[1].on_chip_bytes, high = all;
  for (const CacheLevelFigure& level : figure.levels)
    low = std::min(low, level.size_bytes), high = std::max(high, level.size_bytes);
  out.least_size = low / 2, out.most_size = high * 2;
  const double left = std::ceil(std::max(text_width(small, quantity(none, Quantity::bytes)),
                                         text_width(small, quantity(none / 2, Quantity::bytes)))) +
                      7;
  out.curve_axes = body.adjusted(left, 0, -2, -line);
  const QRectF& axes = out.curve_axes;
  out.first_x = axes.left() + 24;
  const double room = axes.height() / std::max(axes.height() * 0.4, axes.height() - 2 * line - 4);
  const auto x = [&](double bytes) {
    return bytes <= 0 ? axes.left()
                      : out.first_x + (axes.right() - out.first_x) * std::log(bytes / out.least_size) /
                                          std::log(out.most_size / out.least_size);
  };
  const auto y = [&](double bytes) { return axes.bottom() - axes.height() * bytes / (none * room); };
  for (const profiler::OnChipPoint& point : curve.points) {
    if (!out.curve.isEmpty()) out.curve << QPointF(x(point.on_chip_bytes), out.curve.back().y());
    out.curve << QPointF(x(point.on_chip_bytes), y(point.off_chip_bytes));
  }
  out.curve << QPointF(axes.right(), out.curve.back().y());
  for (int tick = 0; tick <= 2; ++tick) {
    const double bytes = none * tick / 2;
    out.y_ticks.emplace_back(axes.left(), y(bytes));
    out.texts.push_back({QRectF(body.left(), std::min(y(bytes) - line / 2, axes.bottom() - line * 0.6), left - 5, line),
                         quantity(bytes, Quantity::bytes), CacheTextRole::secondary,
                         Qt::AlignRight | Qt::AlignVCenter});
  }
  out.texts.push_back({QRectF(axes.left() - 8, axes.bottom() + 2, 16, line - 2), QStringLiteral("0"),
                       CacheTextRole::secondary, Qt::AlignCenter});
  double free_from = axes.left() + 14;
  for (double bytes = 64; bytes <= out.most_size; bytes *= 16) {
    if (bytes < out.least_size) continue;
    out.x_ticks.emplace_back(x(bytes), axes.bottom());
    const double width = text_width(small, size_text(bytes)) + 4;
    const QRectF rect(std::min(x(bytes) - width / 2, panel.right() - width), axes.bottom() + 2, width, line - 2);
    if (rect.left() < free_from) continue;
    out.texts.push_back({rect, size_text(bytes), CacheTextRole::secondary, Qt::AlignCenter});
    free_from = rect.right() + 6;
  }
  const auto mark = [&](std::optional<size_t> level, double bytes, const QString& text) {
    out.marks.push_back({level, x(bytes), {x(bytes), y(curve.at(bytes))}, text, {}});
  };
  // The ends come first: their labels have the first choice of places.
  mark({}, 0, QObject::tr("none: %1 of all operands").arg(quantity(none, Quantity::bytes)));
  mark({}, all,
       QObject::tr("all: %1 of inputs and outputs").arg(quantity(curve.points.back().off_chip_bytes, Quantity::bytes)));
  for (size_t l = 0; l < figure.levels.size(); ++l) mark(l, figure.levels[l].size_bytes, figure.levels[l].name);
  place_mark_labels(out, line, small);
}

void place_causes(CacheLayout& out, const CacheFigure& figure, uint64_t accesses, const QRectF& panel, double line,
                  const QFont& font) {
  const QFont small = scaled_font(font, 0.92);
  QRectF body = titled(out, panel, line, QObject::tr("Misses by cause"));
  if (figure.classified) {
    double x = body.left();
    const std::array<QString, 3> names = {QObject::tr("compulsory"), QObject::tr("capacity"), QObject::tr("conflict")};
    for (size_t c = 0; c < names.size(); ++c) {
      const double width = text_width(small, names[c]) + 2;
      out.cause_swatches[c] = QRectF(x, body.top() + line / 2 - 5.5, 11, 11);
      out.texts.push_back({QRectF(x + 16, body.top(), std::min(width, panel.right() - x - 16), line), names[c],
                           CacheTextRole::secondary});
      x += 16 + width + kGrid;
    }
  } else {
    const QString why = accesses > kMostExactAccesses
                            ? QObject::tr("causes unknown: too many accesses to count one by one here")
                        : figure.more_follows ? QObject::tr("causes follow with the exact simulation")
                        : accesses == 0       ? QObject::tr("no causes: there are no accesses")
                                              : QObject::tr("causes unknown: the exact simulation was not made");
    out.texts.push_back({QRectF(body.left(), body.top(), body.width(), line), why, CacheTextRole::secondary});
  }
  body.setTop(body.top() + line + 2);
  double most = 0;
  for (const CacheLevelFigure& level : figure.levels) most = std::max(most, level.misses);
  const double rows = static_cast<double>(std::max<size_t>(1, figure.levels.size()));
  // Where three lines a level do not fit, the measured one goes: its tooltip has it.
  const bool measured = body.height() / rows >= 2 * line + 12;
  // In a large window rows and bars grow, or half of the panel would be empty.
  const double height = std::min(body.height() / rows, 2 * line + kTallestTrack + kAroundTrack);
  const double name = std::ceil(text_width(scaled_font(font, 1, true), QStringLiteral("L3"))) + kGrid;
  for (size_t l = 0; l < figure.levels.size(); ++l) {
    const CacheLevelFigure& level = figure.levels[l];
    CauseBar bar;
    bar.level = l;
    const double y = body.top() + height * static_cast<double>(l);
    bar.name = QRectF(body.left(), y, name, line);
    bar.value = QRectF(body.left() + name, y, body.width() - name, line);
    bar.track = QRectF(body.left() + name, bar.value.bottom(), body.width() - name,
                       std::clamp(height - line * (measured ? 2 : 1) - kAroundTrack, 4.0, kTallestTrack));
    if (measured) bar.measured = QRectF(bar.track.left(), bar.track.bottom() + 1, bar.track.width(), line);
    const double scale = most > 0 ? bar.track.width() / most : 0;
    bar.whole = QRectF(bar.track.left(), bar.track.top(), std::isnan(level.misses) ? 0 : level.misses * scale,
                       bar.track.height());
    double left = bar.track.left();
    for (size_t c = 0; figure.classified && c < 3; ++c) {
      const double part = (c == 0 ? level.compulsory : c == 1 ? level.capacity : level.conflict) * scale;
      bar.parts[c] = QRectF(left, bar.track.top(), part, bar.track.height());
      left += part;
    }
    bar.value_text = QObject::tr("%1 misses, %2 of its accesses")
                         .arg(quantity(level.misses, Quantity::count), percent(level.local_ratio));
    bar.measured_text =
        std::isnan(level.measured_bytes)
            ? QObject::tr("%1 fetched; measured –").arg(quantity(level.fetched_bytes, Quantity::bytes))
            : QObject::tr("%1 fetched; measured %2, error %3%4")
                  .arg(quantity(level.fetched_bytes, Quantity::bytes), quantity(level.measured_bytes, Quantity::bytes),
                       level.error() < 0 ? QStringLiteral("−") : QStringLiteral("+"), percent(std::abs(level.error())));
    out.bars.push_back(std::move(bar));
  }
}

/// What the shades of the sets mean, below them.
void place_set_scale(CacheLayout& out, const QRectF& row, const QFont& font) {
  const QFont small = scaled_font(font, 0.92);
  const QString most = QObject::tr("%1 misses a set").arg(quantity(out.most_misses, Quantity::count));
  const double zero = std::ceil(text_width(small, QStringLiteral("0"))) + 4,
               end = std::ceil(text_width(small, most)) + 2;
  const double bar = std::min(96.0, row.width() - zero - end - kGrid);
  if (bar < 24) return;
  out.texts.push_back(
      {QRectF(row.left(), row.top(), zero, row.height()), QStringLiteral("0"), CacheTextRole::secondary});
  out.set_scale = QRectF(row.left() + zero, row.center().y() - 5, bar, 10);
  out.texts.push_back(
      {QRectF(out.set_scale.right() + 6, row.top(), end, row.height()), most, CacheTextRole::secondary});
}

void place_sets(CacheLayout& out, const CacheFigure& figure, size_t level, const QRectF& panel, double line,
                const QFont& font) {
  if (level >= figure.set_misses.size()) return;
  const std::vector<uint64_t>& sets = figure.set_misses[level];
  const double share = busiest_eighth(sets);
  QStringList notes{sets.size() == 1 ? QObject::tr("1 set") : QObject::tr("%1 sets").arg(sets.size())};
  if (figure.sampled > 1) {
    notes.prepend(notes.first() + QObject::tr(", 1/%1 simulated").arg(figure.sampled));
  } else if (!std::isnan(share)) {
    const QString most = QObject::tr("busiest eighth: %1").arg(percent(share));
    notes = {notes.first() + QObject::tr(", busiest eighth takes %1").arg(percent(share)),
             notes.first() + QStringLiteral(", ") + most, most, notes.first()};
  }
  out.sets = titled(out, panel, line, QObject::tr("Misses by set, %1").arg(figure.levels[level].name), notes);
  const QRectF scale(out.sets.left(), out.sets.bottom() - line, out.sets.width(), line);
  if (out.sets.height() >= 3 * line) out.sets.setBottom(scale.top() - 3);
  if (sets.empty() || out.sets.width() < 8 || out.sets.height() < 8) return;
  // About square cells of at least 4 px; neighbouring sets share one where there are more.
  const double area = out.sets.width() * out.sets.height();
  const size_t room = std::max<size_t>(1, static_cast<size_t>(area / 16));
  size_t per_cell = 1;
  while (sets.size() / per_cell > room) per_cell *= 2;
  const size_t count = (sets.size() + per_cell - 1) / per_cell;
  const double ideal = std::sqrt(static_cast<double>(count) * out.sets.width() / out.sets.height());
  size_t columns = 1;
  while (static_cast<double>(columns) * 1.41 < ideal && columns < count) columns *= 2;
  const size_t rows = (count + columns - 1) / columns;
  const double width = out.sets.width() / static_cast<double>(columns);
  const double height = std::min(out.sets.height() / static_cast<double>(rows), std::max(width, 8.0) * 2);
  double most = 0;
  for (size_t c = 0; c < count; ++c) {
    SetCell cell;
    cell.first = c * per_cell;
    cell.last = std::min(sets.size(), cell.first + per_cell);
    for (size_t s = cell.first; s < cell.last; ++s) cell.misses += static_cast<double>(sets[s]);
    cell.misses /= static_cast<double>(cell.last - cell.first);
    cell.rect = QRectF(out.sets.left() + static_cast<double>(c % columns) * width,
                       out.sets.top() + static_cast<double>(c / columns) * height, width, height);
    most = std::max(most, cell.misses);
    out.cells.push_back(cell);
  }
  // Sets that are all alike are of middle shade; dark are those that take more than their part.
  const double mean = std::accumulate(sets.begin(), sets.end(), 0.0) / static_cast<double>(sets.size());
  const double darkest = std::max(most, 2 * mean);
  for (SetCell& cell : out.cells) cell.shade = darkest > 0 ? cell.misses / darkest : 0;
  out.most_misses = darkest;
  if (scale.top() > out.sets.bottom()) place_set_scale(out, scale, font);
}

/// What the dots mean, above them: as many of the three as there is room for. Returns what is left below.
QRectF place_order_legend(CacheLayout& out, const QRectF& body, double line, const QFont& font) {
  if (body.height() < 4 * line) return body;
  const QFont small = scaled_font(font, 0.92);
  const std::array<QString, 3> names = {QObject::tr("faint: in the nearest cache"),
                                        QObject::tr("strong: in a farther one"), QObject::tr("from memory")};
  double x = body.left(), y = body.top();
  for (size_t i = 0; i < names.size(); ++i) {
    const double width = std::ceil(text_width(small, names[i])) + 2;
    if (x > body.left() && x + 12 + width > body.right()) x = body.left(), y += line;
    out.order_swatches[i] = QRectF(x, y + line / 2 - 3.5, 7, 7);
    out.texts.push_back(
        {QRectF(x + 12, y, std::min(width, body.right() - x - 12), line), names[i], CacheTextRole::secondary});
    x += 12 + width + kGrid;
  }
  return body.adjusted(0, y + line + 2 - body.top(), 0, 0);
}

void place_order(CacheLayout& out, const OpSimulation& simulation, size_t shown, const QRectF& panel, double line,
                 const QFont& font) {
  const auto& accesses = simulation.first_accesses;
  const QString shown_of = accesses.size() < simulation.accesses
                               ? QObject::tr("%1 of %2")
                                     .arg(accesses.size())
                                     .arg(quantity(static_cast<double>(simulation.accesses), Quantity::count))
                               : QString();
  const QStringList notes = accesses.empty()     ? QStringList()
                            : shown_of.isEmpty() ? QStringList{QObject::tr("all %1, by address").arg(accesses.size()),
                                                               QObject::tr("all %1").arg(accesses.size())}
                                                 : QStringList{QObject::tr("the first %1, by address").arg(shown_of),
                                                               QObject::tr("the first %1").arg(shown_of), shown_of};
  QRectF body = titled(out, panel, line, QObject::tr("Accesses in order"), notes);
  if (accesses.empty()) {
    out.texts.push_back({body, QObject::tr("There are no accesses."), CacheTextRole::secondary, Qt::AlignCenter});
    return;
  }
  body = place_order_legend(out, body, line, font);
  std::map<uint32_t, OrderBand> by_tensor;
  for (const auto& access : accesses) {
    const auto [it, added] = by_tensor.try_emplace(access.tensor);
    OrderBand& band = it->second;
    band.tensor = access.tensor;
    band.begin = added ? access.address : std::min(band.begin, access.address);
    band.end = added ? access.address + access.bytes : std::max(band.end, access.address + access.bytes);
  }
  double label = 0;
  const QFont small = scaled_font(font, 0.92);
  for (const auto& [tensor, band] : by_tensor) {
    if (tensor < simulation.tensors.size())
      label = std::max(label, text_width(small, QString::fromStdString(simulation.tensors[tensor].name)));
  }
  label = std::min(std::ceil(label) + 6, panel.width() * 0.28);
  out.order = body.adjusted(label, 0, 0, -line);
  const double height = out.order.height() / static_cast<double>(by_tensor.size());
  std::vector<size_t> band_of(simulation.tensors.size() + 1, 0);
  double y = out.order.top();
  for (auto& [tensor, band] : by_tensor) {
    band.rect = QRectF(out.order.left(), y + 1, out.order.width(), std::max(2.0, height - 2));
    const double text = std::min(line, height);
    band.label = QRectF(body.left(), band.rect.center().y() - text / 2, label - 4, text);
    if (tensor < band_of.size()) band_of[tensor] = out.bands.size();
    out.bands.push_back(band);
    y += height;
  }
  const double per_access = out.order.width() / static_cast<double>(accesses.size());
  shown = std::min(shown, accesses.size());
  for (size_t i = 0; i < shown; ++i) {
    const size_t at = band_of[std::min<size_t>(accesses[i].tensor, simulation.tensors.size())];
    const OrderBand& band = out.bands[at];
    const double t = static_cast<double>(accesses[i].address - band.begin) /
                     static_cast<double>(std::max<uint64_t>(1, band.end - band.begin));
    out.dots.push_back({QPointF(out.order.left() + per_access * (static_cast<double>(i) + 0.5),
                                band.rect.top() + 1 + (band.rect.height() - 3) * t),
                        i, at});
  }
  out.cursor_x = out.order.left() + per_access * static_cast<double>(shown);
}

/// "access 12 of 4096: load of fc.weight + 0x40, 64 B: from L2"
QString access_text(const OpSimulation& simulation, size_t shown) {
  const auto& accesses = simulation.first_accesses;
  if (accesses.empty()) return {};
  if (shown == 0) return QObject::tr("before the first access");
  const size_t i = std::min(shown, accesses.size()) - 1;
  const auto& a = accesses[i];
  const QString from =
      a.kind == engine::AccessKind::store_past_caches ? QObject::tr("past the caches")
      : a.level < simulation.config.levels.size()
          ? QObject::tr("found in %1").arg(QString::fromStdString(simulation.config.levels[a.level].name))
          : QObject::tr("from memory");
  const bool named = a.tensor < simulation.tensors.size();
  return QObject::tr("%1: %2 %3 B of %4, %5")
      .arg(i + 1)
      .arg(a.kind == engine::AccessKind::load ? QObject::tr("load") : QObject::tr("store"))
      .arg(a.bytes)
      .arg(named ? QString::fromStdString(simulation.tensors[a.tensor].name) : QStringLiteral("?"), from);
}

}  // namespace

double curve_ratio(const std::vector<profiler::CurvePoint>& curve, double cache_bytes) {
  if (curve.empty()) return kNaN;
  const auto after = std::ranges::upper_bound(
      curve, cache_bytes, {}, [](const profiler::CurvePoint& p) { return static_cast<double>(p.cache_bytes); });
  if (after == curve.begin()) return curve.front().miss_ratio;
  if (after == curve.end()) return curve.back().miss_ratio;
  const auto before = std::prev(after);
  const double low = std::log(static_cast<double>(before->cache_bytes)),
               high = std::log(static_cast<double>(after->cache_bytes));
  const double t = (std::log(cache_bytes) - low) / (high - low);
  return before->miss_ratio + t * (after->miss_ratio - before->miss_ratio);
}

CacheLayout layout_cache(const OpSimulation& simulation, const CacheFigure& figure, const QRectF& area,
                         const QFont& font, const CacheLayoutOptions& options) {
  CacheLayout out;
  const Panels panels = split(area, font, options.state);
  out.texts.push_back({panels.heading, options.heading, CacheTextRole::heading});
  for (qsizetype i = 0; i < panels.states.size(); ++i) {
    const QRectF rect(panels.state.left(), panels.state.top() + panels.line * static_cast<double>(i),
                      panels.state.width(), panels.line);
    out.texts.push_back(
        {rect, panels.states[i], options.state_is_warning ? CacheTextRole::warning : CacheTextRole::secondary,
         Qt::AlignLeft | Qt::AlignVCenter, panels.states[i].contains(QStringLiteral("…")) ? options.state : QString()});
  }
  if (options.on_chip != nullptr) place_on_chip(out, *options.on_chip, figure, panels.curve, panels.line, font);
  else place_curve(out, simulation, figure, panels.curve, panels.line, font);
  place_causes(out, figure, simulation.accesses, panels.causes, panels.line, font);
  place_sets(out, figure, options.level, panels.sets, panels.line, font);
  place_order(out, simulation, options.shown_accesses, panels.order, panels.line, font);
  if (!out.bands.empty()) {
    out.texts.push_back(
        {QRectF(panels.order.left(), panels.order.bottom() - panels.line, panels.order.width(), panels.line),
         access_text(simulation, options.shown_accesses), CacheTextRole::secondary});
  }
  return out;
}

double CacheLayout::size_at(double x) const {
  if (!(most_size > 0)) return kNaN;
  if (x < first_x) return 0;
  return least_size * std::pow(most_size / least_size, (x - first_x) / (curve_axes.right() - first_x));
}

const SetCell* CacheLayout::set_at(QPointF point) const {
  const auto found = std::ranges::find_if(cells, [&](const SetCell& cell) { return cell.rect.contains(point); });
  return found == cells.end() ? nullptr : &*found;
}

const CauseBar* CacheLayout::bar_at(QPointF point) const {
  const auto found = std::ranges::find_if(bars, [&](const CauseBar& bar) {
    return bar.name.united(bar.value).united(bar.track).united(bar.measured).contains(point);
  });
  return found == bars.end() ? nullptr : &*found;
}

const OrderDot* CacheLayout::dot_at(QPointF point) const {
  const OrderDot* best = nullptr;
  double nearest = 6;
  for (const OrderDot& dot : dots) {
    const QPointF d = dot.at - point;
    if (const double distance = std::hypot(d.x(), d.y()); distance < nearest) nearest = distance, best = &dot;
  }
  return best;
}

}  // namespace views
