// SPDX-License-Identifier: GPL-3.0-or-later
// ToolDialog.
#include "app/gui/tool_dialog.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/gui/data_dialog.h"
#include "app/gui/main_window.h"
#include "views/base/paint.h"
#include "views/base/plain_text.h"
#include "views/widgets/table_view.h"

namespace app::gui {

namespace {

QLabel* words(QWidget* parent, const char* name) {
  auto* label = new QLabel(parent);
  label->setObjectName(QLatin1String(name));
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setWordWrap(true);
  label->hide();
  return label;
}

void set_words(QLabel& label, const QString& text) {
  label.setText(views::displayed_text(text));
  label.setVisible(!text.isEmpty());
}

QString joined(const std::vector<std::string>& sentences) {
  QStringList all;
  for (const std::string& sentence : sentences) all << QString::fromStdString(sentence);
  return all.join(QLatin1Char('\n'));
}

QString plain_title(const Tool& tool) {
  return QString(tool.title).remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

}  // namespace

ToolDialog::ToolDialog(MainWindow& window, const Tool& tool)
    : QDialog(&window),
      window_(window),
      tool_(tool),
      sentence_(words(this, "tool.sentence")),
      notes_(words(this, "tool.notes")),
      problem_(words(this, "tool.problem")),
      stage_(words(this, "tool.stage")),
      count_(new QLabel(this)),
      bar_(new QProgressBar(this)),
      table_(new views::TableView(this)) {
  setObjectName(QStringLiteral("tool.") + QLatin1String(tool.name));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(plain_title(tool));
  resize(std::min(1240, window.width() - 32), std::min(600, window.height() - 32));
  auto* question = new QLabel(tool.question, this);
  question->setObjectName(QStringLiteral("tool.question"));
  question->setTextFormat(Qt::PlainText);
  question->setWordWrap(true);
  sentence_->setFont(views::scaled_font(views::data_font(), 1.15, true));
  bar_->setAccessibleName(tr("Progress"));
  bar_->hide();
  table_->setAccessibleName(tr("Rows of the answer"));
  table_->prose = true;
  table_->hide();
  auto* form = new QFormLayout;
  auto* column = new QVBoxLayout(this);
  column->addWidget(question);
  column->addLayout(form);
  column->addWidget(sentence_);
  column->addWidget(problem_);
  column->addWidget(stage_);
  column->addWidget(bar_);
  column->addWidget(table_, 1);
  column->addWidget(notes_);
  column->addStretch(0);
  auto* foot = new QHBoxLayout;
  add_foot(*foot);
  column->addLayout(foot);
  add_fields(*form);
  set_theme(window.theme());
  connect(&window.document(), &views::Document::replaced, this, [this] {
    if (!tool_.runs) start();
  });
  if (!tool_.runs) start();
}

ToolDialog::~ToolDialog() {
  for (const auto& [key, field] : fields_) field->disconnect(this);  // losing the focus asks nothing any more
  if (thread_ == nullptr) return;
  *stop_ = true;
  thread_->disconnect(this);
  thread_->wait();
  delete thread_;
  if (tool_.runs) window_.run_control().end_tool();
}

void ToolDialog::add_fields(QFormLayout& form) {
  for (const ToolField& field : tool_.fields(window_)) {
    QWidget* made = nullptr;
    if (field.choices.empty()) {
      auto* line = new QLineEdit(field.value, this);
      line->setPlaceholderText(field.help);
      if (!tool_.runs) connect(line, &QLineEdit::editingFinished, this, &ToolDialog::start);
      made = line;
    } else {
      auto* box = new QComboBox(this);
      for (const auto& [value, title] : field.choices) box->addItem(title, value);
      box->setCurrentIndex(std::max(0, box->findData(field.value)));
      box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
      box->setMinimumContentsLength(30);
      if (!tool_.runs) connect(box, &QComboBox::currentIndexChanged, this, &ToolDialog::start);
      made = box;
    }
    made->setObjectName(QStringLiteral("tool.field.") + field.key);
    made->setAccessibleName(field.label);
    made->setAccessibleDescription(field.help);
    made->setToolTip(views::plain_tip(field.help));
    form.addRow(field.label, made);
    fields_[field.key] = made;
  }
}

void ToolDialog::add_foot(QLayout& foot) {
  const auto button = [&](const QString& text, const char* name, auto run) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QLatin1String(name));
    made->setAutoDefault(false);
    connect(made, &QPushButton::clicked, this, run);
    foot.addWidget(made);
    return made;
  };
  foot.addWidget(count_);
  count_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  run_ = button(tool_.run, "tool.run", [this] { start(); });
  run_->setVisible(tool_.runs);
  cancel_ = button(tr("Cancel"), "tool.cancel", [this] { cancel(); });
  cancel_->hide();
  copy_ = button(tr("Copy as CSV"), "tool.copy", [this] {
    QGuiApplication::clipboard()->setText(QString::fromStdString(profiler::to_csv(answer_.table)));
  });
  save_ = button(tr("Save as CSV…"), "tool.save", [this] {
    const QString name = QString::fromStdString(answer_.table.name) + QStringLiteral(".csv");
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save as CSV"), window_.settings().export_path(name), tr("CSV (*.csv)"));
    if (!file.isEmpty()) set_words(*stage_, save_csv(answer_.table, file));
  });
  for (QPushButton* of_rows : {copy_, save_}) of_rows->setEnabled(false);
  button(tr("Close"), "tool.close", [this] { reject(); });
}

