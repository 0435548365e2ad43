// SPDX-License-Identifier: GPL-3.0-or-later
// From counters to stepped lines, and these onto the screen.
#include "views/memory/allocated_figure.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "views/base/paint.h"
#include "views/memory/axis_step.h"

namespace views {
namespace {

using profiler::Quantity;

constexpr size_t kMostCurves = 6;

/// Steps from value to value; of those within one pixel the lowest and the highest.
QPolygonF stepped(const AllocatedLayout& layout, const profiler::CounterSeries& series) {
  QPolygonF line;
  double column = -1, low = 0, high = 0, last = 0;
  const auto flush = [&] {
    if (column < 0) return;
    for (const double value : {low, high, last}) line << QPointF(column, layout.y_of(value));
  };
  for (size_t i = 0; i < series.value.size(); ++i) {
    const double x = std::floor(layout.x_of(series.time_ns[i])), value = series.value[i];
    if (x != column) {
      flush();
      if (column >= 0) line << QPointF(x, layout.y_of(last));
      column = x, low = high = value;
    }
    low = std::min(low, value), high = std::max(high, value), last = value;
  }
  flush();
  line << QPointF(layout.plot.right(), layout.y_of(last));
  return line;
}

/// Colours that the themes know to be told apart.
QColor colour_of(const Theme& theme, size_t curve) {
  constexpr engine::Role kColours[] = {engine::Role::weight, engine::Role::activation,      engine::Role::gradient,
                                       engine::Role::input,  engine::Role::optimizer_state, engine::Role::workspace};
  return theme.role(kColours[curve % std::size(kColours)]);
}

/// Names of what is counted, each once, "allocated" first.
QStringList counted(const std::vector<profiler::AllocatedSeries>& series) {
  QStringList names;
  for (const profiler::AllocatedSeries& s : series) names << QString::fromStdString(s.name);
  names.removeDuplicates();
  std::ranges::stable_partition(names, [](const QString& name) { return name == QLatin1String("allocated"); });
  return names;
}

/// What the figures of the tooltip count.
QString allocated_meaning(const std::vector<profiler::AllocatedSeries>& series) {
  QStringList sentences;
  for (const QString& name : counted(series)) {
    if (name == QLatin1String("allocated"))
      sentences << QObject::tr("Allocated: bytes the traced program's allocator had handed out.");
    else if (name == QLatin1String("reserved"))
      sentences << QObject::tr("Reserved: bytes it held, handed out or kept for later.");
    else sentences << QObject::tr("%1: as the traced program counted it.").arg(name);
  }
  return sentences.join(QLatin1Char(' '));
}

QString sentence_case(const QString& text) { return text.left(1).toUpper() + text.mid(1); }

/// As many names as fit beside one another, and how many do not.
void place_legend(AllocatedLayout& out, const QFont& font) {
  constexpr double kSwatch = 18, kGap = 2 * kGrid;
  double x = out.legend.left();
  const auto place = [&](const QString& text, double indent, std::optional<size_t> curve) {
    const double width = indent + text_width(font, text);
    out.names.push_back({QRectF(x, out.legend.top(), width, out.legend.height()), text, curve});
    x += width + kGap;
  };
  for (size_t i = 0; i < out.curves.size(); ++i) {
    const QString text =
        QObject::tr("%1: at most %2").arg(out.curves[i].label, quantity(out.curves[i].peak_bytes, Quantity::bytes));
    const QString more = QObject::tr("and %1 more: point at the picture").arg(out.curves.size() - i);
    const bool last = i + 1 == out.curves.size();
    // what follows needs room for the words that say that it found none
    if (x + kSwatch + text_width(font, text) + (last ? 0 : kGap + text_width(font, more)) > out.legend.right())
      return place(more, 0, {});
    place(text, kSwatch, i);
  }
}

}  // namespace

double AllocatedLayout::x_of(int64_t time_ns) const {
  const double span = static_cast<double>(std::max<int64_t>(1, end_ns - begin_ns));
  return plot.left() + plot.width() * static_cast<double>(time_ns - begin_ns) / span;
}

double AllocatedLayout::y_of(double bytes) const {
  const double span = top_bytes - bottom_bytes;
  return span > 0 ? plot.bottom() - plot.height() * (bytes - bottom_bytes) / span : plot.bottom();
}

int64_t AllocatedLayout::time_at(double x) const {
  return begin_ns +
         static_cast<int64_t>((x - plot.left()) / std::max(1.0, plot.width()) * static_cast<double>(end_ns - begin_ns));
}

AllocatedLayout layout_allocated(const profiler::Capture& capture, const std::vector<profiler::AllocatedSeries>& series,
                                 const QRectF& area, const QFont& font) {
  AllocatedLayout out;
  const double line = std::ceil(QFontMetricsF(font).height()) + 3;
  const double heading = std::ceil(QFontMetricsF(scaled_font(font, 1.2, true)).height()) + 2;
  const QRectF inner = area.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid);
  const double axis = text_width(font, QStringLiteral("-888 MB")) + kGrid;
  out.line_height = line;
  out.title = QRectF(inner.left(), inner.top(), inner.width(), heading);
  out.subtitle = QRectF(inner.left(), out.title.bottom(), inner.width(), line);
  out.legend = QRectF(inner.left(), out.subtitle.bottom() + 4, inner.width(), line);
  out.plot = QRectF(QPointF(inner.left() + axis, out.legend.bottom() + line),
                    QPointF(inner.right(), inner.bottom() - 2 * line));
  out.begin_ns = capture.begin_ns(), out.end_ns = capture.end_ns();
  for (const profiler::AllocatedSeries& s : series) {
    out.top_bytes = std::max(out.top_bytes, s.peak_bytes);
    out.bottom_bytes = std::min(out.bottom_bytes, *std::ranges::min_element(s.series->value));
    out.begin_ns = std::min(out.begin_ns, s.series->time_ns.front()),
    out.end_ns = std::max(out.end_ns, s.series->time_ns.back());
  }
  out.top_bytes += 0.04 * (out.top_bytes - out.bottom_bytes);
  if (!(out.top_bytes > out.bottom_bytes)) out.top_bytes = out.bottom_bytes + 1;
  for (const profiler::AllocatedSeries& s : series) {
    if (out.curves.size() == kMostCurves) break;
    out.curves.push_back(
        {.label = QStringLiteral("%1, %2").arg(QString::fromStdString(s.name), QString::fromStdString(s.group)),
         .line = stepped(out, *s.series),
         .peak = QPointF(out.x_of(s.peak_ns), out.y_of(s.peak_bytes)),
         .peak_bytes = s.peak_bytes});
  }
  out.left_out = series.size() - out.curves.size();
  const QStringList names = counted(series);
  out.heading = names.size() > 2 ? QObject::tr("Memory over time")
                                 : QObject::tr("%1 over time").arg(sentence_case(names.join(QObject::tr(" and "))));
  place_legend(out, scaled_font(font, 0.92));
  for (const profiler::StepRecord& step : capture.steps()) out.steps.push_back(out.x_of(step.start_ns));
  return out;
}

