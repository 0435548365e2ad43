// SPDX-License-Identifier: GPL-3.0-or-later
// A box per section that the kind of report can have, from the table of sections.
#include "app/gui/report_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "profiler/report/section_catalog.h"

namespace app::gui {

namespace {

using profiler::ReportKind;

QString kind_title(ReportKind kind) {
  switch (kind) {
    case ReportKind::capture: return QObject::tr("The run");
    case ReportKind::trace: return QObject::tr("The trace");
    case ReportKind::sweep: return QObject::tr("The sweep");
    case ReportKind::comparison: return QObject::tr("The comparison");
  }
  return {};
}

}  // namespace

ReportDialog::ReportDialog(views::Document& document, ReportKind kind, QWidget* parent)
    : QDialog(parent), document_(document) {
  setWindowTitle(tr("Save report"));
  auto* layout = new QVBoxLayout(this);
  kinds_ = new QComboBox(this);
  kinds_->setObjectName(QStringLiteral("report_kind"));
  kinds_->setAccessibleName(tr("Report of"));
  for (const ReportKind each : views::report_kinds(document)) kinds_->addItem(kind_title(each), static_cast<int>(each));
  kinds_->setCurrentIndex(std::max(0, kinds_->findData(static_cast<int>(kind))));
  auto* form = new QFormLayout;
  form->addRow(tr("Report of"), kinds_);
  layout->addLayout(form);
  layout->addWidget(new QLabel(tr("Sections"), this));
  list_ = new QVBoxLayout;
  list_->setSpacing(2);
  layout->addLayout(list_);
  auto* ticks = new QHBoxLayout;
  for (const bool all : {true, false}) {
    auto* button = new QPushButton(all ? tr("Tick all") : tr("Tick none"), this);
    button->setAutoDefault(false);
    connect(button, &QPushButton::clicked, this, [this, all] { tick(all); });
    ticks->addWidget(button);
  }
  ticks->addStretch();
  layout->addLayout(ticks);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  save_ = buttons->addButton(tr("Save as…"), QDialogButtonBox::AcceptRole);
  save_->setDefault(true);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  connect(kinds_, &QComboBox::currentIndexChanged, this, &ReportDialog::list_sections);
  list_sections();
}

void ReportDialog::list_sections() {
  for (QCheckBox* box : boxes_) delete box;
  boxes_.clear();
  const auto kind = static_cast<ReportKind>(kinds_->currentData().toInt());
  const std::vector<std::string> usual = views::usual_sections(document_, kind);
  for (const profiler::ReportSectionEntry& entry : profiler::report_sections()) {
    if (!entry.of(kind)) continue;
    auto* box = new QCheckBox(QString::fromUtf8(entry.title), this);
    box->setObjectName(QString::fromUtf8(entry.key));
    box->setToolTip(QString::fromUtf8(entry.help));
    box->setAccessibleDescription(box->toolTip());
    box->setChecked(std::ranges::find(usual, entry.key) != usual.end());
    connect(box, &QCheckBox::toggled, this, &ReportDialog::changed);
    list_->addWidget(box);
    boxes_.push_back(box);
  }
  changed();
}

void ReportDialog::tick(bool all) {
  for (QCheckBox* box : boxes_) box->setChecked(all);
}

/// A report of nothing is none.
void ReportDialog::changed() {
  save_->setEnabled(std::ranges::any_of(boxes_, [](const QCheckBox* box) { return box->isChecked(); }));
}

views::ReportRequest ReportDialog::request() const {
  views::ReportRequest request{static_cast<ReportKind>(kinds_->currentData().toInt()), std::vector<std::string>()};
  for (const QCheckBox* box : boxes_) {
    if (box->isChecked()) request.sections->push_back(box->objectName().toStdString());
  }
  return request;
}

}  // namespace app::gui
