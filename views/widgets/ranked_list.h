// SPDX-License-Identifier: GPL-3.0-or-later
// RankedList: a list of named things with a value each, largest first: tensors of a ribbon, ops worth winning, contents
// of the peak.
#pragma once

#include <QListView>
#include <cstdint>
#include <optional>
#include <vector>

#include "views/base/paint.h"

namespace views {

struct RankedRow {
  uint32_t id = 0;                                    ///< what a click reports
  QString text;                                       ///< "layer1.0.conv2.weight"
  QString detail;                                     ///< "read 2x"; empty: none
  QString value;                                      ///< "14.2 MB"
  double ratio = 0;                                   ///< length of the bar, 0..1
  QColor (*colour)(const Theme&, int key) = nullptr;  ///< colour of swatch and bar; null: that of figures
  int key = 0;                                        ///< handed to `colour`
  QString tip;                                        ///< rich text
};
/// For RankedRow::colour.
QColor role_colour(const Theme&, int role);
QColor bound_colour(const Theme&, int bound);
/// The shape of its swatch: that of the role or verdict which colours it.
Mark mark_of_row(const RankedRow&);

inline constexpr int kRankedRowHeight = 28, kTallRankedRowHeight = 44;  ///< px, of one line and of two

/// Where the texts of one row stand, and what of them there is room for.
struct RankedRowTexts {
  QRectF name, kind, detail, value;  ///< kind: the second line's, empty in a row of one line
  QString name_text, kind_text, detail_text;
};
/// In two lines the path of an op stands above its kind ("layer4.0.conv2/", "conv2d_grad_weight"). What has no room
/// even so loses its middle, a detail all of it.
RankedRowTexts place_ranked_texts(const QRectF&, const RankedRow&, const QFont&, int lines);
/// Lines that a row so wide takes: 1 where its name fits beside its figures, else 2.
int ranked_lines(const RankedRow&, double width, const QFont&);

/// Draws one row; used on screen and in pictures.
void draw_ranked_row(QPainter&, const QRectF&, const RankedRow&, const Theme&, bool selected, int lines = 1);

class RankedModel;

/// Arrow keys and clicks choose a row; `chosen` tells its id. Choosing from outside (set_selected) stays silent.
class RankedList : public QListView {
  Q_OBJECT

 public:
  explicit RankedList(QWidget* parent = nullptr);
  void set_rows(std::vector<RankedRow> rows);
  const std::vector<RankedRow>& rows() const;
  void set_selected(std::optional<uint32_t> id);
  void set_theme(const Theme& theme);
  /// What to say when there are no rows.
  void set_empty_text(const QString& text) { empty_text_ = text; }
  /// Draws the rows that fit into `rect`, from the first one visible on screen.
  void draw(QPainter&, const QRectF& rect, const Theme&) const;

 signals:
  void chosen(uint32_t id);

 protected:
  void paintEvent(QPaintEvent*) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void mousePressEvent(QMouseEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  void choose_lines();  // of each row, for the width there is

  RankedModel* model_;
  const Theme* theme_ = &Theme::light();
  std::optional<uint32_t> selected_;
  QString empty_text_;
  bool silent_ = false;
};

}  // namespace views
