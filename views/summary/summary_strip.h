// SPDX-License-Identifier: GPL-3.0-or-later
// SummaryStrip: the four answers above the views: how long, how fast, how many bytes, and what
// limits it.
#pragma once

#include <QWidget>
#include <optional>

#include "profiler/analysis/tables/summary.h"
#include "views/base/document.h"
#include "views/base/theme.h"

class QLabel;
class QPushButton;

namespace views {

/// One answer in words; pure, so that tests and other front ends share it.
struct SummaryTile {
  QString key;      ///< "time" "rate" "bytes" "throughput"
  QString value;    ///< "1.84 s"
  QString caption;  ///< "per step, ±0.4 %"
  QString tip;      ///< definition, formula, origin (rich text)
};
std::vector<SummaryTile> summary_tiles(const profiler::Summary&, const profiler::Capture&);

/// What a sweep is: "Sweep of Multi-layer perceptron over batch (1 to 64): 3 points"; points that are not measured are
/// counted apart.
QString sweep_words(const profiler::Sweep&);
/// Which of its points a capture's file is: "batch=8"; empty: none.
QString point_words(const profiler::Sweep&, const QString& capture_file);

class SummaryStrip : public QWidget {
  Q_OBJECT

 public:
  SummaryStrip(Document&, QWidget* parent);
  void set_theme(const Theme&);
  /// In a low window figures and sentence take less room: the advice is in the tool tip alone.
  void set_low(bool low);
  /// The sentence shown, without markup, with the advice; empty without a capture. Where a button tries a change, the
  /// advice is that change: both come from one finding.
  QString sentence() const { return sentence_; }
  /// What stands above the figures where a sweep is open; empty: none is.
  QString sweep_line() const;
  /// Hidden where no finding can be tried.
  QPushButton* try_button() const { return try_; }

 signals:
  /// The first finding that a run can try (1-based) is to be tried.
  void try_requested(int finding);

 private:
  void rebuild();
  void paint_texts();
  void enable_try();
  void paint_sweep();
  QString shown_point() const;  ///< of the sweep; a sentence, empty where the capture is none of its points

  Document& document_;
  const Theme* theme_;
  std::optional<profiler::Summary> summary_;
  struct Tile {
    QWidget* frame;
    QLabel *value, *caption;
  };
  std::vector<Tile> tiles_;
  QLabel* sweep_;
  QWidget* mark_;
  QLabel* verdict_;
  QPushButton* try_;
  int finding_ = 0;  // what the button tries
  QString sentence_, advice_, try_tip_;
  bool low_ = false;
};

}  // namespace views
