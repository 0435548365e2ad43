// SPDX-License-Identifier: GPL-3.0-or-later
// Document: the capture on the table with its analyses, and the selection all views share.
#pragma once

#include <QObject>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "profiler/analysis/analyze.h"
#include "profiler/capture/capture.h"
#include "profiler/sweep/sweep.h"
#include "views/base/selection.h"

namespace views {

class Document : public QObject {
  Q_OBJECT

 public:
  explicit Document(QObject* parent = nullptr) : QObject(parent), selection_(this) {}
  /// Replaces what is on the table (null: nothing), resets the selection and ends a comparison of what was there.
  void set(std::shared_ptr<const profiler::Analyzed> analyzed, const QString& path);
  bool loaded() const { return analyzed_ != nullptr; }
  const profiler::Analyzed& analyzed() const { return *analyzed_; }
  /// The same for workers that may outlive it here; null: nothing is loaded.
  std::shared_ptr<const profiler::Analyzed> shared() const { return analyzed_; }
  const profiler::Capture& capture() const { return *analyzed_->capture; }
  const QString& path() const { return path_; }
  Selection& selection() { return selection_; }
  /// The sweep on the table beside the capture; null: none.
  void set_sweep(std::shared_ptr<const profiler::Sweep> sweep, const QString& path);
  const profiler::Sweep* sweep() const { return sweep_.get(); }
  std::shared_ptr<const profiler::Sweep> shared_sweep() const { return sweep_; }
  const QString& sweep_path() const { return sweep_path_; }
  /// The capture that the one on the table is compared with; null: none. A comparison is of two captures: it ends when
  /// another one (not the same file read anew) is put on the table.
  void set_reference(std::shared_ptr<const profiler::Analyzed> reference, const QString& path);
  const profiler::Analyzed* reference() const { return reference_.get(); }
  std::shared_ptr<const profiler::Analyzed> shared_reference() const { return reference_; }
  const QString& reference_path() const { return reference_path_; }
  /// What runs were set to whose captures do not say it, for comparisons: see profiler::UnsaidSettings.
  void set_unsaid_settings(std::map<std::string, std::optional<std::string>> unsaid) {
    unsaid_settings_ = std::move(unsaid);
  }
  const std::map<std::string, std::optional<std::string>>& unsaid_settings() const { return unsaid_settings_; }
  /// Says anew what is on the table: the same values are written otherwise from now on.
  void show_again() {
    emit replaced();
    emit sweep_changed();
    emit reference_changed();
  }
  /// Puts on the table what lies on that of another one, which may change after: a report is of one moment.
  void take(const Document& other);
  /// Why no run can be started now, for buttons that start one: one sentence; empty: it can.
  const QString& run_refusal() const { return run_refusal_; }
  void set_run_refusal(const QString& why) {
    if (why == run_refusal_) return;
    run_refusal_ = why;
    emit run_refusal_changed();
  }
  /// Asks whoever loads captures to let the user choose one to compare with.
  void request_reference() { emit reference_requested(); }
  /// Why the capture's workload cannot be run again with a collector ("simulate", "perf", "counters"): a sentence;
  /// empty: it can. Not set: nobody here runs workloads.
  using CollectRefusal = std::function<QString(const QString& collector)>;
  void set_collect_refusal(CollectRefusal refusal) {
    collect_refusal_ = std::move(refusal);
    emit collect_refusal_changed();
  }
  const CollectRefusal& collect_refusal() const { return collect_refusal_; }
  /// Asks whoever runs workloads to run the capture's again with a collector, and to show what comes of it.
  void request_collect(const QString& collector) { emit collect_requested(collector); }
  /// Plans the workload of a run with other settings and runs nothing: ops, tensors and memory without times. Called on
  /// threads of their own; `stop` ends it with a refusal. Not set: nobody here plans workloads.
  using Planner = std::function<engine::Result<std::shared_ptr<const profiler::Capture>>(
      const profiler::RunInfo&, const std::map<std::string, std::string>& settings, const std::atomic<bool>& stop)>;
  void set_planner(Planner planner) { planner_ = std::move(planner); }
  const Planner& planner() const { return planner_; }
  /// Asks whoever loads captures for that of a point.
  void request_point(size_t point) { emit point_requested(point); }

 signals:
  void replaced();
  void sweep_changed();
  void reference_changed();
  void reference_requested();
  void point_requested(size_t point);
  void run_refusal_changed();
  void collect_refusal_changed();
  void collect_requested(const QString& collector);

 private:
  std::shared_ptr<const profiler::Analyzed> analyzed_;
  QString path_;
  std::shared_ptr<const profiler::Sweep> sweep_;
  QString sweep_path_;
  std::shared_ptr<const profiler::Analyzed> reference_;
  QString reference_path_;
  std::map<std::string, std::optional<std::string>> unsaid_settings_;
  QString run_refusal_;
  CollectRefusal collect_refusal_;
  Planner planner_;
  Selection selection_;
};

}  // namespace views
