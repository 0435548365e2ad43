// SPDX-License-Identifier: GPL-3.0-or-later
// RunList: the captures of this session and the recent ones; a click switches the document.
#pragma once

#include <QListWidget>

namespace app::gui {

class RunList : public QListWidget {
  Q_OBJECT

 public:
  explicit RunList(QWidget* parent = nullptr);
  /// Adds a capture on top (or moves it there) and marks it as the one shown. Empty detail keeps
  /// what is known.
  void add(const QString& path, const QString& detail);
  /// A recent file, below; not read yet.
  void add_recent(const QString& path);
  void mark_shown(const QString& path);
  void remove(const QString& path);
  QString path_at(int row) const;

 signals:
  void chosen(const QString& path);
  /// The one shown is to be compared with this one.
  void compare_chosen(const QString& path);

 protected:
  void paintEvent(QPaintEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

 private:
  QListWidgetItem* find(const QString& path) const;
};

}  // namespace app::gui
