// SPDX-License-Identifier: GPL-3.0-or-later
// AnswerBox.
#include "app/gui/answer_box.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QComboBox>
#include <QFontInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QVBoxLayout>
#include <cmath>

#include "app/gui/answer_plot.h"
#include "engine/graph/graph.h"
#include "views/base/plain_text.h"
#include "views/base/theme.h"

namespace app::gui {

using profiler::GivenAnswer;
using profiler::LessonQuestion;

namespace {

constexpr int kSliderSteps = 200;

QString from(const std::string& text) { return views::displayed(QString::fromStdString(text)); }

}  // namespace

AnswerBox::AnswerBox(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
}

void AnswerBox::clear() {
  if (inner_ != nullptr) {  // perhaps in a signal of one of its parts
    inner_->hide();
    inner_->setParent(nullptr);
    inner_->deleteLater();
  }
  inner_ = nullptr;
  choices_ = nullptr;
  number_ = nullptr;
  order_ = nullptr;
  mark_ = nullptr;
  mark_text_ = nullptr;
  plot_ = nullptr;
  roles_.clear();
}

void AnswerBox::ask(const LessonQuestion* question, const GivenAnswer* given, bool open) {
  clear();
  question_ = question;
  setVisible(question != nullptr);
  if (question == nullptr) return;
  inner_ = new QWidget(this);
  auto* column = new QVBoxLayout(inner_);
  column->setContentsMargins(0, 0, 0, 0);
  auto* words = new QLabel(from(question->question), inner_);
  words->setTextFormat(Qt::PlainText);
  words->setWordWrap(true);
  QFont bold = words->font();
  bold.setBold(true);
  words->setFont(bold);
  column->addWidget(words);
  switch (question->kind) {
    case LessonQuestion::Kind::choice: add_choices(given); break;
    case LessonQuestion::Kind::number: add_number(given); break;
    case LessonQuestion::Kind::order: add_order(given); break;
    case LessonQuestion::Kind::mark: add_mark(given); break;
    case LessonQuestion::Kind::point:
    case LessonQuestion::Kind::curve: add_plot(given); break;
    case LessonQuestion::Kind::role: add_roles(given); break;
  }
  layout_->addWidget(inner_);
  inner_->setEnabled(open);
}

void AnswerBox::add_choices(const GivenAnswer* given) {
  choices_ = new QButtonGroup(inner_);
  for (size_t i = 0; i < question_->items.size(); ++i) {
    auto* button = new QRadioButton(from(question_->items[i]).replace(QLatin1Char('&'), QLatin1String("&&")), inner_);
    button->setObjectName(QStringLiteral("learn.choice.%1").arg(i));
    choices_->addButton(button, static_cast<int>(i));
    inner_->layout()->addWidget(button);
    if (given != nullptr && given->items.at(0) == static_cast<int>(i)) button->setChecked(true);
  }
  connect(choices_, &QButtonGroup::idToggled, this, &AnswerBox::changed);
}

void AnswerBox::add_number(const GivenAnswer* given) {
  auto* line = new QHBoxLayout;
  number_ = new QLineEdit(inner_);
  number_->setObjectName(QStringLiteral("learn.number"));
  number_->setAccessibleName(tr("Your prediction"));
  number_->setAccessibleDescription(from(question_->question));
  number_->setMaximumWidth(fontMetrics().horizontalAdvance(QStringLiteral("0")) * 16);
  if (given != nullptr) number_->setText(QString::number(given->number));
  line->addWidget(number_);
  line->addWidget(new QLabel(from(question_->unit), inner_));
  line->addStretch();
  static_cast<QVBoxLayout*>(inner_->layout())->addLayout(line);
  connect(number_, &QLineEdit::textChanged, this, &AnswerBox::changed);
  connect(number_, &QLineEdit::returnPressed, this, &AnswerBox::committed);
}

void AnswerBox::add_order(const GivenAnswer* given) {
  order_ = new QListWidget(inner_);
  order_->setObjectName(QStringLiteral("learn.order"));
  order_->setAccessibleName(tr("Your order, the first on top"));
  order_->setDragDropMode(QAbstractItemView::InternalMove);
  for (size_t i = 0; i < question_->items.size(); ++i) {
    const size_t at = given != nullptr ? static_cast<size_t>(given->items.at(i)) : i;
    auto* item = new QListWidgetItem(from(question_->items[at]), order_);
    item->setData(Qt::UserRole, static_cast<int>(at));
  }
  order_->setCurrentRow(0);
  order_->setMaximumHeight(order_->sizeHintForRow(0) * (order_->count() + 1) + 2 * order_->frameWidth());
  inner_->layout()->addWidget(order_);
  auto* line = new QHBoxLayout;
  for (const int by : {-1, 1}) {
    auto* button = new QPushButton(by < 0 ? tr("Move &up") : tr("Move &down"), inner_);
    button->setObjectName(by < 0 ? QStringLiteral("learn.up") : QStringLiteral("learn.down"));
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, by] { move(by); });
    line->addWidget(button);
  }
  line->addStretch();
  static_cast<QVBoxLayout*>(inner_->layout())->addLayout(line);
}

