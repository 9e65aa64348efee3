// What a session does at the moment, as operators see it, and what its messages of the session
// layer add to the figures: rejects by reason, and the round trip of a TestRequest.
#pragma once

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "control/api/counters.hpp"
#include "engine/ground/state/session_entry.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

inline constexpr PackedMsgType kPackedHeartbeat = pack("0");
inline constexpr PackedMsgType kPackedTestRequest = pack("1");
inline constexpr PackedMsgType kPackedResendRequest = pack("2");
inline constexpr PackedMsgType kPackedReject = pack("3");
inline constexpr PackedMsgType kPackedSequenceReset = pack("4");
inline constexpr PackedMsgType kPackedLogout = pack("5");
inline constexpr PackedMsgType kPackedLogon = pack("A");
inline constexpr PackedMsgType kPackedBusinessReject = pack("j");

// Whether the engine looks at a received message of this type before its session does: perhaps at
// one of the session layer, surely at no other one but a BusinessMessageReject.
[[nodiscard]] constexpr bool is_noted(PackedMsgType msg_type) noexcept {
  constexpr auto kBit = [](PackedMsgType type) { return std::uint64_t{1} << (type - pack("0")); };
  constexpr std::uint64_t kNoted =
      (2 * kBit(kPackedLogout) - 1) | kBit(kPackedLogon) | kBit(kPackedBusinessReject);
  const PackedMsgType place = msg_type - pack("0");
  return place < 64 && (kNoted >> place & 1U) != 0;
}
// A reject, or a Heartbeat while a TestRequest waits for one.
void count_answer(const wire::MessageView& message, PackedMsgType msg_type, MonoTime now,
                  SessionCounters& session, LoopCounters& loop) noexcept;
// A noted one. Of most Heartbeats there is nothing to count.
inline void count_received(const wire::MessageView& message, PackedMsgType msg_type, MonoTime now,
                           SessionCounters& session, LoopCounters& loop) noexcept {
  if (msg_type == kPackedHeartbeat && session.test_request_at == kNever) [[likely]]
    return;
  count_answer(message, msg_type, now, session, loop);
}
// One of our Rejects or BusinessMessageRejects.
void count_sent_reject(const wire::MessageView& message, PackedMsgType msg_type,
                       SessionCounters& session) noexcept;

[[nodiscard]] bool is_initiator(const SessionEntry& entry) noexcept;
// Whether a reload has removed the session, and its connection has ended. It may come back.
[[nodiscard]] bool is_gone(const SessionEntry& entry) noexcept;

// SessionState::StoreFailed is a state of the loop: its reader knows it.
[[nodiscard]] PublishedState state_of(const SessionEntry& entry) noexcept;

// Writes the session's state to its figures. Called when it may have changed.
void publish_state(SessionEntry& entry, const Now& now) noexcept;

// Writes the session's sequence numbers to its figures. True: it is logged on, as they say.
inline bool publish_numbers(SessionEntry& entry) noexcept {
  SessionCounters& counters = *entry.counters;
  const session::Numbers numbers = entry.machine.sequence_numbers();
  counters.in.next.set(numbers.next_inbound);
  counters.out.next.set(numbers.next_outbound);
  return counters.state.read().state == SessionState::LoggedOn;
}

// Writes them and the session's state, after each event. While a session stays logged on, its state
// does not change.
inline void publish(SessionEntry& entry, const Now& now) noexcept {
  const bool is_logged_on = publish_numbers(entry);
  if (is_logged_on && entry.machine.state() == session::State::LoggedOn) [[likely]]
    return;
  publish_state(entry, now);
}

}  // namespace nexusfix::engine
