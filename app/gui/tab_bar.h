// SPDX-License-Identifier: GPL-3.0-or-later
// GroupedTabBar: tabs in named groups: the name of a group stands above its tabs.
#pragma once

#include <QColor>
#include <QTabBar>
#include <vector>

namespace app::gui {

class GroupedTabBar : public QTabBar {
  Q_OBJECT

 public:
  explicit GroupedTabBar(QWidget* parent);
  /// The next tab without a group belongs to this one. Tabs of a group stand together.
  void add_group(const QString& title) { groups_.push_back(title); }
  void set_quiet(const QColor&);
  /// Where the tabs need more than this many pixels they stand closer together; where that is not enough they scroll.
  void set_room(int width);
  /// Where the name of the tab's group is painted; empty: the tab is not the first one that is shown of its group.
  QRect caption_rect(int tab) const;
  const QString& group(int tab) const;

 protected:
  QSize tabSizeHint(int tab) const override;
  QSize minimumTabSizeHint(int tab) const override;
  void paintEvent(QPaintEvent*) override;

 private:
  bool begins_group(int tab) const;
  int caption_height() const;
  void paint_base(QPainter&) const;
  /// Room left of the tab that parts groups.
  int gap(int tab) const;

  std::vector<QString> groups_;  // of each tab
  QColor quiet_;
  int squeeze_ = 0;  // less width for each tab
};

}  // namespace app::gui
