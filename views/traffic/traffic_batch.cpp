// SPDX-License-Identifier: GPL-3.0-or-later
// The slider waits until it rests before it asks for a capture; text and curve follow at once.
#include "views/traffic/traffic_batch.h"

#include <QFileInfo>
#include <algorithm>
#include <cmath>
#include <limits>

#include "profiler/store/capture_file.h"
#include "views/base/file_name.h"
#include "views/base/paint.h"

namespace views {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kRestMs = 180, kSliderWidth = 220, kCurveWidth = 150;

bool known(QPointF p) { return !std::isnan(p.y()); }

}  // namespace

std::vector<BatchPoint> batch_points(const profiler::Sweep& sweep, size_t beside) {
  const auto& axes = sweep.request.axes;
  const auto axis = std::ranges::find(axes, std::string("batch"), &profiler::SweepAxis::name) - axes.begin();
  if (axis == std::ssize(axes) || beside >= sweep.points.size()) return {};
  const std::vector<size_t> home = sweep.position(beside);
  std::vector<BatchPoint> points;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    std::vector<size_t> position = sweep.position(i);
    position[static_cast<size_t>(axis)] = home[static_cast<size_t>(axis)];
    if (position != home) continue;
    const profiler::SweepPoint& point = sweep.points[i];
    const profiler::SweepFigures& figures =
        point.outcome == profiler::PointOutcome::measured ? point.found : point.predicted;
    if (!(figures.samples > 0)) continue;
    points.push_back({i, figures.samples, figures.links.empty() ? kUnknown : figures.links.front().weight_bytes,
                      !point.capture.empty()});
  }
  std::ranges::stable_sort(points, {}, &BatchPoint::batch);
  if (points.size() < 2) points.clear();
  return points;
}

std::optional<size_t> point_of_capture(const profiler::Sweep& sweep, const QString& sweep_path,
                                       const QString& capture_path) {
  if (capture_path.isEmpty()) return {};
  const auto folder = profiler::points_folder(name_bytes(sweep_path));
  const QString wanted = QFileInfo(capture_path).absoluteFilePath();
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].capture.empty()) continue;
    if (QFileInfo(name_text((folder / sweep.points[i].capture).string())).absoluteFilePath() == wanted) return i;
  }
  return {};
}

BatchCurve layout_batch_curve(const std::vector<BatchPoint>& points, const QRectF& rect) {
  BatchCurve curve;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const BatchPoint* first = nullptr;
  for (const BatchPoint& p : points) {
    if (!(p.per_sample() > 0)) continue;
    if (first == nullptr) first = &p;
    low = std::min(low, p.per_sample());
    high = std::max(high, p.per_sample());
  }
  if (first == nullptr || points.size() < 2) {
    curve.dots.assign(points.size(), QPointF(rect.left(), kUnknown));
    return curve;
  }
  const double last = points.back().batch;
  low = std::min(low, first->per_sample() * first->batch / last);
  const auto x = [&](double batch) {
    return rect.left() + rect.width() * std::log(batch / points.front().batch) / std::log(last / points.front().batch);
  };
  const auto y = [&](double bytes) {
    return high > low ? rect.bottom() - rect.height() * std::log(bytes / low) / std::log(high / low)
                      : rect.center().y();
  };
  for (const BatchPoint& p : points)
    curve.dots.emplace_back(x(p.batch), p.per_sample() > 0 ? y(p.per_sample()) : kUnknown);
  curve.ideal_from = QPointF(x(first->batch), y(first->per_sample()));
  curve.ideal_to = QPointF(x(last), y(first->per_sample() * first->batch / last));
  return curve;
}

