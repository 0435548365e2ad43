// SPDX-License-Identifier: GPL-3.0-or-later
// Findings: what should be changed, a card each: evidence, gain to expect, and a button that tries it.
#pragma once

#include <QPushButton>
#include <QScrollArea>
#include <vector>

#include "views/base/view.h"
#include "views/findings/findings_layout.h"
#include "views/widgets/canvas.h"

namespace views {

class FindingsView : public View {
  Q_OBJECT

 public:
  FindingsView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  QString nothing() const override;
  /// How often each rule was right, and what came of the changes tried on this capture.
  void refresh_records() override;
  const FindingsLayout& cards() const { return layout_; }
  /// The buttons that stand now, by finding (1-based); null: it cannot be tried.
  QPushButton* button(int finding) const;

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  void fill();
  void match_trials();
  void place();
  void enable_buttons();
  void paint_cards(QPainter&, const FindingsLayout&, const QRectF& visible, const Theme&, bool with_buttons) const;
  QString hint() const;
  QString caveat() const;

  const Theme* theme_ = &Theme::light();
  QScrollArea* scroll_;
  Canvas* cards_;
  std::vector<profiler::RunFinding> findings_;
  std::vector<profiler::AdviceRecord> records_;
  std::vector<profiler::AdviceTrial> ledger_;
  std::vector<std::optional<profiler::AdviceTrial>> trials_;  // by finding: the newest on this capture
  double step_ns_ = 0;
  FindingsLayout layout_;
  std::vector<QPushButton*> buttons_;
};

}  // namespace views
