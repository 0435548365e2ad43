// SPDX-License-Identifier: GPL-3.0-or-later
// The axes of a sweep, checked as they are typed.
#include "app/gui/sweep_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/base/run_settings.h"
#include "app/base/studies.h"
#include "app/gui/recorder_process.h"
#include "profiler/sweep/sweep.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

/// What can be varied: parameters of the workload, then settings of the run.
QStringList axis_names(const SetupValues& values) {
  QStringList names;
  const auto workload = engine::find_workload(values.workload.toStdString());
  if (workload) {
    for (const auto& p : (*workload)->parameters) names << QString::fromStdString(p.name);
  } else {
    for (const auto& [key, value] : values.arguments) names << QString::fromStdString(key);
  }
  for (const RunSetting& setting : run_settings()) {
    if (!setting.first_look.empty()) names << QString::fromStdString(setting.name());
  }
  return names;
}

/// Values worth a first look at an axis; empty: the user knows better.
QString first_values(const SetupValues& values, const QString& axis) {
  if (axis == QLatin1String("batch")) return QStringLiteral("1..64");
  if (const RunSetting* setting = find_run_setting(axis.toStdString());
      setting != nullptr && !setting->first_look.empty())
    return QString::fromStdString(setting->first_look);
  const auto workload = engine::find_workload(values.workload.toStdString());
  if (!workload) return {};
  for (const auto& p : (*workload)->parameters) {
    if (p.name != axis.toStdString()) continue;
    QStringList all;
    for (const auto& choice : p.choices) all << QString::fromStdString(choice);
    return all.isEmpty() ? QString::fromStdString(p.default_value) : all.join(QLatin1Char(','));
  }
  return {};
}

/// The form without what the axes vary, which a sweep refuses, and without what the dialog asks for itself.
SetupValues without(SetupValues values, const QStringList& varied) {
  for (const QString& name : varied) {
    const RunSetting* setting = find_run_setting(name.toStdString());
    if (setting != nullptr && setting->varies()) values.settings.erase(setting->name());
    values.arguments.erase(name.toStdString());
  }
  values.settings.erase("collect");  // the dialog asks for it itself
  return values;
}

}  // namespace

SweepDialog::SweepDialog(const SetupValues& values, QWidget* parent) : QDialog(parent), values_(values) {
  setObjectName(QStringLiteral("sweep"));
  setWindowTitle(tr("Sweep %1").arg(values.workload));
  resize(560, 400);  // labels that wrap do not tell their height
  auto* column = new QVBoxLayout(this);
  column->setSpacing(views::kGrid);
  auto* intro =
      new QLabel(tr("Runs the settings of the form at the left for each value. Each run is a fresh process; "
                    "values take turns until the noise is small."));
  intro->setWordWrap(true);
  column->addWidget(intro);
  study_ = new QComboBox;
  study_->setObjectName(QStringLiteral("sweep.study"));
  study_->setAccessibleName(tr("Study"));
  study_->addItem(tr("Own axes"), QString());
  for (const Study& study : studies())
    study_->addItem(QString::fromStdString(study.title), QString::fromStdString(study.name));
  auto* study_row = new QFormLayout;
  study_row->addRow(tr("Study"), study_);
  column->addLayout(study_row);
  const QStringList names = axis_names(values);
  const bool batch = names.contains(QStringLiteral("batch"));
  add_row(column, batch ? QStringLiteral("batch") : names.value(0));
  add_row(column, {});
  syntax_ = new QLabel;
  syntax_->setWordWrap(true);
  syntax_->setFont(views::scaled_font(font(), 0.92));
  column->addWidget(syntax_);
  auto* form = new QFormLayout;
  seconds_ = new QLineEdit;
  seconds_->setObjectName(QStringLiteral("sweep.seconds"));
  seconds_->setPlaceholderText(tr("no limit"));
  seconds_->setToolTip(tr("No further process is started after this many seconds; the same sweep can go on later"));
  form->addRow(tr("Stop after [s]"), seconds_);
  simulate_ = new QCheckBox(tr("Simulate the caches of each point"));
  simulate_->setObjectName(QStringLiteral("sweep.simulate"));
  simulate_->setToolTip(
      tr("When all points are measured: the bytes that the step of each moves over each link of the memory hierarchy. "
         "At most a minute a point"));
  const auto collected = values.settings.find("collect");
  simulate_->setChecked(collected != values.settings.end() && collected->second.find("simulate") != std::string::npos);
  form->addRow(simulate_);
  column->addLayout(form);
  verdict_ = new QLabel;
  verdict_->setObjectName(QStringLiteral("sweep.verdict"));
  verdict_->setWordWrap(true);
  column->addWidget(verdict_);
  auto* cost_row = new QHBoxLayout;
  estimate_ = new QPushButton(tr("Estimate its time"));
  estimate_->setObjectName(QStringLiteral("sweep.estimate"));
  estimate_->setAutoDefault(false);
  estimate_->setToolTip(
      tr("Runs the points with the shortest and the longest predicted step once, and extrapolates from them"));
  cost_ = new QLabel;
  cost_->setObjectName(QStringLiteral("sweep.cost"));
  cost_->setWordWrap(true);
  cost_->setTextFormat(Qt::PlainText);
  cost_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  cost_row->addWidget(estimate_, 0, Qt::AlignTop);
  cost_row->addWidget(cost_, 1);
  column->addLayout(cost_row);
  connect(estimate_, &QPushButton::clicked, this, &SweepDialog::estimate);
  connect(&costing_, &QProcess::finished, this, &SweepDialog::show_estimate);
  connect(&costing_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) show_estimate();
  });
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  start_ = buttons->addButton(tr("Start the sweep"), QDialogButtonBox::AcceptRole);
  start_->setDefault(true);
  buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(seconds_, &QLineEdit::textChanged, this, &SweepDialog::validate);
  connect(study_, &QComboBox::currentIndexChanged, this, &SweepDialog::on_study);
  column->addStretch();
  column->addWidget(buttons);
  on_study();
}

