// SPDX-License-Identifier: GPL-3.0-or-later
// HonestyStrip: how far the numbers of a capture can be trusted, in one line; a click explains each
// part and what helps. It has the window's only badge of low confidence.
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
  QString doubt{};       ///< what has low confidence, "roofs": the line shows all of them as one badge;
                         ///< empty: nothing
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
  struct Part {
    QString text;
    bool warn = false;
  };
  /// Parts of the line: first the badge of low confidence, if there is one. Messages are not among
  /// them.
  std::vector<Part> parts() const;
  void rebuild();
  views::Document& document_;
  std::vector<HonestyItem> items_;
  const views::Theme* theme_;
};

}  // namespace app::gui
