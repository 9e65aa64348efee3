// What a journal knows in memory: the sessions and where their messages are. Built record by
// record, in the same way while recovering and while appending.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/store/store.hpp>

#include "store/message_index.hpp"
#include "store/session_table.hpp"

namespace nexusfix::store {

struct LogState {
  SessionTable sessions;
  std::vector<MessageIndex> indexes;  // by session key
  std::uint64_t messages = 0;         // kept, of every session and epoch

  // Applies the record at begin to end, or nothing of it.
  [[nodiscard]] std::expected<void, std::string_view> apply(std::span<const char> entries,
                                                            WallTime time, LogPosition begin,
                                                            LogPosition end);
  // After sessions were added to the table: gives each its index.
  void add_indexes();

 private:
  MessageIndex::Limits limits_;
};

}  // namespace nexusfix::store
