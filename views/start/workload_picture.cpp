// SPDX-License-Identifier: GPL-3.0-or-later
// The shapes of each kind of workload, and which workload is of which kind.
#include "views/start/workload_picture.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace views {
namespace {

using Shapes = std::vector<PictureShape>;
using Kind = PictureShape::Kind;

void box(Shapes& to, double x, double y, double w, double h, bool strong = false) {
  to.push_back({Kind::box, QRectF(x, y, w, h), {}, strong});
}
void dot(Shapes& to, double x, double y, double r, bool strong = false) {
  to.push_back({Kind::dot, QRectF(x - r, y - r, 2 * r, 2 * r), {}, strong});
}
void line(Shapes& to, QPolygonF points, bool strong = false) {
  to.push_back({Kind::line, {}, std::move(points), strong});
}

/// Long rows that are read from end to end.
Shapes arrays() {
  Shapes all;
  for (int row = 0; row < 3; ++row) box(all, 0.08, 0.16 + 0.26 * row, 0.84, 0.16, row == 2);
  return all;
}

/// C = A B: a row of A and a column of B meet in C.
Shapes matrices() {
  Shapes all;
  box(all, 0.06, 0.5, 0.36, 0.42), box(all, 0.5, 0.08, 0.42, 0.34), box(all, 0.5, 0.5, 0.42, 0.42);
  box(all, 0.06, 0.66, 0.36, 0.1, true), box(all, 0.66, 0.08, 0.1, 0.34, true), box(all, 0.66, 0.66, 0.1, 0.1, true);
  return all;
}

/// Units of three layers, each joined to all of the next.
Shapes layers() {
  constexpr std::array kUnits{3, 4, 2};
  Shapes all;
  const auto at = [&](size_t layer, int unit) {
    return QPointF(0.14 + 0.36 * static_cast<double>(layer), 0.5 + 0.22 * (unit - (kUnits[layer] - 1) / 2.0));
  };
  for (size_t layer = 0; layer + 1 < kUnits.size(); ++layer)
    for (int from = 0; from < kUnits[layer]; ++from)
      for (int to = 0; to < kUnits[layer + 1]; ++to) line(all, {at(layer, from), at(layer + 1, to)});
  for (size_t layer = 0; layer < kUnits.size(); ++layer)
    for (int unit = 0; unit < kUnits[layer]; ++unit) dot(all, at(layer, unit).x(), at(layer, unit).y(), 0.07, true);
  return all;
}

/// Planes that get smaller and more, with a shortcut around them.
Shapes convolutions() {
  Shapes all;
  box(all, 0.06, 0.26, 0.14, 0.6), box(all, 0.28, 0.34, 0.18, 0.46), box(all, 0.54, 0.42, 0.2, 0.32);
  box(all, 0.82, 0.5, 0.12, 0.18, true);
  line(all, {{0.13, 0.24}, {0.13, 0.1}, {0.64, 0.1}, {0.64, 0.4}}, true);
  return all;
}

/// Which token looks at which.
Shapes attention() {
  constexpr int kTokens = 5;
  Shapes all;
  for (int row = 0; row < kTokens; ++row)
    for (int column = 0; column < kTokens; ++column)
      box(all, 0.08 + 0.17 * column, 0.08 + 0.17 * row, 0.14, 0.14, (row * 3 + column * 2) % 5 < 2);
  return all;
}

/// One after the other.
Shapes chain() {
  Shapes all;
  for (int i = 0; i < 3; ++i) box(all, 0.06 + 0.33 * i, 0.38, 0.2, 0.26, i == 2);
  for (int i = 0; i < 2; ++i) line(all, {{0.26 + 0.33 * i, 0.51}, {0.39 + 0.33 * i, 0.51}}, true);
  return all;
}

/// Time per access climbs with each level.
Shapes steps() {
  Shapes all;
  line(all,
       {{0.06, 0.86}, {0.3, 0.86}, {0.3, 0.62}, {0.54, 0.62}, {0.54, 0.38}, {0.74, 0.38}, {0.74, 0.14}, {0.94, 0.14}},
       true);
  line(all, {{0.06, 0.94}, {0.94, 0.94}});
  return all;
}

/// Work side by side.
Shapes lanes() {
  constexpr std::array<std::pair<double, double>, 4> kSpans{{{0.06, 0.56}, {0.2, 0.62}, {0.06, 0.36}, {0.46, 0.48}}};
  Shapes all;
  for (size_t i = 0; i < kSpans.size(); ++i)
    box(all, kSpans[i].first, 0.1 + 0.21 * static_cast<double>(i), kSpans[i].second, 0.14, i == 1);
  return all;
}

Shapes tree() {
  Shapes all;
  line(all, {{0.5, 0.16}, {0.26, 0.5}}), line(all, {{0.5, 0.16}, {0.74, 0.5}});
  line(all, {{0.26, 0.5}, {0.12, 0.84}}), line(all, {{0.26, 0.5}, {0.4, 0.84}});
  dot(all, 0.5, 0.16, 0.08, true), dot(all, 0.26, 0.5, 0.08), dot(all, 0.74, 0.5, 0.08);
  dot(all, 0.12, 0.84, 0.08), dot(all, 0.4, 0.84, 0.08);
  return all;
}

/// A sheet with a network on it.
Shapes file() {
  Shapes all;
  line(all,
       {{0.62, 0.06}, {0.18, 0.06}, {0.18, 0.94}, {0.82, 0.94}, {0.82, 0.26}, {0.62, 0.06}, {0.62, 0.26}, {0.82, 0.26}},
       true);
  line(all, {{0.36, 0.5}, {0.64, 0.42}}), line(all, {{0.36, 0.5}, {0.64, 0.7}});
  dot(all, 0.36, 0.5, 0.07, true), dot(all, 0.64, 0.42, 0.07), dot(all, 0.64, 0.7, 0.07);
  return all;
}

struct Pictured {
  std::string_view name;
  Shapes (*shapes)();
};
constexpr std::array kPictured{Pictured{"file", file},
                               Pictured{"stream", arrays},
                               Pictured{"fusion", arrays},
                               Pictured{"embedding_bag", arrays},
                               Pictured{"gemm", matrices},
                               Pictured{"im2col", matrices},
                               Pictured{"precision", matrices},
                               Pictured{"loops", chain},
                               Pictured{"dependent_steps", chain},
                               Pictured{"tensors", matrices},
                               Pictured{"linalg", matrices},
                               Pictured{"jacobian", matrices},
                               Pictured{"ladder", steps},
                               Pictured{"latency_ladder", steps},
                               Pictured{"resnet50", convolutions},
                               Pictured{"resnet56", convolutions},
                               Pictured{"alexnet", convolutions},
                               Pictured{"vgg", convolutions},
                               Pictured{"inception", convolutions},
                               Pictured{"squeezenet", convolutions},
                               Pictured{"densenet", convolutions},
                               Pictured{"mobilenet", convolutions},
                               Pictured{"attention", attention},
                               Pictured{"transformer", attention},
                               Pictured{"gpt", attention},
                               Pictured{"lstm", chain},
                               Pictured{"launch", chain},
                               Pictured{"tree", tree},
                               Pictured{"devices", lanes},
                               Pictured{"data_pipeline", lanes},
                               Pictured{"transfer", lanes},
                               Pictured{"parallel_width", lanes},
                               Pictured{"divergence", lanes}};

}  // namespace

