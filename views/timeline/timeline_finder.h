// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineFinder: looks for names while the user types; the events of a big capture are gone through on a thread of its
// own, so that no key waits for them.
#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <vector>

#include "views/timeline/timeline_search.h"

class QThread;

namespace views {

/// Which labels a term means: those it is in, whatever the case; in quotation marks: those that are it, exactly.
std::vector<bool> labels_of_term(const std::vector<std::string>& labels, const QString& term);
/// The term that means that name alone.
QString term_of_name(const std::string& name);

class TimelineFinder : public QObject {
  Q_OBJECT

 public:
  explicit TimelineFinder(QObject* parent) : QObject(parent) {}
  ~TimelineFinder() override;
  void set_model(std::shared_ptr<const TimelineModel>);  ///< null: nothing to look in; forgets what was looked for
  /// Empty: nothing is looked for.
  void find(const QString& term, const TimelineArrangement& rows);
  const TimelineMatches& matches() const { return matches_; }
  bool searching() const { return !stop_.expired(); }

 signals:
  void changed();  ///< matches() are others, or a search began

 private:
  void end_search();

  std::shared_ptr<const TimelineModel> model_;
  TimelineMatches matches_;
  std::weak_ptr<std::atomic<bool>> stop_;  // of the search that goes on; the worker holds it
  std::vector<QThread*> workers_;
};

}  // namespace views
