// SPDX-License-Identifier: GPL-3.0-or-later
// Paints what published_layout placed.
#include "views/sweep/published_paint.h"

#include <QCoreApplication>
#include <array>
#include <cmath>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/sweep/sweep_paint.h"

namespace views {
namespace {

using profiler::CellQuality;

constexpr double kDot = 3.5;

QString tr(const char* words) { return QCoreApplication::translate("views", words); }

QColor blend(const QColor& base, const QColor& over, double part) {
  const auto mix = [&](float a, float b) { return static_cast<float>(a + (b - a) * part); };
  return QColor::fromRgbF(mix(base.redF(), over.redF()), mix(base.greenF(), over.greenF()),
                          mix(base.blueF(), over.blueF()));
}

void paint_line(QPainter& p, const ThreadLine& line, const Theme& theme) {
  const QColor colour = line.tool < 0 ? theme.text : series_colour(theme, static_cast<size_t>(line.tool));
  p.setBrush(Qt::NoBrush);
  p.setPen(QPen(colour, line.tool < 0 ? 2.5 : 1.75, line.doubtful ? Qt::DashLine : Qt::SolidLine));
  for (size_t i = 1; i < line.dots.size(); ++i)
    if (line.joined[i]) p.drawLine(line.dots[i - 1].at, line.dots[i].at);
  p.setPen(QPen(colour, 1.25));
  p.setBrush(line.doubtful ? theme.surface : colour);
  for (const ThreadDot& dot : line.dots) p.drawEllipse(dot.at, kDot, kDot);
  draw_text(p, line.label, Qt::AlignLeft | Qt::AlignVCenter,
            line.doubtful ? line.name + QStringLiteral(" ×") : line.name, colour);
}

void paint_plot(QPainter& p, const ThreadPlot& plot, const Theme& theme) {
  p.fillRect(plot.hyper_threads, theme.surface_alternate);
  const double height = p.fontMetrics().height();
  draw_bold(p, QRectF(plot.rect.left(), plot.rect.top() - height - 4, plot.rect.width() + 80, height), Qt::AlignLeft,
            plot.title, theme.text);
  // Below the axis, right-aligned: in a narrow zone the word begins before it.
  draw_text(p, QRectF(plot.rect.left(), plot.rect.bottom() + 2 + height * 0.8, plot.rect.width(), height),
            Qt::AlignRight | Qt::AlignVCenter, tr("hyper-threads"), theme.text_secondary);
  for (const ThreadPlot::Tick& tick : plot.y_ticks) {
    p.setPen(QPen(theme.grid, 1));
    p.drawLine(QPointF(plot.rect.left(), tick.at), QPointF(plot.rect.right(), tick.at));
    draw_text(p, QRectF(plot.rect.left() - 60, tick.at - height / 2, 56, height), Qt::AlignRight | Qt::AlignVCenter,
              tick.text, theme.text_secondary);
  }
  for (const ThreadPlot::Tick& tick : plot.x_ticks)
    draw_text(p, QRectF(tick.at - 20, plot.rect.bottom() + 2, 40, height), Qt::AlignCenter, tick.text,
              theme.text_secondary);
  draw_text(p, QRectF(plot.rect.left(), plot.rect.bottom() + 2 + height * 0.8, plot.rect.width(), height),
            Qt::AlignCenter, tr("threads"), theme.text_secondary);
  p.setPen(QPen(theme.border, 1));
  p.setBrush(Qt::NoBrush);
  p.drawRect(plot.rect);
  if (!plot.x_ticks.empty() && !plot.y_ticks.empty()) {
    p.setPen(QPen(theme.text_secondary, 1, Qt::DotLine));
    p.drawLine(QPointF(plot.x_ticks.front().at, plot.y_ticks.front().at), QPointF(plot.ideal_x, plot.ideal_y));
  }
  for (const ThreadDot& gap : plot.gaps) {
    const bool dash = gap.cell->quality == CellQuality::dash || gap.cell->quality == CellQuality::lost;
    draw_mark(p, QRectF(gap.at.x() - 4, gap.at.y() - 4, 8, 8), dash ? theme.text_secondary : theme.error,
              dash ? Mark::dash : Mark::cross);
  }
  for (const ThreadLine& line : plot.lines) paint_line(p, line, theme);
}

}  // namespace

QColor quality_colour(const Theme& theme, CellQuality quality) {
  switch (quality) {
    case CellQuality::good: return blend(theme.surface, theme.measure, 0.28);
    case CellQuality::uncertain: return blend(theme.surface, theme.text_secondary, 0.45);
    case CellQuality::mismatch: return blend(theme.surface, theme.warning, 0.5);
    case CellQuality::impossible: return blend(theme.surface, theme.error, 0.75);
    case CellQuality::dash: return theme.background;
    case CellQuality::lost: return blend(theme.surface, theme.text_secondary, 0.2);
  }
  return theme.surface;
}

void paint_quality_legend(QPainter& p, const QRectF& rect, const Theme& theme) {
  const std::array<std::pair<CellQuality, QString>, 6> entries{{{CellQuality::good, tr("good")},
                                                                {CellQuality::mismatch, tr("× not like for like")},
                                                                {CellQuality::impossible, tr("! above the peak")},
                                                                {CellQuality::uncertain, tr("? uncertain digits")},
                                                                {CellQuality::lost, tr("lost")},
                                                                {CellQuality::dash, tr("– dash: no time")}}};
  double x = rect.left();
  const double side = 12;
  const auto draw = [&](const QString& words, const QColor* fill) {
    const double width = (fill != nullptr ? side + 4 : 0) + text_width(p.font(), words) + 14;
    if (x + width > rect.right() + 14) return;
    if (fill != nullptr) {
      const QRectF box(x, rect.center().y() - side / 2, side, side);
      p.fillRect(box, *fill);
      p.setPen(QPen(theme.border, 1));
      p.setBrush(Qt::NoBrush);
      p.drawRect(box);
    }
    draw_text(p, QRectF(x + (fill != nullptr ? side + 4 : 0), rect.top(), width, rect.height()),
              Qt::AlignLeft | Qt::AlignVCenter, words, theme.text_secondary);
    x += width;
  };
  for (const auto& [quality, words] : entries) {
    const QColor fill = quality_colour(theme, quality);
    draw(words, &fill);
  }
  draw(tr("~ point or digit put back"), nullptr);
}

void paint_published_grid(QPainter& p, const PublishedGrid& grid, int selected, const Theme& theme) {
  const QFont font = p.font();
  for (const QRectF& column : grid.hyper_threads) p.fillRect(column, theme.surface_alternate);
  for (const PublishedLabel& label : grid.labels) {
    const bool head = !grid.boxes.empty() && label.rect.bottom() <= grid.boxes.front().rect.top() + 1;
    const int align = (head ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter;
    label.strong ? draw_bold(p, label.rect, align, label.text, theme.text)
                 : draw_text(p, label.rect, align, label.text, theme.text_secondary);
  }
  p.setFont(scaled_font(font, 0.9));
  for (const PublishedBox& box : grid.boxes) {
    const QColor fill = quality_colour(theme, box.cell->quality);
    p.fillRect(box.rect, fill);
    if (!box.text.isEmpty()) draw_text(p, box.rect, Qt::AlignCenter, box.text, label_on(fill), Qt::ElideNone);
  }
  p.setFont(font);
  if (selected < 0 || static_cast<size_t>(selected) >= grid.boxes.size()) return;
  p.setPen(QPen(theme.accent, 2));
  p.setBrush(Qt::NoBrush);
  p.drawRect(grid.boxes[static_cast<size_t>(selected)].rect);
}

void paint_published_threads(QPainter& p, const PublishedThreads& threads, const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  for (const ThreadPlot& plot : threads.plots) paint_plot(p, plot, theme);
}

void paint_published_ranking(QPainter& p, const std::vector<RankedBar>& bars, int selected, const Theme& theme) {
  for (size_t i = 0; i < bars.size(); ++i) {
    const RankedBar& b = bars[i];
    const profiler::ReferenceCell& cell = *b.ranked.cell;
    if (static_cast<int>(i) == selected) p.fillRect(b.lane, theme.surface_alternate);
    draw_bold(p, b.place, Qt::AlignHCenter | Qt::AlignVCenter,
              b.ranked.place > 0 ? QString::number(b.ranked.place) : QStringLiteral("–"), theme.text);
    draw_text(p, b.name, Qt::AlignLeft | Qt::AlignVCenter, text(cell.tool), theme.text);
    if (!b.bar.isEmpty()) {
      p.fillRect(b.bar, quality_colour(theme, cell.quality));
      p.setPen(QPen(theme.border, 1));
      p.setBrush(Qt::NoBrush);
      p.drawRect(b.bar);
    }
    QString time = cell.has_time() ? tr("%1 s").arg(cell.seconds, 0, 'f', 3) : published_text(cell);
    if (!std::isnan(b.ranked.ratio))
      time += QStringLiteral(" (%1)").arg(quantity(b.ranked.ratio, profiler::Quantity::ratio));
    draw_text(p, b.time, Qt::AlignLeft | Qt::AlignVCenter, time, theme.text);
    if (cell.why.empty() || b.words.width() < 40) continue;
    p.setPen(cell.has_time() ? theme.text : theme.text_secondary);
    const double lines = std::max(1.0, std::floor(b.words.height() / p.fontMetrics().height()));
    QString words = text(cell.why);
    // As many words as the lane has room for; the line below the picture has all of them.
    const QRectF room(b.words.topLeft(), QSizeF(b.words.width(), lines * p.fontMetrics().height()));
    while (words.size() > 8 && p.boundingRect(room, Qt::TextWordWrap, words).height() > room.height() + 1)
      words = words.left(words.size() - 6).trimmed() + QStringLiteral("…");
    p.drawText(QRectF(b.words), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, words);
  }
}

}  // namespace views
