// SPDX-License-Identifier: GPL-3.0-or-later
// The setup form.
#include "app/gui/setup_panel.h"

#include <QComboBox>
#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/base/devices.h"
#include "app/base/input_files.h"
#include "app/base/run_settings.h"
#include "app/base/trial.h"
#include "app/gui/collect_box.h"
#include "app/gui/elided_box.h"
#include "app/gui/integer_box.h"
#include "app/gui/model_search.h"
#include "engine/base/shell_words.h"
#include "engine/netfile/network_file.h"
#include "views/base/file_name.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/table_order.h"

namespace app::gui {

namespace {

constexpr const char* kFirstChoice = "resnet50";  // what a newcomer most wants to see
constexpr double kLargestInteger = 9.2e18;
constexpr const char* kDevice = "device";  // whose values are those of this machine
constexpr const char* kCollect = "collect";

/// A model file has one parameter; the rest is in the file.
const engine::Parameter& model_batch() {
  static const engine::Parameter batch{
      .name = "batch",
      .label = "Batch size",
      .help = "Replaces the first dimension of the model's inputs; empty keeps those of the file.",
      .default_value = "",
      .minimum = 1,
      .maximum = kLargestInteger,
      .choices = {},
      .unit = "samples"};
  return batch;
}

/// Long entries must not widen the panel.
void narrow(QComboBox* box) {
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(6);
}

/// A label that would push every field of the form below its label.
QString in_two_lines(QString label) {
  constexpr qsizetype kLong = 13;
  if (const qsizetype space = label.lastIndexOf(QLatin1Char(' ')); label.size() > kLong && space > 0)
    label[space] = QLatin1Char('\n');
  return label;
}

QString value_of(QWidget* field) {
  if (auto* box = qobject_cast<QComboBox*>(field)) return box->currentText();
  if (auto* number = qobject_cast<IntegerBox*>(field)) return number->value_text();
  if (auto* line = qobject_cast<QLineEdit*>(field)) return line->text().trimmed();
  return {};
}

void set_value_of(QWidget* field, const QString& text) {
  if (auto* box = qobject_cast<QComboBox*>(field)) box->setCurrentText(text);
  if (auto* number = qobject_cast<IntegerBox*>(field)) number->set_value_text(text);
  if (auto* line = qobject_cast<QLineEdit*>(field)) line->setText(text);
}

/// What a command gives an option: "7" of "--seed 7" and "--seed=7"; empty: nothing.
std::string option_in(const std::vector<std::string>& words, const std::string& name) {
  const std::string option = "--" + name;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(option + "=")) return words[i].substr(option.size() + 1);
  }
  return {};
}

}  // namespace

