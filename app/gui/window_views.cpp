// SPDX-License-Identifier: GPL-3.0-or-later
// Which view is in front, in which theme, and which commands make sense there.
#include <QApplication>
#include <QBoxLayout>
#include <QMenu>
#include <QTabWidget>
#include <QToolButton>
#include <algorithm>

#include "app/gui/honesty_strip.h"
#include "app/gui/main_window.h"
#include "app/gui/message_bar.h"
#include "app/gui/setup_panel.h"
#include "views/inspector/inspector.h"
#include "views/start/start_page.h"
#include "views/summary/summary_strip.h"

namespace app::gui {

void MainWindow::apply_theme(const views::Theme& theme) {
  theme_ = &theme;
  QApplication::setPalette(theme.palette());
  start_->set_theme(theme);
  summary_->set_theme(theme);
  inspector_->set_theme(theme);
  messages_->set_theme(theme);
  setup_->set_theme(theme);
  honesty_->set_theme(theme);
  for (views::View* v : views_) v->set_theme(theme);
  // Style sheets that name palette colours keep the old ones until they are set again.
  for (QWidget* widget : findChildren<QWidget*>()) {
    if (!widget->styleSheet().isEmpty()) widget->setStyleSheet(widget->styleSheet());
  }
  QPalette strip = theme.palette();
  strip.setColor(QPalette::Window, theme.surface);
  summary_->setPalette(strip);
}

void MainWindow::choose_theme(ThemeChoice choice) {
  const bool dark = choice == ThemeChoice::dark || (choice == ThemeChoice::system && system_is_dark_);
  apply_theme(dark ? views::Theme::dark() : views::Theme::light());
}

views::View* MainWindow::current_view() const {
  const int index = tabs_->currentIndex();
  return index >= 0 && static_cast<size_t>(index) < views_.size() ? views_[static_cast<size_t>(index)] : nullptr;
}

views::View* MainWindow::view(const QString& key) const {
  const auto catalog = views::view_catalog();
  for (size_t i = 0; i < catalog.size(); ++i)
    if (catalog[i].key == key) return views_[i];
  return nullptr;
}

views::View* MainWindow::view_of(views::ViewEntry::Of of) const {
  const auto catalog = views::view_catalog();
  return views_[static_cast<size_t>(std::ranges::find(catalog, of, &views::ViewEntry::of) - catalog.begin())];
}

bool MainWindow::show_view(const QString& key) {
  views::View* wanted = view(key);
  if (wanted != nullptr) bring_to_front(wanted);
  return wanted != nullptr;
}

void MainWindow::bring_to_front(views::View* wanted) {
  const auto index = static_cast<int>(std::ranges::find(views_, wanted) - views_.begin());
  tabs_->setTabVisible(index, true);
  tabs_->setCurrentIndex(index);
  if (isActiveWindow()) wanted->setFocus();  // also where it was in front already
}

bool MainWindow::tab_shown(const QString& key) const {
  const auto at = std::ranges::find(views_, view(key));
  return at != views_.end() && tabs_->isTabVisible(static_cast<int>(at - views_.begin()));
}

/// Views that have nothing of what is on the table lose their tabs; the button beside the tabs names them, with the
/// reason, and shows one all the same.
void MainWindow::update_tabs() {
  QMenu* menu = without_data_->menu();
  menu->clear();
  menu->setToolTipsVisible(true);
  for (size_t i = 0; i < views_.size(); ++i) {
    const QString why = views_[i]->nothing();
    if (!why.isEmpty()) {
      const QString key = views::view_catalog()[i].key;
      menu->addAction(tr("%1: %2").arg(views_[i]->windowTitle(), why), this, [this, key] { show_view(key); });
    }
    // Not by way of whatever tab is next: which view is in front is said below.
    if (!why.isEmpty() && tabs_->currentIndex() == static_cast<int>(i))
      bring_to_front(view_of(views::ViewEntry::Of::any_trace));
    tabs_->setTabVisible(static_cast<int>(i), why.isEmpty());
  }
  const auto hidden = static_cast<int>(menu->actions().size());
  without_data_->setText(hidden == 1 ? tr("1 view without data") : tr("%1 views without data").arg(hidden));
  without_data_->setToolTip(tr("Views that have nothing of this capture, and why"));
  without_data_->setVisible(hidden > 0);
}

void MainWindow::show_what_there_is() {
  const bool of_other_tool = document_.loaded() && !document_.capture().run().source.empty();
  if (of_other_tool && current_view() == views_.front()) bring_to_front(view_of(views::ViewEntry::Of::any_trace));
}

void MainWindow::update_state() {
  // Folded, the form leaves the room to the list of runs.
  if (auto* column = qobject_cast<QBoxLayout*>(setup_->parentWidget()->layout()))
    column->setStretchFactor(setup_, setup_->folded() ? 0 : 3);
  const bool loaded = document_.loaded(), running = recorder_.running();
  const auto enable = [this](const char* name, bool on) {
    if (const auto action = actions_.find(QString::fromLatin1(name)); action != actions_.end())
      action->second->setEnabled(on);
  };
  for (const char* name : {"export_picture", "export_data", "show_data", "close", "honesty"}) enable(name, loaded);
  enable("export_trace", loaded && !running);
  enable("export_range", loaded && !running && document_.selection().state().range.has_value());
  enable("compare_with", loaded);
  enable("compare_end", document_.reference() != nullptr);
  enable("run", !running && setup_->ready());
  enable("save_report", loaded || document_.sweep() != nullptr);
  enable("sweep", !running && setup_->ready());
  enable("cancel", running);
  enable("clear_selection", loaded && !document_.selection().state().empty());
  enable("back", loaded && document_.selection().can_go_back());
  enable("forward", loaded && document_.selection().can_go_forward());
}

}  // namespace app::gui
