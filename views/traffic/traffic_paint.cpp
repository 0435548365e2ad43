// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a TrafficLayout: boxes, ribbons, numbers, legend, scrubber. Nothing is clipped, so SVG and PDF equal the
// screen.
#include "views/traffic/traffic_paint.h"

#include <array>
#include <cmath>

#include "profiler/analysis/outer_links.h"
#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {
namespace {

void paint_text(QPainter& p, const PlacedText& text, const Theme& theme) {
  const QFont font = p.font();
  switch (text.role) {
    case TextRole::normal: break;
    case TextRole::secondary: p.setFont(scaled_font(font, 0.92)); break;
    case TextRole::bold: p.setFont(scaled_font(font, 1.0, true)); break;
    case TextRole::heading: p.setFont(scaled_font(font, 1.2, true)); break;
  }
  draw_text(p, text.rect, text.alignment, text.text,
            text.role == TextRole::secondary ? theme.text_secondary : theme.text);
  p.setFont(font);
}

void paint_box(QPainter& p, const LevelBox& box, const Theme& theme) {
  p.setPen(QPen(theme.border, 1));
  p.setBrush(theme.surface_alternate);
  p.drawRect(box.rect.adjusted(0.5, 0.5, -0.5, -0.5));
  if (box.gauge.isEmpty()) return;
  // More than it holds: all of the gauge in the warning colour. Each instance holds its part.
  const double filled = std::isnan(box.fill_ratio) ? 0 : std::min(1.0, box.fill_ratio);
  for (const QRectF& part : box.instances) {
    p.setPen(QPen(theme.text_secondary, 1));
    p.setBrush(theme.surface);
    p.drawRect(part);
    if (filled > 0)
      p.fillRect(QRectF(part.left(), part.top(), part.width() * filled, part.height()),
                 box.fill_ratio > 1 ? theme.warning : theme.text_secondary);
  }
}

/// Bars of the run compared with: no role, no origin.
QColor other_colour(const Theme& theme) {
  QColor colour = theme.text_secondary;
  colour.setAlphaF(0.35f);
  return colour;
}

/// As a broken axis has: two strokes with nothing between them.
void paint_break(QPainter& p, const QPolygonF& mark, const Theme& theme) {
  p.setPen(Qt::NoPen);
  p.setBrush(theme.surface);
  p.drawPolygon(mark);
  p.setPen(QPen(theme.text, 1));
  p.drawLine(mark[0], mark[3]);
  p.drawLine(mark[1], mark[2]);
}

void paint_ribbon(QPainter& p, const TrafficFigure& figure, const Ribbon& ribbon, bool chosen, bool hovered,
                  const Theme& theme) {
  const profiler::Origin origin = figure.links[ribbon.link].origin;
  if (chosen || hovered) {
    QColor tint = theme.accent;
    tint.setAlphaF(chosen ? 0.14f : 0.07f);
    p.fillRect(ribbon.slot.united(ribbon.label), tint);
  }
  for (const RibbonBand& band : ribbon.bands) {
    const QColor colour = theme.role(band.role);
    p.setBrush(origin_brush(origin, colour));
    p.setPen(origin_pen(origin, colour, ribbon.width * band.bytes / ribbon.bytes < 3 ? 0.75 : 1.25));
    p.drawPolygon(band.polygon);
  }
  for (const QPolygonF& chevron : ribbon.chevrons) {
    QColor halo = theme.surface;
    halo.setAlphaF(0.7f);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(halo, 3.5));
    p.drawPolyline(chevron);
    p.setPen(QPen(theme.text, 1.25));
    p.drawPolyline(chevron);
  }
  if (!ribbon.other_bar.isEmpty()) {
    p.setBrush(other_colour(theme));
    p.setPen(QPen(theme.text_secondary, 1));
    p.drawRect(ribbon.other_bar);
  }
  if (!ribbon.break_mark.isEmpty()) paint_break(p, ribbon.break_mark, theme);
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  if (chosen) draw_bold(p, ribbon.label, Qt::AlignCenter, ribbon.text, theme.text);
  else draw_text(p, ribbon.label, Qt::AlignCenter, ribbon.text, ribbon.bytes > 0 ? theme.text : theme.text_secondary);
  p.setFont(font);
}

