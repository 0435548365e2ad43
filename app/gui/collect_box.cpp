// SPDX-License-Identifier: GPL-3.0-or-later
// CollectBox.
#include "app/gui/collect_box.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QVBoxLayout>

#include "app/base/gpu_chain.h"
#include "profiler/record/catalog.h"
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

/// "Ops" of "Ops: time of each op on the host".
QString short_title(const profiler::Collector& collector) {
  return in_qt(collector.title).section(QLatin1Char(':'), 0, 0);
}

QString ended(QString sentence) {
  if (!sentence.isEmpty() && !sentence.endsWith(QLatin1Char('.'))) sentence += QLatin1Char('.');
  return sentence;
}

}  // namespace

CollectBox::CollectBox(QWidget* parent) : QWidget(parent), always_(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(views::kGrid / 2);
  QStringList always;
  for (const profiler::Collector* collector : profiler::collectors())
    if (collector->start == nullptr && collector->check({}).available) always << short_title(*collector).toLower();
  always_->setText(tr("Every run has: %1.").arg(always.join(QStringLiteral(", "))));
  always_->setWordWrap(true);
  column->addWidget(always_);
  for (const profiler::Collector* collector : profiler::collectors())
    if (collector->start != nullptr) add_row(std::string(collector->name), in_qt(collector->title));
  set_device({});
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
  device_ = device;
  const std::string name = device.isEmpty() ? "cpu" : device.toStdString();
  std::vector<profiler::ChainLink> walked;
  bool has_walked = false;
  const profiler::GpuChain chain = [&] {  // once for all of them
    if (!has_walked) walked = gpu_chain_of(name);
    has_walked = true;
    return walked;
  };
  QString last_why;
  QLabel* last = nullptr;
  for (Row& row : rows_) {
    const profiler::Collector& collector = *profiler::find_collector(row.name);
    const profiler::Availability here = collector.check(chain);
    QString why;
    if (!here.available) {
      why = tr("Not here: %1").arg(ended(in_qt(here.why)));
      if (!here.remedy.empty()) why += QLatin1Char(' ') + tr("What helps: %1").arg(ended(in_qt(here.remedy)));
    } else if (collector.takes != nullptr && !collector.takes(name)) {
      why = tr("Not on the device %1. Choose another device under How to run.").arg(views::displayed(in_qt(name)));
    }
    why = views::displayed_text(why);
    row.check->setEnabled(why.isEmpty());
    row.title->setEnabled(why.isEmpty());
    for (QWidget* w : {static_cast<QWidget*>(row.check), static_cast<QWidget*>(row.title)})
      w->setToolTip(views::plain_tip(why.isEmpty() ? in_qt(here.why) : why));
    row.why->setText(why);
    row.why->setVisible(!why.isEmpty());
    // One reason of several in a row is said once, under the last.
    if (last != nullptr && !why.isEmpty() && why == last_why) last->hide();
    last = row.why;
    last_why = why;
  }
  emit changed();
}

QString CollectBox::value() const {
  profiler::CollectorNames names;
  for (const Row& row : rows_)
    if (row.check->isEnabled() && row.check->isChecked()) names.insert(row.name);
  return QString::fromStdString(profiler::collector_list(names));
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