namespace {

void paint_axes(QPainter& p, const AllocatedLayout& layout, const Theme& theme) {
  const double height = layout.line_height;
  const double bytes =
      nice_step(layout.top_bytes - layout.bottom_bytes, std::max(2, static_cast<int>(layout.plot.height() / 60)));
  for (double at = std::ceil(layout.bottom_bytes / bytes) * bytes; at <= layout.top_bytes; at += bytes) {
    const double y = layout.y_of(at);
    p.setPen(QPen(std::abs(at) < bytes / 2 ? theme.text_secondary : theme.grid, 1));
    p.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y));
    draw_text(p, QRectF(layout.title.left(), y - height / 2, layout.plot.left() - layout.title.left() - 6, height),
              Qt::AlignRight | Qt::AlignVCenter, quantity(std::abs(at) < bytes / 2 ? 0 : at, Quantity::bytes),
              theme.text_secondary);
  }
  p.setPen(QPen(theme.grid, 1, Qt::DotLine));
  for (const double x : layout.steps) p.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()));
  const auto span = static_cast<double>(layout.end_ns - layout.begin_ns);
  const double step = nice_step(span, std::max(2, static_cast<int>(layout.plot.width() / 110)));
  const double unit = step >= 1e9 ? 1e9 : step >= 1e6 ? 1e6 : step >= 1e3 ? 1e3 : 1;
  const char* name = unit == 1e9 ? "s" : unit == 1e6 ? "ms" : unit == 1e3 ? "µs" : "ns";
  for (double at = 0; at <= span; at += step) {
    const double x = layout.x_of(layout.begin_ns + static_cast<int64_t>(at));
    draw_text(p, QRectF(x - 50, layout.plot.bottom() + 2, 100, height), Qt::AlignHCenter | Qt::AlignVCenter,
              QString::number(at / unit, 'g', 6), theme.text_secondary);
  }
  draw_text(p, QRectF(layout.plot.left(), layout.plot.bottom() + 2 + height, layout.plot.width(), height),
            Qt::AlignCenter,
            QObject::tr("time since the first event [%1]; dotted: a step begins").arg(QString::fromUtf8(name)),
            theme.text_secondary);
}

