// SPDX-License-Identifier: GPL-3.0-or-later
// The batches of a sweep beside the traffic picture: a slider over them, and the bytes of weights per sample, which
// fall as 1/B.
#pragma once

#include <QSlider>
#include <QTimer>
#include <optional>
#include <vector>

#include "profiler/sweep/sweep.h"
#include "views/base/theme.h"
#include "views/widgets/canvas.h"

namespace views {

/// One batch size of a sweep.
struct BatchPoint {
  size_t point = 0;         ///< into Sweep::points
  double batch = 0;         ///< samples of one step
  double weight_bytes = 0;  ///< of parameters over the outermost link, per step (modelled); NaN: unknown
  bool recorded = false;    ///< it has a capture
  double per_sample() const { return weight_bytes / batch; }
};
/// The points along the sweep's batch axis, the other axes as at `beside`, ascending; empty: fewer than two batches.
std::vector<BatchPoint> batch_points(const profiler::Sweep&, size_t beside);
/// The point whose capture lies in this file.
std::optional<size_t> point_of_capture(const profiler::Sweep&, const QString& sweep_path, const QString& capture_path);

/// Both logarithmic: where each batch stands, and the line 1/B through the first known one.
struct BatchCurve {
  std::vector<QPointF> dots;  ///< one per batch; NaN where its bytes are unknown
  QPointF ideal_from, ideal_to;
};
BatchCurve layout_batch_curve(const std::vector<BatchPoint>&, const QRectF&);

/// Slider and curve in one row.
class BatchStrip : public QWidget {
  Q_OBJECT

 public:
  explicit BatchStrip(QWidget* parent = nullptr);
  /// `shown`: the point whose capture is on the table. `link`: "DRAM → L3".
  void set_points(std::vector<BatchPoint>, std::optional<size_t> shown, const QString& link);
  bool usable() const { return points_.size() > 1; }
  void set_theme(const Theme&);
  QSlider& slider() { return *slider_; }
  /// What stands beside the slider.
  QString words() const;
  /// Text and curve, as on screen.
  void draw(QPainter&, const QRectF&, const Theme&) const;

 signals:
  void wanted(size_t point);  ///< the slider rests on a recorded batch that is not the one shown

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  QSlider* slider_;
  Canvas* canvas_;
  QTimer rest_;
  const Theme* theme_ = &Theme::light();
  std::vector<BatchPoint> points_;
  std::optional<size_t> shown_;
  QString link_;
};

}  // namespace views