void paint_cells(QPainter& p, const TrafficFigure& figure, const TrafficLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  for (const FigureCell& cell : layout.cells) {
    const profiler::Origin origin = figure.links[cell.link].origin;
    const bool drawn = cell.row == (origin == figure.time_origin            ? FigureRow::measured
                                    : origin == profiler::Origin::simulated ? FigureRow::simulated
                                    : origin == profiler::Origin::modelled  ? FigureRow::modelled
                                                                            : FigureRow::compulsory);
    p.setFont(scaled_font(font, 1.0, drawn));
    draw_text(p, cell.rect, Qt::AlignCenter, cell.text, cell.unknown ? theme.text_secondary : theme.text);
  }
  p.setFont(font);
}

void paint_legend(QPainter& p, const TrafficLayout& layout, const Theme& theme) {
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.92));
  for (const LegendItem& item : layout.legend) {
    const QColor colour = item.role ? theme.role(*item.role) : theme.text_secondary;
    if (item.role) draw_mark(p, item.swatch, colour, mark_of(*item.role));
    else
      draw_swatch(p, item.swatch, item.other ? other_colour(theme) : colour,
                  item.origin.value_or(profiler::Origin::measured));
    if (item.broken) {
      const QRectF& s = item.swatch;
      paint_break(p,
                  QPolygonF({{s.center().x() + 1, s.top() - 2},
                             {s.center().x() + 4, s.top() - 2},
                             {s.center().x() - 1, s.bottom() + 2},
                             {s.center().x() - 4, s.bottom() + 2}}),
                  theme);
    }
    draw_text(p,
              QRectF(item.swatch.right() + 6, item.rect.top(), item.rect.right() - item.swatch.right() - 6,
                     item.rect.height()),
              Qt::AlignLeft | Qt::AlignVCenter, item.text, theme.text_secondary);
  }
  p.setFont(font);
}

void paint_scrubber(QPainter& p, const TrafficLayout& layout, const TrafficMarks& marks, size_t op_count,
                    const Theme& theme) {
  p.fillRect(layout.scrubber, theme.surface_alternate);
  for (const QRectF& mark : layout.scope_marks) p.fillRect(mark, theme.selection);
  p.setRenderHint(QPainter::Antialiasing, false);
  for (const ScrubberBar& bar : layout.bars) p.fillRect(bar.rect, theme.role(bar.role));
  p.setRenderHint(QPainter::Antialiasing, true);
  const QFont font = p.font();
  p.setFont(scaled_font(font, 0.88));
  for (const PhaseSpan& span : layout.phases) {
    const QColor tint = span.known ? theme.phase(span.phase) : theme.unknown_phase;
    p.fillRect(span.rect.adjusted(0, 0, -1, 0), QColor(tint.red(), tint.green(), tint.blue(), 90));
    const QString title = span.known ? phase_title(span.phase) : QObject::tr("phase unknown");
    if (text_width(p.font(), title) + 4 <= span.rect.width())
      draw_text(p, span.rect, Qt::AlignCenter, title, theme.text);
  }
  p.setFont(font);
  if (!marks.current_op || op_count == 0) return;
  const double x = layout.scrubber.left() + layout.scrubber.width() * (static_cast<double>(*marks.current_op) + 0.5) /
                                                static_cast<double>(op_count);
  p.setPen(QPen(theme.text, 1.5));
  p.drawLine(QPointF(x, layout.scrubber.top() - 2), QPointF(x, layout.scrubber.bottom()));
  p.setBrush(theme.text);
  p.setPen(Qt::NoPen);
  p.drawPolygon(QPolygonF(
      {{x - 4.5, layout.scrubber.top() - 7}, {x + 4.5, layout.scrubber.top() - 7}, {x, layout.scrubber.top()}}));
}

