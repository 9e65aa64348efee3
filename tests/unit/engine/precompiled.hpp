// Precompiled headers that nearly every test of this folder includes. No test includes this file by
// name.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "engine/loop/event_loop.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/network/raw_peer.hpp"
#include "support/recording_log.hpp"
