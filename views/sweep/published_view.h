// SPDX-License-Identifier: GPL-3.0-or-later
// PublishedView: Table 7 of Shi et al. 2016 as a picture that needs no run: its cells by quality, speed-up over
// threads, tools by time. Times of the capture or sweep on the table are laid over it.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <vector>

#include "profiler/sweep/published.h"
#include "views/base/view.h"
#include "views/sweep/published_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/switch.h"

namespace views {

class PublishedView : public View {
  Q_OBJECT

 public:
  explicit PublishedView(Document& document, QWidget* parent = nullptr);
  void set_theme(const Theme&) override;
  const Theme& theme() const { return *theme_; }
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  /// The table behind the picture that is shown.
  profiler::Table data() const override;

  // What tests click on.
  QComboBox& networks() { return *networks_; }
  QComboBox& platforms() { return *platforms_; }
  Switch& shape_switch() { return *shape_; }
  Canvas& canvas() { return *canvas_; }
  const QLabel& details() const { return *details_; }
  PublishedGrid grid_on_screen() const;
  PublishedThreads threads_on_screen() const;
  std::vector<RankedBar> ranking_on_screen() const;
  const std::vector<profiler::OwnTime>& own_times() const { return own_; }
  int selected() const { return selected_; }

 private:
  enum class Shape { cells, threads, ranking };
  Shape shape() const { return static_cast<Shape>(shape_->current()); }
  std::string network() const;
  QRectF picture(const QRectF&) const;
  void read_document();
  void change();
  void select(int index);
  void press(QPointF);
  bool key(int key);
  QString tip_at(QPointF) const;
  const profiler::ReferenceCell* selected_cell() const;
  void paint(QPainter&, const QRectF&, const Theme&) const;

  const Theme* theme_ = &Theme::light();
  QComboBox *networks_, *platforms_;
  Switch* shape_;
  QLabel *paper_, *details_;
  Canvas* canvas_;
  std::vector<profiler::OwnTime> own_;
  int selected_ = -1;
};

}  // namespace views
