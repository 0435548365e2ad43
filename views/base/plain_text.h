// SPDX-License-Identifier: GPL-3.0-or-later
// Words of files in widgets: shown as they are written, never obeyed as rich text or as writing directions.
#pragma once

#include <QString>
#include <string_view>

#include "profiler/base/origin.h"

class QApplication;

namespace views {

/// UTF-8, as all text of the engine and the profiler is.
inline QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// "measured", "modelled" in the language of the window.
QString origin_text(profiler::Origin);

/// engine::display_line() for the window: names of files, titles and other single lines that no reader of a file made
/// safe.
QString displayed(const QString&);
/// engine::display_text(): messages of several lines.
QString displayed_text(const QString&);

/// A sentence that names commands in backticks, for the window: "run `tensortide probe`" becomes "choose “Tools >
/// Measure the roofs”". Commands that no menu has stand in quotation marks.
QString quoted_commands(QString sentence);
/// The same of UTF-8.
inline QString quoted_commands(std::string_view sentence) { return quoted_commands(text(sentence)); }

/// A tooltip of plain words. Qt takes a text that begins with a tag for rich text, which may load files; such a text is
/// escaped. Every tooltip that holds words of a file is made by this or by Tip::html().
QString plain_tip(const QString&);

/// From now on labels of all windows, Qt's own message boxes too, show plain text unless Qt::RichText was set on
/// purpose. (Qt's default guesses from the text. Tooltips are labels of Qt's own and keep it: see plain_tip().)
void keep_labels_plain(QApplication&);

}  // namespace views