ToolValues ToolDialog::values() const {
  ToolValues all;
  for (const auto& [key, field] : fields_) {
    const auto* box = qobject_cast<const QComboBox*>(field);
    all[key] = box != nullptr ? box->currentData().toString() : static_cast<const QLineEdit*>(field)->text();
  }
  return all;
}

void ToolDialog::say(const QString& problem) {
  set_words(*problem_, problem);
  for (QWidget* of_answer :
       {static_cast<QWidget*>(sentence_), static_cast<QWidget*>(table_), static_cast<QWidget*>(notes_)})
    of_answer->hide();
  count_->clear();
  for (QPushButton* of_rows : {copy_, save_}) of_rows->setEnabled(false);
}

QString ToolDialog::problem() const { return problem_->isHidden() ? QString() : problem_->text(); }

void ToolDialog::start() {
  if (busy()) {
    again_ = true;
    *stop_ = true;
    return;
  }
  if (const QString why = tool_.refusal(window_); !why.isEmpty()) return say(why);
  const engine::Result<ToolJob> job = tool_.job(window_, values());
  if (!job) return say(QString::fromStdString(job.error().message));
  set_words(*problem_, {});
  set_words(*stage_, {});
  stop_ = std::make_shared<std::atomic<bool>>(false);
  auto answer = std::make_shared<std::optional<engine::Result<Answer>>>();
  const ToolProgress progress = [this](const QString& stage, double fraction) {
    QMetaObject::invokeMethod(
        this, [this, stage, fraction] { show_progress(stage, fraction); }, Qt::QueuedConnection);
  };
  thread_ = QThread::create([job = *job, progress, stop = stop_, answer] { answer->emplace(job(progress, *stop)); });
  connect(thread_, &QThread::finished, this, [this, answer] {
    thread_->deleteLater();
    thread_ = nullptr;
    finish(**answer);
  });
  if (tool_.runs) window_.run_control().begin_tool([this] { cancel(); });
  run_->setEnabled(false);
  cancel_->setVisible(tool_.runs);
  cancel_->setEnabled(true);
  thread_->start();
}

void ToolDialog::cancel() {
  if (!busy()) return;
  *stop_ = true;
  cancel_->setEnabled(false);
}

void ToolDialog::reject() {
  cancel();
  QDialog::reject();
}

void ToolDialog::show_progress(const QString& stage, double fraction) {
  if (!busy()) return;
  set_words(*stage_, stage);
  bar_->setRange(0, std::isnan(fraction) ? 0 : 1000);
  if (!std::isnan(fraction)) bar_->setValue(static_cast<int>(1000 * fraction));
  bar_->show();
}

void ToolDialog::finish(const engine::Result<Answer>& answer) {
  if (tool_.runs) window_.run_control().end_tool();
  run_->setEnabled(true);
  cancel_->hide();
  bar_->hide();
  set_words(*stage_, {});
  if (std::exchange(again_, false)) return start();
  if (!answer) return say(QString::fromStdString(answer.error().message));
  answer_ = *answer;
  show_answer();
  if (tool_.done != nullptr) tool_.done(window_);
}

void ToolDialog::show_answer() {
  set_words(*sentence_, QString::fromStdString(answer_.sentence));
  set_words(*notes_, joined(answer_.notes));
  const size_t rows = answer_.table.rows.size();
  QStringList all;
  for (size_t c = 0; c < answer_.table.columns.size(); ++c) {
    // a column of dashes says nothing; its heading's menu still offers it
    const bool known = std::ranges::any_of(
        answer_.table.rows, [&](const auto& row) { return !std::holds_alternative<std::monostate>(row[c]); });
    if (known || c == 0) all << QString::fromStdString(answer_.table.columns[c].key);
  }
  table_->set_table(
      answer_.table,
      QStringLiteral("tool/%1/%2").arg(QLatin1String(tool_.name), QString::fromStdString(answer_.table.name)), all);
  table_->setVisible(rows > 0);
  count_->setText(rows == 1 ? tr("1 row") : tr("%1 rows").arg(rows));
  for (QPushButton* of_rows : {copy_, save_}) of_rows->setEnabled(rows > 0);
}

void ToolDialog::set_theme(const views::Theme& theme) {
  table_->set_theme(theme);
  QPalette warning = palette();
  warning.setColor(QPalette::WindowText, theme.error);
  problem_->setPalette(warning);
}

void show_tool(MainWindow& window, const Tool& tool) {
  for (auto* open : window.findChildren<ToolDialog*>())
    if (&open->tool() == &tool) {
      open->raise();
      return open->activateWindow();
    }
  auto* dialog = new ToolDialog(window, tool);
  dialog->show();
}

}  // namespace app::gui