SetupPanel::SetupPanel(QWidget* parent)
    : QWidget(parent),
      workloads_(new ElidedBox(this)),
      presets_(new ElidedBox(this)),
      description_(new QLabel(this)),
      problem_(new QLabel(this)),
      stage_(new QLabel(this)),
      detail_(new QLabel(this)),
      form_box_(new QWidget(this)),
      more_box_(new QWidget(this)),
      progress_box_(new QWidget(this)),
      search_box_(new QWidget(this)),
      search_text_(new QLabel(search_box_)),
      search_(new ModelSearch(this)),
      form_(new QFormLayout(form_box_)),
      collect_(new CollectBox(this)),
      run_(new QPushButton(this)),
      copy_(new QToolButton(this)),
      look_(new QToolButton(this)),
      ask_(new QToolButton(this)),
      bar_(new QProgressBar(this)),
      theme_(&views::Theme::light()) {
  for (QComboBox* box : {workloads_, presets_}) narrow(box);
  workloads_->setObjectName(QStringLiteral("setup.workload"));
  presets_->setObjectName(QStringLiteral("setup.preset"));
  run_->setObjectName(QStringLiteral("setup.run"));
  problem_->setObjectName(QStringLiteral("setup.problem"));
  for (const auto& w : engine::workloads()) workloads_->addItem(views::text(w.title), views::text(w.name));
  workloads_->setAccessibleName(tr("Workload"));
  auto* model = new QToolButton(this);
  model->setText(QStringLiteral("…"));
  model->setToolTip(tr("Open your own model as a workload: an ONNX file, or a network described in JSON"));
  model->setAccessibleName(tr("Open a model file"));
  for (QLabel* l : {description_, problem_, stage_, detail_, search_text_}) l->setWordWrap(true);
  // Titles of workloads take the whole width.
  auto* which = new QHBoxLayout;
  which->addWidget(presets_, 1);
  which->addWidget(model);
  form_->setContentsMargins(0, 0, 0, 0);
  form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  form_->setHorizontalSpacing(views::kGrid);
  form_->setVerticalSpacing(views::kGrid / 2);
  add_settings();
  bar_->setRange(0, 1000);
  bar_->setTextVisible(false);
  bar_->setFixedHeight(views::kGrid);
  auto* progress = new QVBoxLayout(progress_box_);
  progress->setContentsMargins(0, 0, 0, 0);
  progress->setSpacing(views::kGrid / 2);
  progress->addWidget(stage_);
  progress->addWidget(bar_);
  progress->addWidget(detail_);
  progress_box_->hide();
  auto* form = new QWidget;
  auto* all = new QVBoxLayout(form);
  all->setContentsMargins(views::kGrid, views::kGrid, views::kGrid, views::kGrid);
  all->setSpacing(views::kGrid);
  all->addWidget(workloads_);
  all->addWidget(description_);
  all->addLayout(which);
  // Above the parameters, of which there may be many.
  auto* parts = new QHBoxLayout;
  parts->setSpacing(0);
  parts->addWidget(expander("setup.show_collect", tr("Collect"), *collect_));
  parts->addWidget(expander("setup.show_more", tr("How to run"), *more_box_));
  parts->addStretch(1);
  all->addLayout(parts);
  all->addWidget(collect_);
  all->addWidget(more_box_);
  all->addWidget(form_box_);
  all->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(form);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->setSpacing(0);
  whole->addWidget(scroll, 1);
  whole->addLayout(foot());
  connect(workloads_, &QComboBox::currentIndexChanged, this, &SetupPanel::build_form);
  connect(presets_, &QComboBox::activated, this, &SetupPanel::apply_preset);
  connect(model, &QToolButton::clicked, this, &SetupPanel::open_model_requested);
  connect(collect_, &CollectBox::changed, this, &SetupPanel::validate);
  connect(copy_, &QToolButton::clicked, this, &SetupPanel::copy_requested);
  connect(look_, &QToolButton::clicked, this, &SetupPanel::look_requested);
  connect(run_, &QPushButton::clicked, this, [this] { running_ ? emit cancel_requested() : emit run_requested(); });
  run_->installEventFilter(this);
  connect_search();
  set_running(false);
  if (const int first = workloads_->findData(QLatin1String(kFirstChoice)); first >= 0)
    workloads_->setCurrentIndex(first);
  build_form();
  touched_ = false;
}

/// The second press of a double click on Run is no wish to cancel: the button means that only since the first.
bool SetupPanel::eventFilter(QObject* watched, QEvent* event) {
  return (watched == run_ && event->type() == QEvent::MouseButtonDblClick) || QWidget::eventFilter(watched, event);
}

const engine::Workload* SetupPanel::workload() const {
  if (network_) return &*network_;
  const auto found = engine::find_workload(workloads_->currentData().toString().toStdString());
  return found ? *found : nullptr;
}

