// SPDX-License-Identifier: GPL-3.0-or-later
// RunList: the captures of this session and the recent ones; a click switches the document.
#pragma once

#include <QListWidget>

namespace app::gui {

class RunList : public QListWidget {
  Q_OBJECT

 public:
  explicit RunList(QWidget* parent = nullptr);
  /// Adds a capture on top and marks it as the one shown; one that is in the list already keeps its place. Empty detail
  /// keeps what is known.
  void add(const QString& path, const QString& detail);
  /// A recent file, below; not read yet. `detail`: what was said of it when it was; empty: nothing is known.
  void add_recent(const QString& path, const QString& detail = {});
  /// The run on the table, in bold. The current row is where the keys are; moving it shows no other run.
  void mark_shown(const QString& path);
  const QString& shown() const { return shown_; }
  void remove(const QString& path);
  /// What add() was told of a file; empty: nothing.
  QString detail(const QString& path) const;
  QString path_at(int row) const;

 signals:
  void chosen(const QString& path);
  /// The one shown is to be compared with this one.
  void compare_chosen(const QString& path);

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

 private:
  QListWidgetItem* find(const QString& path) const;
  void show_text(QListWidgetItem* at, const QString& path);
  void fit_row(QListWidgetItem&) const;
  QString shown_, pressed_;
};

}  // namespace app::gui
