// SPDX-License-Identifier: GPL-3.0-or-later
// RunList.
#include "app/gui/run_list.h"

#include <QContextMenuEvent>
#include <QFileInfo>
#include <QMenu>
#include <QPainter>

namespace app::gui {

namespace {
constexpr int kPathRole = Qt::UserRole;
constexpr int kDetailRole = Qt::UserRole + 1;
QString key(const QString& path) { return QFileInfo(path).absoluteFilePath(); }
}  // namespace

RunList::RunList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Runs"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTextElideMode(Qt::ElideMiddle);
  setSpacing(1);
  connect(this, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { emit chosen(item->data(kPathRole).toString()); });
  connect(this, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { emit chosen(item->data(kPathRole).toString()); });
}

void RunList::paintEvent(QPaintEvent* e) {
  QListWidget::paintEvent(e);
  if (count() > 0) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(viewport()->rect().adjusted(8, 4, -8, -4),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                   tr("What you run or open appears here."));
}

void RunList::contextMenuEvent(QContextMenuEvent* e) {
  const bool by_mouse = e->reason() == QContextMenuEvent::Mouse;
  const QListWidgetItem* at = by_mouse ? itemAt(e->pos()) : currentItem();
  if (at == nullptr) return;
  const QString path = at->data(kPathRole).toString();
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Show"), this, [this, path] { emit chosen(path); });
  menu->addAction(tr("Compare the one shown with this one"), this, [this, path] { emit compare_chosen(path); })
      ->setEnabled(at != currentItem());
  menu->popup(by_mouse ? e->globalPos() : viewport()->mapToGlobal(visualItemRect(at).center()));
}

QListWidgetItem* RunList::find(const QString& path) const {
  for (int i = 0; i < count(); ++i)
    if (item(i)->data(kPathRole).toString() == key(path)) return item(i);
  return nullptr;
}

void RunList::add(const QString& path, const QString& detail) {
  QListWidgetItem* old = find(path);
  const QString text = !detail.isEmpty() ? detail
                       : old != nullptr  ? old->data(kDetailRole).toString()
                                         : QString();
  delete old;
  const QString name = QFileInfo(path).completeBaseName();
  auto* added = new QListWidgetItem(text.isEmpty() ? name : text + QStringLiteral(" · ") + name);
  added->setData(kPathRole, key(path));
  added->setData(kDetailRole, text);
  added->setToolTip(key(path));
  insertItem(0, added);
  mark_shown(path);
}

void RunList::add_recent(const QString& path) {
  if (find(path) != nullptr) return;
  auto* added = new QListWidgetItem(QFileInfo(path).completeBaseName());
  added->setData(kPathRole, key(path));
  added->setToolTip(key(path));
  addItem(added);
}

void RunList::mark_shown(const QString& path) {
  QListWidgetItem* shown = path.isEmpty() ? nullptr : find(path);
  setCurrentItem(shown);
  if (shown == nullptr) clearSelection();
}

void RunList::remove(const QString& path) { delete find(path); }

QString RunList::path_at(int row) const {
  return item(row) == nullptr ? QString() : item(row)->data(kPathRole).toString();
}

}  // namespace app::gui
