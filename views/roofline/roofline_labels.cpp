// SPDX-License-Identifier: GPL-3.0-or-later
// Dots lie in a grid of cells; labels are tried in order of preference.
#include "views/roofline/roofline_labels.h"

#include <QFontMetricsF>
#include <QLineF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "views/base/paint.h"

namespace views {
namespace {

constexpr double kCell = 4;   // px
constexpr double kAbove = 4;  // px between a line and its label
constexpr double kFrame = 2;  // px between the axes and a label

/// A label as a rectangle with a place and a direction: `at` is the left end of its lower edge, `along` its direction,
/// `up` across it.
struct Strip {
  QPointF at, along, up;
  double width = 0, height = 0;
  QPointF point(double x, double y) const { return at + along * x + up * y; }
};

class Taken {
 public:
  explicit Taken(const QRectF& rect)
      : rect_(rect),
        columns_(static_cast<int>(rect.width() / kCell) + 1),
        rows_(static_cast<int>(rect.height() / kCell) + 1),
        dots_(static_cast<size_t>(columns_ * rows_)) {}

  void add_dot(QPointF centre, double radius) {
    const auto column = [&](double x) {
      return std::clamp(static_cast<int>((x - rect_.left()) / kCell), 0, columns_ - 1);
    };
    const auto row = [&](double y) { return std::clamp(static_cast<int>((y - rect_.top()) / kCell), 0, rows_ - 1); };
    for (int r = row(centre.y() - radius); r <= row(centre.y() + radius); ++r) {
      for (int c = column(centre.x() - radius); c <= column(centre.x() + radius); ++c) dots_[index(c, r)] = true;
    }
  }
  void add_line(QPointF from, QPointF to) { lines_.emplace_back(from, to); }
  void add_text(const Strip& strip) { texts_.push_back(strip); }

  /// Nothing: it would leave the axes or lie over another label. Else how much it covers: cells with dots, and lines at
  /// a cell each.
  std::optional<int> covers(const Strip& strip) const {
    for (const double x : {0.0, strip.width}) {
      for (const double y : {0.0, strip.height}) {
        if (!rect_.adjusted(kFrame, kFrame, -kFrame, -kFrame).contains(strip.point(x, y))) return {};
      }
    }
    if (std::ranges::any_of(texts_, [&](const Strip& text) { return !apart(text, strip) && !apart(strip, text); }))
      return {};
    int dots = 0;
    each_cell(strip, [&](size_t cell) { dots += dots_[cell] ? 1 : 0; });
    return dots * kDotCost +
           static_cast<int>(std::ranges::count_if(lines_, [&](const QLineF& line) { return crosses(line, strip); }));
  }
  static constexpr int kDotCost = 100;  // a line can be seen on both sides of a label

 private:
  size_t index(int column, int row) const { return static_cast<size_t>(row * columns_ + column); }

  template <class F>
  void each_cell(const Strip& strip, const F& f) const {
    const double steps_x = std::ceil(strip.width / kCell), steps_y = std::ceil(strip.height / kCell);
    for (double i = 0; i <= steps_x; ++i) {
      for (double j = 0; j <= steps_y; ++j) {
        const QPointF p = strip.point(strip.width * i / steps_x, strip.height * j / steps_y) - rect_.topLeft();
        const int column = static_cast<int>(p.x() / kCell), row = static_cast<int>(p.y() / kCell);
        if (column >= 0 && row >= 0 && column < columns_ && row < rows_) f(index(column, row));
      }
    }
  }

  /// Whether all of `other` lies on one side of `strip` along one of its two directions, with a little air between.
  static bool apart(const Strip& strip, const Strip& other) {
    constexpr double kAir = 2;
    double low_x = std::numeric_limits<double>::max(), high_x = -low_x, low_y = low_x, high_y = high_x;
    for (const double x : {0.0, other.width}) {
      for (const double y : {0.0, other.height}) {
        const QPointF p = other.point(x, y) - strip.at;
        const double along = QPointF::dotProduct(p, strip.along), up = QPointF::dotProduct(p, strip.up);
        low_x = std::min(low_x, along), high_x = std::max(high_x, along);
        low_y = std::min(low_y, up), high_y = std::max(high_y, up);
      }
    }
    return high_x < -3 * kAir || low_x > strip.width + 3 * kAir || high_y < -kAir || low_y > strip.height + kAir;
  }

  /// Whether a line meets the strip, seen from the strip (Liang and Barsky's clipping).
  static bool crosses(const QLineF& line, const Strip& strip) {
    const auto seen = [&](QPointF p) {
      return QPointF(QPointF::dotProduct(p - strip.at, strip.along), QPointF::dotProduct(p - strip.at, strip.up));
    };
    const QPointF from = seen(line.p1()), step = seen(line.p2()) - from;
    double first = 0, last = 1;
    for (const auto& [start, way, end] :
         {std::tuple(from.x(), step.x(), strip.width), std::tuple(from.y(), step.y(), strip.height)}) {
      if (std::abs(way) < 1e-9) {
        if (start < 0 || start > end) return false;
        continue;
      }
      const double a = -start / way, b = (end - start) / way;
      first = std::max(first, std::min(a, b));
      last = std::min(last, std::max(a, b));
    }
    return first < last;
  }

