// What an event leaves to be done, in its order. Not for applications.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/session/actions.hpp>

namespace nexusfix::session::detail {

// next_action() makes an Action of a step, and only then assigns a MsgSeqNum to it, so that
// MsgSeqNums are in the order of transmission.
enum class Step : std::uint8_t {
  TransmitLogon,        // flag: with ResetSeqNumFlag, first: MsgSeqNum if repeated, second: status
  TransmitLogout,       // text, second: SessionStatus and 1; 0: none
  Authenticate,         // first: logon_id
  TransmitHeartbeat,    // text: TestReqID, flag: whether there is one
  TransmitTestRequest,  // text: TestReqID; empty: TEST
  TransmitGapFill,      // first: NewSeqNo
  TransmitResendRequest,  // first: BeginSeqNo, second: EndSeqNo, 0: everything
  TransmitReject,         // the objection to the message that is being handled
  RetransmitStored,       // the stored message that on_replay_message() was given
  RetransmitRest,         // the gap fill after the last stored message
  Deliver,                // first: MsgSeqNum, flag: PossDup, second: PossResend
  ShowAdministrative,
  BufferOutOfOrder,   // first: MsgSeqNum, text: bytes
  DiscardOutOfOrder,  // first, second: range
  ServeExpected,      // first: what the counterparty's Logon expects; the answer was sent last
  AskResend,          // first, second: range
  Replay,             // first, second: range
  Reset,
  Release,
  LoggedOn,
  LoggedOut,   // flag: both sides have sent a Logout, and the counterparty has disconnected
  Disconnect,  // code
  Notice,      // code, first: expected, second: received, text; flag: of the objection
};

struct Pending {
  Step step = Step::Notice;
  std::uint8_t code = 0;
  bool flag = false;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::string_view text{};
};

class ActionQueue {
 public:
  // No event leaves more than this; what grows with its input is drawn out by Replay instead.
  static constexpr std::size_t kPendingMax = 16;
  using Memory = std::array<Pending, kPendingMax>;

  explicit ActionQueue(Memory& memory) noexcept : pending_{memory.data()} {}

  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }

  void push(const Pending& pending) noexcept;
  void notice(NoticeCode code, std::string_view text = {}, std::uint64_t expected = 0,
              std::uint64_t received = 0) noexcept;
  // text: what the counterparty's Reject or BusinessMessageReject says.
  void reject_received(const wire::MessageView& message, std::string_view text) noexcept;
  // The first one; the queue is not empty.
  [[nodiscard]] Pending pop() noexcept { return pending_[begin_++]; }
  // What was pushed after the first `waiting` ones comes before them.
  void move_to_front(std::size_t waiting) noexcept;
  void clear() noexcept { begin_ = end_ = 0; }

 private:
  Pending* pending_;  // kPendingMax of them
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace nexusfix::session::detail
