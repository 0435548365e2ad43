// SPDX-License-Identifier: GPL-3.0-or-later
// HonestyStrip: how far the numbers of a capture can be trusted, in one line; a click explains each
// part and what helps.
#pragma once

#include <QPushButton>
#include <vector>

#include "views/base/document.h"
#include "views/base/theme.h"

namespace app::gui {

struct HonestyItem {
  QString text;  ///< "profiling cost 0.4 % ± 0.1 %"
  QString explanation;
  QString remedy;  ///< empty: nothing to do
  bool warn = false;
  bool message = false;  ///< a note of the recording: the line only counts them
};
/// `bytes`: how the bytes of a step are known (profiler::best_origin_of_step()).
std::vector<HonestyItem> honesty_items(const profiler::Capture&, profiler::Origin bytes = profiler::Origin::modelled);

class HonestyStrip : public QPushButton {
  Q_OBJECT

 public:
  HonestyStrip(views::Document&, QWidget* parent);
  void set_theme(const views::Theme&);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  /// What the line says.
  QString line() const;

 public slots:
  void explain();

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  void rebuild();
  views::Document& document_;
  std::vector<HonestyItem> items_;
  const views::Theme* theme_;
};

}  // namespace app::gui
