// SPDX-License-Identifier: GPL-3.0-or-later
// Bookmarks for PDF files that QPdfWriter wrote, which cannot make them.
#pragma once

#include <QByteArray>
#include <QString>
#include <vector>

namespace views {

struct Bookmark {
  QString title;
  int page = 1;        ///< from 1
  double top_pt = 0;   ///< of the page, downwards
  bool child = false;  ///< of the last one that is none
};

/// The same document with an outline, its language, and its title in the title bar: an incremental update
/// (PDF 1.7, 7.5.6, 12.3.3) at its end. Qt 6.4 can neither make outlines nor tag the structure of pages; the latter
/// needs marks inside the pages and is left out. The file as it is where it is not as QPdfWriter writes it.
QByteArray with_outline(const QByteArray& pdf, const std::vector<Bookmark>&, double page_height_pt);

}  // namespace views
