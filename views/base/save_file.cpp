// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file whole or not at all.
#include "views/base/save_file.h"

#include <QSaveFile>

#include "profiler/store/whole_file.h"
#include "views/base/file_name.h"

namespace views {

QString save_file(const QString& path, const QByteArray& bytes) {
  if (const auto free = profiler::check_output(name_bytes(path), {}); !free) {
    return QString::fromStdString(free.error().message).section(QStringLiteral(": "), 1);  // who calls names the file
  }
  if (!qt_knows(path)) {  // QSaveFile would write another name
    const auto done = profiler::write_whole_file(
        name_bytes(path), std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
    return done ? QString() : QString::fromStdString(done.error().message).section(QStringLiteral(": "), 1);
  }
  QSaveFile file(path);
  // A disk that fills up takes a part first; only the write after it says why. A buffer, and commit(), would forget it
  // ("Unknown error").
  if (!file.open(QIODevice::WriteOnly | QIODevice::Unbuffered)) return file.errorString();
  for (qsizetype done = 0; done < bytes.size();) {
    const qint64 taken = file.write(bytes.constData() + done, bytes.size() - done);
    if (taken <= 0) return file.errorString();
    done += taken;
  }
  return file.commit() ? QString() : file.errorString();
}

}  // namespace views