void paint_legend(QPainter& p, const AllocatedLayout& layout, const Theme& theme) {
  for (const AllocatedName& name : layout.names) {
    if (name.curve)
      draw_swatch(p, QRectF(name.rect.left(), name.rect.center().y() - 5.5, 11, 11), colour_of(theme, *name.curve));
    draw_text(p, name.rect.adjusted(name.curve ? 17 : 0, 0, 1, 0), Qt::AlignLeft | Qt::AlignVCenter, name.text,
              theme.text_secondary);
  }
}

}  // namespace

void paint_allocated(QPainter& p, const AllocatedLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setRenderHint(QPainter::Antialiasing);
  p.setFont(scaled_font(font, 1.2, true));
  draw_text(p, layout.title, Qt::AlignLeft | Qt::AlignVCenter, layout.heading, theme.text);
  p.setFont(scaled_font(font, 0.92));
  QString note =
      QObject::tr("measured by the traced program's allocator; which tensors were alive is not in the trace");
  if (layout.left_out > 0) note += QObject::tr("; %1 smaller series are in the data").arg(layout.left_out);
  draw_text(p, layout.subtitle, Qt::AlignLeft | Qt::AlignVCenter, note, theme.text_secondary);
  paint_legend(p, layout, theme);
  paint_axes(p, layout, theme);
  p.save();
  p.setClipRect(layout.plot.adjusted(-4, -6, 1, 1));
  for (size_t i = layout.curves.size(); i-- > 0;) {
    const AllocatedCurve& curve = layout.curves[i];
    p.setPen(QPen(colour_of(theme, i), 1.6));
    p.setBrush(Qt::NoBrush);
    p.drawPolyline(curve.line);
    p.setBrush(theme.surface);
    p.drawEllipse(curve.peak, 3.5, 3.5);
  }
  p.restore();
  p.setFont(font);
}

QString allocated_headline(const std::vector<profiler::AllocatedSeries>& series) {
  if (series.empty()) return {};
  const auto named = std::ranges::find(series, "allocated", &profiler::AllocatedSeries::name);
  const profiler::AllocatedSeries& first = named == series.end() ? series.front() : *named;
  return QObject::tr("%1 over time, %2: at most %3")
      .arg(sentence_case(QString::fromStdString(first.name)), QString::fromStdString(first.group),
           quantity(first.peak_bytes, Quantity::bytes));
}

QString allocated_tip(const profiler::Capture& capture, const std::vector<profiler::AllocatedSeries>& series,
                      const AllocatedLayout& layout, QPointF at) {
  if (!layout.plot.contains(at)) return {};
  const int64_t time = layout.time_at(at.x());
  QStringList lines;
  for (size_t i = 0; i < layout.curves.size(); ++i) {
    const auto& times = series[i].series->time_ns;
    const auto next = std::upper_bound(times.begin(), times.end(), time);
    const QString held =
        next == times.begin()
            ? QStringLiteral("–")
            : quantity(series[i].series->value[static_cast<size_t>(next - times.begin()) - 1], Quantity::bytes);
    lines << QStringLiteral("%1  %2").arg(held, layout.curves[i].label);
  }
  return Tip{QObject::tr("%1 after the first event")
                 .arg(quantity(static_cast<double>(time - capture.begin_ns()), Quantity::duration_ns)),
             lines.join(QLatin1Char('\n')),
             allocated_meaning(series),
             {},
             profiler::Origin::measured,
             {}}
      .html();
}

}  // namespace views
