// Sends stored messages again, in slices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/ground/loop_context.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class ResendServer {
 public:
  ResendServer(LoopContext& loop, Io& io, Sessions& sessions) noexcept
      : loop_{loop}, io_{io}, sessions_{sessions} {}

  // Once a turn.
  void serve_replays() {
    if (loop_.work.has(Work::Resends) || replay_fetches_) [[unlikely]]
      serve_all();
  }
  void finish_replay(SessionEntry& entry);
  void perform(SessionEntry& entry, const session::AskResend& action);
  void perform(SessionEntry& entry, const session::Replay& action);

  // Passes our stored message with this MsgSeqNum to visit, if the store has it and reads it
  // without waiting for a network. visit: see Store::read().
  void show_stored(const SessionEntry& entry, std::uint64_t msg_seq_num,
                   store::Store::MessageVisitor visit);

  void forget(SessionEntry& entry) noexcept { std::erase(replaying_, &entry); }
  // Frees unused memory above bytes_max.
  void give_back(std::size_t bytes_max);

 private:
  struct StoredMessage {
    std::uint64_t msg_seq_num = 0;
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  void serve_all();
  void serve_replay(SessionEntry& entry);
  [[nodiscard]] bool has_fetched(SessionEntry& entry);
  void choose_next_slice(ReplayCursor& cursor, std::uint64_t last) const;
  [[nodiscard]] std::uint64_t resends_now_max(SessionEntry& entry);
  void replay_message(SessionEntry& entry, std::uint64_t msg_seq_num, std::string_view bytes);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  std::vector<SessionEntry*> replaying_;  // sessions with a resend in progress
  bool replay_fetches_ = false;           // a resend waits for the store, which wakes the loop
  std::uint64_t replay_serial_ = 0;
  // The messages of the slice; replay_bytes_ has their bytes.
  std::vector<StoredMessage> replay_slice_;
  std::string replay_bytes_;
};

}  // namespace nexusfix::engine
