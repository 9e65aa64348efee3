// Opens the log from which clients get what they have missed.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>

#include <nexusfix/base/disk.hpp>

#include "journal/api/log_follower.hpp"

namespace nexusfix::gateway {

// Opens the log at a cursor. Each call gives another reader, for one thread; the call itself may
// come from any thread, and may block. The error is one line.
using OpenLog = std::function<std::expected<std::unique_ptr<store::LogFollower>, std::string>(
    const store::FollowOptions&)>;

// Opens the journal in this folder. The disk must outlive the readers.
[[nodiscard]] OpenLog journal_opener(Disk& disk, std::string folder);

}  // namespace nexusfix::gateway