void SetupPanel::choose(const QString& name) {
  search_->cancel();
  int index = workloads_->findData(name);
  if (index < 0) {
    workloads_->addItem(views::displayed(QFileInfo(name).fileName()), name);
    index = workloads_->count() - 1;
    workloads_->setItemData(index, views::plain_tip(name), Qt::ToolTipRole);
  }
  const bool again = workloads_->currentIndex() == index && is_network_file(name);
  workloads_->setCurrentIndex(index);
  if (again) build_form();  // the file may have changed
}

/// Run, what stands against it and how far it is: never scrolled away.
QLayout* SetupPanel::foot() {
  copy_->setText(tr("Copy as command"));
  copy_->setObjectName(QStringLiteral("setup.copy_command"));
  copy_->setAutoRaise(true);
  ask_->setText(tr("Ask first"));
  ask_->setToolTip(tr("What would this run need, and how long would it take elsewhere?"));
  ask_->setObjectName(QStringLiteral("setup.ask"));
  ask_->setAutoRaise(true);
  ask_->setPopupMode(QToolButton::InstantPopup);
  auto* column = new QVBoxLayout;
  column->setContentsMargins(views::kGrid, views::kGrid, views::kGrid, views::kGrid);
  column->setSpacing(views::kGrid / 2);
  column->addWidget(search_box_);
  column->addWidget(problem_);
  auto* line = new QHBoxLayout;
  line->addWidget(run_, 1);
  line->addWidget(ask_);
  column->addLayout(line);
  look_->setText(tr("Show the network"));
  look_->setObjectName(QStringLiteral("setup.look"));
  look_->setAutoRaise(true);
  look_->setToolTip(tr("Shows layers, shapes, FLOPs, bytes and memory without running anything"));
  column->addWidget(look_, 0, Qt::AlignLeft);
  column->addWidget(copy_, 0, Qt::AlignLeft);
  column->addWidget(progress_box_);
  return column;
}

void SetupPanel::set_offers(const QList<QAction*>& offers) {
  auto* menu = new QMenu(ask_);
  menu->setToolTipsVisible(true);
  menu->addActions(offers);
  ask_->setMenu(menu);
}

/// Shows and hides a part of the form, which is hidden at first.
QToolButton* SetupPanel::expander(const char* name, const QString& text, QWidget& box) {
  auto* button = new QToolButton(this);
  button->setObjectName(QLatin1String(name));
  button->setText(text);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setArrowType(Qt::RightArrow);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  box.hide();
  connect(button, &QToolButton::toggled, this, [button, &box](bool on) {
    box.setVisible(on);
    button->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
  });
  return button;
}

QString SetupPanel::command() const {
  std::vector<std::string> words{"tensortide", "run"};
  for (const QString& word : run_arguments(values())) words.push_back(views::name_bytes(word));
  return views::name_text(engine::shell_line(words));
}

void SetupPanel::connect_search() {
  auto* row = new QHBoxLayout(search_box_);
  row->setContentsMargins(0, 0, 0, 0);
  auto* cancel = new QToolButton(search_box_);
  cancel->setText(tr("Cancel"));
  cancel->setObjectName(QStringLiteral("setup.cancel_search"));
  cancel->setToolTip(tr("Leaves the form as it is. Open the model file yourself to run it again."));
  search_text_->setObjectName(QStringLiteral("setup.search"));
  search_text_->setTextFormat(Qt::PlainText);  // the name of a file
  row->addWidget(search_text_, 1);
  row->addWidget(cancel);
  search_box_->hide();
  const auto ended = [this] {
    searched_for_.reset();
    search_box_->hide();
  };
  connect(cancel, &QToolButton::clicked, search_, &ModelSearch::cancel);
  connect(search_, &ModelSearch::progressed, this, &SetupPanel::show_search);
  connect(search_, &ModelSearch::cancelled, this, ended);
  connect(search_, &ModelSearch::ended, this, [this, ended](const QString& file) {
    const std::optional<profiler::RunInfo> run = std::exchange(searched_for_, std::nullopt);
    ended();
    if (run && !file.isEmpty() && !running_ && !touched_) fill_from(*run, file);
  });
}

