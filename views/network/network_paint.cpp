// SPDX-License-Identifier: GPL-3.0-or-later
// From back to front: open layers, wires, closed layers and ops, titles, legend, minimap.
#include "views/network/network_paint.h"

#include <QObject>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "profiler/capture/only_planned.h"
#include "views/base/paint.h"
#include "views/base/phase.h"

namespace views {
namespace {

using profiler::Quantity;

constexpr double kReadable = 7;      // px of a line of text
constexpr double kFramed = 5;        // px of a box with a frame
constexpr double kLabelZoom = 0.75;  // bytes beside wires
constexpr size_t kLabelledWires = 60, kAcrossWires = 400;
constexpr size_t kMinimapBoxes = 4000;
/// Shares of the largest value, as colours of the legend.
constexpr std::array kStripes{0.0, 0.25, 0.5, 0.75, 1.0};

QColor mixed(const QColor& a, const QColor& b, double part) {
  const auto mix = [&](int from, int to) { return static_cast<int>(std::lround(from + (to - from) * part)); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

/// Dark on light grounds, and the other way round.
QColor text_on(const QColor& ground) {
  const double light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue();
  return light < 140 ? QColor(Qt::white) : QColor(0x1F, 0x23, 0x28);
}

QColor dtype_colour(const Theme& theme, engine::DType dtype) {
  const size_t bytes = engine::size_bytes(dtype);
  return theme.level(bytes >= 8 ? 3 : bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0);
}

double amount(const profiler::NetworkFigures& figures, NetworkColors colors) {
  return colors == NetworkColors::time    ? figures.time_ns
         : colors == NetworkColors::flops ? figures.flops
                                          : figures.bytes;
}

Quantity quantity_of(NetworkColors colors) {
  return colors == NetworkColors::time    ? Quantity::duration_ns
         : colors == NetworkColors::flops ? Quantity::flops
                                          : Quantity::bytes;
}

class Painter {
 public:
  Painter(QPainter& p, const QRectF& rect, const NetworkScene& scene, const Theme& theme)
      : p_(p), rect_(rect), scene_(scene), theme_(theme), layout_(*scene.layout), window_(scene.window) {
    font_ = data_font();
    const double legend = network_legend_height(scene.metrics);
    plot_ = rect.adjusted(0, 0, 0, -legend);
    shown_ = QRectF(window_.to_scene(QPointF(0, 0)), plot_.size() / window_.zoom);
    for (const NetworkBox& box : layout_.boxes) {
      if (box.kind == NetworkBox::Kind::open) continue;
      const double value = amount(figures_of(*scene_.network, box), scene_.colors);
      if (value > largest_) largest_ = value;
    }
    marked_.assign(layout_.boxes.size(), false);
    for (const uint32_t box : scene.selected)
      if (box < marked_.size()) marked_[box] = true;
    if (scene.hover < marked_.size()) marked_[scene.hover] = true;
    alarmed_.assign(layout_.boxes.size(), false);
    for (const profiler::OpId op : scene.not_finite) {
      const uint32_t box = shown_box(*scene.network, *scene.capture, layout_, op);
      if (box != kNoBox) alarmed_[box] = true;
    }
  }

  NetworkFrame paint() {
    p_.save();
    p_.fillRect(rect_, theme_.surface);
    p_.setClipRect(plot_, Qt::IntersectClip);
    paint_open();
    paint_wires();
    paint_boxes();
    paint_labels();
    paint_titles();
    paint_minimap();
    p_.restore();
    paint_legend();
    return frame_;
  }

 private:
  QRectF on_screen(const QRectF& scene) const { return window_.to_screen(scene).translated(rect_.topLeft()); }
  QPointF on_screen(QPointF scene) const { return window_.to_screen(scene) + rect_.topLeft(); }
  bool text_fits() const { return scene_.metrics.line * window_.zoom >= kReadable; }

  /// Calls f for each box in sight; what lies in a layer out of sight is passed over.
  template <class F>
  void each_visible(F&& f) {
    for (uint32_t i = 0; i < layout_.boxes.size();) {
      const NetworkBox& box = layout_.boxes[i];
      if (!box.rect.intersects(shown_)) {
        i = std::max(i + 1, box.end);
        continue;
      }
      f(i, box);
      ++i;
    }
  }

  QColor fill_of(const NetworkBox& box) const {
    const profiler::NetworkFigures& figures = figures_of(*scene_.network, box);
    switch (scene_.colors) {
      case NetworkColors::verdict: return theme_.bound(figures.bound);
      case NetworkColors::precision: return figures.dtype ? dtype_colour(theme_, *figures.dtype) : theme_.surface;
      case NetworkColors::time:
      case NetworkColors::bytes:
      case NetworkColors::flops: break;
    }
    return heat(largest_ > 0 ? amount(figures, scene_.colors) / largest_ : 0);
  }
  QColor heat(double part) const {
    return part > 0 ? mixed(theme_.surface_alternate, theme_.level(2), std::min(part, 1.0)) : theme_.surface_alternate;
  }
  bool categories() const {
    return scene_.colors == NetworkColors::verdict || scene_.colors == NetworkColors::precision;
  }

  QPen frame_pen(uint32_t index) const {
    const bool selected = std::ranges::find(scene_.selected, index) != scene_.selected.end();
    if (selected) return QPen(theme_.accent, 2.5);
    if (index < alarmed_.size() && alarmed_[index]) return QPen(theme_.error, 3);
    if (index < scene_.found.size() && scene_.found[index]) return QPen(theme_.warning, 2);
    return QPen(index == scene_.hover ? theme_.text : theme_.border, 1);
  }

  void paint_open() {
    each_visible([&](uint32_t i, const NetworkBox& box) {
      if (box.kind != NetworkBox::Kind::open) return;
      ++frame_.boxes;
      const QRectF r = on_screen(box.rect);
      p_.setPen(frame_pen(i));
      p_.setBrush(box.depth % 2 == 0 ? mixed(theme_.surface, theme_.surface_alternate, 0.6) : theme_.surface);
      p_.drawRect(r);
      const double header = (scene_.metrics.line + 10) * window_.zoom;
      paint_text(box, QRectF(r.left(), r.top(), r.width(), header), theme_.text, theme_.text_secondary);
    });
  }

  void paint_boxes() {
    each_visible([&](uint32_t i, const NetworkBox& box) {
      if (box.kind == NetworkBox::Kind::open) return;
      ++frame_.boxes;
      const QRectF r = on_screen(box.rect);
      const QColor colour = fill_of(box);
      if (r.height() < kFramed) {
        p_.fillRect(r, i < scene_.found.size() && scene_.found[i] ? theme_.warning : colour);
        return;
      }
      const QColor ground = categories() ? mixed(theme_.surface, colour, 0.22) : colour;
      p_.setPen(frame_pen(i));
      p_.setBrush(ground);
      p_.drawRect(r);
      const double stripe = 6 * window_.zoom;
      if (categories()) p_.fillRect(QRectF(r.left() + 1, r.top() + 1, stripe, r.height() - 2), colour);
      const QColor ink = categories() ? theme_.text : text_on(ground);
      paint_text(box, r.adjusted(categories() ? stripe : 0, 0, 0, 0), ink, ink);
    });
  }

  void paint_text(const NetworkBox& box, const QRectF& r, const QColor& ink, const QColor& value_ink) {
    if (!text_fits()) return;
    const double unit = scene_.metrics.character * window_.zoom;
    QRectF room = r.adjusted(unit * 0.75, 0, -unit * 0.75, 0);
    if (box.layer()) {
      const double half = 0.45 * unit;
      const QPointF at(room.left() + half, r.center().y());
      QPolygonF sign;
      if (box.kind == NetworkBox::Kind::open)
        sign << at + QPointF(-half, -half / 2) << at + QPointF(half, -half / 2) << at + QPointF(0, half);
      else sign << at + QPointF(-half / 2, -half) << at + QPointF(half, 0) << at + QPointF(-half / 2, half);
      p_.setPen(Qt::NoPen);
      p_.setBrush(ink);
      p_.drawPolygon(sign);
      room.setLeft(room.left() + 1.75 * unit);
    }
    p_.setFont(scaled_font(font_, window_.zoom));
    const size_t index = static_cast<size_t>(&box - layout_.boxes.data());
    const QString value = alarmed_[index] ? QObject::tr("not finite") : box_value(scene_, box);
    const double width = std::min(text_width(p_.font(), value), room.width() / 2);
    draw_text(p_, QRectF(room.right() - width, r.top(), width, r.height()), Qt::AlignRight | Qt::AlignVCenter, value,
              value_ink);
    p_.setFont(scaled_font(font_, window_.zoom, box.layer()));
    draw_text(p_, QRectF(room.left(), r.top(), room.width() - width - unit, r.height()),
              Qt::AlignLeft | Qt::AlignVCenter, box_name(scene_, box), ink);
    p_.setFont(font_);
  }

  bool touches_marked(const NetworkWire& wire) const {
    return marked_[wire.from] || marked_[wire.to] || scene_.network->edges[wire.edge].tensor == scene_.tensor;
  }

  void paint_wires() {
    size_t across = 0;
    for (const NetworkWire& wire : layout_.wires) {
      most_bytes_ = std::max(most_bytes_, wire.bytes);
      across += wire.across;
    }
    const bool smooth = p_.testRenderHint(QPainter::Antialiasing);
    p_.setRenderHint(QPainter::Antialiasing, window_.zoom > 0.3);
    p_.setBrush(Qt::NoBrush);
    for (uint32_t w = 0; w < layout_.wires.size(); ++w) {
      const NetworkWire& wire = layout_.wires[w];
      const bool marked = touches_marked(wire);
      if (!wire.bounds.adjusted(-1, -1, 1, 1).intersects(shown_)) continue;
      if (!marked && wire.across && across > kAcrossWires) continue;
      if (!marked && std::max(wire.bounds.width(), wire.bounds.height()) * window_.zoom < 4) continue;
      ++frame_.wires;
      visible_wires_.push_back(w);
      paint_wire(wire, marked);
    }
    p_.setRenderHint(QPainter::Antialiasing, smooth);
  }

  QPainterPath path_of(const NetworkWire& wire) const {
    const auto point = [&](uint32_t i) { return on_screen(layout_.points[wire.first_point + i]); };
    QPainterPath path(point(0));
    if (wire.across) {
      path.cubicTo(point(1), point(2), point(3));
      return path;
    }
    for (uint32_t i = 1; i < wire.points; ++i) {
      const QPointF a = path.currentPosition(), b = point(i);
      if (std::abs(a.x() - b.x()) < 0.5) path.lineTo(b);
      else path.cubicTo({a.x(), (a.y() + b.y()) / 2}, {b.x(), (a.y() + b.y()) / 2}, b);
    }
    return path;
  }

  void paint_wire(const NetworkWire& wire, bool marked) {
    QColor colour = theme_.role(scene_.network->edges[wire.edge].role);
    colour.setAlphaF(marked ? 1.0f : wire.across ? 0.3f : 0.75f);
    const double share = most_bytes_ > 0 ? std::sqrt(wire.bytes / most_bytes_) : 0;
    const double width = std::max(0.7, (1 + 3.5 * share) * std::min(1.0, window_.zoom)) + (marked ? 0.7 : 0);
    QPen pen(colour, width, wire.bytes > 0 ? Qt::SolidLine : Qt::DotLine);
    pen.setCapStyle(Qt::FlatCap);
    p_.setPen(pen);
    p_.setBrush(Qt::NoBrush);
    p_.drawPath(path_of(wire));
    if (window_.zoom < 0.35) return;
    const QPointF tip = on_screen(layout_.points[wire.first_point + wire.points - 1]);
    const QPointF before = on_screen(layout_.points[wire.first_point + wire.points - 2]);
    const double size = (3.5 + width) * std::min(1.2, window_.zoom + 0.3);
    // Wires meet boxes at right angles.
    const QPointF along =
        wire.across ? QPointF(before.x() < tip.x() ? 1 : -1, 0) : QPointF(0, before.y() < tip.y() ? 1 : -1);
    const QPointF beside(-along.y(), along.x());
    p_.setPen(Qt::NoPen);
    p_.setBrush(colour);
    p_.drawPolygon(
        QPolygonF{tip, tip - along * size * 1.4 + beside * size * 0.7, tip - along * size * 1.4 - beside * size * 0.7});
  }

  /// Before a run it is the shapes that are asked for.
  QString wire_words(const NetworkWire& wire) const {
    const profiler::NetworkEdge& edge = scene_.network->edges[wire.edge];
    return wire.edges == 1 && profiler::only_planned(*scene_.capture)
               ? shape_words(scene_.capture->tensors()[edge.tensor])
               : quantity(wire.bytes, Quantity::bytes);
  }

  /// Bytes beside wires: of all where few are in sight, else of those at the box under the pointer or selected.
  void paint_labels() {
    if (!text_fits()) return;
    const QFont font = scaled_font(font_, 0.85 * std::min(1.0, window_.zoom));
    const bool all = window_.zoom >= kLabelZoom && visible_wires_.size() <= kLabelledWires;
    std::vector<QRectF> taken;
    p_.setFont(font);
    const QFontMetricsF metrics(font);
    for (const bool marked : {true, false}) {
      for (const uint32_t w : visible_wires_) {
        const NetworkWire& wire = layout_.wires[w];
        if (touches_marked(wire) != marked || (!marked && (!all || wire.across))) continue;
        const QString words = wire_words(wire);
        const QPointF a = on_screen(layout_.points[wire.first_point]),
                      b = on_screen(layout_.points[wire.first_point + 1]);
        QRectF label(0, 0, metrics.horizontalAdvance(words) + 6, metrics.height());
        if (wire.across) label.moveCenter(path_of(wire).pointAtPercent(0.5));
        else label.moveTo(a.x() + 5, (a.y() + b.y() - label.height()) / 2);
        if (!wire.across && std::abs(b.y() - a.y()) < label.height() - 2) continue;
        if (std::ranges::any_of(taken, [&](const QRectF& t) { return t.intersects(label); })) continue;
        taken.push_back(label);
        QColor ground = theme_.surface;
        ground.setAlphaF(0.8f);
        p_.fillRect(label, ground);
        draw_text(p_, label, Qt::AlignCenter, words, marked ? theme_.text : theme_.text_secondary);
      }
    }
    p_.setFont(font_);
  }

  /// Titles stay at the top while their column is in sight.
  void paint_titles() {
    const double height = scene_.metrics.line + 8;
    for (const NetworkColumn& column : layout_.columns) {
      const double beside = 2 * scene_.metrics.character * window_.zoom;  // a title may be wider than its column
      const QRectF r = on_screen(column.rect).adjusted(-beside, 0, beside, 0);
      const double left = std::max(r.left(), rect_.left()), right = std::min(r.right(), rect_.right());
      const QRectF title(left, rect_.top(), right - left, height);
      const auto phase = static_cast<engine::Phase>(column.pass);
      QString words = phase_words(*scene_.capture, phase);
      if (!words.isEmpty()) words[0] = words[0].toUpper();
      if (phase == engine::Phase::backward) words += QObject::tr(" (upwards)");
      if (title.width() < 0.6 * text_width(scaled_font(font_, 1, true), words)) continue;
      p_.fillRect(title, theme_.surface);
      draw_bold(p_, title, Qt::AlignCenter, words, theme_.text_secondary);
    }
  }

  void paint_minimap() {
    const QRectF map = network_minimap(scene_, rect_);
    if (map.isEmpty()) return;
    p_.setPen(QPen(theme_.border, 1));
    p_.setBrush(theme_.background);
    p_.drawRect(map);
    const double across = map.width() / layout_.bounds.width(), down = map.height() / layout_.bounds.height();
    const auto put = [&](const QRectF& r) {
      return QRectF(map.left() + (r.left() - layout_.bounds.left()) * across,
                    map.top() + (r.top() - layout_.bounds.top()) * down, r.width() * across, r.height() * down);
    };
    const bool many = layout_.boxes.size() > kMinimapBoxes;  // then the outermost alone
    size_t painted = 0;
    for (uint32_t i = 0; i < layout_.boxes.size() && painted < kMinimapBoxes; ++painted) {
      const NetworkBox& box = layout_.boxes[i];
      const bool open = box.kind == NetworkBox::Kind::open;
      p_.fillRect(put(box.rect), open ? theme_.grid : theme_.border);
      i = open && !many && box.depth < 2 ? i + 1 : std::max(i + 1, box.end);
    }
    for (const uint32_t box : scene_.selected) p_.fillRect(put(layout_.boxes[box].rect), theme_.accent);
    p_.setBrush(Qt::NoBrush);
    p_.setPen(QPen(theme_.text, 1));
    p_.drawRect(put(shown_).intersected(map));
  }

  double legend_entry(double x, const QRectF& strip, const QColor& colour, const QString& words) {
    const double size = strip.height() * 0.5, width = text_width(p_.font(), words);
    if (x + size + width + 2 * kGrid > strip.right()) return x;
    p_.fillRect(QRectF(x, strip.center().y() - size / 2, size, size), colour);
    draw_text(p_, QRectF(x + size + 4, strip.top(), width + 1, strip.height()), Qt::AlignLeft | Qt::AlignVCenter, words,
              theme_.text);
    return x + size + 4 + width + 2 * kGrid;
  }

  double legend_words(double x, const QRectF& strip, const QString& words, const QColor& ink) {
    const double width = text_width(p_.font(), words);
    if (x + width > strip.right()) return x;
    draw_text(p_, QRectF(x, strip.top(), width + 1, strip.height()), Qt::AlignLeft | Qt::AlignVCenter, words, ink);
    return x + width + kGrid;
  }

  QString amount_title() const {
    if (scene_.colors == NetworkColors::time) return QObject::tr("Time");
    if (scene_.colors == NetworkColors::flops) return QObject::tr("FLOPs");
    if (scene_.network->bytes_origin == profiler::Origin::exact) return QObject::tr("Compulsory bytes");
    return QObject::tr("Bytes through %1").arg(QString::fromStdString(scene_.network->link));
  }

  void paint_legend() {
    const QRectF strip(rect_.left(), plot_.bottom(), rect_.width(), rect_.bottom() - plot_.bottom());
    p_.fillRect(strip, theme_.background);
    p_.setFont(font_);
    double x = strip.left() + kGrid;
    if (categories()) {
      x = legend_categories(x, strip);
    } else if (const QString what = amount_title(); !(largest_ > 0)) {
      x = legend_words(x, strip, QObject::tr("%1: unknown").arg(what), theme_.text);
    } else {
      x = legend_words(x, strip, QObject::tr("%1: 0").arg(what), theme_.text);
      const double step = 2 * scene_.metrics.character;
      for (const double part : kStripes) {
        p_.fillRect(QRectF(x, strip.center().y() - 5, step, 10), heat(part));
        x += step;
      }
      x = legend_words(x + kGrid, strip, quantity(largest_, quantity_of(scene_.colors)), theme_.text);
    }
    std::set<engine::Role> roles;
    for (const NetworkWire& wire : layout_.wires) roles.insert(scene_.network->edges[wire.edge].role);
    if (roles.empty()) return;
    x = legend_words(x + kGrid, strip, QObject::tr("Lines (width: bytes):"), theme_.text_secondary);
    for (const engine::Role role : roles) x = legend_entry(x, strip, theme_.role(role), role_title(role));
  }

  double legend_categories(double x, const QRectF& strip) {
    std::set<profiler::Bound> bounds;
    std::set<engine::DType> dtypes;
    for (const NetworkBox& box : layout_.boxes) {
      if (box.kind == NetworkBox::Kind::open) continue;
      const profiler::NetworkFigures& figures = figures_of(*scene_.network, box);
      bounds.insert(figures.bound);
      if (figures.dtype) dtypes.insert(*figures.dtype);
    }
    if (scene_.colors == NetworkColors::verdict)
      for (const profiler::Bound bound : bounds) x = legend_entry(x, strip, theme_.bound(bound), bound_title(bound));
    else
      for (const engine::DType dtype : dtypes)
        x = legend_entry(x, strip, dtype_colour(theme_, dtype), QString::fromUtf8(engine::name(dtype).data()));
    return x;
  }

  QPainter& p_;
  QRectF rect_, plot_, shown_;
  const NetworkScene& scene_;
  const Theme& theme_;
  const NetworkLayout& layout_;
  const NetworkWindow& window_;
  QFont font_;
  double largest_ = 0, most_bytes_ = 0;
  std::vector<bool> marked_, alarmed_;
  std::vector<uint32_t> visible_wires_;
  NetworkFrame frame_;
};

}  // namespace

const profiler::NetworkFigures& figures_of(const profiler::Network& net, const NetworkBox& box) {
  return box.layer() ? net.layers[box.id].passes[box.pass] : net.ops[box.id];
}

QString box_value(const NetworkScene& scene, const NetworkBox& box) {
  const profiler::NetworkFigures& figures = figures_of(*scene.network, box);
  switch (scene.colors) {
    case NetworkColors::time: return quantity(figures.time_ns, Quantity::duration_ns);
    case NetworkColors::bytes: return quantity(figures.bytes, Quantity::bytes);
    case NetworkColors::flops: return quantity(figures.flops, Quantity::flops);
    case NetworkColors::verdict: return bound_title(figures.bound);
    case NetworkColors::precision: break;
  }
  return figures.dtype ? QString::fromUtf8(engine::name(*figures.dtype).data()) : QStringLiteral("–");
}

QString box_name(const NetworkScene& scene, const NetworkBox& box) {
  if (box.layer()) return QString::fromStdString(scene.network->layers[box.id].name);
  const std::string_view name = profiler::op_label(*scene.capture, scene.capture->ops()[box.id]);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString shape_words(const profiler::TensorRecord& tensor) {
  QStringList extents;
  for (const int64_t extent : tensor.shape) extents << QString::number(extent);
  return QString::fromUtf8(engine::name(tensor.dtype).data()) + QLatin1Char(' ') +
         (extents.isEmpty() ? QObject::tr("scalar") : extents.join(QStringLiteral("×")));
}

double network_legend_height(const NetworkMetrics& metrics) { return metrics.line + 10; }

QRectF network_minimap(const NetworkScene& scene, const QRectF& rect) {
  const QRectF plot = rect.adjusted(0, 0, 0, -network_legend_height(scene.metrics));
  const QRectF shown(scene.window.origin, plot.size() / scene.window.zoom);
  const QRectF& all = scene.layout->bounds;
  if (all.isEmpty() || shown.adjusted(-1, -1, 1, 1).contains(all)) return {};
  const double scale = std::min(plot.width() * 0.22 / all.width(), plot.height() * 0.35 / all.height());
  // A chain of thousands of ops is drawn wider than it is.
  const QSizeF size = (all.size() * scale).expandedTo(QSizeF(3 * kGrid, 3 * kGrid));
  return {QPointF(plot.right() - kGrid - size.width(), plot.bottom() - kGrid - size.height()), size};
}

NetworkFrame paint_network(QPainter& p, const QRectF& rect, const NetworkScene& scene, const Theme& theme) {
  return Painter(p, rect, scene, theme).paint();
}

}  // namespace views
