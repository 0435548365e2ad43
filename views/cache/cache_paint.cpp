// SPDX-License-Identifier: GPL-3.0-or-later
// Curve as a line, causes as hatched bars, sets as shades of one colour, accesses as dots: hollow hits, filled misses.
#include "views/cache/cache_paint.h"

#include <algorithm>
#include <cmath>

#include "views/base/paint.h"

namespace views {
namespace {

using profiler::Origin;
using profiler::Quantity;

void paint_text(QPainter& p, const CacheText& text, const Theme& theme) {
  const QFont font = p.font();
  QColor colour = theme.text;
  switch (text.role) {
    case CacheTextRole::normal: break;
    case CacheTextRole::secondary:
      p.setFont(scaled_font(font, 0.92));
      colour = theme.text_secondary;
      break;
    case CacheTextRole::bold: p.setFont(scaled_font(font, 1.0, true)); break;
    case CacheTextRole::heading: p.setFont(scaled_font(font, 1.2, true)); break;
    case CacheTextRole::warning:
      p.setFont(scaled_font(font, 0.92));
      colour = theme.warning;
      break;
  }
  draw_text(p, text.rect, text.alignment, text.text, colour);
  p.setFont(font);
}

void paint_curve(QPainter& p, const CacheLayout& layout, const CacheMarks& marks, const Theme& theme) {
  if (layout.curve.isEmpty()) return;
  const QRectF& axes = layout.curve_axes;
  p.setPen(QPen(theme.grid, 1));
  for (const QPointF& tick : layout.y_ticks) p.drawLine(tick, QPointF(axes.right(), tick.y()));
  for (const QPointF& tick : layout.x_ticks) p.drawLine(tick, QPointF(tick.x(), axes.top()));
  for (const CurveMark& mark : layout.marks) {
    const bool chosen = mark.level == marks.level;
    const QColor colour =
        mark.level ? theme.level(static_cast<int>(3 - std::min<size_t>(3, *mark.level))) : theme.text_secondary;
    p.setPen(QPen(colour, chosen ? 2 : 1, mark.level ? Qt::SolidLine : Qt::DotLine));
    const double top = mark.label.isEmpty() ? axes.top() : mark.label.bottom();
    p.drawLine(QPointF(mark.x, top), QPointF(mark.x, axes.bottom()));
  }
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme.measure, 2));
  p.drawPolyline(layout.curve);
  const QFont font = p.font();
  for (const CurveMark& mark : layout.marks) {
    const bool chosen = mark.level == marks.level;
    if (!std::isnan(mark.dot.y())) {
      p.setBrush(theme.surface);
      p.setPen(QPen(theme.text, chosen ? 2 : 1.25));
      p.drawEllipse(mark.dot, 3.5, 3.5);
    }
    if (mark.label.isEmpty()) continue;
    p.setFont(scaled_font(font, 0.92, chosen));
    p.fillRect(mark.label, theme.surface);
    draw_text(p, mark.label, Qt::AlignCenter, mark.text, mark.level ? theme.text : theme.text_secondary);
  }
  p.setFont(font);
  p.setPen(QPen(theme.border, 1));
  p.drawLine(axes.bottomLeft(), axes.bottomRight());
  p.drawLine(axes.bottomLeft(), axes.topLeft());
}

void paint_bars(QPainter& p, const CacheFigure& figure, const CacheLayout& layout, const CacheMarks& marks,
                const Theme& theme) {
  const QFont font = p.font();
  for (size_t c = 0; figure.classified && c < 3; ++c)
    draw_swatch(p, layout.cause_swatches[c], cause_colour(theme, c), Origin::simulated);
  for (const CauseBar& bar : layout.bars) {
    const CacheLevelFigure& level = figure.levels[bar.level];
    draw_bold(p, bar.name, Qt::AlignLeft | Qt::AlignVCenter, level.name,
              bar.level == marks.level ? theme.accent : theme.text);
    draw_text(p, bar.value, Qt::AlignLeft | Qt::AlignVCenter, bar.value_text, theme.text);
    p.fillRect(bar.track, theme.surface_alternate);
    if (figure.classified) {
      for (size_t c = 0; c < 3; ++c) {
        if (bar.parts[c].width() <= 0) continue;
        p.setPen(QPen(cause_colour(theme, c), 1));
        p.setBrush(origin_brush(Origin::simulated, cause_colour(theme, c)));
        p.drawRect(bar.parts[c]);
      }
    } else if (bar.whole.width() > 0) {
      p.setPen(QPen(theme.text_secondary, 1));
      p.setBrush(origin_brush(Origin::simulated, theme.text_secondary));
      p.drawRect(bar.whole);
    }
    p.setFont(scaled_font(font, 0.92));
    if (!bar.measured.isEmpty())
      draw_text(p, bar.measured, Qt::AlignLeft | Qt::AlignVCenter, bar.measured_text, theme.text_secondary);
    p.setFont(font);
  }
}