QString level_tip(const TrafficFigure& figure, const LevelBox& box) {
  const TrafficLevel& level = figure.levels[box.level];
  if (figure.gpu && !level.beyond) {
    const QString size = std::isnan(level.capacity_bytes)
                             ? QObject::tr("size –")
                             : QObject::tr("%1 (specified)").arg(binary_bytes(level.capacity_bytes));
    return Tip{level.name,
               level.share.isEmpty() ? size : size + QLatin1Char('\n') + level.share,
               QObject::tr("A level of the GPU. SM: streaming multiprocessor; each has registers, an L1 cache and "
                           "shared memory of its own."),
               {},
               std::isnan(level.capacity_bytes) ? std::optional<profiler::Origin>() : level.capacity_origin,
               level.note}
        .html();
  }
  if (box.level + 1 == figure.levels.size()) {
    return Tip{
        QObject::tr("Core: registers and arithmetic"),
        level.instances == 1 ? QObject::tr("1 thread") : QObject::tr("%1 threads").arg(level.instances),
        QObject::tr("FLOPs of the ops in view divided by %1. Roof: the time their arithmetic would take at the "
                    "measured peak of their dtype "
                    "and thread count.")
            .arg(figure.time_of_step
                     ? QObject::tr("the median step, which is the time that all shares in this picture are of")
                     : QObject::tr("their measured time (medians, summed), which all shares in this picture are of")),
        QObject::tr("FLOP/s = FLOPs / time;  of roof = sum(FLOPs / peak) / time"),
        figure.time_origin,
        figure.no_rates}
        .html();
  }
  if (level.beyond) {
    const bool files = figure.links[box.level].bytes.outer == profiler::kFiles;
    return Tip{
        files ? QObject::tr("Files") : QObject::tr("Host memory"),
        QObject::tr("%1 while something moves").arg(quantity(level.busy_bytes_per_s, profiler::Quantity::bytes_per_s)),
        files ? QObject::tr("Where the data loader reads its batches from, packed. What it makes of them is larger.")
              : QObject::tr("The computer's memory, from which a device's is filled: the slowest link of all. What "
                            "stays on the device need not cross it."),
        QObject::tr("bytes that crossed / time with something under way"),
        figure.time_origin,
        !figure.no_rates.isEmpty()           ? figure.no_rates
        : std::isnan(level.busy_bytes_per_s) ? QObject::tr("Unknown: nothing crossed in what is in view.")
                                             : figure.links[box.level].how}
        .html();
  }
  QString value = std::isnan(level.capacity_bytes)
                      ? QObject::tr("effective size –")
                      : QObject::tr("effective size %1 (%2)")
                            .arg(binary_bytes(level.capacity_bytes), origin_text(level.capacity_origin));
  if (level.specified_bytes > 0)
    value += QObject::tr("\nOS claims %1 (specified)").arg(binary_bytes(level.specified_bytes));
  if (!std::isnan(level.latency_ns))
    value += QObject::tr("\nlatency %1").arg(quantity(level.latency_ns, profiler::Quantity::duration_ns));
  value += QObject::tr("\nfootprint %1 (distinct bytes touched)")
               .arg(quantity(figure.working_set_bytes, profiler::Quantity::bytes));
  if (level.cache) {
    value += QObject::tr("\nhit rate %1 (%2)")
                 .arg(quantity(level.hit_ratio, profiler::Quantity::percent_of), origin_text(level.hit_origin));
    if (!level.most_evicted.isEmpty()) {
      value += QObject::tr("\nevicted most: %1, %2 fetched again")
                   .arg(level.most_evicted, quantity(level.most_evicted_bytes, profiler::Quantity::bytes));
    }
  }
  return Tip{level.name,
             value,
             QObject::tr("Effective size: the working set at which the probe saw this level end (else the claimed "
                         "size), times the instances that the run's threads use. Needs: the distinct bytes the "
                         "ops "
                         "in view touch, against that size. Hit rate: bytes asked of this level that did not have "
                         "to come from outside. Evicted most: in the steady state every byte fetched has left the "
                         "level since its last use."),
             QObject::tr("gauge = footprint / effective size;  hit rate = 1 - bytes in from outside / "
                         "bytes asked for"),
             std::isnan(level.capacity_bytes) ? std::optional<profiler::Origin>() : level.capacity_origin,
             std::isnan(level.capacity_bytes) ? QObject::tr("Unknown: %1.").arg(figure.model_unknown) : level.note}
      .html();
}

QString ribbon_tip(const TrafficFigure& figure, const Ribbon& ribbon) {
  const TrafficLinkFigure& link = figure.links[ribbon.link];
  const bool read = ribbon.direction == FlowDirection::read;
  const QString outer = QString::fromStdString(link.bytes.outer), inner = QString::fromStdString(link.bytes.inner);
  QString value = quantity(ribbon.bytes, profiler::Quantity::bytes);
  for (const RibbonBand& band : ribbon.bands) {
    value += QStringLiteral("\n%1  %2")
                 .arg(quantity(band.bytes, profiler::Quantity::bytes), role_words({&link, 1}, band.role));
  }
  return Tip{
      read ? QObject::tr("%1 → %2, read").arg(outer, inner) : QObject::tr("%1 → %2, written back").arg(inner, outer),
      value,
      QObject::tr("Bytes that cross this link in this direction, by the role of their tensor. Click: which tensors."),
      {},
      link.origin,
      ribbon.link < figure.beyond                  ? link.how
      : link.origin == profiler::Origin::simulated ? figure.simulated_method
      : link.origin == profiler::Origin::measured  ? quoted_commands(figure.traffic.measured_reason)
      : link.origin == profiler::Origin::modelled  ? QString::fromStdString(figure.traffic.method)
                                                  : QObject::tr("Compulsory bytes only: %1.").arg(figure.model_unknown)}
      .html();
}

