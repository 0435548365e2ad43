// SPDX-License-Identifier: GPL-3.0-or-later
// RunBar.
#include "app/gui/run_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QToolButton>

#include "app/gui/setup_panel.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {

void ElidedLine::set_text(const QString& text) {
  text_ = text;
  setAccessibleName(text);
  setToolTip(views::plain_tip(text));
  updateGeometry();
  update();
}

QSize ElidedLine::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text_) + 2, fontMetrics().height() + views::kGrid / 2};
}

QSize ElidedLine::minimumSizeHint() const { return {5 * views::kGrid, sizeHint().height()}; }

void ElidedLine::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, fontMetrics().elidedText(text_, Qt::ElideRight, width()));
}

RunBar::RunBar(QWidget* parent)
    : QWidget(parent),
      record_(button("record")),
      analyse_(button("analyse")),
      again_(button("again")),
      cancel_(button("cancel")),
      runs_(button("runs")),
      title_(new ElidedLine(this)),
      stage_(new ElidedLine(this)),
      bar_(new QProgressBar(this)) {
  setObjectName(QStringLiteral("runbar"));
  title_->setObjectName(QStringLiteral("runbar.title"));
  stage_->setObjectName(QStringLiteral("runbar.stage"));
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  stage_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  again_->setPopupMode(QToolButton::MenuButtonPopup);
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedSize(12 * views::kGrid, views::kGrid);
  bar_->setAccessibleName(tr("Progress of the run"));
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(views::kGrid, views::kGrid / 4, views::kGrid, views::kGrid / 4);
  line->setSpacing(views::kGrid / 2);
  line->addWidget(record_);
  line->addWidget(analyse_);
  line->addSpacing(views::kGrid);
  line->addWidget(title_);
  line->addWidget(again_);
  line->addStretch(1);
  line->addWidget(stage_);
  line->addWidget(bar_);
  line->addWidget(cancel_);
  line->addWidget(runs_);
  set_progress_shown(false);
}

QToolButton* RunBar::button(const char* name) {
  auto* made = new QToolButton(this);
  made->setObjectName(QStringLiteral("runbar.") + QLatin1String(name));
  made->setToolButtonStyle(Qt::ToolButtonTextOnly);
  made->setAutoRaise(true);
  return made;
}

void RunBar::set_actions(const Actions& actions) {
  record_->setDefaultAction(actions.record);
  analyse_->setDefaultAction(actions.analyse);
  again_->setDefaultAction(actions.again);
  cancel_->setDefaultAction(actions.cancel);
  runs_->setDefaultAction(actions.runs);
  auto* menu = new QMenu(again_);
  menu->setToolTipsVisible(true);
  menu->addActions(actions.with_again);
  again_->setMenu(menu);
}

void RunBar::set_title(const QString& title, bool can_repeat) {
  title_->set_text(title);
  again_->setVisible(can_repeat);
}

void RunBar::set_progress_shown(bool shown) {
  if (!shown) stage_->set_text({}), bar_->setValue(0);
  stage_->setVisible(shown);
  bar_->setVisible(shown);
  cancel_->setVisible(shown);
}

void RunBar::show_progress(const RunProgress& p) {
  stage_->set_text(SetupPanel::stage_text(p));
  bar_->setValue(static_cast<int>(p.fraction * 1000));
}

}  // namespace app::gui