std::vector<PictureShape> workload_picture(const QString& name) {
  const std::string wanted = name.toStdString();
  const auto* found = std::ranges::find(kPictured, wanted, &Pictured::name);
  return found == kPictured.end() ? layers() : found->shapes();
}

void draw_picture(QPainter& painter, const QRectF& rect, const std::vector<PictureShape>& shapes, const Theme& theme) {
  const qreal side = std::min(rect.width(), rect.height());
  const QRectF square(rect.center() - QPointF(side / 2, side / 2), QSizeF(side, side));
  const auto placed = [&](QPointF p) { return square.topLeft() + p * side; };
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  for (const PictureShape& shape : shapes) {
    const QColor color = shape.strong ? theme.text_secondary : theme.border;
    const QRectF at(placed(shape.rect.topLeft()), shape.rect.size() * side);
    painter.setPen(shape.kind == Kind::line ? QPen(color, 1.2) : QPen(Qt::NoPen));
    painter.setBrush(shape.kind == Kind::line ? QBrush(Qt::NoBrush) : QBrush(color));
    if (shape.kind == Kind::box) painter.drawRoundedRect(at, 1.5, 1.5);
    if (shape.kind == Kind::dot) painter.drawEllipse(at);
    if (shape.kind == Kind::line) {
      QPolygonF points;
      for (const QPointF& p : shape.points) points << placed(p);
      painter.drawPolyline(points);
    }
  }
  painter.restore();
}

}  // namespace views