/// Of a set: from the ground (no misses) to the theme's darkest.
QColor set_colour(const Theme& theme, double shade) {
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * shade)); };
  const QColor low = theme.surface_alternate, high = theme.measure;
  return QColor(mix(low.red(), high.red()), mix(low.green(), high.green()), mix(low.blue(), high.blue()));
}

void paint_sets(QPainter& p, const CacheLayout& layout, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing, false);
  for (const SetCell& cell : layout.cells) {
    const double gap = cell.rect.width() > 6 ? 1 : 0;
    p.fillRect(cell.rect.adjusted(0, 0, -gap, cell.rect.height() > 6 ? -1 : 0), set_colour(theme, cell.shade));
  }
  if (!layout.set_scale.isEmpty()) {
    constexpr int kParts = 8;
    const QRectF& bar = layout.set_scale;
    for (int i = 0; i < kParts; ++i)
      p.fillRect(QRectF(bar.left() + bar.width() * i / kParts, bar.top(), bar.width() / kParts + 0.5, bar.height()),
                 set_colour(theme, static_cast<double>(i) / (kParts - 1)));
    p.setPen(QPen(theme.border, 1));
    p.setBrush(Qt::NoBrush);
    p.drawRect(bar);
  }
  p.setRenderHint(QPainter::Antialiasing, true);
}

void paint_order(QPainter& p, const profiler::OpSimulation& simulation, const CacheLayout& layout,
                 const CacheMarks& marks, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  for (const OrderBand& band : layout.bands) {
    const bool known = band.tensor < simulation.tensors.size();
    p.fillRect(band.rect, theme.surface_alternate);
    if (!known) continue;
    const auto& tensor = simulation.tensors[band.tensor];
    const bool selected = marks.tensor && tensor.tensor == *marks.tensor;
    draw_text(p, band.label, Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(tensor.name),
              selected ? theme.accent : theme.text_secondary, Qt::ElideMiddle);
  }
  p.setFont(font);
  p.setRenderHint(QPainter::Antialiasing, false);
  for (size_t i = 0; i < layout.order_swatches.size(); ++i) {
    QColor colour = i == 2 ? theme.error : theme.text_secondary;
    if (i == 0) colour.setAlphaF(0.45f);
    p.fillRect(layout.order_swatches[i], colour);
  }
  for (const OrderDot& dot : layout.dots) {
    const auto& access = simulation.first_accesses[dot.access];
    const bool known = access.tensor < simulation.tensors.size();
    QColor colour = theme.role(known ? simulation.tensors[access.tensor].role : engine::Role::workspace);
    const bool missed = access.level > 0;
    if (!missed) colour.setAlphaF(0.45f);
    const double size = missed ? 3 : 2;
    p.fillRect(QRectF(dot.at.x() - size / 2, dot.at.y() - size / 2, size, size),
               missed ? (access.level < simulation.config.levels.size() ? colour : theme.error) : colour);
  }
  p.setRenderHint(QPainter::Antialiasing, true);
  if (layout.bands.empty() || layout.dots.size() == simulation.first_accesses.size()) return;
  p.setPen(QPen(theme.text, 1));
  p.drawLine(QPointF(layout.cursor_x, layout.order.top()), QPointF(layout.cursor_x, layout.order.bottom()));
  if (layout.dots.empty()) return;
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(theme.text, 1.5));
  p.drawEllipse(layout.dots.back().at, 4.5, 4.5);
}

QString bar_tip(const CacheFigure& figure, const CauseBar& bar) {
  const CacheLevelFigure& level = figure.levels[bar.level];
  QString value = QObject::tr("%1\n%2 accesses, %3 misses, %4 lines written back into it")
                      .arg(level.text, quantity(level.accesses, Quantity::count),
                           quantity(level.misses, Quantity::count), quantity(level.write_backs, Quantity::count));
  const std::array causes{level.compulsory, level.capacity, level.conflict};
  const std::array names{QObject::tr("compulsory"), QObject::tr("capacity"), QObject::tr("conflict")};
  for (size_t c = 0; figure.classified && c < 3; ++c) {
    value += QStringLiteral("\n%1 %2").arg(quantity(causes[c], Quantity::count), names[c]);
  }
  value += QStringLiteral("\n") + bar.measured_text;
  return Tip{level.name + QObject::tr(": misses"),
             value,
             QObject::tr("Compulsory: the first use of a line. Capacity: a fully associative LRU cache of this "
                         "size "
                         "would miss, too. Conflict: the rest, lines that compete for one set. Error: simulated "
                         "against counted by the hardware."),
             QObject::tr("miss ratio = misses / accesses of this level;  error = simulated / measured - 1"),
             Origin::simulated,
             std::isnan(level.measured_bytes) ? figure.measured_reason : QString()}
      .html();
}

