// SPDX-License-Identifier: GPL-3.0-or-later
// ModelSearch: looks for the model file of a run on a thread of its own, because telling files apart reads them whole.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

class QThread;

namespace app::gui {

class ModelSearch : public QObject {
  Q_OBJECT

 public:
  explicit ModelSearch(QObject* parent = nullptr);
  ~ModelSearch() override;
  /// As app::find_file(): from where `capture` lies. A search that goes on is cancelled.
  void start(const std::string& stored, const std::string& content, const QString& capture);
  /// What is being looked for is no longer wanted: reading ends within a MiB, and nothing comes of it but cancelled().
  void cancel();
  bool busy() const { return state_ != nullptr; }

 signals:
  /// Part of the candidate that is read; from the first third of a second on, ten times a second.
  void progressed(double fraction);
  /// The file with the recorded content, or of a capture that knows none the first of that name; empty: there is none.
  void ended(const QString& file);
  void cancelled();

 private:
  struct State {
    std::atomic<bool> stop{false};
    std::atomic<double> fraction{0};
    QString file;
  };
  std::shared_ptr<State> state_;  ///< of the search that goes on; null: none does
  std::vector<QThread*> threads_;
  QTimer timer_;
};

}  // namespace app::gui
