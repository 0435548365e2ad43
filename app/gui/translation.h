// SPDX-License-Identifier: GPL-3.0-or-later
// The languages of the window, and the one in use.
#pragma once

#include <QString>
#include <span>

class QCoreApplication;

namespace app::gui {

struct Language {
  const char* code;  ///< "de"
  const char* name;  ///< in itself: "Deutsch"
};
/// English first: it is what the sources say. The others are files of resources/translations.
std::span<const Language> languages();

/// The code of a language of ours. `chosen` empty: that of the system, where there is one; else English.
QString language_of(const QString& chosen);
/// Shows words in that language from now on; those that are on screen already stay.
void install_language(QCoreApplication&, const QString& code);
/// "en" where none was installed.
QString language_in_use();

}  // namespace app::gui