void SetupPanel::show_search(double fraction) {
  if (!searched_for_) return;
  search_text_->setText(tr("Checking %1: %2 %")
                            .arg(views::displayed(QFileInfo(views::text(searched_for_->workload)).fileName()))
                            .arg(static_cast<int>(100 * fraction)));
  search_box_->show();
}

bool SetupPanel::searching() const { return search_->busy(); }

void SetupPanel::follow(const profiler::RunInfo* run, const QString& capture, bool over_touched) {
  const bool foreign = run != nullptr && !run->source.empty();
  search_->cancel();
  if (run == nullptr || foreign || running_ || (touched_ && !over_touched)) return;
  touched_ = false;
  const QString name = views::text(run->workload);
  if (is_model_file(name) || is_network_file(name)) {
    searched_for_ = *run;
    search_->start(run->workload, recorded_content(*run), capture);
  } else if (workloads_->findData(name) >= 0) {
    fill_from(*run, name);
  }
}

/// The form as the run on the table was made.
void SetupPanel::fill_from(const profiler::RunInfo& run, const QString& workload) {
  filling_ = true;
  choose(workload);
  for (const auto& [key, value] : run.arguments)
    if (const auto field = fields_.find(key); field != fields_.end()) set_value_of(field->second, views::text(value));
  const auto command = words_of_command(run.command);
  const std::vector<std::string> words = command ? *command : std::vector<std::string>();
  for (const auto& [name, field] : settings_) {
    const RunSetting& setting = *find_run_setting(name);
    // What the command left open the machine decides again: the number of threads, of steps.
    if (auto* number = qobject_cast<IntegerBox*>(field)) {
      number->set_value_text(views::text(option_in(words, name)));
      continue;
    }
    auto* box = qobject_cast<QComboBox*>(field);
    const std::string said = setting.varies() ? captured_value(run, setting) : option_in(words, name);
    const int at = box->findText(views::text(said.empty() ? setting.usual() : said));
    if (at >= 0 || name != kDevice)
      box->setCurrentIndex(std::max(0, at));  // a device that is not here leaves the one chosen
  }
  collect_->set_value(views::text(option_in(words, kCollect)));
  validate();
  filling_ = false;
}

namespace {

/// The devices of this machine, and greyed those it has not got.
void fill_devices(QComboBox* box) {
  const auto text = [](const std::string& s) { return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size())); };
  for (const auto& d : devices()) {
    box->addItem(text(d.name));
    box->setItemData(box->count() - 1, views::plain_tip(text(d.help)), Qt::ToolTipRole);
  }
  for (const auto& d : absent_devices()) {
    box->addItem(QObject::tr("%1 (not here)").arg(text(d.name)));
    box->setItemData(box->count() - 1, views::plain_tip(text(d.why)), Qt::ToolTipRole);
    if (auto* items = qobject_cast<QStandardItemModel*>(box->model())) items->item(box->count() - 1)->setEnabled(false);
  }
}

/// The usual value, and those that mean something on a device of this machine.
void fill_choices(QComboBox* box, const RunSetting& setting) {
  for (const std::string& choice : setting.parameter.choices) {
    const bool here = std::ranges::any_of(
        devices(), [&](const DeviceEntry& d) { return check_device(setting, choice, d.name).ok(); });
    if (here || choice == setting.usual()) box->addItem(views::text(choice));
  }
}

}  // namespace

