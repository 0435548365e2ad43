// SPDX-License-Identifier: GPL-3.0-or-later
// NetworkArea: the picture of a network that is zoomed, panned, and clicked.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>

#include "views/network/network_paint.h"

namespace views {

class NetworkArea : public QWidget {
  Q_OBJECT

 public:
  explicit NetworkArea(QWidget* parent);
  /// What is shown: all pointers null, or none. They are kept by the caller.
  void set_scene(const profiler::Capture*, const profiler::Network*, const NetworkLayout*);
  void set_theme(const Theme&);
  void set_colors(NetworkColors);
  void set_selected(std::vector<uint32_t> boxes, std::optional<profiler::TensorId> = {});
  void set_found(std::vector<bool> by_box);
  /// Shown instead of a network.
  void set_message(const QString& title, const QString& hint);
  std::function<QString(uint32_t box, uint32_t wire)> tip;  ///< rich text; one of the two is kNoBox

  const NetworkScene& scene() const { return scene_; }
  const NetworkFrame& frame() const { return frame_; }  ///< of the last painting
  /// The part above the legend.
  QRectF plot() const;
  void set_window(NetworkWindow);
  void zoom(double factor, std::optional<QPointF> about = {});  ///< none: the pointer if it is here, else the middle
  void pan(double across, double down);                         ///< by shares of the plot
  void fit_all();
  /// As at first: all of it if it is readable then, else its top at a readable size.
  void fit_first();
  void fit(const std::vector<uint32_t>& boxes);
  /// Moves as little as needed to see the first of them; at a readable size if `readable`.
  void show_boxes(const std::vector<uint32_t>& boxes, bool readable);
  /// The box of `from` that is next in a direction; kNoBox: none. From no box: the first.
  uint32_t beside(uint32_t from, int across, int down) const;
  QRectF box_on_screen(uint32_t box) const;
  /// The sign that opens or closes a layer.
  QRectF sign_on_screen(uint32_t box) const;
  void render(QPainter&, const QRectF&, const Theme&) const;

 signals:
  void box_pressed(uint32_t box);
  void box_toggled(uint32_t box);
  void wire_pressed(uint32_t wire);
  void ground_pressed();

 protected:
  bool event(QEvent*) override;
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;

 private:
  enum class Drag : uint8_t { none, pressed, pan, minimap };
  bool shows() const { return scene_.layout != nullptr; }
  uint32_t box_at(QPointF screen) const;
  uint32_t wire_at(QPointF screen) const;
  void drag_minimap(QPointF);
  NetworkWindow fitted(const QRectF& part, const QSizeF& plot, double least_zoom, double most_zoom) const;
  NetworkWindow first_window(const QSizeF& plot) const;

  NetworkScene scene_;
  NetworkFrame frame_;
  const Theme* theme_ = &Theme::light();
  QString title_, hint_;
  Drag drag_ = Drag::none;
  QPointF press_;
  NetworkWindow press_window_;
  std::optional<QPointF> pointer_;
  bool moved_ = false;  // by the user, since it was fitted
};

}  // namespace views
