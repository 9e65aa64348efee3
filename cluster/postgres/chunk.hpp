// A chunk of the log, as the server has it: the records of one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"

namespace nexusfix::store::postgres {

// Whether the entry has a message that was received: JournalInbound.
[[nodiscard]] inline bool is_received(const Entry& entry) noexcept {
  return entry.kind == EntryKind::InboundProgress && !entry.bytes.empty();
}

class Chunk {
 public:
  struct Message {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    LogPosition position = 0;  // of its entry
    std::string_view bytes;
  };

  // Takes a row of the table; keys and epochs as arrays in PostgreSQL's binary form. The entries
  // must live as long as the messages are used. False: the row was not written by a store.
  [[nodiscard]] bool read(LogPosition position, std::string_view keys, std::string_view epochs,
                          std::string_view entries);

  // When the server wrote it, in microseconds since 2000-01-01; the begin of 1970: not known.
  void set_written(std::optional<std::int64_t> microseconds) noexcept;
  [[nodiscard]] WallTime written() const noexcept { return written_; }
  // Whether a session is opened or renamed in it.
  [[nodiscard]] bool has_names() const noexcept { return has_names_; }
  // Where it begins and ends in the log.
  [[nodiscard]] LogPosition begin() const noexcept { return begin_; }
  [[nodiscard]] LogPosition end() const noexcept { return end_; }
  // Those that were sent, in the order of the log.
  [[nodiscard]] const std::vector<Message>& messages() const noexcept { return messages_; }
  // Those that were received (JournalInbound), in the order of the log. Their number is 34 of the
  // message.
  [[nodiscard]] const std::vector<Message>& received() const noexcept { return received_; }

 private:
  // A session with a message in the chunk.
  struct Placed {
    std::uint64_t epoch = 0;  // 0: it has no message there
    std::uint64_t begun = 0;  // epochs, before the entry that is read
    // How many had begun before its first received message; no value: it has none.
    std::optional<std::uint64_t> begun_before_received{};
    bool is_known = false;  // epoch is that of the chunk's begin
  };
  [[nodiscard]] bool read_places(std::string_view keys, std::string_view epochs);
  // Makes the epochs of the row those of the chunk's begin.
  void find_first_epochs(std::string_view entries);
  [[nodiscard]] bool read_entries(std::string_view entries);
  // Null: the row does not name the session.
  [[nodiscard]] Placed* find(SessionKey session) noexcept;

  LogPosition begin_ = 0;
  LogPosition end_ = 0;
  WallTime written_;
  bool has_names_ = false;
  std::vector<Message> messages_;
  std::vector<Message> received_;
  std::vector<SessionKey> sessions_;
  std::vector<Placed> by_key_;
};

}  // namespace nexusfix::store::postgres