BatchStrip::BatchStrip(QWidget* parent)
    : QWidget(parent), slider_(new QSlider(Qt::Horizontal, this)), canvas_(new Canvas(this)) {
  setAccessibleName(tr("Batch sizes of the sweep"));
  slider_->setAccessibleName(tr("Batch"));
  slider_->setToolTip(tr("The batch sizes of the sweep; where the slider rests, that point's capture is shown"));
  slider_->setPageStep(1);
  canvas_->setFocusPolicy(Qt::NoFocus);
  canvas_->paint = [this](QPainter& p, const QRectF& r) {
    p.setFont(data_font());
    draw(p, r, *theme_);
  };
  canvas_->tip = [](QPointF) {
    return Tip{
        tr("Weights per sample"),
        {},
        tr("Bytes of parameters that cross the outermost link in a step, divided by the samples of the step. A bigger "
           "batch reads them "
           "no more often, so the line falls as 1/B (dotted) until activations push the weights out of the caches."),
        tr("weight bytes / batch"),
        profiler::Origin::modelled,
        {}}
        .html();
  };
  rest_.setSingleShot(true);
  rest_.setInterval(kRestMs);
  connect(slider_, &QSlider::valueChanged, this, [this] {
    slider_->setAccessibleDescription(words());
    canvas_->update();
    rest_.start();
  });
  connect(&rest_, &QTimer::timeout, this, [this] {
    const auto at = static_cast<size_t>(slider_->value());
    if (at < points_.size() && points_[at].recorded && points_[at].point != shown_) emit wanted(points_[at].point);
  });
}

void BatchStrip::set_points(std::vector<BatchPoint> points, std::optional<size_t> shown, const QString& link) {
  points_ = std::move(points);
  shown_ = shown;
  link_ = link;
  const auto at = std::ranges::find_if(points_, [&](const BatchPoint& p) { return shown && p.point == *shown; });
  {
    const QSignalBlocker quiet(slider_);
    slider_->setRange(0, std::max(0, static_cast<int>(points_.size()) - 1));
    if (at != points_.end()) slider_->setValue(static_cast<int>(at - points_.begin()));
  }
  slider_->setAccessibleDescription(words());
  canvas_->update();
}

void BatchStrip::set_theme(const Theme& theme) {
  theme_ = &theme;
  canvas_->update();
}

QString BatchStrip::words() const {
  const auto at = static_cast<size_t>(slider_->value());
  if (at >= points_.size()) return {};
  const BatchPoint& p = points_[at];
  if (std::isnan(p.weight_bytes)) return tr("batch %1: weights –, the machine was not probed").arg(p.batch);
  return tr("batch %1: weights %2 per sample, modelled, %3%4")
      .arg(QString::number(p.batch), quantity(p.per_sample(), profiler::Quantity::bytes), link_,
           p.recorded ? QString() : tr("; not recorded"));
}

void BatchStrip::draw(QPainter& p, const QRectF& rect, const Theme& theme) const {
  p.fillRect(rect, theme.background);
  const double curve_width = std::min<double>(kCurveWidth, rect.width() * 0.3);
  const QRectF text = rect.adjusted(kGrid, 0, -curve_width - 2 * kGrid, 0);
  draw_text(p, text, Qt::AlignLeft | Qt::AlignVCenter, words(), theme.text);
  const QRectF plot(text.right() + kGrid, rect.top() + 7, curve_width - 6, rect.height() - 14);
  const BatchCurve curve = layout_batch_curve(points_, plot);
  p.setRenderHint(QPainter::Antialiasing);
  if (std::ranges::any_of(curve.dots, known)) {
    p.setPen(QPen(theme.text_secondary, 1, Qt::DotLine));
    p.drawLine(curve.ideal_from, curve.ideal_to);
  }
  const QColor colour = theme.role(engine::Role::weight);
  p.setPen(QPen(colour, 1.5));
  for (size_t i = 1; i < curve.dots.size(); ++i) {
    if (known(curve.dots[i - 1]) && known(curve.dots[i])) p.drawLine(curve.dots[i - 1], curve.dots[i]);
  }
  for (size_t i = 0; i < curve.dots.size(); ++i) {
    if (!known(curve.dots[i])) continue;
    const bool here = static_cast<int>(i) == slider_->value();
    p.setBrush(here ? QBrush(colour) : QBrush(theme.background));
    p.drawEllipse(curve.dots[i], here ? 4 : 2.5, here ? 4 : 2.5);
  }
}

void BatchStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const int slider = std::min(kSliderWidth, width() / 3);
  slider_->setGeometry(2 * kGrid, 0, slider - 2 * kGrid, height());
  canvas_->setGeometry(slider, 0, width() - slider, height());
}

}  // namespace views
