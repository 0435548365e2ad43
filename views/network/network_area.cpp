// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse, wheel and window of the network's picture. The wheel scrolls and zooms with Ctrl, as in the timeline.
#include "views/network/network_area.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/analysis/tensor_values.h"
#include "views/base/paint.h"

namespace views {
namespace {

constexpr double kLeastZoom = 1e-5, kMostZoom = 3;
constexpr double kReadableZoom = 0.7, kUsualZoom = 1;
constexpr double kMargin = 16;  // px around what is fitted
constexpr int kDragPixels = 4;
constexpr double kWirePixels = 5;  // how near the pointer must be
constexpr double kWheelPixels = 60;

NetworkMetrics metrics_of(const QFont& font) {
  const QFontMetricsF metrics(font);
  return {metrics.height(), metrics.horizontalAdvance(QLatin1Char('0'))};
}

}  // namespace

NetworkArea::NetworkArea(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  scene_.metrics = metrics_of(data_font());
}

void NetworkArea::set_scene(const profiler::Capture* capture, const profiler::Network* network,
                            const NetworkLayout* layout) {
  scene_.not_finite = capture == nullptr ? std::vector<profiler::OpId>() : profiler::first_not_finite(*capture);
  scene_.capture = capture, scene_.network = network, scene_.layout = layout;
  scene_.hover = kNoBox;
  scene_.selected.clear();
  scene_.tensor.reset();
  scene_.found.clear();
  title_.clear(), hint_.clear();
  update();
}

void NetworkArea::set_theme(const Theme& theme) {
  theme_ = &theme;
  update();
}

void NetworkArea::set_colors(NetworkColors colors) {
  scene_.colors = colors;
  update();
}

void NetworkArea::set_selected(std::vector<uint32_t> boxes, std::optional<profiler::TensorId> tensor) {
  scene_.selected = std::move(boxes);
  scene_.tensor = tensor;
  update();
}

void NetworkArea::set_found(std::vector<bool> by_box) {
  scene_.found = std::move(by_box);
  update();
}

void NetworkArea::set_message(const QString& title, const QString& hint) {
  title_ = title, hint_ = hint;
  update();
}

QRectF NetworkArea::plot() const { return QRectF(rect()).adjusted(0, 0, 0, -network_legend_height(scene_.metrics)); }

/// Keeps the middle of the picture inside the network.
void NetworkArea::set_window(NetworkWindow window) {
  if (!shows()) return;
  window.zoom = std::clamp(window.zoom, kLeastZoom, kMostZoom);
  const QSizeF half = plot().size() / window.zoom / 2;
  const QRectF& all = scene_.layout->bounds;
  window.origin.setX(std::clamp(window.origin.x(), all.left() - half.width(), all.right() - half.width()));
  window.origin.setY(std::clamp(window.origin.y(), all.top() - half.height(), all.bottom() - half.height()));
  scene_.window = window;
  moved_ = true;
  update();
}

void NetworkArea::zoom(double factor, std::optional<QPointF> about) {
  if (!shows()) return;
  const QPointF at = about ? *about : pointer_ ? *pointer_ : plot().center();
  const QPointF kept = scene_.window.to_scene(at);
  NetworkWindow window = scene_.window;
  window.zoom = std::clamp(window.zoom * factor, kLeastZoom, kMostZoom);
  window.origin = kept - at / window.zoom;
  set_window(window);
}

void NetworkArea::pan(double across, double down) {
  NetworkWindow window = scene_.window;
  window.origin += QPointF(across * plot().width(), down * plot().height()) / window.zoom;
  set_window(window);
}

NetworkWindow NetworkArea::fitted(const QRectF& part, const QSizeF& plot, double least_zoom, double most_zoom) const {
  NetworkWindow window;
  const double across = (plot.width() - 2 * kMargin) / std::max(1.0, part.width()),
               down = (plot.height() - 2 * kMargin) / std::max(1.0, part.height());
  window.zoom = std::clamp(std::min(across, down), least_zoom, most_zoom);
  const QSizeF seen = plot / window.zoom;
  window.origin = part.center() - QPointF(seen.width(), seen.height()) / 2;
  return window;
}

NetworkWindow NetworkArea::first_window(const QSizeF& plot) const {
  const QRectF& all = scene_.layout->bounds;
  NetworkWindow window = fitted(all, plot, kReadableZoom, kUsualZoom);
  const double margin = kMargin / window.zoom;
  if (all.height() > plot.height() / window.zoom) window.origin.setY(all.top() - margin);
  if (all.width() > plot.width() / window.zoom) window.origin.setX(all.left() - margin);
  // A drawing may have empty corners: begin where it has boxes.
  const auto& boxes = scene_.layout->boxes;
  const QRectF seen(window.origin, plot / window.zoom);
  if (boxes.empty() || std::ranges::any_of(boxes, [&](const auto& box) { return seen.contains(box.rect); }))
    return window;
  const auto top = std::ranges::min_element(boxes, {}, [](const auto& box) { return box.rect.top(); });
  window.origin = {top->rect.center().x() - seen.width() / 2, top->rect.top() - margin};
  return window;
}

void NetworkArea::fit_all() {
  if (!shows()) return;
  set_window(fitted(scene_.layout->bounds, plot().size(), kLeastZoom, kUsualZoom));
}

void NetworkArea::fit_first() {
  if (!shows()) return;
  scene_.window = first_window(plot().size());
  moved_ = false;
  update();
}

void NetworkArea::fit(const std::vector<uint32_t>& boxes) {
  if (!shows()) return;
  QRectF all;
  for (const uint32_t box : boxes) all |= scene_.layout->boxes[box].rect;
  if (!all.isEmpty()) set_window(fitted(all, plot().size(), kLeastZoom, kUsualZoom));
}

void NetworkArea::show_boxes(const std::vector<uint32_t>& boxes, bool readable) {
  if (!shows() || boxes.empty()) return;
  const QRectF& wanted = scene_.layout->boxes[boxes.front()].rect;
  NetworkWindow window = scene_.window;
  if (readable) window.zoom = std::max(window.zoom, kReadableZoom);
  const QRectF seen(window.origin, plot().size() / window.zoom);
  const QRectF head(wanted.topLeft(), QSizeF(wanted.width(), std::min(wanted.height(), 2 * scene_.metrics.line)));
  if (window.zoom == scene_.window.zoom && seen.contains(head)) return;
  window.origin = head.center() - QPointF(seen.width(), seen.height()) / 2;
  set_window(window);
}

uint32_t NetworkArea::beside(uint32_t from, int across, int down) const {
  if (!shows()) return kNoBox;
  const auto& boxes = scene_.layout->boxes;
  if (from >= boxes.size()) return boxes.empty() ? kNoBox : 0;
  const QPointF at = boxes[from].rect.center();
  uint32_t found = kNoBox;
  double nearest = 0;
  for (uint32_t i = 0; i < boxes.size(); ++i) {
    const bool around = i <= from && from < boxes[i].end, inside = from <= i && i < boxes[from].end;
    if (around || inside || boxes[i].kind == NetworkBox::Kind::open) continue;
    const QPointF way = boxes[i].rect.center() - at;
    const double ahead = across * way.x() + down * way.y(), off = across != 0 ? way.y() : way.x();
    if (ahead < 1) continue;
    const double far = ahead + 3 * std::abs(off);
    if (found == kNoBox || far < nearest) found = i, nearest = far;
  }
  return found;
}

QRectF NetworkArea::box_on_screen(uint32_t box) const {
  return scene_.window.to_screen(scene_.layout->boxes[box].rect);
}

QRectF NetworkArea::sign_on_screen(uint32_t box) const {
  const NetworkBox& b = scene_.layout->boxes[box];
  if (!b.layer()) return {};
  const double header = scene_.metrics.line + 10;
  return scene_.window.to_screen(QRectF(b.rect.left(), b.rect.top(), 3 * scene_.metrics.character, header));
}

void NetworkArea::render(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.setFont(data_font());
  if (!shows()) {
    draw_message(p, rect, theme, title_, hint_);
    return;
  }
  NetworkScene scene = scene_;
  scene.hover = kNoBox;
  const QSizeF plot_size(rect.width(), rect.height() - network_legend_height(scene_.metrics));
  if (!moved_) scene.window = first_window(plot_size);
  else scene.window.zoom *= plot().width() > 0 ? plot_size.width() / plot().width() : 1;
  paint_network(p, rect, scene, theme);
}

bool NetworkArea::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !tip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QString text;
  if (shows()) {
    const uint32_t box = box_at(help->pos());
    const bool open = box != kNoBox && scene_.layout->boxes[box].kind == NetworkBox::Kind::open;
    const uint32_t wire = box == kNoBox || open ? wire_at(help->pos()) : kNoBox;
    if (box != kNoBox || wire != kNoBox) text = tip(wire != kNoBox ? kNoBox : box, wire);
  }
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text, this);
  return true;
}