/// A row for each setting of a run that the form shows.
void SetupPanel::add_settings() {
  auto* rows = new QFormLayout(more_box_);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setHorizontalSpacing(views::kGrid);
  rows->setVerticalSpacing(views::kGrid / 2);
  for (const RunSetting& setting : run_settings()) {
    if (!setting.in_form) continue;
    const engine::Parameter& p = setting.parameter;
    QWidget* field = nullptr;
    if (p.kind == engine::ParameterKind::integer) {
      auto* box = new IntegerBox(static_cast<qint64>(p.minimum), static_cast<qint64>(p.maximum), this);
      box->set_empty_text(*setting.empty_text == '\0' ? views::text(setting.usual())
                                                      : QString::fromUtf8(setting.empty_text));
      connect(box, &IntegerBox::changed, this, &SetupPanel::validate);
      field = box;
    } else {
      auto* box = new QComboBox(this);
      narrow(box);
      setting.name() == kDevice ? fill_devices(box) : fill_choices(box, setting);
      if (setting.name() == kDevice)
        connect(box, &QComboBox::currentIndexChanged, this, [this, box] { collect_->set_device(box->currentText()); });
      connect(box, &QComboBox::currentIndexChanged, this, &SetupPanel::validate);
      field = box;
    }
    field->setObjectName(QStringLiteral("setup.") + views::text(p.name));
    field->setToolTip(views::translated(*setting.tip == '\0' ? p.help : std::string(setting.tip)));
    settings_[p.name] = field;
    rows->addRow(views::translated(p.label), field);
  }
}

void SetupPanel::add_parameter(const engine::Parameter& p) {
  QWidget* field = nullptr;
  if (p.kind == engine::ParameterKind::choice) {
    auto* box = new ElidedBox(form_box_);
    narrow(box);
    for (const auto& c : p.choices) box->addItem(views::text(c));
    connect(box, &QComboBox::currentTextChanged, this, &SetupPanel::validate);
    field = box;
  } else if (p.kind == engine::ParameterKind::integer) {
    auto* box =
        new IntegerBox(static_cast<qint64>(std::clamp(p.minimum, -kLargestInteger, kLargestInteger)),
                       static_cast<qint64>(std::clamp(p.maximum, -kLargestInteger, kLargestInteger)), form_box_);
    if (p.default_value.empty()) box->set_empty_text(tr("as in the file"));
    connect(box, &IntegerBox::changed, this, &SetupPanel::validate);
    field = box;
  } else {
    auto* line = new QLineEdit(form_box_);
    connect(line, &QLineEdit::textChanged, this, &SetupPanel::validate);
    field = line;
  }
  {
    const QSignalBlocker quiet(field);
    set_value_of(field, views::text(p.default_value));
  }
  const QString unit = p.unit.empty() ? QString() : QStringLiteral(" [%1]").arg(views::text(p.unit));
  field->setObjectName(QStringLiteral("setup.") + views::text(p.name));
  field->setToolTip(views::plain_tip(views::translated(p.help) + unit));
  field->setAccessibleName(views::translated(p.label));
  fields_[p.name] = field;
  form_->addRow(in_two_lines(views::translated(p.label)), field);
  form_->labelForField(field)->setToolTip(views::plain_tip(views::translated(p.help) + unit));
}

void SetupPanel::build_form() {
  fields_.clear();
  while (form_->rowCount() > 0) form_->removeRow(0);
  presets_->clear();
  network_.reset();
  const QString name = workloads_->currentData().toString();
  if (is_network_file(name)) {
    if (auto read = engine::load_network_file(views::name_bytes(name)); read) network_ = *std::move(read);
  }
  const engine::Workload* w = workload();
  if (w != nullptr) {
    description_->setText(views::translated(w->description));
    presets_->addItem(tr("Preset: defaults"));
    for (const auto& p : w->presets)
      presets_->addItem(tr("Preset: %1").arg(views::translated(p.title)), views::text(p.name));
    for (const auto& p : w->parameters) add_parameter(p);
  } else if (is_network_file(name)) {
    description_->setText(
        tr("A network described in JSON, which cannot be read as it is: correct the file and open it again."));
  } else {
    description_->setText(
        tr("A model file, run as it is written (inference). Ops that are not supported are listed, "
           "none is skipped."));
    add_parameter(model_batch());
  }
  if (w == nullptr) presets_->addItem(tr("As in the file"));
  presets_->setEnabled(w != nullptr && !w->presets.empty());
  validate();
}

