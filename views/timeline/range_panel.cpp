// SPDX-License-Identifier: GPL-3.0-or-later
// Measures a range and shows it on three pages.
#include "views/timeline/range_panel.h"

#include <QSplitter>
#include <QThread>

#include "views/timeline/duration_chart.h"
#include "views/timeline/flame_view.h"
#include "views/widgets/table_view.h"

namespace views {

namespace {
/// Captures with fewer activities are measured at once.
constexpr size_t kMeasuredAtOnce = 200000;
}  // namespace

struct RangePanel::Measured {
  std::shared_ptr<const RangeDetails> details;
  std::shared_ptr<const profiler::GpuTimes> gpus;
};

RangePanel::RangePanel(Document& document, QWidget* parent)
    : QTabWidget(parent),
      document_(document),
      busy_(new TableView(this)),
      names_(new TableView(this)),
      durations_(new DurationChart(this)),
      flame_(new FlameView(this)) {
  setDocumentMode(true);
  setAccessibleName(tr("Details of the selected range"));
  busy_->setAccessibleName(tr("Busy and idle time in the range"));
  names_->setAccessibleName(tr("Names in the range by time"));
  auto* tables = new QSplitter(Qt::Horizontal, this);
  tables->addWidget(busy_);
  tables->addWidget(names_);
  tables->setChildrenCollapsible(false);
  tables->setSizes({660, 540});
  addTab(tables, tr("Busy and idle"));
  addTab(durations_, tr("Durations"));
  addTab(flame_, tr("Flame graph"));
  setTabToolTip(busy_page,
                tr("Busy time as a union, idle time with its cause, bytes copied, and the names that took most"));
  setTabToolTip(durations_page, tr("Histogram and percentiles of the selected name"));
  setTabToolTip(flame_page, tr("Time by stack: threads nest by time, device work by phase, layers and op"));
  connect(names_, &TableView::chosen, this, [this](uint32_t row) {
    if (details_ == nullptr || row >= names_->table().row_ops.size()) return;
    const auto& n = details_->profile.names[names_->table().row_ops[row]];
    set_subject(DurationSubject{n.kind, n.name});
  });
  connect(names_, &TableView::opened, this, [this](uint32_t row) {
    if (details_ != nullptr && row < names_->table().row_ops.size())
      emit name_opened(details_->profile.names[names_->table().row_ops[row]].name);
  });
  connect(flame_, &FlameView::op_chosen, this, [this](quint32 op) { document_.selection().select_op(op); });
  connect(&document, &Document::replaced, this, &RangePanel::replaced);
  replaced();
}

RangePanel::~RangePanel() {
  for (QThread* worker : workers_) {
    worker->wait();
    delete worker;
  }
}

void RangePanel::set_theme(const Theme& theme) {
  busy_->set_theme(theme);
  names_->set_theme(theme);
  durations_->set_theme(theme);
  flame_->set_theme(theme);
}

void RangePanel::replaced() {
  range_.reset();
  subject_.reset();
  gpus_.reset();
  ++generation_;
  details_.reset();
  stale_ = true;
  if (isVisible()) measure();
}

void RangePanel::set_range(std::optional<TimeRange> range) {
  if (range == range_ && !stale_) return;
  range_ = range;
  stale_ = true;
  if (isVisible()) measure();
}

void RangePanel::set_subject(std::optional<DurationSubject> subject) {
  if (subject == subject_) return;
  subject_ = subject;
  show_subject();
}

void RangePanel::showEvent(QShowEvent* event) {
  QTabWidget::showEvent(event);
  if (stale_) measure();
}

void RangePanel::measure() {
  stale_ = false;
  ++generation_;
  const auto analyzed = document_.shared();
  if (analyzed == nullptr) {
    details_.reset();
    flame_->set_stacks(nullptr, {});
    return;
  }
  const int64_t begin = range_ ? range_->begin_ns : analyzed->capture->begin_ns();
  const int64_t end = range_ ? range_->end_ns : analyzed->capture->end_ns();
  const auto work = [analyzed, known = gpus_, begin, end] {
    auto gpus = known;
    if (gpus == nullptr) gpus = std::make_shared<const profiler::GpuTimes>(analyzed->capture);
    auto details = std::make_shared<const RangeDetails>(range_details(*analyzed, *gpus, begin, end));
    return Measured{std::move(details), std::move(gpus)};
  };
  if (analyzed->capture->activities().size() < kMeasuredAtOnce) return show_measured(work());
  details_.reset();
  flame_->set_stacks(nullptr, {});
  flame_->set_empty_text(tr("Measuring…"), {});
  auto result = std::make_shared<Measured>();
  QThread* worker = QThread::create([work, result] { *result = work(); });
  workers_.push_back(worker);
  connect(worker, &QThread::finished, this, [this, worker, result, generation = generation_] {
    std::erase(workers_, worker);
    worker->deleteLater();
    if (generation == generation_) show_measured(*result);
  });
  worker->start();
}

void RangePanel::show_measured(const Measured& m) {
  details_ = m.details;
  gpus_ = m.gpus;
  busy_->set_table(busy_table(*details_), QStringLiteral("timeline/busy"),
                   {QStringLiteral("where"), QStringLiteral("what"), QStringLiteral("time_ns"),
                    QStringLiteral("share_ratio"), QStringLiteral("count"), QStringLiteral("copied_bytes")});
  names_->set_table(names_table(*details_), QStringLiteral("timeline/names"),
                    {QStringLiteral("name"), QStringLiteral("kind"), QStringLiteral("own_ns"),
                     QStringLiteral("covered_ratio"), QStringLiteral("count")});
  flame_->set_empty_text(tr("Nothing ran in this range"), tr("Select a range that holds bars."));
  flame_->set_stacks(details_->capture, details_->profile.stacks);
  show_subject();
  emit measured();
}

void RangePanel::show_subject() {
  const auto analyzed = document_.shared();
  if (analyzed == nullptr || !subject_ || subject_->name >= analyzed->capture->names().size()) {
    durations_->set_spread({}, {}, tr("Click a bar, or a row of the names, to see how long it takes each time."));
    return;
  }
  const auto& capture = *analyzed->capture;
  const int64_t begin = range_ ? range_->begin_ns : capture.begin_ns(),
                end = range_ ? range_->end_ns : capture.end_ns() + 1;
  const QString what = QString::fromStdString(std::string(capture.name(subject_->name)));
  durations_->set_spread(what, profiler::duration_spread(capture, subject_->kind, subject_->name, begin, end),
                         tr("None of them begins inside the range."));
}

}  // namespace views