void NetworkArea::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setFont(data_font());
  if (shows()) frame_ = paint_network(p, rect(), scene_, *theme_);
  else draw_message(p, rect(), *theme_, title_, hint_);
  if (hasFocus()) draw_focus_frame(p, rect(), palette());
}

void NetworkArea::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (shows() && !moved_) fit_first();
}

void NetworkArea::wheelEvent(QWheelEvent* e) {
  if (!shows()) return;
  const double notches = e->angleDelta().y() / 120.0, sideways = e->angleDelta().x() / 120.0;
  if ((e->modifiers() & Qt::ControlModifier) != 0) {
    zoom(std::pow(1.25, notches), e->position());
  } else {
    const bool shift = (e->modifiers() & Qt::ShiftModifier) != 0;
    NetworkWindow window = scene_.window;
    window.origin -= QPointF(shift ? notches + sideways : sideways, shift ? 0 : notches) * kWheelPixels / window.zoom;
    set_window(window);
  }
  e->accept();
}

uint32_t NetworkArea::box_at(QPointF screen) const {
  return shows() && plot().contains(screen) ? scene_.layout->box_at(scene_.window.to_scene(screen)) : kNoBox;
}

uint32_t NetworkArea::wire_at(QPointF screen) const {
  if (!shows() || !plot().contains(screen)) return kNoBox;
  return scene_.layout->wire_at(scene_.window.to_scene(screen), kWirePixels / scene_.window.zoom);
}