QString mark_tip(const profiler::OpSimulation& simulation, const CacheFigure& figure, const CurveMark& mark) {
  if (!mark.level) {
    return Tip{mark.text,
               {},
               QObject::tr("The smallest fully associative cache whose capacity misses are at most 5 "
                           "% of the line accesses."),
               {},
               Origin::simulated,
               {}}
        .html();
  }
  const CacheLevelFigure& level = figure.levels[*mark.level];
  return Tip{level.name,
             QObject::tr("%1\n%2 of all accesses miss here\nthe curve has %3")
                 .arg(level.text, quantity(level.global_ratio, Quantity::percent_of),
                      quantity(curve_ratio(simulation.curve.points, level.size_bytes), Quantity::percent_of)),
             QObject::tr("The circle shows the misses of this level with its ways and policy, "
                         "the curve those of a "
                         "fully associative LRU cache. The difference is conflicts and policy."),
             {},
             Origin::simulated,
             {}}
      .html();
}

QString dot_tip(const profiler::OpSimulation& simulation, const OrderDot& dot) {
  const auto& access = simulation.first_accesses[dot.access];
  const bool known = access.tensor < simulation.tensors.size();
  const uint64_t base = known ? simulation.tensors[access.tensor].address : 0;
  const bool cached = access.level < simulation.config.levels.size();
  return Tip{
      QObject::tr("Access %1").arg(dot.access + 1),
      QObject::tr("%1 of %2 B\n%3 + %4\n%5")
          .arg(access.kind == engine::AccessKind::load ? QObject::tr("load") : QObject::tr("store"))
          .arg(access.bytes)
          .arg(known ? QString::fromStdString(simulation.tensors[access.tensor].name) : QStringLiteral("?"))
          .arg(access.address - base)
          .arg(cached
                   ? QObject::tr("found in %1").arg(QString::fromStdString(simulation.config.levels[access.level].name))
                   : QObject::tr("from memory")),
      QObject::tr("Faint: found in the nearest cache. Strong: in a farther one. Red: from memory."),
      {},
      Origin::simulated,
      {}}
      .html();
}

}  // namespace

QColor cause_colour(const Theme& theme, size_t cause) {
  return cause == 0 ? theme.text_secondary : cause == 1 ? theme.measure : theme.error;
}

void paint_cache(QPainter& p, const profiler::OpSimulation& simulation, const CacheFigure& figure,
                 const CacheLayout& layout, const CacheMarks& marks, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  paint_curve(p, layout, marks, theme);
  paint_bars(p, figure, layout, marks, theme);
  paint_sets(p, layout, theme);
  paint_order(p, simulation, layout, marks, theme);
  for (const CacheText& text : layout.texts) paint_text(p, text, theme);
}

QString cache_tip(const profiler::OpSimulation& simulation, const CacheFigure& figure, const CacheLayout& layout,
                  size_t level, QPointF point) {
  if (const CauseBar* bar = layout.bar_at(point)) return bar_tip(figure, *bar);
  if (const SetCell* cell = layout.set_at(point)) {
    const QString sets = cell->last - cell->first == 1
                             ? QObject::tr("Set %1").arg(cell->first)
                             : QObject::tr("Sets %1 to %2").arg(cell->first).arg(cell->last - 1);
    return Tip{
        QObject::tr("%1 of %2").arg(sets, figure.levels[level].name),
        (cell->last - cell->first == 1 ? QObject::tr("%1 misses") : QObject::tr("%1 misses each"))
            .arg(quantity(cell->misses, Quantity::count)),
        QObject::tr("A few dark sets among light ones: rows whose distance is a power of two fall into the "
                    "same sets and evict each other."),
        {},
        Origin::simulated,
        figure.sampled > 1
            ? QObject::tr("Only one of %1 sets was simulated so far: the others show nothing.").arg(figure.sampled)
            : QString()}
        .html();
  }
  if (const OrderDot* dot = layout.dot_at(point)) return dot_tip(simulation, *dot);
  for (const CacheText& text : layout.texts) {  // the whole of what is cut
    if (text.rect.contains(point) && !text.whole.isEmpty() && text.whole != text.text)
      return Tip{text.whole, {}, {}, {}, {}, {}}.html();
    if (text.rect.contains(point) && text_width(data_font(), text.text) > text.rect.width())
      return Tip{text.text, {}, {}, {}, {}, {}}.html();
  }
  for (const OrderBand& band : layout.bands) {
    if (band.label.contains(point) && band.tensor < simulation.tensors.size())
      return Tip{QString::fromStdString(simulation.tensors[band.tensor].name), {}, {}, {}, {}, {}}.html();
  }
  if (layout.most_size > 0 || !layout.curve_axes.contains(point) || simulation.curve.points.empty()) return {};
  for (const CurveMark& mark : layout.marks) {
    if (std::abs(mark.x - point.x()) < 5 || mark.label.contains(point)) return mark_tip(simulation, figure, mark);
  }
  return Tip{QObject::tr("Miss ratio by cache size"),
             {},
             QObject::tr("Share of line accesses that a fully associative LRU cache of each "
                         "size misses, from stack "
                         "distances. First uses are included; no cache avoids the right end."),
             QObject::tr("misses(size) / accesses"),
             Origin::simulated,
             QString::fromStdString(simulation.how)}
      .html();
}

}  // namespace views
