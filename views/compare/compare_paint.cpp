// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes of ops in two lanes, coloured by what their change is called; bars of bytes.
#include "views/compare/compare_paint.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "views/base/paint.h"

namespace views {
namespace {

using profiler::ChangeClass;
using profiler::CompareRow;
using profiler::Comparison;

QString words(const char* text) { return QCoreApplication::translate("views::CompareView", text); }

QBrush box_brush(const Theme& theme, const CompareRow& row) {
  if (row.match.before.empty() || row.match.after.empty()) return theme.surface;
  return change_brush(theme, row.change.verdict);
}

void paint_box(QPainter& p, const CompareBox& box, const CompareRow& row, bool selected, const Theme& theme) {
  const QRectF inside = box.rect.width() > 3 ? box.rect.adjusted(0.5, 0.5, -0.5, -0.5) : box.rect;
  p.fillRect(inside, theme.surface_alternate);
  p.fillRect(inside, box_brush(theme, row));
  const bool alone = row.match.before.empty() || row.match.after.empty();
  if (box.rect.width() > 3) {
    p.setPen(selected ? QPen(theme.text, 2)
                      : QPen(alone ? theme.text_secondary : theme.border, 1, alone ? Qt::DashLine : Qt::SolidLine));
    p.setBrush(Qt::NoBrush);
    p.drawRect(inside);
  } else if (selected) {
    p.fillRect(box.rect.adjusted(-1, 0, 1, 0), theme.text);
  }
  if (box.label.isEmpty()) return;
  const bool strong = row.change.verdict == ChangeClass::slower || row.change.verdict == ChangeClass::faster;
  const QColor fill = change_colour(theme, row.change.verdict);
  const QColor ink = !strong || alone ? theme.text : label_on(fill);
  if (!strong && !alone && row.change.verdict == ChangeClass::unsure) {  // text on hatching needs a plate
    const QRectF plate(box.rect.center().x() - text_width(p.font(), box.label) / 2 - 3, box.rect.center().y() - 9,
                       text_width(p.font(), box.label) + 6, 18);
    p.fillRect(plate.intersected(inside), theme.surface_alternate);
  }
  draw_text(p, box.rect.adjusted(4, 0, -4, 0), Qt::AlignCenter, box.label, ink);
}

void paint_legend(QPainter& p, const CompareLayout& layout, const Theme& theme) {
  constexpr double kLine = 24;
  QRectF row(layout.legend.left(), layout.legend.top(), layout.legend.width(), std::min(kLine, layout.legend.height()));
  double x = row.left();
  const auto place = [&](const QBrush& brush, Qt::PenStyle line, const QString& text) {
    const double width = 20 + text_width(p.font(), text);
    if (x + width > row.right() && row.bottom() + kLine <= layout.legend.bottom())
      row.translate(0, kLine), x = row.left();
    if (x + width > row.right()) return;
    const QRectF swatch(x, row.center().y() - 6, 12, 12);
    p.fillRect(swatch, theme.surface_alternate);
    p.fillRect(swatch, brush);
    p.setPen(QPen(line == Qt::DashLine ? theme.text_secondary : theme.border, 1, line));
    p.setBrush(Qt::NoBrush);
    p.drawRect(swatch);
    draw_text(p, QRectF(x + 18, row.top(), width - 16, row.height()), Qt::AlignLeft | Qt::AlignVCenter, text,
              theme.text_secondary);
    x += width + 2 * kGrid;
  };
  place(change_colour(theme, ChangeClass::slower), Qt::SolidLine, words("SLOWER"));
  place(change_colour(theme, ChangeClass::faster), Qt::SolidLine, words("FASTER"));
  place(change_colour(theme, ChangeClass::same), Qt::SolidLine, words("SAME"));
  place(change_brush(theme, ChangeClass::unsure), Qt::SolidLine, words("UNSURE, or different work"));
  place(theme.surface, Qt::DashLine, words("only on this side"));
}

void paint_bytes(QPainter& p, const CompareBytes& row, const Theme& theme) {
  draw_text(p, row.name, Qt::AlignLeft | Qt::AlignVCenter, row.title, theme.text);
  for (const auto& [bar, faded] : {std::pair(row.before, true), std::pair(row.after, false)}) {
    if (bar.width() <= 0) continue;
    QColor ink = theme.measure;
    if (faded) ink = theme.text_secondary;
    p.fillRect(bar, origin_brush(row.origin, ink));
    p.setPen(origin_pen(row.origin, ink));
    p.setBrush(Qt::NoBrush);
    p.drawRect(bar);
  }
  draw_text(p, row.before_value, Qt::AlignRight | Qt::AlignVCenter, row.before_text, theme.text);
  draw_text(p, row.after_value, Qt::AlignRight | Qt::AlignVCenter, row.after_text, theme.text);
  draw_bold(p, row.change, Qt::AlignRight | Qt::AlignVCenter, row.change_text, theme.text);
}

}  // namespace

QColor change_colour(const Theme& theme, ChangeClass verdict) {
  switch (verdict) {
    case ChangeClass::slower: return theme.slower;
    case ChangeClass::faster: return theme.faster;
    case ChangeClass::unsure: return theme.text_secondary;
    case ChangeClass::same: break;
  }
  return theme.border;
}

QBrush change_brush(const Theme& theme, ChangeClass verdict) {
  return {change_colour(theme, verdict), verdict == ChangeClass::unsure ? Qt::BDiagPattern : Qt::SolidPattern};
}

void paint_compare(QPainter& p, const CompareLayout& layout, const Comparison& c, std::optional<size_t> selected,
                   const Theme& theme) {
  const QString unit = c.per_sample ? words("per sample") : words("per step");
  const auto caption = [&](const QRectF& rect, const QStringList& forms) {  // the longest that has room
    const QFont bold = scaled_font(p.font(), 1, true);
    const auto fits = [&](const QString& form) { return text_width(bold, form) <= rect.width(); };
    const auto found = std::ranges::find_if(forms, fits);
    draw_bold(p, rect, Qt::AlignLeft | Qt::AlignVCenter, found != forms.end() ? *found : forms.last(),
              theme.text_secondary);
  };
  caption(
      layout.caption,
      {words("Time %1, op by op (measured, lower quartile of the steps): an op starts at the same place in both lanes")
           .arg(unit),
       words("Time %1, op by op (measured, lower quartile)").arg(unit),
       words("Lower quartiles %1 (measured)").arg(unit)});
  p.setRenderHint(QPainter::Antialiasing, false);
  for (const QRectF& lane : {layout.before_lane, layout.after_lane}) p.fillRect(lane, theme.background);
  draw_text(p, layout.before_name, Qt::AlignLeft | Qt::AlignVCenter, words("before"), theme.text);
  draw_text(p, layout.after_name, Qt::AlignLeft | Qt::AlignVCenter, words("after"), theme.text);
  for (const CompareBox& box : layout.boxes) {
    if (selected != box.row) paint_box(p, box, c.rows[box.row], false, theme);
  }
  for (const CompareBox& box : layout.boxes) {
    if (selected == box.row) paint_box(p, box, c.rows[box.row], true, theme);
  }
  paint_legend(p, layout, theme);
  caption(layout.bytes_caption,
          {words("Bytes %1, before and after: compulsory (exact), over each link (modelled)").arg(unit),
           words("Bytes %1: compulsory (exact), links (modelled)").arg(unit),
           words("Bytes %1 (links modelled)").arg(unit)});
  for (const CompareBytes& row : layout.bytes) paint_bytes(p, row, theme);
}

}  // namespace views
