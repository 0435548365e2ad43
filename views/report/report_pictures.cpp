// SPDX-License-Identifier: GPL-3.0-or-later
// Making views off the screen and waiting for what they compute.
#include "views/report/report_pictures.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>
#include <algorithm>

#include "views/report/compact_svg.h"

namespace views {

namespace {

constexpr int kWidth = 1080, kUsualHeight = 600, kMostHeight = 1400;
constexpr int kPatienceMs = 120'000;  // the largest captures take seconds
/// The cache view simulates millions of accesses: a report does not wait for long ones.
constexpr int kCachePatienceMs = 1500;

void settle() { QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20); }

}  // namespace

ReportPictures::ReportPictures(Document& document, const std::vector<profiler::Report::Chart>& charts) {
  for (const auto& [key, why] : charts) {
    const auto entries = view_catalog();
    const auto entry = std::ranges::find(entries, QString::fromStdString(key), &ViewEntry::key);
    if (entry == entries.end()) continue;
    Picture picture{entry->key,
                    entry->title,
                    entry->help,
                    QString::fromStdString(why),
                    std::unique_ptr<View>(entry->make(document, nullptr)),
                    {kWidth, kUsualHeight}};
    picture.view->setAttribute(Qt::WA_DontShowOnScreen);
    picture.view->set_theme(Theme::light());
    picture.view->resize(picture.size);
    picture.view->show();  // lays out what it holds
    pictures_.push_back(std::move(picture));
  }
  QElapsedTimer waited;
  waited.start();
  for (int i = 0; i < 3; ++i) settle();
  const auto patience = [](const Picture& p) {
    return p.key == QLatin1String("cache") ? kCachePatienceMs : kPatienceMs;
  };
  const auto waiting = [&] {
    return std::ranges::any_of(pictures_,
                               [&](const Picture& p) { return p.view->busy() && waited.elapsed() < patience(p); });
  };
  while (waiting()) {  // WaitForMoreEvents with a limit of time would spin, beside the threads that are waited for
    QApplication::processEvents(QEventLoop::ExcludeUserInputEvents, 20);
    QThread::msleep(2);
  }
  std::erase_if(pictures_, [&](const Picture& p) {
    if (p.view->busy()) unfinished_ << p.title;
    return p.view->busy();
  });
  for (Picture& picture : pictures_) {
    if (const int full = picture.view->full_height(kWidth); full > 0)
      picture.size.setHeight(std::clamp(full, kUsualHeight * 2 / 3, kMostHeight));
  }
}

std::vector<profiler::ReportPicture> ReportPictures::as_svg() const {
  std::vector<profiler::ReportPicture> all;
  for (const Picture& p : pictures_) {
    all.push_back({p.key.toStdString(), p.title.toStdString(), p.help.toStdString(),
                   compact_svg(view_svg(*p.view, p.size, Theme::light(), p.title), p.key)});
  }
  return all;
}

}  // namespace views
