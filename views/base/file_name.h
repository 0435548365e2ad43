// SPDX-License-Identifier: GPL-3.0-or-later
// Names of files in QStrings without loss: any bytes, also those that are no UTF-8.
#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace views {

/// A file's name is bytes; Qt takes them for UTF-8 and forgets those that are none, so that such a file is never found
/// again. Here each of those bytes is a lone surrogate U+DC80 to U+DCFF (as PEP 383 has it), which no text holds. Names
/// of files enter the window by this alone.
QString name_text(std::string_view bytes);
/// The bytes of name_text(). Names of files leave for the system by this alone, also those that Qt's own dialogs gave.
std::string name_bytes(const QString&);
/// Whether Qt's own functions (QFile, QProcess) find the file: its name is UTF-8.
bool qt_knows(const QString&);
/// The name, absolute where the current folder's own name is not UTF-8: Qt would look for it in another.
QString located_name(const QString&);

/// What the system says of a file now, for names that Qt does not know too.
struct FileState {
  bool exists = false, is_file = false;
  qint64 size_bytes = 0, modified_ns = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
FileState file_state(const QString& path);
inline bool file_exists(const QString& path) { return file_state(path).exists; }

}  // namespace views
