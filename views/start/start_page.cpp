// SPDX-License-Identifier: GPL-3.0-or-later
// The start page.
#include "views/start/start_page.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <numeric>

#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/start/start_card.h"

namespace views {

namespace {

constexpr int kNarrowestCard = 300, kMostColumns = 3, kWidest = 1500;
constexpr int kLow = 560;  ///< below this height cards have one line of words, and there is no headline

QLabel* label(const QString& text, QWidget* parent) {
  auto* l = new QLabel(parent);
  l->setTextFormat(Qt::PlainText);
  l->setText(text);
  l->setFont(data_font());
  return l;
}

void colour(QLabel* l, const QColor& color) {
  QPalette p = l->palette();
  p.setColor(QPalette::WindowText, color);
  l->setPalette(p);
}

}  // namespace

std::vector<size_t> found_cards(const std::vector<StartCard>& cards, const QString& text) {
  const QStringList wanted = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  const auto rank = [&](const StartCard& card) {  // less is better; -1: not found
    int worst = 0;
    for (const QString& word : wanted) {
      const bool begins =
          card.title.startsWith(word, Qt::CaseInsensitive) || card.key.startsWith(word, Qt::CaseInsensitive);
      const bool named = card.title.contains(word, Qt::CaseInsensitive) || card.key.contains(word, Qt::CaseInsensitive);
      if (!named && !card.lesson.contains(word, Qt::CaseInsensitive)) return -1;
      worst = std::max(worst, begins ? 0 : named ? 1 : 2);
    }
    return worst;
  };
  std::vector<std::pair<int, size_t>> ranked;
  for (size_t i = 0; i < cards.size(); ++i)
    if (const int at = rank(cards[i]); at >= 0) ranked.emplace_back(at, i);
  std::ranges::sort(ranked);
  std::vector<size_t> found;
  for (const auto& [at, i] : ranked) found.push_back(i);
  return found;
}

StartPage::StartPage(QWidget* parent) : QWidget(parent), theme_(&Theme::light()) {
  setAccessibleName(tr("Start page"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  scroll_ = new QScrollArea(this);
  scroll_->setWidgetResizable(true);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFocusPolicy(Qt::NoFocus);
  page_ = new QWidget;
  auto* column = new QVBoxLayout(page_);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  headline_ = label(tr("Where do the time and the bytes of a tensor workload go?"), page_);
  headline_->setFont(scaled_font(data_font(), 1.6, true));
  headline_->setMinimumWidth(1);
  column->addWidget(headline_);
  auto* sides = new QHBoxLayout;
  sides->setSpacing(3 * kGrid);
  column->addLayout(sides, 1);
  left_ = new QWidget(page_);
  auto* files = new QVBoxLayout(left_);
  files->setContentsMargins(0, 0, 0, 0);
  build_files(files);
  auto* cards = new QVBoxLayout;
  build_search(cards);
  sides->addWidget(left_);
  sides->addLayout(cards, 1);
  sides->addStretch(0);
  scroll_->setWidget(page_);
  all->addWidget(scroll_, 1);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid / 2);
  machine_ = label({}, this);
  machine_->setObjectName(QStringLiteral("start.machine"));
  machine_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  machine_->setWordWrap(true);
  probe_ = new QPushButton(this);
  probe_->setObjectName(QStringLiteral("start.probe"));
  connect(probe_, &QPushButton::clicked, this, &StartPage::probe_requested);
  foot->addWidget(machine_, 1);
  foot->addWidget(probe_);
  all->addLayout(foot);
  set_theme(*theme_);
}

void StartPage::build_files(QVBoxLayout* column) {
  open_ = new QPushButton(tr("Open…"), left_);
  open_->setObjectName(QStringLiteral("start.open"));
  open_->setToolTip(tr("Opens a capture, a sweep, a trace of another tool, an ONNX model or a network in JSON"));
  open_->setAccessibleDescription(open_->toolTip());
  connect(open_, &QPushButton::clicked, this, &StartPage::open_requested);
  hint_ = label(tr("or drop files here: captures, traces of other tools, models"), left_);
  hint_->setWordWrap(true);
  hint_->setMinimumWidth(1);
  column->addWidget(open_);
  column->addWidget(hint_);
  rows_ = new QVBoxLayout;
  column->addLayout(rows_);
  column->addStretch(1);
}

void StartPage::build_search(QVBoxLayout* column) {
  auto* line = new QHBoxLayout;
  search_ = new QLineEdit(page_);
  search_->setObjectName(QStringLiteral("start.search"));
  search_->setAccessibleName(tr("Search workloads"));
  search_->setClearButtonEnabled(true);
  count_ = label({}, page_);
  count_->setObjectName(QStringLiteral("start.count"));
  all_ = new QToolButton(page_);
  all_->setObjectName(QStringLiteral("start.all"));
  all_->setCheckable(true);
  all_->setText(tr("Show all"));
  all_->setToolTip(tr("Shows the cards of all workloads"));
  line->addWidget(search_, 1);
  line->addWidget(count_);
  line->addWidget(all_);
  column->addLayout(line);
  groups_room_ = new QVBoxLayout;
  column->addLayout(groups_room_);
  column->addStretch(1);
  connect(search_, &QLineEdit::textChanged, this, &StartPage::fill_cards);
  connect(search_, &QLineEdit::returnPressed, this, &StartPage::take_first);
  connect(all_, &QToolButton::toggled, this, &StartPage::fill_cards);
}

void StartPage::take_first() {
  if (found_.empty() || search_->text().trimmed().isEmpty()) return;
  const StartCard& card = cards_[found_.front()];
  if (card.runs) emit setup_requested(card.key);
  else emit open_model_requested();
}

void StartPage::set_cards(std::vector<StartCard> cards) {
  cards_ = std::move(cards);
  const auto count = std::ranges::count_if(cards_, [](const StartCard& card) { return card.runs; });
  search_->setPlaceholderText(tr("Search all %1 workloads by name or by what they teach").arg(count));
  fill_cards();
}

void StartPage::set_files(std::vector<StartFile> recent, std::vector<StartFile> examples) {
  recent_ = std::move(recent);
  examples_ = std::move(examples);
  fill_files();
}

void StartPage::set_machine(const QString& text, const QString& action, const QString& why) {
  machine_->setText(displayed(text));
  machine_->setToolTip(plain_tip(text));
  probe_->setText(action);
  probe_->setToolTip(plain_tip(why));
}

void StartPage::set_running(bool running) {
  running_ = running;
  probe_->setEnabled(!running);
  for (const Group& group : groups_)
    for (WorkloadCard* card : group.cards) card->set_runnable(!running);
}

void StartPage::set_theme(const Theme& theme) {
  theme_ = &theme;
  colour(headline_, theme.text);
  for (QLabel* quiet : {hint_, count_, machine_}) colour(quiet, theme.text_secondary);
  fill_files();
  fill_cards();
}

void StartPage::resizeEvent(QResizeEvent* e) {
  QWidget::resizeEvent(e);
  place();
}

/// How many columns of cards there are, how high cards are, and what a low window leaves out.
void StartPage::place() {
  const bool low = height() < kLow;
  headline_->setVisible(!low);
  hint_->setVisible(!low);
  const int room = std::min(width(), kWidest);
  left_->setFixedWidth(std::clamp(room / 4, 200, 330));
  page_->setMaximumWidth(kWidest);
  const int for_cards = room - left_->width() - 8 * kGrid;
  const int columns = std::clamp(for_cards / (kNarrowestCard + kGrid), 1, kMostColumns);
  groups_room_->setSpacing(low ? kGrid / 2 : kGrid);
  for (const Group& group : groups_) {
    group.grid->setSpacing(low ? kGrid / 2 : kGrid);
    for (size_t i = 0; i < group.cards.size(); ++i) {
      group.cards[i]->setFixedHeight(card_height(data_font(), low ? 1 : 2));
      group.grid->addWidget(group.cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
    for (int c = 0; c < kMostColumns; ++c) group.grid->setColumnStretch(c, c < columns ? 1 : 0);
  }
}

WorkloadCard* StartPage::make_card(const StartCard& card, bool picked) {
  const QString words = picked && !card.summary.isEmpty() ? card.summary : card.lesson;
  auto* made = new WorkloadCard(card.key, card.title, words, card.runs, *theme_, cards_box_);
  made->setObjectName(QStringLiteral("card.") + card.key);
  made->setAccessibleName(card.runs ? tr("Set up %1").arg(card.title) : card.title);
  made->setAccessibleDescription(card.lesson);
  made->setToolTip(plain_tip(card.lesson));
  made->set_runnable(!running_);
  connect(made, &QPushButton::clicked, this, [this, key = card.key, runs = card.runs] {
    if (runs) emit setup_requested(key);
    else emit open_model_requested();
  });
  connect(made, &WorkloadCard::run_clicked, this, [this, key = card.key] { emit run_requested(key); });
  if (made->run_button() != nullptr) made->findChild<QPushButton*>()->setObjectName(QStringLiteral("run.") + card.key);
  return made;
}

void StartPage::add_group(const QString& title, const std::vector<size_t>& cards, bool picked) {
  Group group{label(title, cards_box_), new QGridLayout, {}};
  group.title->setFont(scaled_font(data_font(), 1.0, true));
  group.title->setVisible(!title.isEmpty());
  colour(group.title, theme_->text);
  auto* column = static_cast<QVBoxLayout*>(cards_box_->layout());
  column->addWidget(group.title);
  column->addLayout(group.grid);
  for (const size_t i : cards) group.cards.push_back(make_card(cards_[i], picked));
  groups_.push_back(std::move(group));
}

void StartPage::fill_cards() {
  const QString text = search_->text().trimmed();
  groups_.clear();
  delete cards_box_;
  cards_box_ = new QWidget(page_);
  auto* column = new QVBoxLayout(cards_box_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid / 2);
  groups_room_->addWidget(cards_box_);
  found_ = found_cards(cards_, text);
  const bool searching = !text.isEmpty() || all_->isChecked();
  if (searching) {
    add_group({}, found_, false);
  } else {
    std::vector<std::pair<QString, std::vector<size_t>>> picked;  // groups in the order of their first cards
    for (size_t i = 0; i < cards_.size(); ++i) {
      if (cards_[i].group.isEmpty()) continue;
      auto at = std::ranges::find(picked, cards_[i].group, &std::pair<QString, std::vector<size_t>>::first);
      if (at == picked.end()) at = picked.insert(at, {cards_[i].group, {}});
      at->second.push_back(i);
    }
    for (const auto& [title, cards] : picked) add_group(title, cards, true);
  }
  count_->setVisible(!text.isEmpty());
  count_->setText(found_.empty()       ? tr("No workload matches “%1”.").arg(displayed(text))
                  : found_.size() == 1 ? tr("1 match")
                                       : tr("%1 matches").arg(found_.size()));
  all_->setVisible(text.isEmpty());
  cards_box_->show();
  place();
}

void StartPage::add_rows(const QString& title, const std::vector<StartFile>& files, const char* name) {
  if (files.empty()) return;
  auto* heading = label(title, rows_box_);
  heading->setFont(scaled_font(data_font(), 1.0, true));
  colour(heading, theme_->text);
  rows_box_->layout()->addWidget(heading);
  for (size_t i = 0; i < files.size(); ++i) {
    const StartFile& file = files[i];
    auto* row = new FileRow(displayed(file.title), displayed(file.detail), *theme_, rows_box_);
    row->setObjectName(QStringLiteral("start.%1.%2").arg(QLatin1String(name)).arg(i));
    row->setToolTip(plain_tip(file.there ? file.path : tr("%1 is no longer there.").arg(file.path)));
    row->setEnabled(file.there);
    // Later: what opens at once puts new rows in the place of this one, which is still being clicked.
    connect(
        row, &QPushButton::clicked, this, [this, path = file.path] { emit file_chosen(path); }, Qt::QueuedConnection);
    rows_box_->layout()->addWidget(row);
  }
}

void StartPage::fill_files() {
  delete rows_box_;
  rows_box_ = new QWidget(left_);
  auto* column = new QVBoxLayout(rows_box_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  rows_->addWidget(rows_box_);
  add_rows(tr("Recent"), recent_, "recent");
  if (!recent_.empty() && !examples_.empty()) column->addSpacing(kGrid);
  add_rows(tr("Examples"), examples_, "example");
  rows_box_->show();
}

}  // namespace views
