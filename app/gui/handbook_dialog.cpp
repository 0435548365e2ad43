// SPDX-License-Identifier: GPL-3.0-or-later
// HandbookDialog.
#include "app/gui/handbook_dialog.h"

#include <QDesktopServices>
#include <QDialogButtonBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTextEdit>
#include <QTextTable>
#include <QVBoxLayout>

#include "app/base/handbook.h"
#include "views/base/plain_text.h"

namespace app::gui {

namespace {

constexpr int kPageRole = Qt::UserRole;
constexpr int kMargin = 24;  // px; what a picture leaves free beside it

QUrl url_of(const HandbookPage& page) {
  return QUrl(QStringLiteral("handbook:/docs/")).resolved(QUrl(views::text(page.file)));
}

const HandbookPage* page_at(const QUrl& url) {
  for (const HandbookPage& page : handbook()) {
    if (url_of(page).path() == url.path()) return &page;
  }
  return nullptr;
}

/// Tables with thin lines and some room in their cells.
void tidy_tables(QTextDocument& document, const QColor& lines) {
  for (QTextFrame* frame : document.rootFrame()->childFrames()) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderBrush(lines);
    format.setCellPadding(4);
    table->setFormat(format);
  }
}

}  // namespace

QVariant HandbookBrowser::loadResource(int type, const QUrl& name) {
  const QUrl url = source().resolved(name);
  if (type == QTextDocument::ImageResource) {
    const QImage picture(QStringLiteral(":/handbook") + url.path());
    const int most = viewport()->width() - kMargin;
    return picture.width() > most && most > 0 ? picture.scaledToWidth(most, Qt::SmoothTransformation) : picture;
  }
  const HandbookPage* page = url.scheme() == QLatin1String("handbook") ? page_at(url) : nullptr;
  return page != nullptr ? QVariant(views::text(page->text))
                         : QVariant();  // nothing else is read: no files, no network
}

