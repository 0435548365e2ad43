// SPDX-License-Identifier: GPL-3.0-or-later
// The start page.
#include "views/start/start_page.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QVBoxLayout>

#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace views {

namespace {

constexpr int kCardWidth = 260;

/// A framed surface; the whole card can be clicked.
class Card : public QPushButton {
 public:
  Card(const Theme& theme, QWidget* parent) : QPushButton(parent), theme_(&theme) {
    setFlat(true);
    setCursor(Qt::PointingHandCursor);
    // The grid alone says how wide cards are: all alike, whatever their texts would like.
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }
  QSize sizeHint() const override { return layout() != nullptr ? layout()->sizeHint() : QPushButton::sizeHint(); }
  QSize minimumSizeHint() const override { return {0, heightForWidth(std::max(width(), 1))}; }
  bool hasHeightForWidth() const override { return layout() != nullptr && layout()->hasHeightForWidth(); }
  int heightForWidth(int width) const override { return layout()->heightForWidth(width); }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool marked = underMouse() || hasFocus();
    painter.setPen(QPen(marked ? theme_->accent : theme_->border, 1));
    painter.setBrush(theme_->surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  }

 private:
  const Theme* theme_;
};

QLabel* label(const QString& text, const QFont& font, const QColor& color, QWidget* parent) {
  auto* l = new QLabel(parent);
  l->setTextFormat(Qt::PlainText);
  l->setText(text);
  l->setFont(font);
  l->setWordWrap(true);
  l->setMinimumWidth(1);                       // wrapped text asks for a width of its own liking else
  l->setForegroundRole(QPalette::WindowText);  // inside a button it would be ButtonText
  l->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  QPalette p = l->palette();
  p.setColor(QPalette::WindowText, color);
  l->setPalette(p);
  return l;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QScrollArea(parent), theme_(&Theme::light()) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Start page"));
  rebuild();
}

void StartPage::set_cards(std::vector<StartCard> cards) {
  cards_ = std::move(cards);
  rebuild();
}

void StartPage::set_recent(std::vector<RecentFile> recent) {
  recent_ = std::move(recent);
  rebuild();
}

void StartPage::set_machine(const QString& text) {
  machine_ = text;
  rebuild();
}

void StartPage::set_theme(const Theme& theme) {
  theme_ = &theme;
  rebuild();
}

void StartPage::resizeEvent(QResizeEvent* e) {
  QScrollArea::resizeEvent(e);
  place_cards();
}

void StartPage::place_cards() {
  const int room = viewport()->width() - 8 * kGrid;
  const int columns = std::clamp(room / (kCardWidth + 2 * kGrid), 1, 4);
  if (columns == columns_) return;
  columns_ = columns;
  for (const Group& group : groups_) {
    for (size_t i = 0; i < group.cards.size(); ++i)
      group.grid->addWidget(group.cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    for (int c = 0; c < 4; ++c) group.grid->setColumnStretch(c, c < columns ? 1 : 0);
  }
}

QWidget* StartPage::make_card(const StartCard& card, QWidget* parent) {
  const QFont font = data_font();
  auto* box = new Card(*theme_, parent);
  box->setObjectName(QStringLiteral("card.") + card.key);
  box->setAccessibleName(tr("Set up %1").arg(card.title));
  box->setToolTip(tr("Shows the parameters of %1 at the left").arg(card.title));
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
  column->addWidget(label(card.title, scaled_font(font, 1.15, true), theme_->text, box));
  column->addWidget(label(card.description, font, theme_->text_secondary, box), 1);
  if (!card.detail.isEmpty()) column->addWidget(label(card.detail, font, theme_->text, box));
  auto* run = new QPushButton(tr("▶ Run"), box);
  run->setObjectName(QStringLiteral("run.") + card.key);
  run->setToolTip(tr("Runs %1 with these values now").arg(card.title));
  auto* line = new QHBoxLayout;
  line->addWidget(run);
  line->addStretch(1);
  column->addLayout(line);
  connect(box, &QPushButton::clicked, this, [this, key = card.key] { emit setup_requested(key); });
  connect(run, &QPushButton::clicked, this, [this, key = card.key] { emit run_requested(key); });
  return box;
}

void StartPage::add_group(const QString& title, bool first, QWidget* parent, QVBoxLayout* page) {
  Group group{new QGridLayout, {}};
  group.grid->setSpacing(2 * kGrid);
  for (const StartCard& card : cards_)
    if (card.first == first) group.cards.push_back(make_card(card, parent));
  if (!group.cards.empty()) page->addWidget(label(title, scaled_font(data_font(), 1.2, true), theme_->text, parent));
  page->addLayout(group.grid);
  groups_.push_back(std::move(group));
}

/// What is there already: files to open, and those that were open.
void StartPage::add_files(QWidget* parent, QVBoxLayout* page) {
  const QFont font = data_font();
  auto* files = new QHBoxLayout;
  auto* model = new QPushButton(tr("Open a model…"), parent);
  connect(model, &QPushButton::clicked, this, &StartPage::open_model_requested);
  auto* open = new QPushButton(tr("Open a capture…"), parent);
  open->setObjectName(QStringLiteral("start.open"));
  connect(open, &QPushButton::clicked, this, &StartPage::open_requested);
  files->addWidget(open);
  files->addWidget(model);
  files->addWidget(
      label(tr("or drop a capture, a trace of another tool, an ONNX model or a network in JSON into this window"), font,
            theme_->text_secondary, parent),
      1, Qt::AlignVCenter);
  page->addLayout(files);
  if (recent_.empty()) return;
  page->addWidget(label(tr("Recent captures"), scaled_font(font, 1.2, true), theme_->text, parent));
  auto* list = new QVBoxLayout;
  list->setSpacing(kGrid / 2);
  for (const auto& file : recent_) {
    auto* link = new QLabel(parent);
    link->setTextFormat(Qt::RichText);
    link->setText(QStringLiteral("<a style='color:%1;text-decoration:none' href='open'>%2</a> "
                                 "<span style='color:%3'>&nbsp; %4</span>")
                      .arg(theme_->accent.name(), displayed(QFileInfo(file.path).fileName()).toHtmlEscaped(),
                           theme_->text_secondary.name(), displayed(file.detail).toHtmlEscaped()));
    link->setToolTip(plain_tip(file.path));
    link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(link, &QLabel::linkActivated, this, [this, path = file.path] { emit file_chosen(path); });
    list->addWidget(link);
  }
  page->addLayout(list);
}

void StartPage::rebuild() {
  const QFont font = data_font();
  auto* all = new QWidget;
  auto* page = new QVBoxLayout(all);
  page->setContentsMargins(4 * kGrid, 3 * kGrid, 4 * kGrid, 3 * kGrid);
  page->setSpacing(2 * kGrid);
  groups_.clear();
  columns_ = 0;
  page->addWidget(label(tr("Where do the time and the bytes of a tensor workload go?"), scaled_font(font, 1.7, true),
                        theme_->text, all));
  page->addWidget(
      label(tr("Run one here, and read how long a step takes, what limits it, where the bytes go and what to change."),
            scaled_font(font, 1.1), theme_->text_secondary, all));
  if (!machine_.isEmpty()) page->addWidget(label(machine_, font, theme_->text_secondary, all));
  add_files(all, page);
  add_group(tr("Run a workload"), true, all, page);
  add_group(tr("More workloads"), false, all, page);
  page->addStretch(1);
  setWidget(all);
  place_cards();
}

}  // namespace views
