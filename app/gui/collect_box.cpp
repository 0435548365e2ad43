// SPDX-License-Identifier: GPL-3.0-or-later
// CollectBox.
#include "app/gui/collect_box.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "app/base/collector_choices.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

QString in_qt(std::string_view s) { return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size())); }

/// A box's words in as many lines as they need; a click on them is one on the box.
class BoxLabel : public QLabel {
 public:
  BoxLabel(const QString& text, QCheckBox& box, QWidget* parent) : QLabel(text, parent), box_(box) {
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
  }

 protected:
  void mouseReleaseEvent(QMouseEvent* e) override {
    if (e->button() == Qt::LeftButton && rect().contains(e->pos())) box_.click();
  }

 private:
  QCheckBox& box_;
};

/// "ops" of "Ops: time of each op on the host".
QString short_title(const CollectorChoice& choice) {
  return in_qt(choice.title).section(QLatin1Char(':'), 0, 0).toLower();
}

/// Ends with a full stop.
QString ended(QString text) {
  if (!text.isEmpty() && text.back() != QLatin1Char('.')) text += QLatin1Char('.');
  return text;
}

/// Empty: it can be asked for on this device.
QString reason_against(const CollectorChoice& choice, const QString& device) {
  if (!choice.available) {
    const QString why = QObject::tr("Not here: %1").arg(ended(in_qt(choice.why)));
    return choice.remedy.empty()
               ? why
               : QObject::tr("%1 What helps: %2").arg(why, ended(views::quoted_commands(in_qt(choice.remedy))));
  }
  return choice.taken ? QString()
                      : QObject::tr("Not on the device %1. Choose another device under How to run.").arg(device);
}

}  // namespace

CollectBox::CollectBox(QWidget* parent) : QWidget(parent), always_(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(views::kGrid / 2);
  QStringList always;
  const std::vector<CollectorChoice> choices = collector_choices_on("cpu");
  for (const CollectorChoice& choice : choices)
    if (choice.always && choice.available) always << short_title(choice);
  always_->setText(tr("Every run has: %1.").arg(always.join(QStringLiteral(", "))));
  always_->setWordWrap(true);
  column->addWidget(always_);
  for (const CollectorChoice& choice : choices)
    if (!choice.always) add_row(choice.name, in_qt(choice.title));
  show_choices("cpu", choices);
}

void CollectBox::add_row(const std::string& name, const QString& title) {
  auto* check = new QCheckBox(this);
  check->setObjectName(QStringLiteral("setup.collect.") + in_qt(name));
  check->setAccessibleName(title);
  Row row{name, check, new BoxLabel(title, *check, this), new QLabel(this)};
  row.why->setWordWrap(true);
  row.why->setTextFormat(Qt::PlainText);
  row.why->setObjectName(QStringLiteral("setup.collect.why.") + in_qt(name));
  row.why->setIndent(2 * views::kGrid);
  auto* line = new QHBoxLayout;
  line->setSpacing(views::kGrid / 2);
  line->addWidget(check, 0, Qt::AlignTop);
  line->addWidget(row.title, 1);
  auto* column = static_cast<QVBoxLayout*>(layout());
  column->addLayout(line);
  column->addWidget(row.why);
  connect(check, &QCheckBox::toggled, this, &CollectBox::changed);
  rows_.push_back(row);
}

void CollectBox::set_device(const QString& device) {
  const std::string name = device.isEmpty() ? "cpu" : device.toStdString();
  show_choices(name, collector_choices_on(name));
}

void CollectBox::show_choices(const std::string& device, const std::vector<CollectorChoice>& choices) {
  QString last_why;
  QLabel* last = nullptr;
  for (Row& row : rows_) {
    const auto choice = std::ranges::find(choices, row.name, &CollectorChoice::name);
    const QString why = views::displayed_text(reason_against(*choice, in_qt(device)));
    row.check->setEnabled(why.isEmpty());
    row.title->setEnabled(why.isEmpty());
    for (QWidget* w : {static_cast<QWidget*>(row.check), static_cast<QWidget*>(row.title)})
      w->setToolTip(views::plain_tip(why.isEmpty() ? in_qt(choice->why) : why));
    row.why->setText(why);
    row.why->setVisible(!why.isEmpty());
    // One reason of several in a row is shown once, under the last.
    if (last != nullptr && !why.isEmpty() && why == last_why) last->hide();
    last = row.why;
    last_why = why;
  }
  emit changed();
}

QString CollectBox::value() const {
  std::vector<std::string> names;
  for (const Row& row : rows_)
    if (row.check->isEnabled() && row.check->isChecked()) names.push_back(row.name);
  return in_qt(collect_argument(names));
}

void CollectBox::set_value(const QString& list) {
  const QStringList wanted = list.split(QLatin1Char(','));
  for (Row& row : rows_) row.check->setChecked(row.check->isEnabled() && wanted.contains(in_qt(row.name)));
}

void CollectBox::set_theme(const views::Theme& theme) {
  QPalette quiet = palette();
  quiet.setColor(QPalette::WindowText, theme.text_secondary);
  always_->setPalette(quiet);
  for (const Row& row : rows_) row.why->setPalette(quiet);
}

}  // namespace app::gui
