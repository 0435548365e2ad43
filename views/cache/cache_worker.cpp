// SPDX-License-Identifier: GPL-3.0-or-later
// One thread per wish; results are handed over under a lock and collected by a timer of the window's thread.
#include "views/cache/cache_worker.h"

#include <QElapsedTimer>
#include <QMutex>
#include <QThread>
#include <algorithm>

#include "views/base/paint.h"
#include "views/cache/cache_figure.h"

namespace views {
namespace {

constexpr int kTickMs = 40;
constexpr double kRoughSeconds = 0.15, kPatientSeconds = 2, kAnyTime = 1e9;

/// Lets descriptions through, counts what passes, and after a stop lets nothing through.
class CountedSink : public engine::AccessSink {
 public:
  CountedSink(engine::AccessSink& inner, std::atomic<uint64_t>& passed, const std::atomic<bool>& stop)
      : inner_(inner), passed_(passed), stop_(stop) {}
  using engine::AccessSink::group;
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (stop_.load(std::memory_order_relaxed)) return;
    inner_.group(iterations, streams);
    passed_.fetch_add(static_cast<uint64_t>(iterations) * streams.size(), std::memory_order_relaxed);
  }
  void nest(int64_t outer, int64_t inner, std::span<const engine::NestedGroup> groups) override {
    if (stop_.load(std::memory_order_relaxed)) return;
    inner_.nest(outer, inner, groups);
    passed_.fetch_add(
        static_cast<uint64_t>(std::max<int64_t>(0, outer) * std::max<int64_t>(0, inner)) * engine::accesses_of(groups),
        std::memory_order_relaxed);
  }
  bool stopped() const override { return stop_.load(std::memory_order_relaxed) || inner_.stopped(); }

 private:
  engine::AccessSink& inner_;
  std::atomic<uint64_t>& passed_;
  const std::atomic<bool>& stop_;
};

}  // namespace

struct CacheWorker::Job {
  CacheWish wish;
  std::atomic<bool> stop = false;
  std::atomic<uint64_t> passed = 0, expected = 0;  // accesses of this stage; expected 0: unknown
  std::atomic<int> stage = 0;
  std::atomic<uint64_t> accesses = 0;  // of one run; 0: not counted yet
  QMutex lock;                         // of what follows
  std::vector<std::pair<std::shared_ptr<const profiler::OpSimulation>, bool>> results;
  QString failure;
  bool finished = false;
  QElapsedTimer since;  // of this stage
};

CacheWorker::CacheWorker(QObject* parent) : QObject(parent) {
  ticker_.setInterval(kTickMs);
  connect(&ticker_, &QTimer::timeout, this, &CacheWorker::collect);
}

CacheWorker::~CacheWorker() {
  if (job_) job_->stop = true;
  for (QThread* thread : threads_) {
    thread->wait();
    delete thread;
  }
}

void CacheWorker::cancel() {
  if (!job_) return;
  job_->stop = true;  // its thread keeps it alive until it has noticed
  job_.reset();
  ticker_.stop();
}

void CacheWorker::start(CacheWish wish) {
  cancel();
  job_ = std::make_shared<Job>();
  job_->wish = std::move(wish);
  job_->since.start();
  QThread* thread = QThread::create([job = job_] { run(job); });
  threads_.push_back(thread);
  connect(thread, &QThread::finished, this, [this, thread] {
    std::erase(threads_, thread);
    thread->deleteLater();
  });
  thread->start(QThread::LowPriority);
  ticker_.start();
}

void CacheWorker::run(const std::shared_ptr<Job>& job) {
  const auto end_with = [&](const QString& failure) {
    const QMutexLocker locked(&job->lock);
    job->failure = failure;
    job->finished = true;
  };
  const uint64_t limit = profiler::CacheSimulator::address_limit(job->wish.config);
  int left_out = 0;
  auto described = job->wish.ops.size() == 1
                       ? profiler::describe_op(job->wish.capture, job->wish.ops.front(), limit)
                       : describe_ops(job->wish.capture, job->wish.ops, job->wish.title, limit, &left_out);
  if (!described) return end_with(QString::fromStdString(described.error().message));
  if (job->wish.ops.size() == 1) described->title = job->wish.title.toStdString();
  const auto inner = described->describe;
  described->describe = [inner, job](engine::AccessSink& sink) {
    CountedSink counted(sink, job->passed, job->stop);
    return inner(counted);
  };
  const uint64_t accesses = profiler::count_accesses(*described, &job->stop);
  job->accesses = accesses;
  for (int stage = 1; stage <= 2 && !job->stop; ++stage) {
    const bool last = stage == 2, exact = last && accesses <= kMostExactAccesses;
    {
      const QMutexLocker locked(&job->lock);
      job->since.restart();
    }
    job->passed = 0;
    job->expected = 2 * accesses;  // cold and warm, after they were counted
    job->stage = stage;
    profiler::OpSimulationRequest request{.config = job->wish.config};
    request.causes = exact;
    request.curve = last;
    request.sample = exact ? 1 : 0;
    request.seconds = exact ? kAnyTime : last ? kPatientSeconds : kRoughSeconds;
    request.first_accesses = kFirstAccesses;
    request.stop = &job->stop;
    auto simulation = profiler::simulate_accesses(*described, request);
    if (job->stop) break;
    if (!simulation) return end_with(QString::fromStdString(simulation.error().message));
    if (left_out > 0)
      simulation->how += " " + std::to_string(left_out) + " ops whose accesses are unknown are left out.";
    if (last && !exact)
      simulation->how += " Causes are left out: they need every access one by one, and there are too many.";
    const QMutexLocker locked(&job->lock);
    job->results.emplace_back(std::make_shared<const profiler::OpSimulation>(*std::move(simulation)), last);
  }
  const QMutexLocker locked(&job->lock);
  job->finished = true;
}

void CacheWorker::collect() {
  if (!job_) return;
  const std::shared_ptr<Job> job = job_;
  decltype(job->results) results;
  QString failure;
  bool finished = false;
  {
    const QMutexLocker locked(&job->lock);
    results.swap(job->results);
    failure = job->failure;
    finished = job->finished;
  }
  if (finished) {
    job_.reset();
    ticker_.stop();
  }
  for (const auto& [simulation, last] : results) emit simulated(simulation, last);
  if (!failure.isEmpty()) emit failed(failure);
  emit progressed();
}

QString CacheWorker::stage() const {
  if (!job_) return {};
  const double n = static_cast<double>(job_->accesses.load());
  const QString count = quantity(n, profiler::Quantity::count);
  switch (job_->stage) {
    case 1: return tr("simulating %1 accesses, some of the sets").arg(count);
    case 2:
      return job_->accesses > kMostExactAccesses
                 ? tr("simulating %1 accesses, more of the sets, with a sampled curve").arg(count)
                 : tr("simulating %1 accesses exactly, with causes and curve").arg(count);
    default: return tr("reading what it accesses");
  }
}

double CacheWorker::fraction() const {
  if (!job_ || job_->expected == 0) return -1;
  const double counted = static_cast<double>(job_->expected) / 2;
  return std::clamp((static_cast<double>(job_->passed) - counted) / static_cast<double>(job_->expected), 0.0, 1.0);
}

double CacheWorker::seconds_left() const {
  const double done = fraction();
  if (!(done > 0.02)) return -1;
  const QMutexLocker locked(&job_->lock);
  return static_cast<double>(job_->since.elapsed()) / 1000.0 * (1 - done) / done;
}

}  // namespace views
