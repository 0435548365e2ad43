// SPDX-License-Identifier: GPL-3.0-or-later
// RangePanel: below the timeline: what the selected range was spent on, how one name's durations spread, and its flame
// graph.
#pragma once

#include <QTabWidget>
#include <functional>
#include <optional>

#include "views/base/document.h"
#include "views/base/theme.h"
#include "views/timeline/range_tables.h"

class QThread;

namespace views {

class DurationChart;
class FlameView;
class TableView;

/// Whose durations are shown.
struct DurationSubject {
  profiler::ActivityKind kind = profiler::ActivityKind::op;
  profiler::NameId name = 0;
  friend bool operator==(const DurationSubject&, const DurationSubject&) = default;
};

class RangePanel : public QTabWidget {
  Q_OBJECT

 public:
  enum Page { busy_page, durations_page, flame_page };

  RangePanel(Document&, QWidget* parent);
  ~RangePanel() override;
  void set_theme(const Theme&);
  /// Nothing: the whole capture. Measured when the panel is seen; of big captures on a worker thread.
  void set_range(std::optional<TimeRange>);
  void set_subject(std::optional<DurationSubject>);
  /// Null until measured.
  const RangeDetails* details() const { return details_.get(); }
  TableView* busy() const { return busy_; }
  TableView* names() const { return names_; }
  DurationChart* durations() const { return durations_; }
  FlameView* flame() const { return flame_; }

 signals:
  void measured();                 ///< details() are those of the range
  void name_opened(quint32 name);  ///< double click in the list of names: go to the next one

 protected:
  void showEvent(QShowEvent*) override;

 private:
  struct Measured;
  void replaced();
  void measure();
  void show_measured(const Measured&);
  void show_subject();

  Document& document_;
  TableView* busy_;
  TableView* names_;
  DurationChart* durations_;
  FlameView* flame_;
  std::optional<TimeRange> range_;
  std::optional<DurationSubject> subject_;
  std::shared_ptr<const RangeDetails> details_;
  std::shared_ptr<const profiler::GpuTimes> gpus_;  // of the capture shown
  std::vector<QThread*> workers_;
  quint64 generation_ = 0;
  bool stale_ = true;
};

}  // namespace views
