// SPDX-License-Identifier: GPL-3.0-or-later
// CacheWorker: simulates on a thread of its own, first roughly, then exactly; a newer wish stops the older one.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <vector>

#include "profiler/memory/op_simulation.h"

class QThread;

namespace views {

/// What is to be simulated.
struct CacheWish {
  std::shared_ptr<const profiler::Capture> capture;
  std::vector<profiler::OpId> ops;  ///< one: as that op; several: one after the other
  QString title;
  profiler::CacheConfig config;
};

/// Above this many accesses causes are left out and the curve is sampled (else they need every line, one by one); our
/// threshold. `tensortide cache resnet50
/// --batch 1 --mode inference --threads 1 --causes --curve` takes 4.2 s of processor time per 100 M accesses (18.5 s
/// for 2 x 218 M; 2026-11-22, a virtual machine), so that cold and warm passes of this many take about 42 s.
inline constexpr uint64_t kMostExactAccesses = 500'000'000;
inline constexpr size_t kFirstAccesses = 4096;

class CacheWorker : public QObject {
  Q_OBJECT

 public:
  explicit CacheWorker(QObject* parent = nullptr);
  ~CacheWorker() override;
  /// Forgets what is under way and starts on this.
  void start(CacheWish);
  void cancel();
  bool busy() const { return job_ != nullptr; }
  /// What is done now: "exact: causes and curve of 12.3 M accesses".
  QString stage() const;
  /// Of the stage; below 0: unknown.
  double fraction() const;
  /// Estimated; below 0: unknown.
  double seconds_left() const;

 signals:
  /// A result: `final_` is false while a better one of the same wish follows.
  void simulated(std::shared_ptr<const profiler::OpSimulation>, bool final_);
  void failed(const QString& message);
  void progressed();

 private:
  struct Job;
  static void run(const std::shared_ptr<Job>&);
  void collect();

  std::shared_ptr<Job> job_;  // null: nothing is under way
  std::vector<QThread*> threads_;
  QTimer ticker_;
};

}  // namespace views
