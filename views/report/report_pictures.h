// SPDX-License-Identifier: GPL-3.0-or-later
// ReportPictures: the charts of a report: views made off the screen, which draw what the screen shows.
#pragma once

#include <memory>
#include <vector>

#include "profiler/report/report.h"
#include "views/base/view.h"

namespace views {

class ReportPictures {
 public:
  /// Views of the charts (keys without a view are left out) on a document that outlives this. Waits for what they
  /// compute; null document parts give the views' own words for "nothing here".
  ReportPictures(Document&, const std::vector<profiler::Report::Chart>& charts);

  struct Picture {
    QString key, title, help;
    QString why;  ///< the finding that chose it; empty: somebody did
    std::unique_ptr<View> view;
    QSize size;  ///< px: wide enough for its texts at their size on screen, as high as it needs
  };
  const std::vector<Picture>& pictures() const { return pictures_; }
  /// Titles of views that were still computing when patience ended: they are not among the pictures.
  const QStringList& unfinished() const { return unfinished_; }
  /// All as SVG; always light, as paper is.
  std::vector<profiler::ReportPicture> as_svg() const;

 private:
  std::vector<Picture> pictures_;
  QStringList unfinished_;
};

}  // namespace views
