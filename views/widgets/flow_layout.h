// SPDX-License-Identifier: GPL-3.0-or-later
// FlowLayout: a row of controls that goes on in further rows where it does not fit: nothing is cut, and no row decides
// how narrow a window may be.
#pragma once

#include <QLayout>
#include <functional>
#include <map>
#include <vector>

namespace views {

class FlowLayout : public QLayout {
  Q_OBJECT

 public:
  explicit FlowLayout(QWidget* parent = nullptr);
  ~FlowLayout() override;
  /// Widgets with stretch share the room that is left in their row, up to their largest width; wrapped labels take what
  /// is left.
  void add(QWidget*, int stretch = 0);
  void insert(int index, QWidget*);
  /// What follows in its row stands at the right.
  void add_stretch();
  void add_spacing(int px);

  void addItem(QLayoutItem*) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
  QSize minimumSize() const override;
  QSize sizeHint() const override;
  void setGeometry(const QRect&) override;

 private:
  struct Piece {
    QLayoutItem* item;
    int width;
    bool takes_rest;
  };
  int place(const QRect&, bool move) const;  ///< its height
  void spread(std::vector<Piece>& line, int rest) const;
  int needed(const QLayoutItem&, int most) const;

  std::vector<QLayoutItem*> items_;
  std::map<const QLayoutItem*, int> stretch_;
};

/// The height of a bar of controls laid out by a FlowLayout: at least `least`.
int bar_height(const QWidget& bar, int width, int least);
/// Calls `place` when the bar wants another height at its width: a text in it became longer, a control was hidden.
void watch_bar(QWidget* bar, int least, std::function<void()> place);

}  // namespace views