void NetworkArea::drag_minimap(QPointF at) {
  const QRectF map = network_minimap(scene_, rect());
  if (map.isEmpty()) return;
  const QRectF& all = scene_.layout->bounds;
  const QPointF to(all.left() + (at.x() - map.left()) / map.width() * all.width(),
                   all.top() + (at.y() - map.top()) / map.height() * all.height());
  NetworkWindow window = scene_.window;
  const QSizeF seen = plot().size() / window.zoom;
  window.origin = to - QPointF(seen.width(), seen.height()) / 2;
  set_window(window);
}

void NetworkArea::mousePressEvent(QMouseEvent* e) {
  if (!shows() || (e->button() != Qt::LeftButton && e->button() != Qt::MiddleButton))
    return QWidget::mousePressEvent(e);
  press_ = e->position();
  press_window_ = scene_.window;
  drag_ = e->button() == Qt::MiddleButton ? Drag::pan : Drag::pressed;
  if (e->button() == Qt::LeftButton && network_minimap(scene_, rect()).contains(press_)) {
    drag_ = Drag::minimap;
    drag_minimap(press_);
  }
}

void NetworkArea::mouseMoveEvent(QMouseEvent* e) {
  pointer_ = e->position();
  if (!shows()) return;
  if (drag_ == Drag::pressed && (e->position() - press_).manhattanLength() > kDragPixels) drag_ = Drag::pan;
  if (drag_ == Drag::minimap) {
    drag_minimap(e->position());
  } else if (drag_ == Drag::pan) {
    NetworkWindow window = press_window_;
    window.origin -= (e->position() - press_) / window.zoom;
    setCursor(Qt::ClosedHandCursor);
    set_window(window);
  } else {
    const uint32_t box = box_at(e->position());
    setCursor(box != kNoBox ? Qt::PointingHandCursor : Qt::OpenHandCursor);
    if (box != scene_.hover) {
      scene_.hover = box;
      update();
    }
  }
}

void NetworkArea::mouseReleaseEvent(QMouseEvent* e) {
  if (std::exchange(drag_, Drag::none) != Drag::pressed || !shows()) return;
  const uint32_t box = box_at(e->position());
  const bool open = box != kNoBox && scene_.layout->boxes[box].kind == NetworkBox::Kind::open;
  if (box != kNoBox && sign_on_screen(box).contains(e->position())) emit box_toggled(box);
  else if (const uint32_t wire = box == kNoBox || open ? wire_at(e->position()) : kNoBox; wire != kNoBox)
    emit wire_pressed(wire);
  else if (box != kNoBox) emit box_pressed(box);
  else emit ground_pressed();
}

void NetworkArea::mouseDoubleClickEvent(QMouseEvent* e) {
  if (!shows() || e->button() != Qt::LeftButton) return;
  const uint32_t box = box_at(e->position());
  if (box == kNoBox || sign_on_screen(box).contains(e->position())) return;  // the sign has answered the first click
  if (scene_.layout->boxes[box].layer()) emit box_toggled(box);
  else show_boxes({box}, true);
}

void NetworkArea::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  pointer_.reset();
  if (std::exchange(scene_.hover, kNoBox) != kNoBox) update();
}

}  // namespace views
