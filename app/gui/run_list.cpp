// SPDX-License-Identifier: GPL-3.0-or-later
// RunList.
#include "app/gui/run_list.h"
#include "views/base/plain_text.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

namespace app::gui {

namespace {
constexpr int kPathRole = Qt::UserRole;
constexpr int kDetailRole = Qt::UserRole + 1;
QString key(const QString& path) { return QFileInfo(path).absoluteFilePath(); }

/// Of a point of a sweep the sweep's name: "mlp-sweep"; empty: it is none.
QString sweep_of(const QString& path) {
  const QString folder = QFileInfo(path).absoluteDir().dirName(), points = QStringLiteral(".points");
  return folder.endsWith(points) ? views::displayed(folder.chopped(points.size())) : QString();
}

/// "mlp-20261123-083414"; a point of a sweep is named with it: "mlp-sweep, point 0003".
QString short_name(const QString& path) {
  const QString name = views::displayed(QFileInfo(path).completeBaseName()), sweep = sweep_of(path);
  return sweep.isEmpty() ? name : QObject::tr("%1, point %2").arg(sweep, name);
}

/// What a file's name adds to what is known of the run: the name that somebody gave it, or the sweep. The window's own
/// names are of workload and time, which the rest says.
QString name_beside(const QString& path) {
  static const QRegularExpression own(QStringLiteral("-\\d{8}-\\d{6}(-\\d+)?$"));
  const QString sweep = sweep_of(path), name = short_name(path);
  if (!sweep.isEmpty()) return QObject::tr("sweep %1").arg(sweep);
  return name.contains(own) ? QString() : name;
}
}  // namespace

RunList::RunList(QWidget* parent) : QListWidget(parent) {
  setAccessibleName(tr("Runs"));
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // What tells runs apart may stand anywhere in their titles: nothing is cut.
  setWordWrap(true);
  setTextElideMode(Qt::ElideRight);
  setResizeMode(QListView::Adjust);
  setSpacing(1);
}

/// The right button opens the menu of a row: it chooses nothing and leaves the current row alone.
void RunList::mousePressEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton) return;
  QListWidget::mousePressEvent(e);
  const QListWidgetItem* hit = itemAt(e->pos());
  pressed_ = hit != nullptr ? hit->data(kPathRole).toString() : QString();
}

void RunList::mouseReleaseEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton) return;
  QListWidget::mouseReleaseEvent(e);
  const QListWidgetItem* hit = itemAt(e->pos());
  const QString pressed = std::exchange(pressed_, {});
  if (hit != nullptr && !pressed.isEmpty() && hit->data(kPathRole).toString() == pressed) emit chosen(pressed);
}

/// The first press of a double click has chosen the run already.
void RunList::mouseDoubleClickEvent(QMouseEvent* e) { e->accept(); }

void RunList::keyPressEvent(QKeyEvent* e) {
  const bool enter = e->key() == Qt::Key_Return || e->key() == Qt::Key_Enter;
  if (!enter || currentItem() == nullptr) return QListWidget::keyPressEvent(e);
  emit chosen(currentItem()->data(kPathRole).toString());
}

void RunList::paintEvent(QPaintEvent* e) {
  QListWidget::paintEvent(e);
  if (count() > 0) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(viewport()->rect().adjusted(8, 4, -8, -4), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
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
      ->setEnabled(!shown_.isEmpty() && path != shown_);
  menu->popup(by_mouse ? e->globalPos() : viewport()->mapToGlobal(visualItemRect(at).center()));
}

QListWidgetItem* RunList::find(const QString& path) const {
  const QString wanted = key(path);
  for (int i = 0; i < count(); ++i)
    if (item(i)->data(kPathRole).toString() == wanted) return item(i);
  return nullptr;
}

void RunList::add(const QString& path, const QString& detail) {
  QListWidgetItem* at = find(path);
  // What is in the list keeps its place: rows that move under the pointer make the next click hit another run.
  if (at == nullptr) {
    at = new QListWidgetItem;
    at->setData(kPathRole, key(path));
    at->setToolTip(views::plain_tip(key(path)));
    insertItem(0, at);
  }
  if (!detail.isEmpty()) at->setData(kDetailRole, detail);
  show_text(at, path);
  mark_shown(path);
}

void RunList::show_text(QListWidgetItem* at, const QString& path) {
  const QString text = at->data(kDetailRole).toString(), name = short_name(path);
  const QString beside = name_beside(path);
  at->setText(text.isEmpty() ? name : beside.isEmpty() ? text : text + QStringLiteral(" · ") + beside);
  fit_row(*at);
}

/// A row is as high as its words are in bold: rows that grew when they are shown would move others under the pointer.
void RunList::fit_row(QListWidgetItem& row) const {
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  constexpr int kMargins = 12;
  const QRect room(0, 0, std::max(40, viewport()->width() - kMargins), 100000);
  row.setSizeHint(QSize(1, metrics.boundingRect(room, Qt::TextWordWrap, row.text()).height() + 4));
}

void RunList::resizeEvent(QResizeEvent* e) {
  QListWidget::resizeEvent(e);
  for (int i = 0; i < count(); ++i) fit_row(*item(i));
}

void RunList::add_recent(const QString& path, const QString& detail) {
  if (find(path) != nullptr) return;
  auto* added = new QListWidgetItem;
  added->setData(kPathRole, key(path));
  added->setData(kDetailRole, views::displayed_text(detail));
  added->setToolTip(views::plain_tip(key(path)));
  show_text(added, path);
  addItem(added);
}

void RunList::mark_shown(const QString& path) {
  QListWidgetItem* shown = path.isEmpty() ? nullptr : find(path);
  shown_ = shown != nullptr ? shown->data(kPathRole).toString() : QString();
  for (int i = 0; i < count(); ++i) {
    const bool is_shown = item(i) == shown;
    QFont name = font();
    name.setBold(is_shown);
    item(i)->setFont(name);
    item(i)->setData(Qt::AccessibleDescriptionRole, is_shown ? tr("shown") : QString());
  }
  setCurrentItem(shown);
  if (shown == nullptr) clearSelection();
}

void RunList::remove(const QString& path) { delete find(path); }

QString RunList::detail(const QString& path) const {
  const QListWidgetItem* at = find(path);
  return at != nullptr ? at->data(kDetailRole).toString() : QString();
}

QString RunList::path_at(int row) const {
  return item(row) == nullptr ? QString() : item(row)->data(kPathRole).toString();
}

}  // namespace app::gui
