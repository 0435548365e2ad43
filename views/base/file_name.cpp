// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/base/file_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace views {
namespace {

constexpr char16_t kEscape = 0xDC00;

bool is_escape(QChar c) { return c.unicode() >= kEscape + 0x80 && c.unicode() <= kEscape + 0xFF; }

QString utf8(std::string_view bytes) { return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size())); }

bool is_utf8(std::string_view bytes, const QString& text) {
  return text.toUtf8() == QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

}  // namespace

QString name_text(std::string_view bytes) {
  if (QString text = utf8(bytes); is_utf8(bytes, text)) return text;
  QString text;
  for (size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    const std::string_view one = bytes.substr(i, length);
    if (const QString c = utf8(one); one.size() == length && c.size() <= 2 && is_utf8(one, c)) {
      text += c;
      i += length;
    } else {
      text += QChar(static_cast<char16_t>(kEscape + lead));
      ++i;
    }
  }
  return text;
}

std::string name_bytes(const QString& text) {
  std::string bytes;
  qsizetype from = 0;
  const auto take = [&](qsizetype to) { bytes += text.mid(from, to - from).toStdString(); };
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
      ++i;
    } else if (is_escape(text[i])) {
      take(i);
      bytes += static_cast<char>(text[i].unicode() - kEscape);
      from = i + 1;
    }
  }
  take(text.size());
  return bytes;
}

QString located_name(const QString& name) {
  std::error_code code;
  const std::filesystem::path folder = std::filesystem::current_path(code);
  if (code || name.isEmpty() || qt_knows(name_text(folder.native()))) return name;
  return name_text((folder / name_bytes(name)).native());  // an absolute name stays what it is
}

bool qt_knows(const QString& name) { return name.toStdString() == name_bytes(name); }

FileState file_state(const QString& path) {
  struct stat found {};
  if (path.isEmpty() || stat(name_bytes(path).c_str(), &found) != 0) return {};
  return {true, S_ISREG(found.st_mode), found.st_size,
          found.st_mtim.tv_sec * qint64{1'000'000'000} + found.st_mtim.tv_nsec};
}

}  // namespace views
