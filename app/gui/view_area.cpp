// SPDX-License-Identifier: GPL-3.0-or-later
// ViewArea.
#include "app/gui/view_area.h"

#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <algorithm>

#include "app/gui/tab_bar.h"
#include "profiler/capture/only_planned.h"

namespace app::gui {

ViewArea::ViewArea(views::Document& document, QWidget* parent)
    : QTabWidget(parent), document_(document), bar_(new GroupedTabBar(this)), without_data_(new QToolButton(this)) {
  setTabBar(bar_);
  setDocumentMode(true);
  setObjectName(QStringLiteral("tabs"));
  for (const auto& entry : views::view_catalog()) {
    views::View* v = entry.make(document_, this);
    v->setObjectName(QStringLiteral("view.") + entry.key);
    v->setWindowTitle(entry.title);
    views_.push_back(v);
    if (QUndoStack* edits = v->edits(); edits != nullptr) edits_.addStack(edits);
    connect(v, &views::View::try_requested, this, &ViewArea::try_requested);
    // A view that has less room than its pictures need is scrolled: nothing is cut, nothing overprints, and the window
    // may be small.
    auto* room = new QScrollArea(this);
    room->setFrameShape(QFrame::NoFrame);
    room->setWidgetResizable(true);
    room->setFocusPolicy(Qt::NoFocus);
    room->setWidget(v);
    bar_->add_group(views::title(entry.group));
    const int index = addTab(room, entry.title);
    setTabToolTip(index, tr("%1: %2").arg(views::title(entry.group), entry.help));
  }
  without_data_->setObjectName(QStringLiteral("tabs.without_data"));
  without_data_->setAutoRaise(true);
  without_data_->setPopupMode(QToolButton::InstantPopup);
  without_data_->setMenu(new QMenu(without_data_));
  setCornerWidget(without_data_, Qt::TopRightCorner);
  const auto take_edits = [this] { edits_.setActiveStack(current() != nullptr ? current()->edits() : nullptr); };
  take_edits();
  connect(this, &QTabWidget::currentChanged, this, take_edits);
  connect(this, &QTabWidget::currentChanged, this, [this] {
    if (current() != nullptr && isActiveWindow()) current()->setFocus();
  });
}

views::View* ViewArea::current() const {
  const int index = currentIndex();
  return index >= 0 && static_cast<size_t>(index) < views_.size() ? views_[static_cast<size_t>(index)] : nullptr;
}

views::View* ViewArea::view(const QString& key) const {
  const auto catalog = views::view_catalog();
  const auto found = std::ranges::find(catalog, key, &views::ViewEntry::key);
  return found == catalog.end() ? nullptr : views_[static_cast<size_t>(found - catalog.begin())];
}

views::View& ViewArea::view_of(views::ViewEntry::Of of) const {
  const auto catalog = views::view_catalog();
  return *views_[static_cast<size_t>(std::ranges::find(catalog, of, &views::ViewEntry::of) - catalog.begin())];
}

int ViewArea::index_of(const views::View& view) const {
  return static_cast<int>(std::ranges::find(views_, &view) - views_.begin());
}

bool ViewArea::show_view(const QString& key) {
  views::View* wanted = view(key);
  if (wanted != nullptr) bring_to_front(*wanted);
  return wanted != nullptr;
}

void ViewArea::bring_to_front(views::View& wanted) {
  const int index = index_of(wanted);
  setTabVisible(index, true);
  setCurrentIndex(index);
  if (isActiveWindow()) wanted.setFocus();  // also where it was in front already
}

bool ViewArea::tab_shown(const QString& key) const {
  const views::View* wanted = view(key);
  return wanted != nullptr && isTabVisible(index_of(*wanted));
}

void ViewArea::update_tabs() {
  QMenu* menu = without_data_->menu();
  menu->clear();
  menu->setToolTipsVisible(true);
  const bool planned = document_.loaded() && profiler::only_planned(document_.capture());
  for (size_t i = 0; i < views_.size(); ++i) {
    const QString why = views_[i]->nothing();
    if (!why.isEmpty()) {
      const views::ViewEntry& entry = views::view_catalog()[i];
      const QString words = entry.filled_by.isEmpty() || planned ? why : why + QLatin1Char(' ') + entry.filled_by;
      menu->addAction(tr("%1: %2").arg(entry.title, words), this, [this, key = entry.key] { show_view(key); });
    }
    // Not by way of whatever tab is next: which view is in front is said below.
    if (!why.isEmpty() && currentIndex() == static_cast<int>(i))
      bring_to_front(planned ? *view(QStringLiteral("network")) : view_of(views::ViewEntry::Of::any_trace));
    setTabVisible(static_cast<int>(i), why.isEmpty());
  }
  const auto hidden = static_cast<int>(menu->actions().size());
  without_data_->setText(hidden == 1 ? tr("1 view without data") : tr("%1 views without data").arg(hidden));
  without_data_->setToolTip(tr("Views that have nothing of this capture, and why"));
  without_data_->setVisible(hidden > 0);
  // A hidden corner keeps its room: it is there only where it says something.
  setCornerWidget(hidden > 0 ? without_data_ : nullptr, Qt::TopRightCorner);
  make_room();
}

void ViewArea::make_room() {
  bar_->set_room(width() - (without_data_->isVisibleTo(this) ? without_data_->sizeHint().width() : 0));
}

void ViewArea::resizeEvent(QResizeEvent* e) {
  make_room();
  QTabWidget::resizeEvent(e);
}

void ViewArea::show_what_there_is() {
  const bool of_other_tool = document_.loaded() && !document_.capture().run().source.empty();
  if (of_other_tool && current() == views_.front()) show_view(views::ViewEntry::Of::any_trace);
}

void ViewArea::refresh_records() {
  for (views::View* v : views_) v->refresh_records();
}

void ViewArea::set_theme(const views::Theme& theme) {
  theme_ = &theme;
  bar_->set_quiet(theme.text_secondary);
  for (views::View* v : views_) v->set_theme(theme);
}

}  // namespace app::gui