  QRectF rect_;
  int columns_, rows_;
  std::vector<char> dots_;
  std::vector<Strip> texts_;
  std::vector<QLineF> lines_;
};

/// The first of the strips that covers nothing, else the one that covers least, where that is at most `most`.
std::optional<Strip> best(const Taken& taken, const std::vector<Strip>& strips, int most) {
  std::optional<Strip> found;
  int least = std::numeric_limits<int>::max();
  for (const Strip& strip : strips) {
    const std::optional<int> covered = taken.covers(strip);
    if (!covered || *covered >= least || *covered > most) continue;
    found = strip, least = *covered;
    if (least == 0) break;
  }
  return found;
}

void label_roof(RoofShape& shape, const QRectF& rect, Taken& taken, const QFont& font) {
  constexpr double kFirst = 18, kStep = 4, kEnd = 6;
  const QFontMetricsF metrics(font);
  const double width = text_width(font, shape.text), height = metrics.ascent() + 1;
  const QPointF way = shape.to - shape.from;
  const double length = std::hypot(way.x(), way.y());
  if (!(length > 0)) return;
  const QPointF along = way / length, up(along.y(), -along.x());
  std::vector<Strip> strips;
  if (shape.memory) {
    for (double start = kFirst; start + width + kEnd <= length; start += kStep)
      strips.push_back({shape.from + along * start + up * kAbove, along, up, width, height});
  } else {
    // Left of the line's end is nothing but room, above it as below it.
    for (const double off : {kAbove, -kAbove - height}) {
      for (double start = length - width - kEnd; shape.from.x() + start > rect.left(); start -= kStep)
        strips.push_back({shape.from + along * start + up * off, along, up, width, height});
    }
  }
  const std::optional<Strip> place = best(taken, strips, std::numeric_limits<int>::max());
  if (!place) return;
  taken.add_text(*place);
  shape.angle = std::atan2(along.y(), along.x()) * 180.0 / M_PI;
  shape.label = place->at;
  shape.labelled = true;
}

void label_ridge(RidgePoint& ridge, const QRectF& rect, Taken& taken, const QFont& font) {
  constexpr double kRise = 10, kAside = 7;
  const double height = QFontMetricsF(font).height();
  const QPointF along(1, 0), up(0, -1);
  const auto place_of = [&](const QString& text) {
    const double width = text_width(font, text);
    std::vector<Strip> strips;
    const auto add_row = [&](double bottom) {
      for (const double left : {ridge.at.x() - width / 2, ridge.at.x() + kAside, ridge.at.x() - width - kAside}) {
        const double inside =
            std::clamp(left, rect.left() + kFrame, std::max(rect.left() + kFrame, rect.right() - kFrame - width));
        strips.push_back({QPointF(inside, bottom), along, up, width, height});
      }
    };
    for (double bottom = ridge.at.y() - kRise; bottom - height > rect.top(); bottom -= height + 3) add_row(bottom);
    for (int row = 1; row <= 3; ++row)
      strips.push_back(
          {QPointF(ridge.at.x() + 2 * kAside, ridge.at.y() + kRise + row * height), along, up, width, height});
    return width + 2 * kFrame <= rect.width() ? best(taken, strips, Taken::kDotCost - 1) : std::nullopt;
  };
  ridge.label_text = ridge.text;
  std::optional<Strip> place = place_of(ridge.label_text);
  if (!place) place = place_of(ridge.label_text = ridge.short_text);
  if (!place) return;
  taken.add_text(*place);
  ridge.label = QRectF(place->at.x(), place->at.y() - height, place->width, height);
  const bool above = ridge.label.bottom() <= ridge.at.y();
  ridge.leader = QPointF(std::clamp(ridge.at.x(), ridge.label.left(), ridge.label.right()),
                         above ? ridge.label.bottom() : ridge.label.top());
  taken.add_line(ridge.at, ridge.leader);
}

}  // namespace

void place_roofline_labels(RooflineLayout& out, const QFont& font) {
  Taken taken(out.rect);
  for (const RooflineDot& dot : out.dots) taken.add_dot(dot.centre, dot.radius);
  for (const RidgePoint& ridge : out.ridges) taken.add_dot(ridge.at, 4);
  for (const RoofShape& shape : out.roofs) taken.add_line(shape.from, shape.to);
  // Compute roofs first: a memory roof has more places.
  for (const bool memory : {false, true}) {
    for (RoofShape& shape : out.roofs) {
      if (shape.memory == memory) label_roof(shape, out.rect, taken, scaled_font(font, 1.0, shape.chosen));
    }
  }
  for (RidgePoint& ridge : out.ridges) label_ridge(ridge, out.rect, taken, scaled_font(font, 0.92));
}

}  // namespace views