HandbookDialog::HandbookDialog(QWidget* parent)
    : QDialog(parent),
      search_(new QLineEdit(this)),
      pages_(new QListWidget(this)),
      found_(new QLabel(this)),
      browser_(new HandbookBrowser(this)) {
  setObjectName(QStringLiteral("handbook"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Handbook"));
  resize(1000, 680);
  search_->setPlaceholderText(tr("Search all pages"));
  search_->setAccessibleName(tr("Search all pages"));
  search_->setClearButtonEnabled(true);
  pages_->setAccessibleName(tr("Pages"));
  browser_->setAccessibleName(tr("Page"));
  browser_->setOpenLinks(false);  // it would hand pages of the scheme `handbook` to the desktop
  for (const HandbookPage& page : handbook()) {
    auto* item = new QListWidgetItem(views::text(page.title()), pages_);
    item->setData(kPageRole, QString::fromStdString(page.name()));
  }
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(search_);
  column->addWidget(pages_);
  column->addWidget(found_);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(left);
  splitter->addWidget(browser_);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({240, 760});
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  auto* back = buttons->addButton(tr("Back"), QDialogButtonBox::ActionRole);
  auto* forward = buttons->addButton(tr("Forward"), QDialogButtonBox::ActionRole);
  for (QPushButton* button : {back, forward, buttons->button(QDialogButtonBox::Close)})
    button->setAutoDefault(false);  // Enter searches on
  back->setEnabled(false);
  forward->setEnabled(false);
  auto* all = new QVBoxLayout(this);
  all->addWidget(splitter);
  all->addWidget(buttons);

  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(back, &QPushButton::clicked, browser_, &QTextBrowser::backward);
  connect(forward, &QPushButton::clicked, browser_, &QTextBrowser::forward);
  connect(browser_, &QTextBrowser::backwardAvailable, back, &QWidget::setEnabled);
  connect(browser_, &QTextBrowser::forwardAvailable, forward, &QWidget::setEnabled);
  connect(browser_, &QTextBrowser::historyChanged, this,
          &HandbookDialog::on_page);  // sourceChanged comes before source() knows
  connect(browser_, &QTextBrowser::anchorClicked, this, &HandbookDialog::follow);
  connect(search_, &QLineEdit::textChanged, this, &HandbookDialog::search);
  connect(search_, &QLineEdit::returnPressed, this, [this] { find_next(false); });
  connect(pages_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
    if (item != nullptr && item->data(kPageRole).toString() != page()) show_page(item->data(kPageRole).toString());
  });
  connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
  connect(new QShortcut(QKeySequence::FindNext, this), &QShortcut::activated, this, [this] { find_next(false); });
  connect(new QShortcut(QKeySequence::FindPrevious, this), &QShortcut::activated, this, [this] { find_next(true); });
  show_page({});
  search_->setFocus();
}

void HandbookDialog::show_page(const QString& topic) {
  const HandbookPage* page = find_page(topic.toStdString());
  browser_->setSource(url_of(page != nullptr ? *page : handbook().front()), QTextDocument::MarkdownResource);
}

void HandbookDialog::follow(const QUrl& link) {
  const QUrl url = browser_->source().resolved(link);
  if (page_at(url) != nullptr) {
    browser_->setSource(url, QTextDocument::MarkdownResource);
  } else if (url.scheme() == QLatin1String("https")) {
    QDesktopServices::openUrl(url);
  } else {
    found_->setText(tr("%1 is not part of the handbook.").arg(url.fileName()));
  }
}

QString HandbookDialog::page() const {
  const HandbookPage* page = page_at(browser_->source());
  return page != nullptr ? QString::fromStdString(page->name()) : QString();
}

void HandbookDialog::on_page() {
  const HandbookPage* page = page_at(browser_->source());
  const QSignalBlocker quiet(pages_);
  for (int i = 0; i < pages_->count() && page != nullptr; ++i) {
    if (pages_->item(i)->data(kPageRole).toString().toStdString() == page->name()) pages_->setCurrentRow(i);
  }
  tidy_tables(*browser_->document(), palette().color(QPalette::Mid));
  mark_found();
}

/// Pages with the text stay in the list; the first of them is shown unless the one that is shown has it.
void HandbookDialog::search(const QString& text) {
  int hits = 0;
  QListWidgetItem* first = nullptr;
  bool shown_has = false;
  for (int i = 0; i < pages_->count(); ++i) {
    QListWidgetItem* item = pages_->item(i);
    const HandbookPage* page = find_page(item->data(kPageRole).toString().toStdString());
    const bool has = text.isEmpty() || views::text(page->text).contains(text, Qt::CaseInsensitive);
    item->setHidden(!has);
    hits += has ? 1 : 0;
    if (has && first == nullptr) first = item;
    if (has && item->data(kPageRole).toString() == this->page()) shown_has = true;
  }
  found_->setText(text.isEmpty() ? QString() : hits == 1 ? tr("1 page") : tr("%1 pages").arg(hits));
  if (!shown_has && first != nullptr) pages_->setCurrentItem(first);
  mark_found();
  if (!text.isEmpty()) {
    browser_->moveCursor(QTextCursor::Start);
    browser_->find(text);
  }
}

/// All places of the searched text on this page.
void HandbookDialog::mark_found() {
  QList<QTextEdit::ExtraSelection> marks;
  const QString text = search_->text();
  for (QTextCursor at = text.isEmpty() ? QTextCursor() : browser_->document()->find(text); !at.isNull();
       at = browser_->document()->find(text, at)) {
    QTextCharFormat format;
    format.setBackground(palette().highlight());
    format.setForeground(palette().highlightedText());
    marks.push_back({at, format});
  }
  browser_->setExtraSelections(marks);
}

/// The next place on this page; behind the last one, the first of the next page that has any.
void HandbookDialog::find_next(bool backwards) {
  const QString text = search_->text();
  if (text.isEmpty()) return;
  const auto flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
  if (browser_->find(text, flags)) return;
  const int pages = pages_->count(), step = backwards ? pages - 1 : 1;
  int row = pages_->currentRow();
  for (int tries = 0; tries < pages; ++tries) {
    row = (row + step) % pages;
    if (pages_->item(row)->isHidden()) continue;
    pages_->setCurrentRow(row);
    browser_->moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);
    if (browser_->find(text, flags)) return;
  }
}

HandbookDialog& show_handbook(QWidget& window, const QString& topic) {
  auto* dialog = window.findChild<HandbookDialog*>(QStringLiteral("handbook"));
  if (dialog == nullptr) dialog = new HandbookDialog(&window);
  if (!topic.isEmpty()) dialog->show_page(topic);
  dialog->show();
  dialog->raise();
  dialog->activateWindow();
  return *dialog;
}

}  // namespace app::gui
