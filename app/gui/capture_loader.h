// SPDX-License-Identifier: GPL-3.0-or-later
// CaptureLoader: opens and analyses captures on a worker thread; a newer request makes an older
// answer stale.
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "app/base/workbench.h"
#include "profiler/analysis/analyze.h"
#include "profiler/sweep/sweep.h"

class QThread;

namespace app::gui {

/// Opens and analyses at once; for headless use and inside the loader.
engine::Result<std::shared_ptr<const profiler::Analyzed>> load_capture(const QString& file);

/// A model before it is run, as a capture without times.
struct LoadedPreview {
  std::shared_ptr<const profiler::Analyzed> analyzed;
  std::string does_not_fit;  ///< why memory does not suffice; empty: it does
};
/// A model file is read by a process of its own, which `stop` ends.
engine::Result<LoadedPreview> load_preview(const RunRequest&, const std::atomic<bool>& stop);

/// Plans the workload of a run with other settings; runs nothing. Refused where its model file is not where the run
/// found it, and where `stop` ended it.
engine::Result<std::shared_ptr<const profiler::Capture>> plan_with(const profiler::RunInfo&,
                                                                   const std::map<std::string, std::string>& settings,
                                                                   const std::atomic<bool>& stop);

/// The capture of the first point that has one; empty: none has.
QString first_capture(const profiler::Sweep&, const QString& sweep_file);
/// The capture of a point; empty: it has none.
QString point_capture(const profiler::Sweep&, const QString& sweep_file, size_t point);

class CaptureLoader : public QObject {
  Q_OBJECT

 public:
  explicit CaptureLoader(QObject* parent = nullptr);
  ~CaptureLoader() override;
  /// A capture (`loaded`) or a sweep (`sweep_loaded`).
  void load(const QString& file);
  /// A model before it is run (`previewed`).
  void preview(const RunRequest& request, const QString& file);
  /// What is being loaded is no longer wanted: nothing comes of it.
  void forget();
  bool busy() const { return pending_; }

 signals:
  void loaded(const QString& file, std::shared_ptr<const profiler::Analyzed>);
  void sweep_loaded(const QString& file, std::shared_ptr<const profiler::Sweep>);
  void previewed(const QString& file, std::shared_ptr<const profiler::Analyzed>, const QString& does_not_fit);
  void failed(const QString& file, const QString& message);

 private:
  /// What a thread has found.
  struct Answer {
    std::shared_ptr<const profiler::Analyzed> capture;
    std::shared_ptr<const profiler::Sweep> sweep;
    QString refusal, does_not_fit;
    bool planned = false;
  };
  void start(const QString& file, std::function<void(Answer&)> work);
  quint64 generation_ = 0;
  std::shared_ptr<std::atomic<bool>> stop_;  ///< of the last preview; null: there was none
  bool pending_ = false;
  std::vector<QThread*> threads_;
};

}  // namespace app::gui
