// SPDX-License-Identifier: GPL-3.0-or-later
// Positions of the sliders stand for powers of two (size, line) and usual numbers of ways.
#include "views/cache/cache_controls.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "views/base/theme.h"
#include "views/cache/cache_figure.h"
#include "views/widgets/flow_layout.h"

namespace views {
namespace {

constexpr int kLeastSizeBits = 10, kMostSizeBits = 28;  // 1 KiB to 256 MiB
constexpr int kLeastLineBits = 4, kMostLineBits = 8;
constexpr std::array kWays{1, 2, 4, 8, 12, 16, 24, 32};
constexpr std::array kPolicies{"lru", "fifo", "plru", "lru3plru4", "qlru_h11_m1_r0_u0"};

struct Field {
  QSlider* slider;
  QLabel* value;
};

/// "Size [slider] 48 KiB"
Field add_slider(FlowLayout* row, const QString& name, int low, int high, const QString& tip, const QString& widest) {
  auto* title = new QLabel(name);
  auto* slider = new QSlider(Qt::Horizontal);
  slider->setRange(low, high);
  slider->setPageStep(1);
  slider->setMinimumWidth(48);
  slider->setAccessibleName(name);
  slider->setToolTip(tip);
  auto* value = new QLabel;
  value->setMinimumWidth(value->fontMetrics().horizontalAdvance(widest));
  title->setBuddy(slider);
  auto* field = new QWidget;
  auto* parts = new QHBoxLayout(field);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(kGrid);
  parts->addWidget(title);
  parts->addWidget(slider, 1);
  parts->addWidget(value);
  row->add(field, 1);
  return {slider, value};
}

QString size_words(int64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib >= 1024 ? QStringLiteral("%1 MiB").arg(kib / 1024, 0, 'g', 4)
                     : QStringLiteral("%1 KiB").arg(kib, 0, 'g', 4);
}

}  // namespace

profiler::CacheLevelConfig resized(profiler::CacheLevelConfig level, int64_t wanted_bytes, int ways, int line_bytes) {
  const int64_t way = int64_t{ways} * line_bytes;
  const auto sets = static_cast<uint64_t>(std::max<int64_t>(1, wanted_bytes / way));
  level.ways = ways;
  level.line_bytes = line_bytes;
  level.size_bytes = static_cast<int64_t>(std::bit_floor(sets)) * way;
  return level;
}

CacheControls::CacheControls(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Caches to simulate"));
  auto* row = new FlowLayout(this);
  row->setContentsMargins(2 * kGrid, 0, kGrid, 2);
  row->setSpacing(2 * kGrid);  // a value belongs to the slider before it
  const Field size =
      add_slider(row, tr("Size"), kLeastSizeBits, kMostSizeBits,
                 tr("Size of the chosen level, in powers of two of its sets"), QStringLiteral("192 KiB"));
  const Field ways = add_slider(row, tr("Ways"), 0, static_cast<int>(kWays.size()) - 1,
                                tr("Ways of the chosen level: how many lines may share a set"), QStringLiteral("32"));
  const Field line = add_slider(row, tr("Line"), kLeastLineBits, kMostLineBits, tr("Bytes of a line, in all levels"),
                                QStringLiteral("256 B"));
  size_ = size.slider, size_text_ = size.value;
  ways_ = ways.slider, ways_text_ = ways.value;
  line_ = line.slider, line_text_ = line.value;
  policy_ = new QComboBox;
  policy_->setAccessibleName(tr("Policy"));
  policy_->setToolTip(
      tr("Which line of a full set leaves. LRU of PLRU trees: trees of four ways in LRU order, as 12-way first levels "
         "have"));
  for (const char* policy : kPolicies) {
    policy_->addItem(std::string_view(policy).starts_with("qlru") ? QStringLiteral("QLRU") : policy_words(policy),
                     QString::fromLatin1(policy));
  }
  policy_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  reset_ = new QToolButton;
  reset_->setText(tr("This machine"));
  reset_->setToolTip(tr("Back to the caches of the machine that recorded this"));
  row->add(policy_);
  row->add(reset_);
  for (QSlider* slider : {size_, ways_, line_}) connect(slider, &QSlider::valueChanged, this, &CacheControls::take);
  connect(policy_, &QComboBox::currentIndexChanged, this, &CacheControls::take);
  connect(reset_, &QToolButton::clicked, this, [this] {
    go_to(machine_);
    emit edited();
  });
}

bool CacheControls::changed() const { return config_.levels != machine_.levels; }

void CacheControls::set_machine(profiler::CacheConfig machine) {
  machine_ = std::move(machine);
  level_ = 0;
  go_to(machine_);
}

void CacheControls::go_to(profiler::CacheConfig config) {
  config_ = std::move(config);
  wanted_bytes_.clear();
  for (const profiler::CacheLevelConfig& level : config_.levels) wanted_bytes_.push_back(level.size_bytes);
  show_level();
}

void CacheControls::set_level(size_t level) {
  level_ = level;
  show_level();
}

void CacheControls::show_level() {
  setEnabled(level_ < config_.levels.size());
  if (level_ >= config_.levels.size()) return;
  const profiler::CacheLevelConfig& level = config_.levels[level_];
  {
    const QSignalBlocker quiet_size(size_), quiet_ways(ways_), quiet_line(line_), quiet_policy(policy_);
    size_->setValue(std::bit_width(static_cast<uint64_t>(level.size_bytes)) - 1);
    const auto nearest = std::ranges::min_element(kWays, {}, [&](int ways) { return std::abs(ways - level.ways); });
    ways_->setValue(static_cast<int>(nearest - kWays.begin()));
    line_->setValue(std::bit_width(static_cast<unsigned>(level.line_bytes)) - 1);
    const int known = policy_->findData(QString::fromStdString(name_of(level)));
    policy_->setCurrentIndex(known);
  }
  write_labels();
}

void CacheControls::take() {
  if (level_ >= config_.levels.size()) return;
  const QObject* moved = sender();
  profiler::CacheLevelConfig& level = config_.levels[level_];
  const int ways = moved == ways_ ? kWays[static_cast<size_t>(ways_->value())] : level.ways;
  const int line = moved == line_ ? 1 << line_->value() : level.line_bytes;
  if (moved == policy_) {
    const auto named =
        profiler::parse_cache_level("32KiB/8/64:" + policy_->currentData().toString().toStdString(), level.name);
    if (!named) return;
    level.replacement = named->replacement;
    level.qlru = named->qlru;
  } else {
    // Rounded anew from what was asked for, so that going back and forth does not let it shrink.
    if (moved == size_) wanted_bytes_[level_] = int64_t{1} << size_->value();
    level = resized(level, wanted_bytes_[level_], ways, line);
    for (size_t l = 0; l < config_.levels.size(); ++l) {
      profiler::CacheLevelConfig& other = config_.levels[l];
      if (l != level_ && other.line_bytes != line) other = resized(other, wanted_bytes_[l], other.ways, line);
    }
  }
  write_labels();
  emit edited();
}

void CacheControls::write_labels() {
  const profiler::CacheLevelConfig& level = config_.levels[level_];
  size_text_->setText(size_words(level.size_bytes));
  ways_text_->setText(QString::number(level.ways));
  line_text_->setText(QStringLiteral("%1 B").arg(level.line_bytes));
  reset_->setEnabled(changed());
}

}  // namespace views
