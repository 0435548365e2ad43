// SPDX-License-Identifier: GPL-3.0-or-later
// Bars of a report's first page: a strip of the timed steps, then a bar per row with its name and figures.
#include "views/report/bars_layout.h"

#include <QFontMetricsF>
#include <QObject>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/base/op_name.h"
#include "views/base/paint.h"
#include "views/base/theme.h"

namespace views {

namespace {

using profiler::Bound;
using profiler::ReportBars;
using Kind = BarsLayout::Kind;

constexpr double kGap = 8, kStrip = 26, kDot = 5, kLeastBar = 1.5;

QString words(const std::string& text) { return QString::fromStdString(text); }
bool paired(const ReportBars& bars) {
  return std::ranges::any_of(bars.bars, [](const auto& b) { return !std::isnan(b.before); });
}
bool has_strip(const ReportBars& bars) { return bars.steps.size() > 1; }

class Layout {
 public:
  Layout(const ReportBars& bars, const QSizeF& size, const QFont& font)
      : bars_(bars), size_(size), font_(font), metrics_(font), line_(std::ceil(metrics_.height())) {}

  double row_height() const { return paired(bars_) ? 1.5 * line_ : line_ + 3; }
  double head_height() const { return 2 * line_ + 4 + (has_strip(bars_) ? kStrip + line_ + kGap : 0); }
  double foot_height() const { return bars_.judged ? line_ + kGap : 0; }

  BarsLayout make() {
    text({0, 0, size_.width(), line_}, words(bars_.title), Qt::AlignLeft, true, false);
    text({0, line_, size_.width(), line_}, words(bars_.help), Qt::AlignLeft, false, true);
    double y = 2 * line_ + 4;
    if (has_strip(bars_)) y = strip(y);
    y = rows(y);
    if (bars_.judged) y = legend(y + kGap / 2);
    out_.height = y;
    return std::move(out_);
  }

 private:
  void text(const QRectF& rect, const QString& shown, Qt::Alignment align, bool bold = false, bool secondary = false) {
    QFont font = font_;
    font.setBold(bold);
    out_.texts.push_back({rect, shortened_name(font, shown, rect.width()), align, bold, secondary});
  }

  /// Each timed step as a dot from 0 to the slowest, the interval of their median as a band.
  double strip(double y) {
    const double most = std::ranges::max(bars_.steps, {}, &profiler::ReportBars::Step::ns).ns, left = label_width(),
                 width = size_.width() - left - kDot;
    const auto x = [&](double ns) { return left + ns / most * width; };
    text({0, y, left - kGap, kStrip}, QObject::tr("each timed step"), Qt::AlignRight | Qt::AlignVCenter);
    out_.marks.push_back({QRectF(left, y + kStrip, width + kDot, 1), Kind::axis, Bound::unknown, {}});
    const auto duration = [](double ns) {
      return words(profiler::format_quantity(ns, profiler::Quantity::duration_ns));
    };
    if (bars_.high > bars_.low) {
      out_.marks.push_back({QRectF(x(bars_.low), y + 4, x(bars_.high) - x(bars_.low), kStrip - 4), Kind::band,
                            Bound::unknown,
                            QObject::tr("median between %1 and %2").arg(duration(bars_.low), duration(bars_.high))});
    }
    for (size_t i = 0; i < bars_.steps.size(); ++i) {
      const double high = y + 6 + static_cast<double>(i % 3) * (kDot + 1);
      out_.marks.push_back({QRectF(x(bars_.steps[i].ns) - kDot / 2, high, kDot, kDot), Kind::dot, Bound::unknown,
                            QObject::tr("step %1: %2").arg(bars_.steps[i].number).arg(duration(bars_.steps[i].ns))});
    }
    const double median = x(bars_.median);
    out_.marks.push_back({QRectF(median - 1, y + 2, 2, kStrip - 2), Kind::median, Bound::unknown,
                          QObject::tr("median %1").arg(duration(bars_.median))});
    const QString middle = QObject::tr("median %1").arg(duration(bars_.median));
    QFont bold = font_;
    bold.setBold(true);
    const double half = QFontMetricsF(bold).horizontalAdvance(middle) / 2 + 4;
    const QString last = duration(most);
    const double end = metrics_.horizontalAdvance(last) + 4, below = y + kStrip + 1;
    text({left, below, 20, line_}, QStringLiteral("0"), Qt::AlignLeft, false, true);
    const double centre = std::clamp(median, left + 20 + half, std::max(left + 20 + half, size_.width() - half));
    text({centre - half, below, 2 * half, line_}, middle, Qt::AlignHCenter, true);
    if (centre + half < size_.width() - end)
      text({size_.width() - end, below, end, line_}, last, Qt::AlignRight, false, true);
    return below + line_ + kGap;
  }

  double label_width() const {
    double most = metrics_.horizontalAdvance(QObject::tr("each timed step"));
    for (const auto& bar : bars_.bars) most = std::max(most, metrics_.horizontalAdvance(words(bar.label)));
    return std::min(most + kGap + 2, 0.3 * size_.width());
  }

