// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette and the shortcut page.
#include "app/gui/command_palette.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMainWindow>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "views/base/plain_text.h"
#include "views/widgets/action_keys.h"

namespace app::gui {

QList<Command> commands(QMainWindow& window) {
  QList<Command> out;
  for (QAction* action : window.findChildren<QAction*>()) {
    if (action->text().isEmpty() || action->objectName().isEmpty() || action->menu() != nullptr ||
        action->isSeparator())
      continue;
    const auto* owner = qobject_cast<QWidget*>(action->parent());
    if (owner != nullptr && owner != &window && !owner->isVisibleTo(&window)) continue;
    QStringList keys;
    for (const QKeySequence& k : action->shortcuts()) keys << k.toString(QKeySequence::NativeText);
    out.push_back({action, action->text().remove(QLatin1Char('&')), keys.join(QStringLiteral(", "))});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Command& a, const Command& b) { return a.title.localeAwareCompare(b.title) < 0; });
  return out;
}

int match_score(const QString& text, const QString& wanted) {
  if (wanted.isEmpty()) return 0;
  const qsizetype whole = text.indexOf(wanted, 0, Qt::CaseInsensitive);
  if (whole >= 0) return whole == 0 ? 300 : text[whole - 1] == QLatin1Char(' ') ? 200 : 100;
  qsizetype at = 0;
  for (const QChar c : text)
    if (at < wanted.size() && c.toLower() == wanted[at].toLower()) ++at;
  return at == wanted.size() ? 10 : -1;
}

CommandPalette::CommandPalette(QMainWindow& window)
    : QFrame(&window), window_(window), text_(new QLineEdit(this)), list_(new QListWidget(this)) {
  setObjectName(QStringLiteral("palette"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  text_->setPlaceholderText(tr("Type a command, or the name of a workload, capture or op"));
  text_->setAccessibleName(tr("Command"));
  text_->installEventFilter(this);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* column = new QVBoxLayout(this);
  column->addWidget(text_);
  column->addWidget(list_);
  connect(text_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::run);
  hide();
}

void CommandPalette::open() {
  const int width = std::min(560, window_.width() - 32), height = std::min(360, window_.height() - 96);
  setGeometry((window_.width() - width) / 2, 56, width, height);
  text_->clear();
  fill();
  show();
  raise();
  text_->setFocus();
}

void CommandPalette::fill() {
  list_->clear();
  lines_.clear();
  const QString wanted = text_->text().trimmed();
  for (const Command& c : commands(window_)) {
    const int score = match_score(c.title, wanted);
    if (score < 0) continue;
    const QString text = c.keys.isEmpty() ? c.title : QStringLiteral("%1    (%2)").arg(c.title, c.keys);
    lines_.push_back(
        {score, text, c.action->statusTip(), c.action->isEnabled(), [action = QPointer<QAction>(c.action)] {
           if (action) action->trigger();
         }});
  }
  for (const PaletteSource& source : sources_) {
    if (wanted.isEmpty()) break;
    for (PaletteEntry& entry : source(wanted))
      lines_.push_back({entry.score, entry.title, {}, true, std::move(entry.run)});
  }
  std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.score > b.score; });
  if (lines_.empty()) lines_.push_back({0, tr("Nothing is called “%1”.").arg(wanted), {}, false, {}});
  for (const Line& line : lines_) {
    auto* item = new QListWidgetItem(line.text, list_);
    if (!line.enabled) item->setFlags(Qt::NoItemFlags);
    item->setToolTip(views::plain_tip(line.tip));
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run() {
  const int row = list_->currentRow();
  if (row < 0 || !lines_[static_cast<size_t>(row)].enabled) return;
  const std::function<void()> chosen = lines_[static_cast<size_t>(row)].run;
  hide();
  window_.setFocus();
  chosen();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::FocusOut && !list_->hasFocus()) {
    hide();
    return false;
  }
  if (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride)
    return QFrame::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  const bool ours = key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Down ||
                    key == Qt::Key_Up;
  if (!ours) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::ShortcutOverride) {
    event->accept();
    return true;
  }
  const int rows = list_->count();
  if (key == Qt::Key_Escape) {
    hide();
    window_.setFocus();
  } else if (key == Qt::Key_Down && rows > 0) {
    list_->setCurrentRow((list_->currentRow() + 1) % rows);
  } else if (key == Qt::Key_Up && rows > 0) {
    list_->setCurrentRow((list_->currentRow() + rows - 1) % rows);
  } else if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    run();
  }
  return true;
}

namespace {

/// Commands with keys, those of one place together.
QList<Command> by_place(QMainWindow& window) {
  QList<Command> with_keys;
  for (const Command& c : commands(window))
    if (!c.keys.isEmpty()) with_keys.push_back(c);
  std::stable_sort(with_keys.begin(), with_keys.end(), [](const Command& a, const Command& b) {
    return views::place_of(*a.action).localeAwareCompare(views::place_of(*b.action)) < 0;
  });
  return with_keys;
}

QTableWidget* shortcut_table(const QList<Command>& commands, QWidget* parent) {
  auto* table = new QTableWidget(static_cast<int>(commands.size()), 3, parent);
  table->setHorizontalHeaderLabels({QObject::tr("Place"), QObject::tr("Command"), QObject::tr("Keys")});
  table->setAccessibleName(QObject::tr("Commands and keys"));
  table->verticalHeader()->hide();
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setShowGrid(false);
  table->setAlternatingRowColors(true);
  for (int i = 0; i < table->rowCount(); ++i) {
    const QStringList cells{views::place_of(*commands[i].action), commands[i].title, commands[i].keys};
    for (int c = 0; c < cells.size(); ++c) table->setItem(i, c, new QTableWidgetItem(cells[c]));
  }
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  return table;
}

/// Hides the rows that lack one of the words.
void filter_rows(QTableWidget& table, const QString& text) {
  const QStringList wanted = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (int row = 0; row < table.rowCount(); ++row) {
    QStringList cells;
    for (int c = 0; c < table.columnCount(); ++c) cells << table.item(row, c)->text();
    const QString all = cells.join(QLatin1Char(' '));
    table.setRowHidden(row, !std::all_of(wanted.begin(), wanted.end(),
                                         [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); }));
  }
}

}  // namespace

void show_shortcuts(QMainWindow& window, std::function<void()> change) {
  auto* dialog = new QDialog(&window);
  dialog->setObjectName(QStringLiteral("shortcuts"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QObject::tr("Commands and keys"));
  dialog->resize(std::min(600, window.width() - 32), std::min(560, window.height() - 32));
  auto* search = new QLineEdit(dialog);
  search->setObjectName(QStringLiteral("shortcuts.search"));
  search->setPlaceholderText(QObject::tr("Search commands by name, place or key"));
  search->setAccessibleName(QObject::tr("Search commands"));
  search->setClearButtonEnabled(true);
  auto* table = shortcut_table(by_place(window), dialog);
  QObject::connect(search, &QLineEdit::textChanged, table, [table](const QString& text) { filter_rows(*table, text); });
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* keys = buttons->addButton(QObject::tr("Change keys…"), QDialogButtonBox::ActionRole);
  keys->setObjectName(QStringLiteral("shortcuts.change"));
  QObject::connect(keys, &QPushButton::clicked, dialog, [dialog, change = std::move(change)] {
    dialog->close();
    change();
  });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(search);
  column->addWidget(table);
  column->addWidget(buttons);
  dialog->show();
}

}  // namespace app::gui
