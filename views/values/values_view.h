// SPDX-License-Identifier: GPL-3.0-or-later
// Values: what was in each tensor of a step: range, NaN, histogram, and its channels as pictures.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <vector>

#include "views/base/value_picture.h"
#include "views/base/view.h"
#include "views/values/values_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/ranked_list.h"
#include "views/widgets/side_panes.h"

namespace views {

class ValuesView : public View {
  Q_OBJECT

 public:
  ValuesView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;

  // What tests look at and click on.
  Canvas& canvas() { return *canvas_; }
  RankedList& list() { return *list_; }
  QSlider& channel() { return *channel_; }
  QCheckBox& colours() { return *colours_; }
  const profiler::ResultRecord* shown() const { return shown_ < records_.size() ? records_[shown_] : nullptr; }
  const QString& channel_words() const { return words_; }

 private:
  void on_replaced();
  void follow();
  void show_record(size_t);
  void show_plane();
  bool on_key(int key);
  void fill_list();
  void offer_collector();
  QStringList figures() const;
  void draw_canvas(QPainter&, const QRectF&, const Theme&) const;
  ValuesLayout layout_in(const QRectF&) const;
  QString tip_at(QPointF) const;
  QString list_title() const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  QSlider* channel_;
  QLabel* channel_label_;
  QCheckBox* colours_;
  QPushButton* keep_;
  Canvas* canvas_;
  QLabel* heading_;
  RankedList* list_;
  SidePanes* panes_;
  std::vector<const profiler::ResultRecord*> records_;  // of the capture on the table
  std::vector<profiler::OpId> makers_;                  // by tensor
  std::vector<profiler::OpId> first_bad_;               // that made the first NaN or infinity
  size_t shown_ = 0;
  profiler::ValueHistogram histogram_;
  ValuePlanes planes_;
  QImage picture_;
  QString words_;
};

}  // namespace views
