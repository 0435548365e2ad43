// SPDX-License-Identifier: GPL-3.0-or-later
// Windows beside the main one that need no capture: how a tensor lies in memory, and on which device; a systolic array;
// a published table.
#pragma once

#include <QWidget>

#include "views/base/document.h"
#include "views/base/theme.h"

namespace views {
class PublishedView;
class StoragePanel;
class SystolicPanel;
class BesidePanel;
}  // namespace views

namespace app::gui {

class PlaygroundPanel;

/// Opens the map of a tensor's bytes, or brings it to the front. The tensor that is selected is offered first.
views::StoragePanel& show_storage(QWidget& window, views::Document&, const views::Theme&);

/// Opens the playground of devices, or brings it to the front.
PlaygroundPanel& show_playground(QWidget& window, const views::Theme&);

/// Opens the systolic array, or brings it to the front.
views::SystolicPanel& show_systolic(QWidget& window, const views::Theme&);

/// Opens this processor beside a GPU, or brings it to the front. GPUs of the open capture are offered first.
views::BesidePanel& show_beside(QWidget& window, views::Document&, const views::Theme&);

/// Opens the published table, or brings it to the front. Its pictures and data are saved in `folder` unless the user
/// chooses another.
views::PublishedView& show_published(QWidget& window, views::Document&, const views::Theme&, const QString& folder);

/// Of the dialogs that are open.
void set_learn_theme(QWidget& window, const views::Theme&);

}  // namespace app::gui
