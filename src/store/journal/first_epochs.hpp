// The epoch of each session where the log begins, once older segments were retired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

#include "store/format/journal_format.hpp"
#include "store/scan/log_reader.hpp"

namespace nexusfix::store {

// By session key. The first usable checkpoint has the epochs; the resets between the log's begin
// and that checkpoint are taken off. segments: of the whole log, at least one.
[[nodiscard]] StoreResult<std::vector<std::uint64_t>> find_first_epochs(
    Disk& disk, const std::string& folder, std::span<const SegmentHeader> segments,
    LogReader& reading, std::size_t sessions);

}  // namespace nexusfix::store
