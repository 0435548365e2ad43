// SPDX-License-Identifier: GPL-3.0-or-later
// Memory: bytes alive over the step, the peak and what is in it, and how the arena is shared.
#pragma once

#include <QLabel>

#include "views/base/view.h"
#include "views/memory/allocated_figure.h"
#include "views/memory/memory_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/ranked_list.h"
#include "views/widgets/side_panes.h"
#include "views/widgets/switch.h"

namespace views {

class MemoryView : public View {
  Q_OBJECT

 public:
  MemoryView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;

  // What tests click on.
  Canvas& canvas() { return *canvas_; }
  RankedList& contents() { return *list_; }
  SidePanes& panes() { return *panes_; }
  Switch& picture_switch() { return *picture_; }
  const MemoryLayout& layout_on_screen() const;
  const profiler::Footprint& footprint() const { return footprint_; }

 private:
  void on_replaced();
  void on_pressed(QPointF);
  bool on_key(int key);
  void fill_list();
  bool usable() const { return document().loaded() && !footprint_.points.empty(); }
  /// Of traces of other tools: what was allocated is drawn instead of which tensors were alive.
  bool shows_allocated() const { return !usable() && !allocated_.empty(); }
  const MemoryLayout& layout_in(const QRectF&) const;
  const AllocatedLayout& allocated_in(const QRectF&) const;
  void draw_canvas(QPainter&, const QRectF&, const Theme&) const;
  QString tip_at(QPointF) const;
  QString list_title() const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  Switch* picture_;
  Canvas* canvas_;
  QLabel* heading_;
  RankedList* list_;
  SidePanes* panes_;
  profiler::Footprint footprint_;
  QString subtitle_;
  std::vector<profiler::AllocatedSeries> allocated_;
  // As last laid out: the mouse asks at each of its moves.
  struct Laid {
    QRectF rect;
    QFont font;
    std::optional<MemoryLayout> live;
    std::optional<AllocatedLayout> allocated;
  };
  Laid& laid_for(const QRectF&) const;
  mutable Laid laid_;
};

}  // namespace views
