// SPDX-License-Identifier: GPL-3.0-or-later
// ViewArea: a tab for each view of the catalog, in their groups; which one is in front, and which have nothing to show.
#pragma once

#include <QTabWidget>
#include <QUndoGroup>
#include <vector>

#include "views/base/view.h"

class QToolButton;

namespace app::gui {

class GroupedTabBar;

class ViewArea : public QTabWidget {
  Q_OBJECT

 public:
  ViewArea(views::Document&, QWidget* parent);
  views::View* current() const;
  /// Null: there is no view of that key.
  views::View* view(const QString& key) const;
  /// The view that draws this of the document.
  views::View& view_of(views::ViewEntry::Of) const;
  const std::vector<views::View*>& views() const { return views_; }
  /// Shows the tab of a view; false when there is no such view.
  bool show_view(const QString& key);
  void show_view(views::ViewEntry::Of of) { bring_to_front(view_of(of)); }
  /// Of a trace of another tool the view that shows any, in place of the first one, which needs more than such a trace
  /// says.
  void show_what_there_is();
  /// Whether the view's tab is there: one that has nothing of what is on the table has none, until it is asked for.
  bool tab_shown(const QString& key) const;
  /// Tabs by what is on the table. Views that have nothing of it lose theirs; the button beside the tabs names them,
  /// with the reason, and shows one all the same.
  void update_tabs();
  void refresh_records();
  /// What the user changed in the view that is in front.
  QUndoGroup& edits() { return edits_; }
  void set_theme(const views::Theme&);
  const views::Theme& theme() const { return *theme_; }

 signals:
  /// The change of a finding (1-based) is to be tried.
  void try_requested(int finding);

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void make_room();
  void bring_to_front(views::View&);
  int index_of(const views::View&) const;

  views::Document& document_;
  GroupedTabBar* bar_;
  std::vector<views::View*> views_;
  QToolButton* without_data_;
  const views::Theme* theme_ = &views::Theme::light();
  QUndoGroup edits_;
};

}  // namespace app::gui
