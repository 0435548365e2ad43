// SPDX-License-Identifier: GPL-3.0-or-later
// Roofline: measured roofs, one dot per op and level, and the time that could be won, ranked.
#pragma once

#include <QComboBox>
#include <QLabel>

#include "views/base/view.h"
#include "views/roofline/roofline_layout.h"
#include "views/widgets/canvas.h"
#include "views/widgets/control_edits.h"
#include "views/widgets/ranked_list.h"
#include "views/widgets/side_panes.h"
#include "views/widgets/switch.h"

namespace views {

class RooflineView : public View {
  Q_OBJECT

 public:
  RooflineView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;
  QUndoStack* edits() override;

  // What tests click on.
  Chart& chart() { return *chart_; }
  RankedList& winnable() { return *list_; }
  Switch* level_switch() { return levels_; }
  QComboBox& type_filter() { return *types_; }
  QComboBox& layer_filter() { return *layers_; }
  SidePanes& panes() { return *panes_; }
  QString below_chart() const { return note_->text(); }
  RooflineLayout layout_on_screen() const;
  /// What the filters leave of it.
  const profiler::Roofline& roofline() const { return roofline_; }
  const std::string& level() const { return level_; }
  /// A level's name, or kAllLevels.
  void choose_level(const std::string&);

 private:
  void on_replaced();
  void build_level_switch();
  void fill_list();
  void fill_filters();
  void filter();
  void show_parts();
  /// Some op of the level looked at has a roof above it.
  bool roofs_known() const;
  QString unknown_words() const;  ///< why shares of roofs are unknown
  bool foreign() const;           ///< a trace of another tool
  bool usable() const { return document().loaded() && !whole_.points.empty(); }
  void paint_marks(QPainter&, const QRectF&, const Theme&) const;
  void paint_legend(QPainter&, const QRectF&, const Theme&) const;
  void paint_message(QPainter&, const QRectF&, const Theme&) const;
  void paint_level_legend(QPainter&, const QRectF&, const Theme&) const;
  /// Of every op the point to speak of: at the chosen level, or the one that binds; most time to win first.
  std::vector<const profiler::RooflinePoint*> spoken_points() const;
  QString of_roof(const profiler::RooflinePoint&) const;
  QString level_words() const;
  int above_roofs() const;  ///< ops faster than their roof
  QString tip_at(QPointF) const;
  QString dot_tip(const profiler::RooflinePoint&) const;
  /// `alone`: for a picture of its own, without the window's badge of low confidence.
  QString note(bool alone = false) const;
  QString list_title() const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  Switch* levels_ = nullptr;
  QComboBox *types_, *layers_;
  Canvas* legend_;
  Chart* chart_;
  Canvas* message_;
  QLabel* heading_;
  QLabel* note_;
  RankedList* list_;
  ControlEdits* edits_;
  SidePanes* panes_ = nullptr;

  profiler::Roofline whole_, roofline_;   // of all ops; of those that the filters leave
  std::vector<std::string> level_names_;  // of the switch: all of them, then each, farthest first
  std::string level_;
  std::optional<profiler::OpId> hover_;
  bool in_a_file_ = false;  ///< while a picture for a file is painted
};

}  // namespace views