SweepDialog::~SweepDialog() { stop_estimate(); }

void SweepDialog::stop_estimate() {
  if (costing_.state() == QProcess::NotRunning) return;
  costing_.disconnect(this);
  costing_.terminate();  // it ends its own children
  if (!costing_.waitForFinished(3000)) costing_.kill();
}

void SweepDialog::estimate() {
  if (costing_.state() != QProcess::NotRunning) return costing_.terminate();
  const Call call = byte_call(RecorderProcess::program(), QStringList{QStringLiteral("sweep")} + arguments() +
                                                              QStringList{QStringLiteral("--dry-run")});
  estimate_->setText(tr("Stop estimating"));
  cost_->setText(tr("Two points are measured …"));
  costing_.start(call.program, call.words);
}

void SweepDialog::show_estimate() {
  estimate_->setText(tr("Estimate its time"));
  QString text = views::displayed_text(QString::fromUtf8(costing_.readAllStandardOutput()).trimmed());
  const bool done = costing_.exitStatus() == QProcess::NormalExit && costing_.exitCode() == 0 && !text.isEmpty();
  if (!done) {
    const QStringList said =
        QString::fromUtf8(costing_.readAllStandardError()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    text = tr("There is no estimate: %1").arg(said.isEmpty() ? costing_.errorString() : views::displayed(said.last()));
  }
  cost_->setText(text);
}

/// A study brings its axes; one about a workload of its own leaves the form alone.
void SweepDialog::on_study() {
  const std::string name = study_->currentData().toString().toStdString();
  for (const AxisRow& row : rows_) {
    row.name->setEnabled(name.empty());
    row.values->setEnabled(name.empty() && !row.name->currentData().toString().isEmpty());
  }
  if (name.empty()) {
    syntax_->setText(tr(
        "Values: 1,2,4..512 goes on with the list's step or factor; 1..64 doubles; 0..100+20 adds; f32,bf16 lists."));
  } else {
    const Study& study = **find_study(name);
    const QString about =
        study.workload.empty()
            ? QString()
            : tr(" Runs %1, not the settings of the form.")
                  .arg(QString::fromStdString(study.name == "table7" ? "seven networks" : study.workload));
    syntax_->setText(QString::fromStdString(study.description) + about);
    if (study.simulates) simulate_->setChecked(true);
  }
  validate();
}

void SweepDialog::add_row(QVBoxLayout* rows, const QString& name) {
  auto* line = new QHBoxLayout;
  AxisRow row{new QComboBox, new QLineEdit};
  const size_t number = rows_.size() + 1;
  row.name->setObjectName(QStringLiteral("sweep.axis%1").arg(number));
  row.values->setObjectName(QStringLiteral("sweep.values%1").arg(number));
  row.name->setAccessibleName(tr("Axis %1").arg(number));
  row.values->setAccessibleName(tr("Values of axis %1").arg(number));
  if (number > 1) row.name->addItem(tr("(no second axis)"), QString());
  for (const QString& axis : axis_names(values_)) row.name->addItem(axis, axis);
  row.name->setCurrentIndex(std::max(0, row.name->findData(name)));
  row.name->setMinimumWidth(160);
  line->addWidget(row.name);
  line->addWidget(row.values, 1);
  rows->addLayout(line);
  rows_.push_back(row);
  const auto refill = [this, row] {
    const QString axis = row.name->currentData().toString();
    row.values->setEnabled(!axis.isEmpty());
    row.values->setText(axis.isEmpty() ? QString() : first_values(values_, axis));
  };
  refill();
  connect(row.name, &QComboBox::currentIndexChanged, this, [this, refill] {
    refill();
    validate();
  });
  connect(row.values, &QLineEdit::textChanged, this, &SweepDialog::validate);
}

QString SweepDialog::axis_text(const AxisRow& row) const {
  const QString axis = row.name->currentData().toString();
  return axis.isEmpty() ? QString() : axis + QLatin1Char('=') + row.values->text().remove(QLatin1Char(' '));
}

void SweepDialog::validate() {
  if (start_ == nullptr) return;
  const std::string study = study_->currentData().toString().toStdString();
  size_t points = 1;
  QString problem;
  QStringList used;
  std::vector<std::string> axes;
  if (study.empty()) {
    for (const AxisRow& row : rows_) axes.push_back(axis_text(row).toStdString());
  } else {
    const Study& chosen = **find_study(study);
    const auto ready = study_axes(chosen, chosen.workload.empty() ? values_.workload.toStdString() : chosen.workload);
    if (ready.ok()) axes = *ready;
    else problem = QString::fromStdString(ready.error().message).remove(QStringLiteral("[--study] "));
  }
  for (const std::string& text : axes) {
    if (text.empty()) continue;
    const auto axis = profiler::parse_axis(text);
    if (!axis) {
      problem = QString::fromStdString(axis.error().message).remove(QStringLiteral("[--axis] "));
      break;
    }
    const QString name = QString::fromStdString(axis->name);
    if (used.contains(name)) problem = tr("Both axes are %1.").arg(name);
    used << name;
    points *= axis->values.size();
  }
  bool number = true;
  if (!seconds_->text().isEmpty()) number = seconds_->text().toDouble(&number) > 0 && number;
  if (problem.isEmpty() && !number) problem = tr("Stop after: \"%1\" is no number of seconds.").arg(seconds_->text());
  start_->setEnabled(problem.isEmpty());
  estimate_->setEnabled(problem.isEmpty());
  if (costing_.state() == QProcess::NotRunning) cost_->clear();  // it was of other settings
  verdict_->setText(problem.isEmpty() ? (points == 1 ? tr("1 point, at least 3 processes.")
                                                     : tr("%1 points, at least 3 processes each.").arg(points))
                                      : problem);
}

SweepChoice SweepDialog::choice() const {
  SweepChoice choice{study_->currentData().toString(), seconds_->text(), {}, simulate_->isChecked()};
  for (const AxisRow& row : rows_) choice.axes.emplace_back(row.name->currentData().toString(), row.values->text());
  return choice;
}

void SweepDialog::offer(const SweepChoice& choice) {
  for (size_t i = 0; i < std::min(rows_.size(), choice.axes.size()); ++i) {
    const auto& [name, values] = choice.axes[i];
    const int at = rows_[i].name->findData(name);
    if (at < 0) continue;
    rows_[i].name->setCurrentIndex(at);
    rows_[i].values->setText(values);
  }
  seconds_->setText(choice.seconds);
  simulate_->setChecked(choice.simulate);
  study_->setCurrentIndex(std::max(0, study_->findData(choice.study)));
  validate();
}

/// The names of the axes, the study's own or those of the rows.
QStringList SweepDialog::varied() const {
  QStringList names;
  const QString study = study_->currentData().toString();
  if (study.isEmpty()) {
    for (const AxisRow& row : rows_) names << row.name->currentData().toString();
  } else {
    for (const std::string& axis : (*find_study(study.toStdString()))->axes)
      names << QString::fromStdString(axis.substr(0, axis.find('=')));
  }
  return names;
}

QStringList SweepDialog::arguments() const {
  const QString study = study_->currentData().toString();
  const bool own_workload = !study.isEmpty() && !(*find_study(study.toStdString()))->workload.empty();
  QStringList out = own_workload ? QStringList() : run_arguments(without(values_, varied()));
  if (!study.isEmpty()) out << QStringLiteral("--study") << study;
  for (const AxisRow& row : rows_) {
    const QString text = axis_text(row);
    if (study.isEmpty() && !text.isEmpty()) out << QStringLiteral("--axis") << text;
  }
  if (simulate_->isChecked()) out << QStringLiteral("--collect") << QStringLiteral("simulate");
  if (!seconds_->text().isEmpty()) out << QStringLiteral("--seconds") << seconds_->text();
  return out;
}

}  // namespace app::gui