/// Beyond the ops' memory nothing is modelled or simulated: what crosses is known, or it is not shown.
QString cell_tip_beyond(const TrafficFigure& figure, const TrafficLinkFigure& link, const FigureCell& cell) {
  const QString where =
      QStringLiteral("%1 – %2").arg(QString::fromStdString(link.bytes.outer), QString::fromStdString(link.bytes.inner));
  switch (cell.row) {
    case FigureRow::compulsory:
      return Tip{where + QObject::tr(": needed"),
                 cell.text,
                 QObject::tr("Bytes that crossed, less redundant copies."),
                 {},
                 figure.time_origin,
                 std::isnan(link.bytes.compulsory_total())
                     ? QObject::tr("Unknown: the tensors of some copies are not recorded.")
                     : QString()}
          .html();
    case FigureRow::modelled:
    case FigureRow::simulated:
      return Tip{
          where, cell.text, QObject::tr("Copies are recorded one by one: there is nothing to model or simulate."),
          {},    {},        {}}
          .html();
    case FigureRow::busy:
      return Tip{where + QObject::tr(": link busy"),
                 cell.text,
                 QObject::tr("Share of the median step during which something moved for what is in view."),
                 QObject::tr("time per step with something under way / median step"),
                 figure.time_origin,
                 figure.no_rates.isEmpty() ? link.how : figure.no_rates}
          .html();
    default:
      return Tip{where + QStringLiteral(": %1").arg(origin_text(figure.time_origin)),
                 cell.text,
                 link.how,
                 {},
                 figure.time_origin,
                 {}}
          .html();
  }
}

QString cell_tip(const TrafficFigure& figure, const FigureCell& cell) {
  const TrafficLinkFigure& link = figure.links[cell.link];
  if (cell.link < figure.beyond && cell.row != FigureRow::amplification && cell.row != FigureRow::difference)
    return cell_tip_beyond(figure, link, cell);
  const QString where =
      QStringLiteral("%1 – %2").arg(QString::fromStdString(link.bytes.outer), QString::fromStdString(link.bytes.inner));
  const QString method = QString::fromStdString(figure.traffic.method);
  switch (cell.row) {
    case FigureRow::compulsory:
      return Tip{
          where + QObject::tr(": compulsory"),
          cell.text,
          QObject::tr("Each distinct byte of each operand moved once per op; no cache can avoid it within the op."),
          QObject::tr("sum over ops of (read + written operand bytes)"),
          profiler::Origin::exact,
          {}}
          .html();
    case FigureRow::modelled:
      return Tip{where + QObject::tr(": modelled"),
                 cell.text,
                 method,
                 {},
                 profiler::Origin::modelled,
                 link.bytes.modelled_known ? QString() : QObject::tr("Unknown: %1.").arg(figure.model_unknown)}
          .html();
    case FigureRow::simulated:
      return Tip{
          where + QObject::tr(": simulated"),
          cell.text,
          QObject::tr("Every line the ops access, through caches of this machine's "
                      "sizes, ways and policies, in the steady state."),
          {},
          profiler::Origin::simulated,
          std::isnan(link.simulated_bytes) ? figure.simulated_reason
          : link.simulated_missing > 0
              ? (link.simulated_missing == 1
                     ? QObject::tr("At least: 1 op with unknown accesses is left out, so the ribbons show the model. ")
                     : QObject::tr(
                           "At least: %1 ops with unknown accesses are left out, so the ribbons show the model. ")
                           .arg(link.simulated_missing)) +
                    figure.simulated_method
              : figure.simulated_method}
          .html();
    case FigureRow::measured:
      return Tip{where + QObject::tr(": measured"),
                 cell.text,
                 QObject::tr("Counted by the hardware while the run went."),
                 {},
                 profiler::Origin::measured,
                 std::isnan(link.measured_bytes) ? quoted_commands(figure.traffic.measured_reason) : QString()}
          .html();
    case FigureRow::amplification:
      return Tip{
          where + QObject::tr(": amplification"),
          cell.text,
          QObject::tr("How often each compulsory byte crosses the link; below 1 the caches keep bytes from op to op."),
          QObject::tr("bytes drawn / compulsory bytes"),
          link.origin,
          {}}
          .html();
    case FigureRow::busy:
      return Tip{
          where + QObject::tr(": link busy"),
          cell.text +
              QObject::tr("\nbandwidth %1").arg(quantity(link.peak_bytes_per_s, profiler::Quantity::bytes_per_s)),
          QObject::tr(
              "Share of the time the link would need for these bytes at its measured bandwidth for this mix of reads "
              "and writes. Near 100 %: this link limits."),
          QObject::tr("bytes drawn / (bandwidth x time)"),
          link.origin,
          !figure.no_rates.isEmpty()    ? figure.no_rates
          : std::isnan(link.busy_ratio) ? QObject::tr("Unknown: no measured bandwidth or no time.")
          : profiler::above_roof(link.busy_ratio)
              ? QObject::tr("More than the bandwidth that was measured: that is no bound here, or fewer bytes cross "
                            "than drawn. No share is shown then.")
              : QString()}
          .html();
    case FigureRow::difference:
      return Tip{
          where + QObject::tr(": difference"),
          std::isnan(link.difference())
              ? QStringLiteral("–")
              : QObject::tr("%1\n%2 here\n%3 in %4")
                    .arg(cell.text, quantity(total(link.read) + total(link.written), profiler::Quantity::bytes),
                         quantity(link.other_read + link.other_written, profiler::Quantity::bytes), figure.other_title),
          QObject::tr("Bytes of this run less those of the run it is compared with, for the op, layer or step of "
                      "the same name."),
          {},
          link.origin,
          std::isnan(link.difference()) ? figure.other_reason : QString()}
          .html();
  }
  return {};
}

}  // namespace

