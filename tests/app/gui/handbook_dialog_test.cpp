// SPDX-License-Identifier: GPL-3.0-or-later
// Help > Handbook: every page is drawn, links and the search lead somewhere, nothing is read from disk or network.
#include "app/gui/handbook_dialog.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QImage>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>

#include "app/base/handbook.h"
#include "app/gui/main_window.h"
#include "tests/app/gui/gui_test_support.h"

namespace app::gui {
namespace {

/// The targets of all links of the page that is shown, and its pictures.
QStringList targets(const QTextDocument& document, bool pictures) {
  QStringList out;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    for (auto part = block.begin(); !part.atEnd(); ++part) {
      const QTextCharFormat format = part.fragment().charFormat();
      if (pictures && format.isImageFormat()) out << format.toImageFormat().name();
      if (!pictures && format.isAnchor() && !format.anchorHref().isEmpty()) out << format.anchorHref();
    }
  }
  return out;
}

TEST(HandbookDialog, ShowsEveryPageWithItsLinksAndPictures) {
  HandbookDialog dialog(nullptr);
  dialog.show();
  auto* browser = dialog.findChild<HandbookBrowser*>();
  auto* pages = dialog.findChild<QListWidget*>();
  ASSERT_EQ(pages->count(), static_cast<int>(handbook().size()));
  int links = 0, pictures = 0;
  for (int i = 0; i < pages->count(); ++i) {
    pages->setCurrentRow(i);
    EXPECT_EQ(dialog.page().toStdString(), handbook()[static_cast<size_t>(i)].name());
    EXPECT_GT(browser->toPlainText().size(), 200) << dialog.page().toStdString();
    EXPECT_FALSE(browser->toPlainText().contains(QLatin1String("\n| ")))
        << dialog.page().toStdString() << ": a table was not understood";
    for (const QString& target : targets(*browser->document(), false)) {
      if (target.startsWith(QLatin1String("https:"))) continue;
      ++links;
      const QVariant text = browser->loadResource(QTextDocument::MarkdownResource, QUrl(target));
      EXPECT_FALSE(text.toString().isEmpty()) << dialog.page().toStdString() << " links " << target.toStdString();
    }
    for (const QString& picture : targets(*browser->document(), true)) {
      ++pictures;
      EXPECT_GT(browser->loadResource(QTextDocument::ImageResource, QUrl(picture)).value<QImage>().width(), 100)
          << picture.toStdString();
    }
  }
  EXPECT_GT(links, 40);
  EXPECT_GE(pictures, 1);
}

TEST(HandbookDialog, TheListFollowsALink) {
  HandbookDialog dialog(nullptr);
  dialog.show();
  dialog.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&dialog));
  auto* browser = dialog.findChild<HandbookBrowser*>();
  auto* pages = dialog.findChild<QListWidget*>();
  browser->setFocus();
  QTest::keyClick(browser, Qt::Key_Tab);  // to the first link of the list of pages
  QTest::keyClick(browser, Qt::Key_Return);
  EXPECT_EQ(dialog.page(), QStringLiteral("quick-start"));
  EXPECT_EQ(pages->currentItem()->text(), QStringLiteral("Quick start"));
  dialog.show_page(QStringLiteral("security"));
  EXPECT_EQ(pages->currentItem()->text(), QStringLiteral("Security"));
  browser->backward();
  EXPECT_EQ(dialog.page(), QStringLiteral("quick-start"));
  EXPECT_EQ(pages->currentItem()->text(), QStringLiteral("Quick start"));
}

TEST(HandbookDialog, ReadsNothingButItsPages) {
  HandbookDialog dialog(nullptr);
  auto* browser = dialog.findChild<HandbookBrowser*>();
  for (const char* name : {"file:///etc/passwd", "/etc/passwd", "handbook:/etc/passwd", "https://example.org/x.md",
                           "../../../../etc/passwd"}) {
    EXPECT_FALSE(browser->loadResource(QTextDocument::MarkdownResource, QUrl(QLatin1String(name))).isValid()) << name;
    EXPECT_TRUE(browser->loadResource(QTextDocument::ImageResource, QUrl(QLatin1String(name))).value<QImage>().isNull())
        << name;
  }
}

TEST(HandbookDialog, SearchesAllPages) {
  HandbookDialog dialog(nullptr);
  dialog.show();
  auto* search = dialog.findChild<QLineEdit*>();
  auto* pages = dialog.findChild<QListWidget*>();
  auto* browser = dialog.findChild<HandbookBrowser*>();
  const auto visible = [&] {
    int n = 0;
    for (int i = 0; i < pages->count(); ++i) n += pages->item(i)->isHidden() ? 0 : 1;
    return n;
  };
  QTest::keyClicks(search, QStringLiteral("winograd"));
  EXPECT_LT(visible(), pages->count());
  EXPECT_GT(visible(), 0);
  EXPECT_GT(browser->extraSelections().size(), 0);
  EXPECT_EQ(browser->textCursor().selectedText().toLower(), QStringLiteral("winograd"));
  const QString first = dialog.page();
  for (int i = 0; i < 40 && dialog.page() == first; ++i) QTest::keyClick(search, Qt::Key_Return);
  EXPECT_NE(dialog.page(), first) << "Enter goes on to the next page that has it";
  EXPECT_TRUE(dialog.isVisible()) << "Enter closes nothing";
  search->setText(QStringLiteral("no page has these words"));
  EXPECT_EQ(visible(), 0);
  search->clear();
  EXPECT_EQ(visible(), pages->count());
}

TEST(HandbookDialog, OpensFromTheMenuOnce) {
  MainWindow window;
  window.show();
  auto* action = window.findChild<QAction*>(QStringLiteral("action.handbook"));
  ASSERT_NE(action, nullptr);
  action->trigger();
  action->trigger();
  const auto open = window.findChildren<HandbookDialog*>();
  ASSERT_EQ(open.size(), 1);
  EXPECT_TRUE(open.front()->isVisible());
  EXPECT_EQ(&show_handbook(window, QStringLiteral("sweep")), open.front()) << "by the name of a command";
  EXPECT_EQ(open.front()->page(), QStringLiteral("sweeps"));
}

}  // namespace
}  // namespace app::gui
