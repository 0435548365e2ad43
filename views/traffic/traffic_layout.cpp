// SPDX-License-Identifier: GPL-3.0-or-later
// Places boxes, ribbons, numbers, legend and scrubber in rows that cannot overlap, whatever the size.
#include "views/traffic/traffic_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "profiler/machine/roofs_trust.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/traffic/traffic_boxes.h"

namespace views {
namespace {

constexpr double kDecades = 4;       // of bytes below the widest ribbon that the log scale tells apart
constexpr double kSmallText = 0.92;  // of the font, as secondary texts are painted
constexpr double kButtonRow = 7;     // px that a row with a button is higher than others
constexpr double kSlotShare = 0.86;  // of a slot's height for the widest ribbon: neighbours stay apart

/// Rows of the picture from top to bottom.
struct Rows {
  QRectF title, subtitle, note, legend, picture, table, caption, bars, phases;
  double line = 0;
};

/// A sentence in lines of that width.
QStringList wrapped(const QString& sentence, double width, const QFont& font) {
  QStringList lines;
  for (const QString& word : sentence.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    if (!lines.isEmpty() && text_width(font, lines.last() + QLatin1Char(' ') + word) <= width)
      lines.last() += QLatin1Char(' ') + word;
    else lines << word;
  }
  return lines;
}

double line_height(const QFont& font) { return std::ceil(QFontMetricsF(font).height()) + 3; }

/// Where each row of numbers begins below the first, and the height of all.
std::vector<double> row_tops(const TrafficFigure& figure, const QFont& font) {
  std::vector<double> tops{0};
  for (const FigureRow row : figure.rows)
    tops.push_back(tops.back() + line_height(font) + (offer_of(figure, row) != nullptr ? kButtonRow : 0));
  return tops;
}

/// `table`: px of the rows of numbers.
Rows split_rows(const QRectF& area, const QFont& font, qsizetype note_rows, int legend_rows, double table) {
  Rows rows;
  const double line = line_height(font);
  const double heading = std::ceil(QFontMetricsF(scaled_font(font, 1.2, true)).height()) + 2;
  const QRectF inner = area.adjusted(2 * kGrid, kGrid, -2 * kGrid, -kGrid);
  rows.line = line;
  double y = inner.top();
  const auto take = [&](double height) {
    const QRectF row(inner.left(), y, inner.width(), height);
    y += height;
    return row;
  };
  rows.title = take(heading);
  rows.subtitle = take(line);
  rows.note = take(line * static_cast<double>(note_rows));
  y += 4;
  rows.legend = take(line * legend_rows);
  y += kGrid;
  const double bars = std::clamp(inner.height() * 0.08, 32.0, 56.0);
  const double phases = line - 2;
  const double below = kGrid + table + kGrid + line + bars + 2 + phases;
  rows.picture = take(std::max(96.0, inner.bottom() - y - below));
  y += kGrid;
  rows.table = take(table);
  y += kGrid;
  rows.caption = take(line);
  rows.bars = take(bars);
  y += 2;
  rows.phases = take(phases);
  return rows;
}

struct Columns {
  double left = 0, box = 0, gap = 0;
  double box_left(size_t i) const { return left + static_cast<double>(i) * (box + gap); }
  double gap_left(size_t i) const { return box_left(i) + box; }
};

Columns split_columns(const QRectF& row, size_t levels) {
  Columns columns;
  const double n = static_cast<double>(levels);
  columns.left = row.left();
  columns.box = std::clamp(row.width() / n * 0.5, levels > 5 ? 80.0 : 88.0, 124.0);
  columns.gap = levels < 2 ? 0 : std::max(8.0, (row.width() - n * columns.box) / (n - 1));
  return columns;
}

/// Two or three chevrons along a ribbon that is thick enough for them.
std::vector<QPolygonF> place_chevrons(const QRectF& ribbon, bool to_right) {
  constexpr double kLeast = 7, kMost = 12;
  std::vector<QPolygonF> out;
  if (ribbon.height() < kLeast || ribbon.width() < 2 * kMost) return out;
  const double half = std::min(kMost, ribbon.height() * 0.5) / 2, reach = to_right ? half : -half;
  for (const double t : {0.3, 0.7}) {
    const QPointF tip(ribbon.left() + ribbon.width() * t + reach / 2, ribbon.center().y());
    out.push_back(QPolygonF({tip + QPointF(-reach, -half), tip, tip + QPointF(-reach, half)}));
  }
  return out;
}

/// A slanted gap across an arrow at `x`, a little higher than it.
QPolygonF break_polygon(double x, double middle, double width) {
  constexpr double kSlant = 5, kGap = 4, kBeyond = 3;
  const double half = width / 2 + kBeyond;
  return QPolygonF({{x + kSlant, middle - half},
                    {x + kSlant + kGap, middle - half},
                    {x - kSlant + kGap, middle + half},
                    {x - kSlant, middle + half}});
}

/// The number of a ribbon, with its share of the link's peak where there is room.
QString ribbon_text(const Ribbon& ribbon, const TrafficLinkFigure& link, double time_ns, const QFont& font) {
  const QString number = quantity(ribbon.bytes, profiler::Quantity::bytes);
  const bool read = ribbon.direction == FlowDirection::read;
  const auto arrow = [&](const QString& s) {
    const QString directed = read ? s + QStringLiteral(" →") : QStringLiteral("← ") + s;
    return text_width(scaled_font(font, 0.92, true), directed) <= ribbon.label.width() ? directed : s;
  };
  if (const double other = link.other(ribbon.direction); other > 0) {
    const double more = ribbon.bytes / other - 1;
    const QString change = std::abs(more) < 0.0005 ? QObject::tr("same")
                                                   : (more > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
                                                         quantity(std::abs(more), profiler::Quantity::percent_of);
    const QString compared = arrow(number + QStringLiteral(" · ") + change);
    return text_width(scaled_font(font, 0.92, true), compared) <= ribbon.label.width() ? compared : arrow(number);
  }
  const double share = ribbon.bytes / (link.peak_bytes_per_s * time_ns * 1e-9);
  if (!(share > 0) || std::isinf(share)) return arrow(number);
  const QString both = arrow(number + QStringLiteral(" · ") + quantity(share, profiler::Quantity::percent_of));
  return text_width(scaled_font(font, 0.92, true), both) <= ribbon.label.width() ? both : arrow(number);
}

Ribbon make_ribbon(const TrafficFigure& figure, size_t link, FlowDirection direction, const QRectF& gap, double line,
                   const QFont& font, const TrafficLayoutOptions& options) {
  Ribbon ribbon;
  ribbon.link = link;
  ribbon.direction = direction;
  const profiler::RoleBytes& bytes = figure.links[link].flow(direction);
  ribbon.bytes = total(bytes);
  const double half = gap.height() / 2;
  const bool read = direction == FlowDirection::read;
  const QRectF part =
      read ? QRectF(gap.left(), gap.top(), gap.width(), half) : QRectF(gap.left(), gap.top() + half, gap.width(), half);
  ribbon.label = QRectF(part.left(), read ? part.top() : part.bottom() - line, part.width(), line);
  ribbon.slot = read ? part.adjusted(0, line, 0, -3) : part.adjusted(0, 3, 0, -line);
  // Two runs share a slot: bars of one scale, one above the other.
  const double widest = ribbon.slot.height() * kSlotShare * (figure.other_title.isEmpty() ? 1 : 0.5);
  ribbon.width = ribbon_width(ribbon.bytes, options.reference_bytes, widest, options.scale);
  ribbon.text = ribbon_text(ribbon, figure.links[link], figure.time_ns, font);
  const double other = figure.links[link].other(direction), middle = ribbon.slot.center().y();
  ribbon.other_width = std::isnan(other) ? other : ribbon_width(other, options.reference_bytes, widest, options.scale);
  if (ribbon.other_width > 0) ribbon.other_bar = QRectF(gap.left(), middle + 1, gap.width(), ribbon.other_width);
  const double top = std::isnan(other) ? middle - ribbon.width / 2 : middle - 1 - ribbon.width;
  const QRectF body(gap.left(), top, gap.width(), ribbon.width);
  if (options.scale == WidthScale::logarithmic && ribbon.width + std::max(0.0, ribbon.other_bar.height()) > 0) {
    const QRectF all = ribbon.other_bar.isEmpty() ? body : body.united(ribbon.other_bar);
    ribbon.break_mark = break_polygon(gap.left() + gap.width() * 0.15, all.center().y(), all.height());
  }
  if (ribbon.width <= 0) return ribbon;
  ribbon.chevrons = place_chevrons(body, read);
  double y = top;
  for (size_t role = 0; role < bytes.size(); ++role) {
    if (!(bytes[role] > 0)) continue;
    const double height = ribbon.width * bytes[role] / ribbon.bytes;
    RibbonBand band;
    band.role = static_cast<engine::Role>(role);
    band.bytes = bytes[role];
    band.polygon = QPolygonF(QRectF(gap.left(), y, gap.width(), height));
    ribbon.bands.push_back(std::move(band));
    y += height;
  }
  return ribbon;
}

/// Between what enters a box at one side and what leaves it at the other.
std::vector<FlowJoin> join_flows(const std::vector<Ribbon>& ribbons, const std::vector<LevelBox>& boxes) {
  std::vector<FlowJoin> joins;
  const auto body = [](const Ribbon& ribbon) {
    return QRectF(ribbon.bands.front().polygon.boundingRect().topLeft(),
                  ribbon.bands.back().polygon.boundingRect().bottomRight());
  };
  for (size_t i = 0; i + 2 < ribbons.size(); ++i) {
    if (ribbons[i].bands.empty() || ribbons[i + 2].bands.empty()) continue;
    const QRectF left = body(ribbons[i]), right = body(ribbons[i + 2]), &box = boxes[i / 2 + 1].rect;
    joins.push_back({i / 2 + 1, QPolygonF({QPointF(box.left(), left.top()), QPointF(box.right(), right.top()),
                                           QPointF(box.right(), right.bottom()), QPointF(box.left(), left.bottom())})});
  }
  return joins;
}

/// NaN: unknown.
double cell_value(const TrafficLinkFigure& link, FigureRow row) {
  switch (row) {
    case FigureRow::compulsory: return link.bytes.compulsory_total();
    case FigureRow::modelled: return link.bytes.modelled_known ? link.bytes.modelled_total() : std::nan("");
    case FigureRow::simulated: return link.simulated_bytes;
    case FigureRow::measured: return link.measured_bytes;
    case FigureRow::amplification: return link.amplification;
    case FigureRow::busy: return link.busy_ratio;
    case FigureRow::difference: return link.difference();
  }
  return std::nan("");
}

QString cell_text(const TrafficLinkFigure& link, FigureRow row) {
  using profiler::Quantity;
  switch (row) {
    case FigureRow::compulsory: return quantity(link.bytes.compulsory_total(), Quantity::bytes);
    case FigureRow::modelled:
      return link.bytes.modelled_known ? quantity(link.bytes.modelled_total(), Quantity::bytes) : QStringLiteral("–");
    case FigureRow::simulated:
      return (link.simulated_missing > 0 && !std::isnan(link.simulated_bytes) ? QStringLiteral("≥ ") : QString()) +
             quantity(link.simulated_bytes, Quantity::bytes);
    case FigureRow::measured: return quantity(link.measured_bytes, Quantity::bytes);
    case FigureRow::amplification: return quantity(link.amplification, Quantity::ratio);
    case FigureRow::busy:
      if (profiler::above_roof(link.busy_ratio)) return QObject::tr("above its roof");
      return quantity(link.busy_ratio, Quantity::percent_of);
    case FigureRow::difference: {
      const double more = link.difference();
      if (std::isnan(more)) return QStringLiteral("–");
      if (std::abs(more) < 0.5) return QObject::tr("none");
      return (more > 0 ? QStringLiteral("+") : QStringLiteral("−")) + quantity(std::abs(more), Quantity::bytes);
    }
  }
  return {};
}

QString row_title(FigureRow row, profiler::Origin times) {
  switch (row) {
    case FigureRow::compulsory: return QObject::tr("compulsory");
    case FigureRow::modelled: return QObject::tr("modelled");
    case FigureRow::simulated: return QObject::tr("simulated");
    case FigureRow::measured: return origin_text(times);
    case FigureRow::amplification: return QObject::tr("amplification");
    case FigureRow::busy: return QObject::tr("link busy");
    case FigureRow::difference: return QObject::tr("difference");
  }
  return {};
}

void place_legend(TrafficLayout& out, const TrafficFigure& figure, const QRectF& area, double line, const QFont& font,
                  WidthScale scale, int* rows_used) {
  std::array<bool, engine::kRoleCount> present{};
  for (const auto& link : figure.links) {
    for (size_t r = 0; r < present.size(); ++r) present[r] = present[r] || link.read[r] > 0 || link.written[r] > 0;
  }
  double x = area.left(), y = area.top();
  const QFont small = scaled_font(font, 0.92);
  const auto place = [&](LegendItem item) {
    const double width = 18 + text_width(small, item.text) + 2;
    if (x + width > area.right() && x > area.left()) {
      x = area.left();
      y += line;
    }
    item.rect = QRectF(x, y, width, line);
    item.swatch = QRectF(x, y + line / 2 - 5.5, 11, 11);
    x += width + 2 * kGrid;
    out.legend.push_back(std::move(item));
  };
  for (size_t r = 0; r < present.size(); ++r) {
    if (present[r])
      place({{},
             {},
             role_words(figure.links, static_cast<engine::Role>(r)),
             static_cast<engine::Role>(r),
             {},
             false,
             false});
  }
  // Links may be known in different ways; each way that is drawn is explained.
  for (const auto& [origin, words] : {std::pair(profiler::Origin::measured, QObject::tr("solid: measured")),
                                      std::pair(profiler::Origin::emulated, QObject::tr("faint: emulated")),
                                      std::pair(profiler::Origin::simulated, QObject::tr("hatched: simulated")),
                                      std::pair(profiler::Origin::modelled, QObject::tr("outlined: modelled")),
                                      std::pair(profiler::Origin::exact, QObject::tr("solid: compulsory (exact)"))}) {
    const bool drawn =
        std::ranges::any_of(figure.links, [o = origin](const TrafficLinkFigure& link) { return link.origin == o; });
    if (drawn) place({{}, {}, words, {}, origin, false, false});
  }
  if (!figure.other_title.isEmpty())
    place({{}, {}, QObject::tr("grey, below: %1").arg(figure.other_title), {}, {}, false, true});
  if (scale == WidthScale::logarithmic)
    place({{}, {}, QObject::tr("broken: widths are logarithmic, not in proportion"), {}, {}, true, false});
  *rows_used = static_cast<int>(std::lround((y - area.top()) / line)) + 1;
}

void place_scrubber(TrafficLayout& out, const std::vector<ScrubberOp>& ops, const Rows& rows) {
  out.scrubber = rows.bars;
  if (ops.empty()) return;
  const double n = static_cast<double>(ops.size());
  const double width = rows.bars.width();
  const auto x_of = [&](size_t i) { return rows.bars.left() + width * static_cast<double>(i) / n; };
  double largest = 0;
  for (const ScrubberOp& op : ops) largest = std::max(largest, op.bytes);
  const size_t columns = std::min(ops.size(), static_cast<size_t>(std::max(1.0, width)));
  for (size_t c = 0; c < columns; ++c) {
    ScrubberBar bar;
    bar.first = c * ops.size() / columns;
    bar.last = std::max(bar.first + 1, (c + 1) * ops.size() / columns);
    const auto tallest = std::max_element(ops.begin() + static_cast<std::ptrdiff_t>(bar.first),
                                          ops.begin() + static_cast<std::ptrdiff_t>(bar.last),
                                          [](const ScrubberOp& a, const ScrubberOp& b) { return a.bytes < b.bytes; });
    bar.role = tallest->role;
    // Area, not height, would mislead here: the square root keeps small ops visible and the order true.
    const double height = largest > 0 ? rows.bars.height() * std::sqrt(tallest->bytes / largest) : 0;
    const double x0 = x_of(bar.first), x1 = x_of(bar.last);
    bar.rect = QRectF(x0, rows.bars.bottom() - height, std::max(0.75, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), height);
    out.bars.push_back(bar);
  }
  for (size_t i = 0; i < ops.size();) {
    size_t end = i;
    while (end < ops.size() && ops[end].phase == ops[i].phase) ++end;
    out.phases.push_back(
        {QRectF(x_of(i), rows.phases.top(), x_of(end) - x_of(i), rows.phases.height()), ops[i].phase, true});
    i = end;
  }
  for (size_t i = 0; i < ops.size();) {
    size_t end = i;
    while (end < ops.size() && ops[end].marked) ++end;
    if (end > i) {
      const double middle = (x_of(i) + x_of(end)) / 2, half = std::max(1.5, (x_of(end) - x_of(i)) / 2);
      out.scope_marks.push_back(QRectF(middle - half, rows.bars.top(), 2 * half, rows.bars.height()));
    }
    i = std::max(end, i + 1);
  }
}

FillRow fill_row(const CollectOffer& offer, const QRectF& row, const QFont& font) {
  const QFont small = scaled_font(font, kSmallText);
  const double width = std::min(row.width(), std::ceil(text_width(font, offer.action)) + 24);
  FillRow fill;
  fill.row = offer.row;
  fill.button = QRectF(row.left() + 2, row.top() + 1, width, row.height() - 2);
  fill.beside = QRectF(fill.button.right() + kGrid, row.top(), std::max(0.0, row.right() - fill.button.right() - kGrid),
                       row.height());
  fill.text = !offer.refusal.isEmpty() ? QObject::tr("Not possible here: %1").arg(offer.refusal)
              : offer.row == FigureRow::simulated
                  ? QObject::tr("Runs the workload again and follows every access through the caches.")
                  : QObject::tr("Runs the workload again with the hardware's counters.");
  fill.text = QFontMetricsF(small).elidedText(fill.text, Qt::ElideRight, fill.beside.width());
  return fill;
}

QString subtitle(const TrafficFigure& figure) {
  using profiler::Quantity;
  QStringList parts;
  parts << (std::isnan(figure.time_ns) ? QObject::tr("not timed")
            : figure.time_of_step ? QObject::tr("median step %1").arg(quantity(figure.time_ns, Quantity::duration_ns))
            : figure.scope.op
                ? QObject::tr("median time %1").arg(quantity(figure.time_ns, Quantity::duration_ns))
                : QObject::tr("ops take %1 (medians, summed)").arg(quantity(figure.time_ns, Quantity::duration_ns)));
  parts << QObject::tr("touches %1 of tensors").arg(quantity(figure.working_set_bytes, Quantity::bytes));
  if (!figure.links.empty()) {
    const TrafficLinkFigure& outer = ops_link(figure);
    parts << QObject::tr("%1 over %2")
                 .arg(quantity(total(outer.read) + total(outer.written), Quantity::bytes),
                      QString::fromStdString(outer.bytes.outer));
    if (!std::isnan(outer.amplification)) {
      parts << QObject::tr("%1 compulsory").arg(quantity(outer.amplification, Quantity::ratio));
    }
  }
  if (figure.copied_within > 0)
    parts << QObject::tr("%1 copied within devices").arg(quantity(figure.copied_within, Quantity::bytes));
  if (!figure.other_title.isEmpty()) parts << QObject::tr("against %1").arg(figure.other_title);
  if (!figure.model_known)
    parts << (figure.foreign
                  ? QObject::tr("the trace holds neither the caches of its machine nor the shapes of all ops")
                  : QObject::tr("bytes of the caches unknown: %1").arg(figure.model_unknown));
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

double ribbon_width(double bytes, double reference_bytes, double widest, WidthScale scale) {
  if (!(bytes > 0) || !(reference_bytes > 0) || widest <= 0) return 0;
  const double ratio = std::min(1.0, bytes / reference_bytes);
  if (scale == WidthScale::linear) return std::max(std::min(kThinnestRibbon, widest), widest * ratio);
  const double thinnest = std::min(kThinnestLogRibbon, widest);
  return thinnest + (widest - thinnest) * std::clamp(1 + std::log10(ratio) / kDecades, 0.0, 1.0);
}

double largest_flow(const TrafficFigure& figure) {
  double largest = 0;
  for (const auto& link : figure.links) {
    for (const double bytes : {total(link.read), total(link.written), link.other_read, link.other_written}) {
      if (bytes > largest) largest = bytes;  // NaN: unknown, or none to compare with
    }
  }
  return largest;
}

const Ribbon* TrafficLayout::ribbon_at(QPointF point) const {
  for (const Ribbon& ribbon : ribbons) {
    if (ribbon.slot.united(ribbon.label).contains(point)) return &ribbon;
  }
  return nullptr;
}

std::optional<size_t> TrafficLayout::scrubber_index_at(QPointF point, size_t op_count) const {
  if (op_count == 0 || scrubber.width() <= 0) return {};
  const double bottom = phases.empty() ? scrubber.bottom() : phases.front().rect.bottom();
  if (point.y() < scrubber.top() || point.y() > bottom) return {};
  const double t = (point.x() - scrubber.left()) / scrubber.width();
  if (t < 0 || t >= 1) return {};
  return std::min(op_count - 1, static_cast<size_t>(t * static_cast<double>(op_count)));
}

double traffic_least_height(const TrafficFigure& figure, double width, const QFont& font, WidthScale scale) {
  if (figure.links.empty()) return 0;
  const QRectF area(0, 0, width, 0);
  const qsizetype note_rows = wrapped(figure.apart, width - 4 * kGrid, scaled_font(font, 0.92)).size();
  Rows rows = split_rows(area, font, note_rows, 1, row_tops(figure, font).back());
  int legend_rows = 1;
  TrafficLayout unused;
  place_legend(unused, figure, rows.legend, rows.line, font, scale, &legend_rows);
  rows = split_rows(area, font, note_rows, legend_rows, row_tops(figure, font).back());
  return rows.phases.bottom() + kGrid;
}

TrafficLayout layout_traffic(const TrafficFigure& figure, const std::vector<ScrubberOp>& ops, const QRectF& area,
                             const QFont& font, const TrafficLayoutOptions& options) {
  TrafficLayout out;
  out.reference_bytes = options.reference_bytes;
  if (figure.links.empty()) return out;
  const QStringList note = wrapped(figure.apart, area.width() - 4 * kGrid, scaled_font(font, 0.92));
  Rows rows = split_rows(area, font, note.size(), 1, row_tops(figure, font).back());
  int legend_rows = 1;
  place_legend(out, figure, rows.legend, rows.line, font, options.scale, &legend_rows);
  if (legend_rows > 1) rows = split_rows(area, font, note.size(), legend_rows, row_tops(figure, font).back());
  for (qsizetype i = 0; i < note.size(); ++i) {
    out.texts.push_back(
        {QRectF(rows.note.left(), rows.note.top() + rows.line * static_cast<double>(i), rows.note.width(), rows.line),
         note[i], TextRole::secondary});
  }
  out.texts.push_back({rows.title, figure.title, TextRole::heading});
  out.texts.push_back({rows.subtitle, subtitle(figure), TextRole::secondary});

  const Columns columns = split_columns(rows.picture, figure.levels.size());
  for (size_t i = 0; i < figure.levels.size(); ++i) {
    LevelBox box;
    box.level = i;
    box.rect = QRectF(columns.box_left(i), rows.picture.top(), columns.box, rows.picture.height());
    box.fill_ratio = std::nan("");
    place_box_texts(out, figure, box, rows.line, font);
    out.boxes.push_back(box);
  }
  const std::vector<double> tops = row_tops(figure, font);
  const auto row_rect = [&](size_t r, double left, double width) {
    return QRectF(left, rows.table.top() + tops[r], width, tops[r + 1] - tops[r]);
  };
  for (size_t r = 0; r < figure.rows.size(); ++r) {
    out.texts.push_back(
        {row_rect(r, columns.left, columns.box), row_title(figure.rows[r], figure.time_origin), TextRole::secondary});
    if (const CollectOffer* offer = offer_of(figure, figure.rows[r]))
      out.fills.push_back(fill_row(
          *offer, row_rect(r, columns.gap_left(figure.beyond), rows.table.right() - columns.gap_left(figure.beyond)),
          font));
  }
  for (size_t i = 0; i < figure.links.size(); ++i) {
    const QRectF gap(columns.gap_left(i), rows.picture.top(), columns.gap, rows.picture.height());
    for (FlowDirection direction : {FlowDirection::read, FlowDirection::written}) {
      out.ribbons.push_back(make_ribbon(figure, i, direction, gap, rows.line, font, options));
    }
    for (size_t r = 0; r < figure.rows.size(); ++r) {
      if (i >= figure.beyond && offer_of(figure, figure.rows[r]) != nullptr) continue;  // the button stands there
      const double spill =
          std::min(columns.box / 2 - 44, 16.0);  // a cell may reach a little under its boxes, never a row title
      const QRectF rect = row_rect(r, gap.left() - (i == 0 ? 0 : std::max(0.0, spill)),
                                   gap.width() + (i == 0 ? 1 : 2) * std::max(0.0, spill));
      out.cells.push_back({i, figure.rows[r], rect, cell_text(figure.links[i], figure.rows[r]),
                           std::isnan(cell_value(figure.links[i], figure.rows[r]))});
    }
  }
  out.joins = join_flows(out.ribbons, out.boxes);
  out.current = QRectF(rows.caption.left() + rows.caption.width() * 0.5, rows.caption.top(), rows.caption.width() * 0.5,
                       rows.line);
  out.texts.push_back({QRectF(rows.caption.left(), rows.caption.top(), rows.caption.width() * 0.5 - kGrid, rows.line),
                       QObject::tr("Ops in order, bytes over %1 (square root), colour: largest role")
                           .arg(QString::fromStdString(figure.links[figure.ops_over].bytes.outer)),
                       TextRole::secondary});
  place_scrubber(out, ops, rows);
  for (PhaseSpan& span : out.phases) span.known = figure.forward_known || span.phase != engine::Phase::forward;
  return out;
}

}  // namespace views
