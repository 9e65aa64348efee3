// What a journal keeps in memory: the sessions, and where their messages are. Recovery and
// appending build it record by record in the same way.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"
#include "store/api/session_table.hpp"
#include "store/state/message_index.hpp"

namespace nexusfix::store {

struct LogState {
  SessionTable sessions;
  std::vector<MessageIndex> indexes;  // by session key
  std::uint64_t messages = 0;         // kept, of every session and epoch

  // Applies the record at begin to end, or nothing of it.
  [[nodiscard]] std::expected<void, std::string_view> apply(std::span<const char> entries,
                                                            WallTime time, LogPosition begin,
                                                            LogPosition end);
  // For a record of which the values are known.
  [[nodiscard]] std::expected<void, std::string_view> apply(const CommonRecord& common,
                                                            LogPosition begin, LogPosition end) {
    if (const auto fault = sessions.apply(common); !fault.empty()) return std::unexpected{fault};
    if (common.msg_seq_num == 0) return {};
    indexes[common.session].add(common.msg_seq_num, begin, end);
    ++messages;
    return {};
  }

  // Applies a record of a session in the table, if its numbers are those of now or later ones, and
  // its message joins the last group. False: it is not, and nothing was changed.
  [[nodiscard]] bool apply_plain(const CommonRecord& common, LogPosition end) noexcept {
    if (common.msg_seq_num == 0) return sessions.apply(common).empty();
    MessageIndex& index = indexes[common.session];
    if (!index.joins(end) || !sessions.apply(common).empty()) return false;
    index.join(end);
    ++messages;
    return true;
  }

  // After sessions were added to the table: gives each its index.
  void add_indexes();

 private:
  MessageIndex::Limits limits_;
};

}  // namespace nexusfix::store
