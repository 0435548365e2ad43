// SPDX-License-Identifier: GPL-3.0-or-later
// CacheControls: sliders for size, ways, line and policy of one level of a hierarchy.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QWidget>

#include "profiler/memory/cache_config.h"

namespace views {

class CacheControls : public QWidget {
  Q_OBJECT

 public:
  explicit CacheControls(QWidget* parent = nullptr);
  /// The machine's hierarchy: what *This machine* goes back to.
  void set_machine(profiler::CacheConfig);
  const profiler::CacheConfig& config() const { return config_; }
  bool changed() const;
  /// The level the sliders are about.
  void set_level(size_t);

  QSlider& size_slider() { return *size_; }
  QSlider& ways_slider() { return *ways_; }
  QSlider& line_slider() { return *line_; }
  QComboBox& policy() { return *policy_; }
  QToolButton& reset_button() { return *reset_; }

 signals:
  void edited();  ///< by the user; config() is new

 private:
  void go_to(profiler::CacheConfig);
  void show_level();
  void take();
  void write_labels();

  QSlider *size_, *ways_, *line_;
  QLabel *size_text_, *ways_text_, *line_text_;
  QComboBox* policy_;
  QToolButton* reset_;
  profiler::CacheConfig machine_, config_;
  std::vector<int64_t> wanted_bytes_;  // by level: what the size was set to, before it was rounded to whole sets
  size_t level_ = 0;
};

/// A level with this size, rounded down to a power of two of sets, so that it can be simulated in parts.
profiler::CacheLevelConfig resized(profiler::CacheLevelConfig, int64_t wanted_bytes, int ways, int line_bytes);

}  // namespace views
