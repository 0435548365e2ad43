// SPDX-License-Identifier: GPL-3.0-or-later
// MessageBar.
#include "app/gui/message_bar.h"
#include "views/base/plain_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace app::gui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), label_(new QLabel(this)), action_(new QPushButton(this)), theme_(&views::Theme::light()) {
  setObjectName(QStringLiteral("message"));
  label_->setTextFormat(Qt::PlainText);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close the message"));
  connect(close, &QToolButton::clicked, this, &MessageBar::dismiss);
  connect(action_, &QPushButton::clicked, this, [this] {
    const auto run = run_;
    dismiss();
    if (run) run();
  });
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(2 * views::kGrid, views::kGrid / 2, views::kGrid, views::kGrid / 2);
  row->addWidget(label_, 1);
  row->addWidget(action_);
  row->addWidget(close);
  setAutoFillBackground(true);
  hide();
}

void MessageBar::say(Kind kind, const QString& text) { say(kind, text, {}, {}); }

void MessageBar::say(Kind kind, const QString& text, const QString& action, std::function<void()> run) {
  kind_ = kind;
  run_ = std::move(run);
  label_->setText(views::displayed_text(text));
  action_->setText(action);
  action_->setVisible(!action.isEmpty());
  recolor();
  show();
}

void MessageBar::dismiss() {
  run_ = {};
  label_->clear();
  hide();
}

QString MessageBar::text() const { return label_->text(); }

void MessageBar::set_theme(const views::Theme& theme) {
  theme_ = &theme;
  recolor();
}

void MessageBar::recolor() {
  const QColor mark = kind_ == Kind::error ? theme_->error : kind_ == Kind::warning ? theme_->warning : theme_->accent;
  const auto mixed = [](const QColor& a, const QColor& b, double f) {
    return QColor::fromRgbF(a.redF() + (b.redF() - a.redF()) * f, a.greenF() + (b.greenF() - a.greenF()) * f,
                            a.blueF() + (b.blueF() - a.blueF()) * f);
  };
  QPalette p = theme_->palette();
  p.setColor(QPalette::Window, mixed(theme_->surface, mark, 0.16));
  setPalette(p);
}

}  // namespace app::gui