  /// The bars that fit, the rest as one of them.
  std::vector<ReportBars::Bar> shown_bars(double room, size_t& left_out) const {
    const auto fit = static_cast<size_t>(std::max(1.0, std::floor(room / row_height())));
    std::vector<ReportBars::Bar> shown(
        bars_.bars.begin(), bars_.bars.begin() + static_cast<std::ptrdiff_t>(std::min(fit, bars_.bars.size())));
    left_out = bars_.bars.size() - shown.size();
    if (left_out == 0) return shown;
    if (!bars_.sums) return shown;
    ReportBars::Bar rest = shown.back();
    for (size_t i = shown.size(); i < bars_.bars.size(); ++i) rest.value += bars_.bars[i].value;
    rest.label = QObject::tr("%1 others").arg(left_out + 1).toStdString();
    rest.bound = Bound::unknown;
    rest.shown = profiler::format_quantity(rest.value, bars_.quantity);
    rest.detail = rest.label + ": " + rest.shown;
    shown.back() = rest;
    left_out = 0;
    return shown;
  }

  double rows(double y) {
    size_t left_out = 0;
    const double room = size_.height() - y - foot_height();
    std::vector<ReportBars::Bar> shown = shown_bars(room, left_out);
    if (left_out > 0) shown = shown_bars(room - line_, left_out);
    double most = 0, figures = 0;
    for (const auto& bar : shown) {
      for (const double v : {bar.value, bar.before, bar.high}) most = std::isfinite(v) ? std::max(most, v) : most;
      figures = std::max(figures, metrics_.horizontalAdvance(words(bar.shown)));
    }
    const double left = label_width(), height = row_height();
    figures = std::min(figures + kGap, 0.36 * size_.width());
    const double width = std::max(10.0, size_.width() - left - figures);
    for (const auto& bar : shown) {
      row(bar, QRectF(left, y, width, height - 3), most);
      y += height;
    }
    out_.bars = shown.size();
    if (left_out > 0) {
      text({left, y, size_.width() - left, line_},
           QObject::tr("%n more not drawn", nullptr, static_cast<int>(left_out)), Qt::AlignLeft, false, true);
      y += line_;
    }
    return y;
  }

  void row(const ReportBars::Bar& bar, const QRectF& rect, double most) {
    text({0, rect.top(), rect.left() - kGap, rect.height()}, words(bar.label), Qt::AlignRight | Qt::AlignVCenter);
    const auto length = [&](double v) { return std::max(kLeastBar, most > 0 ? v / most * rect.width() : 0); };
    double end = rect.left();
    const bool two = paired(bars_);
    const double thick = two ? rect.height() / 2 - 1 : rect.height() - 4;
    if (!std::isnan(bar.before)) {
      out_.marks.push_back({QRectF(rect.left(), rect.top() + 1, length(bar.before), thick), Kind::before,
                            Bound::unknown, words(bar.detail)});
      end = std::max(end, out_.marks.back().rect.right());
    }
    if (!std::isnan(bar.value)) {
      const double top = two ? rect.top() + 1 + thick : rect.top() + 2;
      out_.marks.push_back(
          {QRectF(rect.left(), top, length(bar.value), thick), Kind::after, bar.bound, words(bar.detail)});
      end = std::max(end, out_.marks.back().rect.right());
    }
    if (bar.high > bar.low && most > 0) {
      const double from = rect.left() + bar.low / most * rect.width(),
                   to = rect.left() + bar.high / most * rect.width();
      out_.marks.push_back({QRectF(from, rect.center().y() - 1, to - from, 2), Kind::interval, Bound::unknown, {}});
      end = std::max(end, to);
    }
    text({end + kGap, rect.top(), std::max(4.0, size_.width() - end - kGap), rect.height()}, words(bar.shown),
         Qt::AlignLeft | Qt::AlignVCenter);
  }

  double legend(double y) {
    std::set<Bound> used;
    for (const auto& mark : out_.marks) {
      if (mark.kind == Kind::after) used.insert(mark.bound);
    }
    double x = label_width();
    for (const Bound bound : used) {
      const QString title = bound_title(bound);
      const double width = metrics_.horizontalAdvance(title) + 4;
      if (x + 14 + width > size_.width()) break;
      out_.marks.push_back({QRectF(x, y + line_ / 2 - 5, 10, 10), Kind::after, bound, {}});
      text({x + 14, y, width, line_}, title, Qt::AlignLeft, false, true);
      x += 14 + width + 2 * kGap;
    }
    return y + line_;
  }

  const ReportBars& bars_;
  QSizeF size_;
  QFont font_;
  QFontMetricsF metrics_;
  double line_;
  BarsLayout out_;
};

}  // namespace

BarsLayout layout_bars(const ReportBars& bars, const QSizeF& size, const QFont& font) {
  return Layout(bars, size, font).make();
}

double full_height(const ReportBars& bars, const QFont& font) {
  const Layout layout(bars, {1000, 1000}, font);
  return layout.head_height() + static_cast<double>(bars.bars.size()) * layout.row_height() + layout.foot_height() + 4;
}

}  // namespace views