void SetupPanel::apply_preset(int index) {
  const engine::Workload* w = workload();
  if (w == nullptr || index < 0) return;
  engine::Arguments values;
  for (const auto& p : w->parameters) values[p.name] = p.default_value;
  if (index > 0)
    for (const auto& [key, value] : w->presets[static_cast<size_t>(index) - 1].arguments) values[key] = value;
  for (const auto& [key, value] : values)
    if (const auto field = fields_.find(key); field != fields_.end()) set_value_of(field->second, views::text(value));
}

SetupValues SetupPanel::values() const {
  SetupValues v;
  v.workload = workloads_->currentData().toString();
  for (const auto& [name, field] : fields_)
    if (const QString text = value_of(field); !text.isEmpty() || workload() != nullptr)
      v.arguments[name] = text.toStdString();
  for (const auto& [name, field] : settings_) {
    const std::string text = value_of(field).toStdString();
    if (!text.empty() && text != find_run_setting(name)->usual()) v.settings[name] = text;
  }
  if (const QString list = collect_->value(); !list.isEmpty()) v.settings[kCollect] = list.toStdString();
  return v;
}

void SetupPanel::validate() {
  touched_ = touched_ || !filling_;
  const QString problem = check_values(values());
  ready_ = problem.isEmpty();
  problem_->setText(views::displayed_text(problem));
  problem_->setVisible(!ready_);
  run_->setEnabled(running_ || ready_);
  copy_->setEnabled(ready_);
  look_->setEnabled(ready_);
  copy_->setToolTip(ready_ ? tr("Copies the line that runs this in a terminal: %1").arg(views::displayed(command()))
                           : tr("The form needs a correction first"));
  emit changed();
}

void SetupPanel::set_running(bool running, bool what_is_set_up) {
  running_ = running;
  cancelling_ = false;
  if (running && what_is_set_up) touched_ = false;  // its capture has what the form says
  run_->setText(running ? tr("■ Cancel") : tr("▶ Run"));
  run_->setToolTip(running ? tr("Ends the run after the current step; what was recorded is kept (Ctrl+.)")
                           : tr("Runs this workload and opens its capture (Ctrl+R)"));
  run_->setEnabled(running || ready_);
  if (running) search_->cancel();
  progress_box_->setVisible(running);
  if (!running) return;
  stage_->setText(tr("Starting…"));
  detail_->clear();
  bar_->setValue(0);
}

QString SetupPanel::stage_text(const RunProgress& p) {
  const QString stage = p.stage.left(1).toUpper() + p.stage.mid(1);
  if (p.steps > 0) return stage + tr(": step %1 of %2").arg(p.step).arg(p.steps);
  return p.step > 0 ? stage + tr(": step %1").arg(p.step) : stage;
}

void SetupPanel::show_progress(const RunProgress& p) {
  stage_->setText(stage_text(p));
  bar_->setValue(static_cast<int>(p.fraction * 1000));
  QStringList parts;
  if (!std::isnan(p.last_step_ns))
    parts << tr("last step %1").arg(views::quantity(p.last_step_ns, profiler::Quantity::duration_ns));
  if (const QString left = left_text(p); !left.isEmpty()) parts << left;
  detail_->setText(parts.join(QStringLiteral(" · ")));
}

void SetupPanel::set_theme(const views::Theme& theme) {
  theme_ = &theme;
  QPalette error = palette();
  error.setColor(QPalette::WindowText, theme.error);
  problem_->setPalette(error);
  collect_->set_theme(theme);
  for (QLabel* l : {description_, detail_, search_text_}) {
    QPalette quiet = palette();
    quiet.setColor(QPalette::WindowText, theme.text_secondary);
    l->setPalette(quiet);
  }
}

}  // namespace app::gui