void AnswerBox::move(int by) {
  const int row = order_->currentRow(), to = row + by;
  if (row < 0 || to < 0 || to >= order_->count()) return;
  order_->insertItem(to, order_->takeItem(row));
  order_->setCurrentRow(to);
  emit changed();
}

double AnswerBox::mark_value() const {
  return question_->axis().value_at(static_cast<double>(mark_->value()) / kSliderSteps);
}

void AnswerBox::add_mark(const GivenAnswer* given) {
  mark_ = new QSlider(Qt::Horizontal, inner_);
  mark_->setObjectName(QStringLiteral("learn.mark"));
  mark_->setRange(0, kSliderSteps);
  mark_->setPageStep(kSliderSteps / 20);
  mark_->setAccessibleName(tr("Your prediction"));
  constexpr double kMiddle = 0.5;
  const double part = given != nullptr ? question_->axis().place(given->number) : kMiddle;
  mark_->setValue(static_cast<int>(std::lround(part * kSliderSteps)));
  mark_text_ = new QLabel(inner_);
  const auto show = [this] {
    const QString words =
        QStringLiteral("%1 %2").arg(QLocale(QLocale::English).toString(mark_value(), 'g', 3), from(question_->unit));
    mark_text_->setText(words);
    mark_->setAccessibleDescription(words);
  };
  show();
  connect(mark_, &QSlider::valueChanged, this, [this, show] {
    show();
    emit changed();
  });
  inner_->layout()->addWidget(mark_);
  inner_->layout()->addWidget(mark_text_);
}

void AnswerBox::set_roofs(double flop_per_s, double bytes_per_s) {
  flop_per_s_ = flop_per_s;
  bytes_per_s_ = bytes_per_s;
}

void AnswerBox::add_plot(const GivenAnswer* given) {
  plot_ = new AnswerPlot(*question_, given, inner_);
  plot_->setObjectName(QStringLiteral("learn.plot"));
  plot_->set_roofs(flop_per_s_, bytes_per_s_);
  // Large type would leave no room between the words of the axes.
  constexpr double kLargestPoints = 13;
  QFont words_of_axes = font();
  if (QFontInfo(words_of_axes).pointSizeF() > kLargestPoints) words_of_axes.setPointSizeF(kLargestPoints);
  plot_->setFont(words_of_axes);
  auto* words = new QLabel(plot_->words(), inner_);
  words->setTextFormat(Qt::PlainText);
  connect(plot_, &AnswerPlot::changed, this, [this, words] {
    words->setText(plot_->words());
    emit changed();
  });
  inner_->layout()->addWidget(plot_);
  inner_->layout()->addWidget(words);
}

void AnswerBox::add_roles(const GivenAnswer* given) {
  auto* rows = new QFormLayout;
  for (size_t i = 0; i < question_->items.size(); ++i) {
    auto* box = new QComboBox(inner_);
    box->setObjectName(QStringLiteral("learn.role.%1").arg(i));
    for (int role = 0; role < engine::kRoleCount; ++role)
      box->addItem(views::role_title(static_cast<engine::Role>(role)));
    box->setCurrentIndex(given != nullptr ? given->items.at(i) : -1);
    box->setPlaceholderText(tr("Choose a role"));
    box->setAccessibleName(tr("Role of %1").arg(from(question_->items[i])));
    connect(box, &QComboBox::currentIndexChanged, this, &AnswerBox::changed);
    rows->addRow(from(question_->items[i]).replace(QLatin1Char('&'), QLatin1String("&&")), box);
    roles_.push_back(box);
  }
  static_cast<QVBoxLayout*>(inner_->layout())->addLayout(rows);
}

std::optional<GivenAnswer> AnswerBox::answer() const {
  if (plot_ != nullptr) return plot_->answer();
  if (!roles_.empty()) {
    GivenAnswer answer;
    for (const QComboBox* box : roles_) {
      if (box->currentIndex() < 0) return std::nullopt;
      answer.items.push_back(box->currentIndex());
    }
    return answer;
  }
  if (choices_ != nullptr) {
    const int id = choices_->checkedId();
    return id < 0 ? std::nullopt : std::optional(GivenAnswer{{id}, 0});
  }
  if (number_ != nullptr) {
    bool good = false;
    const double value = QLocale(QLocale::C).toDouble(number_->text().trimmed(), &good);
    return good && std::isfinite(value) ? std::optional(GivenAnswer{{}, value}) : std::nullopt;
  }
  if (order_ != nullptr) {
    GivenAnswer answer;
    for (int i = 0; i < order_->count(); ++i) answer.items.push_back(order_->item(i)->data(Qt::UserRole).toInt());
    return answer;
  }
  return mark_ != nullptr ? std::optional(GivenAnswer{{}, mark_value()}) : std::nullopt;
}

}  // namespace app::gui
