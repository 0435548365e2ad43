// SPDX-License-Identifier: GPL-3.0-or-later
// A newer wish stops the older search.
#include "views/timeline/timeline_finder.h"

#include <QThread>

namespace views {

namespace {

/// Fewer spans are gone through within a frame.
constexpr size_t kFoundAtOnce = 200000;

size_t span_count(const TimelineModel& model) {
  size_t count = 0;
  for (const TimelineLane& lane : model.lanes) count += lane.lane.size();
  return count;
}

constexpr QChar kQuote = u'"';

}  // namespace

std::vector<bool> labels_of_term(const std::vector<std::string>& labels, const QString& term) {
  std::vector<bool> wanted;
  wanted.reserve(labels.size());
  const bool exact = term.size() > 2 && term.startsWith(kQuote) && term.endsWith(kQuote);
  const std::string whole = exact ? term.mid(1, term.size() - 2).toStdString() : std::string();
  for (const std::string& label : labels)
    wanted.push_back(exact ? label == whole : QString::fromStdString(label).contains(term, Qt::CaseInsensitive));
  return wanted;
}

QString term_of_name(const std::string& name) { return kQuote + QString::fromStdString(name) + kQuote; }

TimelineFinder::~TimelineFinder() {
  end_search();
  for (QThread* worker : workers_) {
    worker->wait();
    delete worker;
  }
}

void TimelineFinder::end_search() {
  if (const auto stop = stop_.lock()) *stop = true;
  stop_.reset();
}

void TimelineFinder::set_model(std::shared_ptr<const TimelineModel> model) {
  end_search();
  model_ = std::move(model);
  matches_ = {};
  emit changed();
}

void TimelineFinder::find(const QString& term, const TimelineArrangement& rows) {
  end_search();
  matches_ = {};
  if (model_ == nullptr || term.isEmpty()) {
    emit changed();
    return;
  }
  if (span_count(*model_) < kFoundAtOnce) {
    matches_ = find_matches(*model_, labels_of_term(model_->labels, term), rows);
    emit changed();
    return;
  }
  auto stop = std::make_shared<std::atomic<bool>>(false);
  stop_ = stop;
  auto found = std::make_shared<TimelineMatches>();
  QThread* worker = QThread::create([model = model_, term, rows, stop, found] {
    *found = find_matches(*model, labels_of_term(model->labels, term), rows, stop.get());
  });
  workers_.push_back(worker);
  connect(worker, &QThread::finished, this, [this, worker, stop, found] {
    std::erase(workers_, worker);
    worker->deleteLater();
    if (*stop) return;  // something else is looked for
    stop_.reset();
    matches_ = std::move(*found);
    emit changed();
  });
  worker->start();
  emit changed();
}

}  // namespace views