void paint_traffic(QPainter& p, const TrafficFigure& figure, const TrafficLayout& layout, const TrafficMarks& marks,
                   const Theme& theme) {
  p.setRenderHint(QPainter::Antialiasing);
  for (const LevelBox& box : layout.boxes) paint_box(p, box, theme);
  QColor join = theme.text_secondary;
  join.setAlphaF(0.13f);
  p.setPen(Qt::NoPen);
  p.setBrush(join);
  for (const FlowJoin& flow : layout.joins) p.drawPolygon(flow.polygon);
  for (size_t i = 0; i < layout.ribbons.size(); ++i) {
    paint_ribbon(p, figure, layout.ribbons[i], marks.ribbon == i, marks.hover == i, theme);
  }
  for (const PlacedText& text : layout.texts) paint_text(p, text, theme);
  paint_cells(p, figure, layout, theme);
  for (const FillRow& fill : layout.fills)
    paint_text(p, {fill.beside, fill.text, TextRole::secondary, Qt::AlignLeft | Qt::AlignVCenter}, theme);
  paint_legend(p, layout, theme);
  size_t op_count = layout.bars.empty() ? 0 : layout.bars.back().last;
  paint_scrubber(p, layout, marks, op_count, theme);
  if (!marks.current_text.isEmpty())
    draw_text(p, layout.current, Qt::AlignRight | Qt::AlignVCenter, marks.current_text, theme.text, Qt::ElideMiddle);
}

QString traffic_tip(const TrafficFigure& figure, const TrafficLayout& layout, const std::vector<ScrubberOp>& ops,
                    const profiler::Capture& capture, QPointF point) {
  for (const LevelBox& box : layout.boxes) {
    if (box.rect.contains(point)) return level_tip(figure, box);
  }
  if (const Ribbon* ribbon = layout.ribbon_at(point)) return ribbon_tip(figure, *ribbon);
  for (const FigureCell& cell : layout.cells) {
    if (cell.rect.contains(point)) return cell_tip(figure, cell);
  }
  for (const FillRow& fill : layout.fills) {
    const CollectOffer* offer = offer_of(figure, fill.row);
    if (fill.beside.contains(point) && offer != nullptr && !offer->refusal.isEmpty())
      return Tip{offer->action, {}, offer->refusal, {}, {}, {}}.html();
  }
  if (const auto index = layout.scrubber_index_at(point, ops.size())) {
    const ScrubberOp& op = ops[*index];
    const auto name = capture.name(capture.ops()[op.op].name);
    return Tip{QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
               QObject::tr("%1, mostly %2\n%3")
                   .arg(quantity(op.bytes, profiler::Quantity::bytes), role_title(op.role),
                        quantity(op.time_ns, profiler::Quantity::duration_ns)),
               QObject::tr("Bytes of this op over %1, the outermost link over which the step moves any; time: "
                           "median of the traced steps.")
                   .arg(QString::fromStdString(figure.links[figure.ops_over].bytes.outer)),
               {},
               figure.model_known ? profiler::Origin::modelled : profiler::Origin::exact,
               {}}
        .html();
  }
  return {};
}

}  // namespace views
