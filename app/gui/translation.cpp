// SPDX-License-Identifier: GPL-3.0-or-later
// Translations from the program's own resources.
#include "app/gui/translation.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "profiler/base/say.h"

namespace app::gui {
namespace {

constexpr std::array kLanguages{Language{"en", "English"}, Language{"de", "Deutsch"}};
constexpr const char* kInUse = "tensortide.language";

/// The same words have the same translation, wherever in the sources they stand: files have one context.
class OneContext : public QTranslator {
 public:
  using QTranslator::QTranslator;
  QString translate(const char*, const char* text, const char* comment, int number) const override {
    return profiler::in_english() ? QString() : QTranslator::translate("tensortide", text, comment, number);
  }
};

/// Sentences of the profiler, with their {} in place.
std::string profiler_words(std::string_view english) {
  return QCoreApplication::translate("tensortide", std::string(english).c_str()).toStdString();
}

bool is_ours(const QString& code) {
  return std::ranges::any_of(kLanguages, [&](const Language& one) { return code == QLatin1String(one.code); });
}

}  // namespace

std::span<const Language> languages() { return kLanguages; }

QString language_of(const QString& chosen) {
  const QString wanted = chosen.isEmpty() ? QLocale::system().name().section(QLatin1Char('_'), 0, 0) : chosen;
  return is_ours(wanted) ? wanted : QString::fromLatin1(kLanguages.front().code);
}

void install_language(QCoreApplication& application, const QString& code) {
  application.setProperty(kInUse, code);
  if (code == QLatin1String(kLanguages.front().code)) return;
  // Qt's own words, such as those of buttons, where its translations are installed.
  auto qt = std::make_unique<QTranslator>(&application);
  if (qt->load(QStringLiteral("qtbase_") + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QCoreApplication::installTranslator(qt.release());
  auto ours = std::make_unique<OneContext>(&application);
  if (!ours->load(QStringLiteral(":/translations/tensortide_%1.qm").arg(code))) return;
  QCoreApplication::installTranslator(ours.release());
  profiler::set_translator(profiler_words);
}

QString language_in_use() {
  const QString code = qApp != nullptr ? qApp->property(kInUse).toString() : QString();
  return code.isEmpty() ? QString::fromLatin1(kLanguages.front().code) : code;
}

}  // namespace app::gui
