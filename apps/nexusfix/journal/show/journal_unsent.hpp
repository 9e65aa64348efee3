// Which messages of a journal may not have left: nexusfix journal show --unsent.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/store.hpp>

namespace nexusfix::command {

struct UnsentMessage {
  std::uint64_t msg_seq_num = 0;
  WallTime time{};  // when it was recorded
  std::string bytes{};
};

struct UnsentOfSession {
  std::string session{};
  std::uint64_t epoch = 1;
  // The last mark: messages below this MsgSeqNum have left. 0: the log has none in this epoch.
  std::uint64_t left_until = 0;
  WallTime marked_at{};                   // when; only with a mark
  std::vector<UnsentMessage> messages{};  // of the current epoch, above the mark
};

// session: empty: all. Fails if the log cannot be read, has no such session, or no marks at all.
[[nodiscard]] std::expected<std::vector<UnsentOfSession>, std::string> find_unsent(
    store::Store& store, const std::string& session);

[[nodiscard]] std::string unsent_text(const std::vector<UnsentOfSession>& sessions);
[[nodiscard]] std::string unsent_json(const std::vector<UnsentOfSession>& sessions);

}  // namespace nexusfix::command
