// Keeps durable() where it is until the disk has the records that must not be lost: a reset, a new
// session. Used where bytes may otherwise leave before they are synced.
#pragma once

#include <algorithm>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class DurabilityHold {
 public:
  // The record from begin to end must be synced before durable() passes begin.
  void add(LogPosition begin, LogPosition end, LogPosition synced) noexcept {
    if (!is_active(synced)) begin_ = begin;
    end_ = end;
  }
  [[nodiscard]] bool is_active(LogPosition synced) const noexcept { return synced < end_; }
  // What is durable of what was written. The log is one stream: a record that waits holds back all
  // that follows it.
  [[nodiscard]] LogPosition durable(LogPosition written, LogPosition synced) const noexcept {
    if (!is_active(synced)) return written;
    return std::min(written, std::max(begin_, synced));
  }

 private:
  LogPosition begin_ = 0;
  LogPosition end_ = 0;
};

}  // namespace nexusfix::store
