// SPDX-License-Identifier: GPL-3.0-or-later
// StepHistory: times and losses of the steps of a run in progress, from news at a bounded rate; and the chart of them
// as plain shapes.
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <limits>
#include <vector>

namespace views {

/// Steps that ended between two pieces of news.
struct StepNews {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  QString part;  ///< what they belong to: "Warming up", "Recording", a point of a sweep
  int steps = 0;
  double last_ns = kUnknown, shortest_ns = kUnknown, longest_ns = kUnknown;
  double loss = kUnknown;  ///< after the last one
};

/// Bounded: where more news come than fit, neighbours within a part become one, which keeps their range.
class StepHistory {
 public:
  static constexpr size_t kMost = 480;
  struct Entry {
    size_t part = 0;   ///< into parts()
    double begin = 0;  ///< steps of the run before it
    StepNews news;
  };
  void clear();
  void add(const StepNews&);
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<QString>& parts() const { return parts_; }
  double steps() const { return steps_; }
  bool has_loss() const;

 private:
  void halve();
  std::vector<Entry> entries_;
  std::vector<QString> parts_;
  double steps_ = 0;
};

/// A chart over the number of steps.
struct StepChart {
  QRectF plot;
  struct Tick {
    double y = 0;
    double value = 0;
  };
  std::vector<Tick> ticks;  ///< of the vertical axis
  struct Part {
    double begin = 0, end = 0;  ///< px
    QString title;
  };
  std::vector<Part> parts;
  std::vector<QPolygonF> bands;  ///< from the shortest to the longest step
  std::vector<QPolygonF> lines;  ///< the last step of each piece of news, or the loss; one per part
  std::vector<QPointF> above;    ///< steps that took longer than the axis shows, at its upper end
};
enum class StepFigure { time, loss };
/// `left`: room for the words of the vertical axis. The time's axis begins at 0 and ends at three times the median,
/// where single steps took longer.
StepChart step_chart(const StepHistory&, StepFigure, QSizeF size, double left);

}  // namespace views
