// SPDX-License-Identifier: GPL-3.0-or-later
// The window in German, and in words that are longer by 40 %: nothing is cut.
#include "app/gui/translation.h"

#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTranslator>
#include <QXmlStreamReader>
#include <optional>
#include <set>

#include "app/gui/learn_panel.h"
#include "app/gui/settings_dialog.h"
#include "profiler/analysis/analyze.h"
#include "profiler/analysis/findings/findings.h"
#include "profiler/analysis/tables/summary.h"
#include "profiler/analysis/verdict/verdict_text.h"
#include "profiler/base/say.h"
#include "tests/app/gui/window_test.h"
#include "views/base/view.h"
#include "views/widgets/table_view.h"

namespace app::gui {
namespace {

/// What was installed while it lives goes with it.
class Languages {
 public:
  Languages() : before_(qApp->findChildren<QTranslator*>()) {}
  ~Languages() {
    for (QTranslator* one : qApp->findChildren<QTranslator*>()) {
      if (before_.contains(one)) continue;
      QCoreApplication::removeTranslator(one);
      delete one;
    }
    qApp->setProperty("tensortide.language", QVariant());
    profiler::set_translator(nullptr);
  }

 private:
  QList<QTranslator*> before_;
};

bool has_german() { return QFile::exists(QStringLiteral(":/translations/tensortide_de.qm")); }

struct Message {
  QString source;
  QStringList translations;
  bool finished = true;
};

std::vector<Message> messages_of(const QString& file) {
  QFile in(file);
  EXPECT_TRUE(in.open(QIODevice::ReadOnly)) << file.toStdString();
  QXmlStreamReader xml(&in);
  std::vector<Message> all;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    if (xml.name() == QLatin1String("message")) all.emplace_back();
    if (all.empty()) continue;
    if (xml.name() == QLatin1String("source")) all.back().source = xml.readElementText();
    if (xml.name() == QLatin1String("numerusform")) all.back().translations << xml.readElementText();
    if (xml.name() != QLatin1String("translation")) continue;
    all.back().finished = xml.attributes().value(QLatin1String("type")) != QLatin1String("unfinished");
    if (xml.readNext() == QXmlStreamReader::Characters && !xml.isWhitespace())
      all.back().translations << xml.text().toString();
    else if (xml.tokenType() == QXmlStreamReader::StartElement) all.back().translations << xml.readElementText();
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return all;
}

std::multiset<QString> places(const QString& text) {
  static const QRegularExpression place(QStringLiteral("%(L?\\d+|n)"));
  std::multiset<QString> all;
  for (auto found = place.globalMatch(text); found.hasNext();) all.insert(found.next().captured());
  return all;
}

/// Number and format of each place of a sentence of the profiler: "0", "1:.2g". Nothing where numbered and unnumbered
/// ones stand side by side, which fmt refuses.
std::optional<std::set<QString>> values(QString text) {
  text.remove(QStringLiteral("{{")).remove(QStringLiteral("}}"));
  static const QRegularExpression place(QStringLiteral("\\{(\\d*)(:?[^{}]*)\\}"));
  std::set<QString> all;
  int next = 0, numbered = 0;
  for (auto found = place.globalMatch(text); found.hasNext();) {
    const QRegularExpressionMatch one = found.next();
    if (!one.captured(1).isEmpty()) ++numbered;
    const QString at = one.captured(1).isEmpty() ? QString::number(next++) : one.captured(1);
    all.insert(at + one.captured(2));
  }
  if (numbered > 0 && next > 0) return std::nullopt;
  return all;
}

TEST(Translation, EachTextHasThePlacesOfItsSource) {
  const auto all = messages_of(QStringLiteral(TENSORTIDE_SOURCE_DIR "/resources/translations/tensortide_de.ts"));
  ASSERT_GT(all.size(), 1000u);
  size_t unfinished = 0;
  for (const Message& one : all) {
    if (!one.finished) ++unfinished;
    if (!one.finished) continue;
    ASSERT_FALSE(one.translations.isEmpty()) << one.source.toStdString();
    for (const QString& text : one.translations) {
      EXPECT_EQ(places(text), places(one.source)) << one.source.toStdString() << " -> " << text.toStdString();
      EXPECT_EQ(values(text), values(one.source)) << one.source.toStdString() << " -> " << text.toStdString();
      EXPECT_EQ(text.count(QLatin1Char('\n')), one.source.count(QLatin1Char('\n'))) << one.source.toStdString();
    }
  }
  EXPECT_LT(unfinished, all.size() / 10) << "packaging/linux/update-translations --missing prints them";
}

TEST(Translation, TheLanguageIsChosenOrThatOfTheSystem) {
  EXPECT_EQ(language_of(QStringLiteral("de")), QStringLiteral("de"));
  EXPECT_EQ(language_of(QStringLiteral("xx")), QStringLiteral("en"));
  EXPECT_EQ(language_in_use(), QStringLiteral("en"));
}

class GermanTest : public WindowTest {
 protected:
  void SetUp() override {
    if (!has_german()) GTEST_SKIP() << "built without lrelease";
    install_language(*qApp, QStringLiteral("de"));
    WindowTest::SetUp();
  }
  Languages languages;
};

TEST_F(GermanTest, MenusSettingsAndViewsAreGerman) {
  QStringList menus;
  for (const QAction* action : window->menuBar()->actions()) menus << QString(action->text()).remove(QLatin1Char('&'));
  EXPECT_TRUE(menus.contains(QStringLiteral("Datei"))) << menus.join(QLatin1Char(' ')).toStdString();
  EXPECT_TRUE(menus.contains(QStringLiteral("Lernen")));
  window->show_settings(QStringLiteral("general"));
  auto* settings = window->findChild<SettingsDialog*>();
  ASSERT_NE(settings, nullptr);
  EXPECT_EQ(settings->windowTitle(), QStringLiteral("Einstellungen"));
  auto* language = settings->findChild<QComboBox*>(QStringLiteral("settings.language"));
  ASSERT_NE(language, nullptr);
  language->setCurrentIndex(language->findData(QStringLiteral("en")));
  EXPECT_EQ(window->settings().language(), QStringLiteral("en"));
  EXPECT_TRUE(settings->findChild<QWidget*>(QStringLiteral("settings.restart"))->isVisible());
  window->settings().set_language({});
  EXPECT_EQ(views::title(views::ViewEntry::Group::explore), QStringLiteral("Erkunden"));
}

/// The profiler names columns in English; tables of the window show them in its language.
TEST_F(GermanTest, TitlesOfColumnsAreGerman) {
  open(save(QStringLiteral("sample.tide")));
  window->show_view(QStringLiteral("ops"));
  QStringList titles;
  for (const views::TableView* table : window->findChildren<views::TableView*>()) {
    const QAbstractItemModel& model = *table->model();
    for (int i = 0; i < model.columnCount(); ++i) titles << model.headerData(i, Qt::Horizontal).toString();
  }
  const QStringList compulsory = titles.filter(QRegularExpression(QStringLiteral("^Zwingend")));
  EXPECT_FALSE(compulsory.isEmpty()) << titles.join(QLatin1Char('|')).toStdString();
}

/// What the profiler says is made in the window's language: of the step, of its ops, of what to change.
TEST_F(GermanTest, SentencesOfTheProfilerAreGerman) {
  open(save(QStringLiteral("sample.tide")));
  const profiler::Summary summary = profiler::summary(window->document().analyzed());
  static const QRegularExpression english(QStringLiteral("\\b(the|of|and|is|are|with|this)\\b"));
  EXPECT_FALSE(QString::fromStdString(summary.sentence).contains(english)) << summary.sentence;
  EXPECT_FALSE(QString::fromStdString(summary.advice).contains(english)) << summary.advice;
  const profiler::Analyzed& analyzed = window->document().analyzed();
  std::vector<profiler::Verdict> all = analyzed.verdicts;
  all.push_back(analyzed.step);
  size_t sentences = 0;
  for (const profiler::Verdict& verdict : all) {
    for (const std::string& sentence : profiler::verdict_text(verdict)) {
      ++sentences;
      EXPECT_FALSE(QString::fromStdString(sentence).contains(english)) << sentence;
    }
    EXPECT_FALSE(QString::fromStdString(profiler::headline(verdict)).contains(english)) << profiler::headline(verdict);
  }
  EXPECT_GT(sentences, 10u);
  for (const profiler::RunFinding& finding : profiler::findings(analyzed)) {
    EXPECT_FALSE(QString::fromStdString(profiler::found_text(finding)).contains(english)) << finding.sentence;
    EXPECT_FALSE(QString::fromStdString(finding.advice + finding.gain_how).contains(english)) << finding.advice;
  }
}

/// Longer words in place of each: 40 % more, and of at least one letter.
class LongerWords : public QTranslator {
 public:
  using QTranslator::QTranslator;
  QString translate(const char*, const char* text, const char*, int) const override {
    const QString source = QString::fromUtf8(text);
    // What stands in for the places of a text does not grow.
    QString own = source;
    own.remove(QRegularExpression(QStringLiteral("%(L?\\d+|n)")));
    constexpr double kMore = 0.4;
    return source +
           QString(static_cast<qsizetype>(std::ceil(kMore * static_cast<double>(own.size()))), QLatin1Char('o'));
  }
  bool isEmpty() const override { return false; }
};

class LongWordsTest : public WindowTest {
 protected:
  void SetUp() override {
    QCoreApplication::installTranslator(new LongerWords(qApp));
    WindowTest::SetUp();
  }
  /// Labels of one line and buttons whose words are wider than they are.
  void expect_whole(QWidget& top, const QString& where) {
    QCoreApplication::processEvents();
    for (QWidget* widget : top.findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->width() == 0) continue;
      QString text;
      int needed = 0;
      if (const auto* label = qobject_cast<QLabel*>(widget); label != nullptr && !label->wordWrap()) {
        text = label->text();
        needed = label->sizeHint().width();
      } else if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
        text = button->text();
        needed = button->fontMetrics().size(Qt::TextShowMnemonic, text).width();
      }
      if (text.isEmpty() || needed <= widget->width()) continue;
      ADD_FAILURE() << where.toStdString() << ": " << widget->metaObject()->className() << " "
                    << widget->objectName().toStdString() << " \"" << text.left(80).toStdString() << "\" needs "
                    << needed << " px and has " << widget->width();
    }
  }
  Languages languages;
};

TEST_F(LongWordsTest, ViewsCutNoWords) {
  expect_whole(*window, QStringLiteral("start page"));
  open(save(QStringLiteral("sample.tide")));
  for (const views::ViewEntry& entry : views::view_catalog()) {
    if (!window->show_view(entry.key)) continue;
    expect_whole(*window, entry.key);
  }
}

TEST_F(LongWordsTest, DialogsAndLessonsCutNoWords) {
  find<QAction>("action.lessons")->trigger();
  auto* panel = window->findChild<LearnPanel*>();
  ASSERT_NE(panel, nullptr);
  expect_whole(*panel, QStringLiteral("lessons"));
  for (const char* page : {"general", "folders", "keys"}) {
    window->show_settings(QLatin1String(page));
    expect_whole(*window->findChild<SettingsDialog*>(), QLatin1String(page));
  }
}

}  // namespace
}  // namespace app::gui
