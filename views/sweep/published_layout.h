// SPDX-License-Identifier: GPL-3.0-or-later
// Geometry of a published table: its cells as a grid, speed-up over threads, tools by time. Pure.
#pragma once

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <span>
#include <vector>

#include "profiler/sweep/published.h"

namespace views {

/// One cell as a rectangle; a gap is one, too.
struct PublishedBox {
  QRectF rect;
  const profiler::ReferenceCell* cell = nullptr;
  QString text;  ///< empty: no room
};
struct PublishedLabel {
  QRectF rect;
  QString text;
  bool strong = false;  ///< of a network or a platform
};
struct PublishedGrid {
  std::vector<PublishedBox> boxes;  ///< row by row
  std::vector<PublishedLabel> labels;
  std::vector<QRectF> hyper_threads;  ///< columns with more threads than cores
  size_t columns = 0;
  /// The box at a point; -1: none.
  int box_at(QPointF) const;
};
/// All networks where the name is empty.
PublishedGrid layout_published_grid(std::string_view network, const QRectF&, const QFont&);

/// "1.32", with the sign of its quality; "–" for a dash.
QString published_text(const profiler::ReferenceCell&);

struct ThreadDot {
  QPointF at;
  const profiler::ReferenceCell* cell = nullptr;  ///< null: a time of ours
  double speed_up = 0;
};
struct ThreadLine {
  int tool = 0;  ///< index among the tools; -1: ours
  QString name;
  bool doubtful = false;        ///< its row is not like for like
  std::vector<ThreadDot> dots;  ///< those with a speed-up, left to right
  std::vector<bool> joined;     ///< of each dot: whether the one before it is the neighbouring number of threads
  QRectF label;
};
struct ThreadPlot {
  QRectF rect;           ///< where the lines are
  QRectF hyper_threads;  ///< more threads than cores
  QString title;
  double ideal_x = 0, ideal_y = 0;  ///< where speed-up = threads leaves the plot
  std::vector<ThreadLine> lines;
  std::vector<ThreadDot> gaps;  ///< at the foot: cells without a speed-up, with their reason
  struct Tick {
    double at = 0;
    QString text;
  };
  std::vector<Tick> x_ticks, y_ticks;
};
struct PublishedThreads {
  std::vector<ThreadPlot> plots;  ///< one per processor
  const ThreadDot* dot_at(QPointF) const;
};
PublishedThreads layout_published_threads(std::string_view network, std::span<const profiler::OwnTime>, const QRectF&,
                                          const QFont&);

struct RankedBar {
  QRectF lane, place, name, bar, time;  ///< bar: empty for a gap
  QRectF words;                         ///< why it has no place
  profiler::RankedCell ranked;
};
std::vector<RankedBar> layout_published_ranking(std::string_view network, const profiler::PublishedColumn&,
                                                const QRectF&, const QFont&);

}  // namespace views
