// Parts of a StateMachine: the phase of its connection, the Logon, Heartbeats and headers.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "session/api/config.hpp"
#include "session/api/sequence.hpp"

// The states of a session, and the legal transitions between them. Applications use only State.

namespace nexusfix::session {

// The state of a session, as StateMachine::state() returns it. docs/reference/session.md has the
// transitions.
enum class State : std::uint8_t {
  Disconnected,   // no connection, or the machine has returned a Disconnect
  AwaitingLogon,  // acceptor: connected, nothing received yet
  LogonSent,      // initiator: our Logon is not answered yet
  LogonReceived,  // acceptor: a valid Logon waits for the owner's decision
  LoggedOn,       // both sides have exchanged Logons
  LogoutSent,     // our Logout awaits its answer; or it is the answer, and the counterparty is to
                  // close the connection. Messages are still processed
};

namespace detail {

// A State in more detail: kStates says which.
enum class Phase : std::uint8_t {
  Disconnected,
  AwaitingLogon,
  LogonSent,
  LogonReceived,
  LoggedOn,
  ResetAsked,      // a TestRequest asks whether all messages have come, before our reset
  ResetSent,       // our Logon with ResetSeqNumFlag waits for its answer, within the session
  LogoutWaits,     // the counterparty's Logout waits for the messages before it
  LogoutSent,      // our Logout waits for its answer
  LogoutAnswered,  // our Logout was the answer: the counterparty closes the connection
  Closing,         // a Disconnect has been given to the owner, and on_disconnected() has not come
};
inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::Closing) + 1;

inline constexpr std::array<State, kPhases> kStates{
    State::Disconnected, State::AwaitingLogon, State::LogonSent,    State::LogonReceived,
    State::LoggedOn,     State::LoggedOn,      State::LoggedOn,     State::LoggedOn,
    State::LogoutSent,   State::LogoutSent,    State::Disconnected,
};

template <class... Phases>
constexpr std::uint16_t phases(Phases... all) noexcept {
  return static_cast<std::uint16_t>((0U | ... | (1U << std::to_underlying(all))));
}

// What may follow each phase. Every connection may end at any moment; LoggedOn follows LoggedOn
// where a Logon resets the session. ResetAsked and LogoutWaits follow themselves while they wait.
inline constexpr std::array<std::uint16_t, kPhases> kNextPhases{
    // Disconnected
    phases(Phase::AwaitingLogon, Phase::LogonSent, Phase::Disconnected),
    // AwaitingLogon
    phases(Phase::LogonReceived, Phase::LoggedOn, Phase::ResetSent, Phase::Closing,
           Phase::Disconnected),
    // LogonSent
    phases(Phase::LoggedOn, Phase::Closing, Phase::Disconnected),
    // LogonReceived
    phases(Phase::LoggedOn, Phase::ResetSent, Phase::Closing, Phase::Disconnected),
    // LoggedOn
    phases(Phase::LoggedOn, Phase::ResetAsked, Phase::LogoutWaits, Phase::LogoutSent,
           Phase::LogoutAnswered, Phase::Closing, Phase::Disconnected),
    // ResetAsked
    phases(Phase::LoggedOn, Phase::ResetAsked, Phase::ResetSent, Phase::LogoutWaits,
           Phase::LogoutSent, Phase::LogoutAnswered, Phase::Closing, Phase::Disconnected),
    // ResetSent
    phases(Phase::LoggedOn, Phase::LogoutSent, Phase::LogoutAnswered, Phase::Closing,
           Phase::Disconnected),
    // LogoutWaits
    phases(Phase::LoggedOn, Phase::LogoutWaits, Phase::LogoutAnswered, Phase::Closing,
           Phase::Disconnected),
    // LogoutSent
    phases(Phase::Closing, Phase::Disconnected),
    // LogoutAnswered
    phases(Phase::Closing, Phase::Disconnected),
    // Closing
    phases(Phase::Disconnected),
};

class SessionPhase {
 public:
  [[nodiscard]] Phase phase() const noexcept { return phase_; }
  [[nodiscard]] State state() const noexcept { return kStates[std::to_underlying(phase_)]; }
  [[nodiscard]] bool is(Phase phase) const noexcept { return phase_ == phase; }
  [[nodiscard]] bool is_connected() const noexcept { return phase_ != Phase::Disconnected; }
  // Our Logon and the counterparty's have been exchanged, and no end of the session is complete.
  [[nodiscard]] bool has_logged_on() const noexcept {
    return phase_ >= Phase::LoggedOn && phase_ <= Phase::LogoutAnswered;
  }
  // has_logged_on(), and we have not sent a Logout.
  [[nodiscard]] bool is_logged_on() const noexcept {
    return phase_ >= Phase::LoggedOn && phase_ <= Phase::LogoutWaits;
  }
  [[nodiscard]] bool has_sent_logout() const noexcept {
    return phase_ == Phase::LogoutSent || phase_ == Phase::LogoutAnswered;
  }
  // Whether the counterparty has our Logon, and has not got our Logout.
  [[nodiscard]] bool is_open() const noexcept {
    constexpr auto kOpen = phases(Phase::LogonSent, Phase::LoggedOn, Phase::ResetAsked,
                                  Phase::ResetSent, Phase::LogoutWaits);
    return ((kOpen >> std::to_underlying(phase_)) & 1U) != 0;
  }
  // For the Logon, the owner's decision or the Logout that is awaited.
  [[nodiscard]] MonoTime deadline() const noexcept { return deadline_; }

  void enter(Phase next, MonoTime deadline = kNever) noexcept {
    NEXUSFIX_ASSERT((kNextPhases[std::to_underlying(phase_)] & phases(next)) != 0);
    phase_ = next;
    deadline_ = deadline;
  }

 private:
  Phase phase_ = Phase::Disconnected;
  MonoTime deadline_ = kNever;
};

}  // namespace detail

// The exchange of Logons on one connection. Applications use only Outlet.

// How an application message that gets its MsgSeqNum now reaches the counterparty. The owner stores
// the message in each case.
enum class Outlet : std::uint8_t {
  Wire,        // transmit it at once
  AfterLogon,  // queue it until the action Release, which says what happens to a partial queue
  Resend,      // do not transmit it: our next Logon's MsgSeqNum shows it, and it is requested
};

namespace detail {

// What a Logon says.
struct LogonFacts {
  std::uint64_t msg_seq_num = 0;
  std::optional<std::uint64_t> next_expected;  // 789, if both sides say it
  std::chrono::seconds heart_bt_int{};
  bool wants_reset = false;
  char appl_ver_id = 0;
  std::optional<std::uint32_t> session_status{};  // that the answer is to carry
};

// A reset within the session from our side. It outlives a connection.
struct ResetWithin {
  std::uint64_t next_inbound = 0;  // of the counterparty's messages before its answer
  unsigned tests = 0;              // TestRequests that asked for it
  ResetFallback fallback = ResetFallback::KeepNumbers;
  bool is_unanswered = false;  // our Logon is recorded
};

class LogonExchange {
 public:
  // A valid Logon waits for the owner's decision; the id to decide on.
  [[nodiscard]] std::uint64_t await_decision(const LogonFacts& logon) noexcept {
    undecided_ = logon;
    return ++logon_id_;
  }
  [[nodiscard]] bool awaits(std::uint64_t logon_id) const noexcept { return logon_id == logon_id_; }
  [[nodiscard]] const LogonFacts& undecided() const noexcept { return undecided_; }

  // Our Logon with ResetSeqNumFlag is not answered yet.
  [[nodiscard]] bool is_reset_sent() const noexcept { return reset_sent_; }
  void set_reset_sent(bool is_sent) noexcept { reset_sent_ = is_sent; }

  [[nodiscard]] ResetWithin& reset_within() noexcept { return reset_within_; }

  // Our Logon leaves. An initiator's opens the connection, an acceptor's answers.
  void record_sent(std::uint64_t msg_seq_num, bool opens_connection) noexcept {
    if (opens_connection) sent_seq_num_ = msg_seq_num;
    if (first_sent_ == 0 || msg_seq_num < first_sent_) first_sent_ = msg_seq_num;
    outlet_ = opens_connection ? Outlet::AfterLogon : Outlet::Wire;
  }
  // Initiator: the number of our Logon on this connection.
  [[nodiscard]] std::uint64_t sent_seq_num() const noexcept { return sent_seq_num_; }
  // The number of our first message on this connection, a Logon; 0: none was sent. A reset within
  // the session begins again.
  [[nodiscard]] std::uint64_t first_sent() const noexcept { return first_sent_; }
  // What waited for the answer to our Logon may go out.
  void release() noexcept { outlet_ = Outlet::Wire; }
  // While our Logon is sent and the session is not being left.
  [[nodiscard]] Outlet outlet() const noexcept { return outlet_; }

  // FIXT: DefaultApplVerID (1137) of the counterparty's last Logon; before it, our own. 0: the
  // session is no FIXT session.
  [[nodiscard]] const char& counterparty_appl_ver_id() const noexcept {
    return counterparty_appl_ver_id_;
  }
  void set_counterparty_appl_ver_id(char appl_ver_id) noexcept {
    counterparty_appl_ver_id_ = appl_ver_id;
  }

  void forget_connection() noexcept {
    reset_sent_ = false;
    sent_seq_num_ = 0;
    first_sent_ = 0;
    outlet_ = Outlet::Resend;
  }

 private:
  bool reset_sent_ = false;
  char counterparty_appl_ver_id_ = 0;
  Outlet outlet_ = Outlet::Resend;
  std::uint64_t sent_seq_num_ = 0;
  std::uint64_t first_sent_ = 0;
  std::uint64_t logon_id_ = 0;  // of the last Authenticate
  LogonFacts undecided_;
  ResetWithin reset_within_;
};

}  // namespace detail
}  // namespace nexusfix::session

// When a Heartbeat and a TestRequest are due, and when silence is too long. Not for applications.

namespace nexusfix::session::detail {

class HeartbeatTimers {
 public:
  enum class Due : std::uint8_t {
    Heartbeat,
    TestRequest,
    SilenceTooLong,  // the TestRequest has not been answered in time
  };

  // A connection begins.
  void start(MonoTime now) noexcept { last_sent_ = last_received_ = now; }
  void forget_connection() noexcept { test_request_sent_.reset(); }
  // 0: no Heartbeats. The multiples are computed once, so that a message needs no floating
  // point.
  void set_interval(std::chrono::seconds interval, const HeartbeatConfig& config) noexcept;
  [[nodiscard]] std::chrono::seconds interval() const noexcept { return interval_; }

  void record_received(MonoTime now) noexcept {
    last_received_ = now;
    test_request_sent_.reset();
  }
  // What comes before the Logon answers no TestRequest.
  void record_received_before_logon(MonoTime now) noexcept { last_received_ = now; }
  void record_sent(MonoTime now) noexcept { last_sent_ = now; }
  // To a TestRequest.
  [[nodiscard]] bool awaits_answer() const noexcept { return test_request_sent_.has_value(); }

  // The application messages that are sent since one event may have to be undone.
  void record_sent_application(MonoTime event, MonoTime sent, std::uint64_t next_inbound) noexcept;
  void undo_sent_application() noexcept {
    if (last_sent_ == undo_.sent) last_sent_ = undo_.sent_before;
  }

  [[nodiscard]] MonoTime deadline(const HeartbeatConfig& config) const noexcept;
  // At or after deadline(). What is due counts as done, but for a Heartbeat, which is when it has
  // been sent.
  [[nodiscard]] Due remove_due(MonoTime now, const HeartbeatConfig& config) noexcept;

 private:
  MonoTime last_sent_{};
  MonoTime last_received_{};
  std::optional<MonoTime> test_request_sent_;  // and not answered by anything yet
  MonoTime::duration heartbeat_after_{};       // 0: none
  MonoTime::duration test_request_after_{};
  MonoTime::duration silence_after_{};  // after the TestRequest
  std::chrono::seconds interval_{};
  struct {
    MonoTime event = kNever;
    std::uint64_t next_inbound = 0;
    MonoTime sent_before{};  // last_sent_ without the messages
    MonoTime sent = kNever;  // last_sent_ with them
  } undo_;
};

// While a TestRequest is unanswered there is no Heartbeat: the TestRequest has just been sent, and
// if nothing comes back the connection ends before a second one would be due. (Where it does not
// end, Heartbeats go on.)
inline MonoTime HeartbeatTimers::deadline(const HeartbeatConfig& config) const noexcept {
  if (heartbeat_after_ == MonoTime::duration::zero()) return kNever;
  if (test_request_sent_) {
    const MonoTime answer_due = *test_request_sent_ + silence_after_;
    if (config.disconnects_on_silence) return answer_due;
    return std::min(answer_due, last_sent_ + heartbeat_after_);
  }
  return std::min(last_sent_ + heartbeat_after_, last_received_ + test_request_after_);
}

// What a callback sends follows one event without a message of the session's own in between, so the
// time to go back to is the one from before the first of them. Messages that were sent before the
// callback may be among them, if no event came between: then a Heartbeat comes early, never late.
inline void HeartbeatTimers::record_sent_application(MonoTime event, MonoTime sent,
                                                     std::uint64_t next_inbound) noexcept {
  const bool goes_on =
      last_sent_ == undo_.sent && event == undo_.event && next_inbound == undo_.next_inbound;
  if (!goes_on) {
    undo_ = {.event = event, .next_inbound = next_inbound, .sent_before = last_sent_};
  }
  last_sent_ = undo_.sent = sent;
}

// What a state machine remembers of the headers of a session's messages, so that the next one is
// compared with it, and not read. Not for applications.

// Sixteen bytes at once; compilers have an instruction for them where the CPU does.
using Block [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;

// Up to a block of text, and which of its bits are meant.
struct CachedText {
  Block bytes{};
  Block mask{};
};

class HeaderCache {
 public:
  // What a header is judged by, beside the configuration.
  struct Position {
    std::uint64_t next_inbound = 0;
    std::uint64_t highest_out_of_order = 0;
    WallTime now{};
    bool is_delayed = false;  // what comes has waited at the owner's
  };

  // Whether is_in_sequence() would be true of the message if it has neither PossDupFlag nor
  // PossResend, found by comparison with the one before it. Its MsgSeqNum is digits then, and its
  // SendingTime is one. False also in doubt. Defined in src/session/inbound/matches_cached.hpp.
  [[nodiscard]] bool matches_cached(const wire::MessageView& message, const Position& at) noexcept;
  // Whether the header is one of a message whose turn it is, with nothing in it that asks for more.
  // False also in doubt: then the rules of receive() decide. What is learnt serves
  // matches_cached(). The caller looks at the MsgType and at ApplVerID.
  [[nodiscard]] bool is_in_sequence(const wire::MessageView& message, const SessionConfig& config,
                                    const Position& at) noexcept;
  // What was learnt was learnt by the rules of another configuration.
  void forget() noexcept { *this = {}; }

 private:
  struct NarrowPlaces;
  struct WidePlaces;

  [[nodiscard]] bool learn(const wire::MessageView& message, const SessionConfig& config) noexcept;
  void learn_minute(std::string_view sending_time, WallTime time,
                    const HeaderConfig& config) noexcept;
  [[nodiscard]] bool is_sent_near(std::string_view sending_time, const HeaderConfig& config,
                                  const Position& at) noexcept;
  // The MsgSeqNum of a message that is in sequence, as the counterparty writes it. The two words
  // up to its last byte are readable.
  void learn_number(std::string_view text, std::uint64_t number) noexcept;
  // The next message has the next number.
  void count_number() noexcept;
  void carry_number() noexcept;
  template <class Places>
  [[nodiscard]] bool is_same(const char* bytes, Places place) const noexcept;
  [[nodiscard]] bool is_same_wide(const char* bytes,
                                  const wire::detail::FieldIndex& index) const noexcept;

  std::uint64_t keys_ = 0;                // of the header's first fields in an earlier message
  std::array<std::uint8_t, 4> places_{};  // where 49, 56, 34 and 52 are then
  // A SendingTime of that minute is near enough from here to there, by our clock.
  WallTime near_begin_ = WallTime::max();
  WallTime near_last_ = WallTime::min();

  // The rest is of use while this equals keys_; 0: what is configured cannot be compared like this.
  std::uint64_t compared_keys_ = 0;
  std::uint64_t sender_bytes_ = 0;  // of the values of 49 and 56
  std::uint64_t target_bytes_ = 0;
  CachedText begin_string_;  // from the message's first byte on
  CachedText sender_;        // up to the value's last byte
  CachedText target_;
  CachedText minute_text_;  // from the value's first byte on

  // The next MsgSeqNum, and its digits as text, the last one in the last byte. Counted in place, so
  // that no message's number is read. As two words: a message's digit may still be on its way to
  // the cache when the next one is compared, and a load of both would wait for it.
  std::uint64_t next_number_ = 0;   // 0: none is known
  std::uint64_t number_bytes_ = 0;  // of the text
  std::array<std::uint64_t, 2> number_digits_{};
  std::array<std::uint64_t, 2> number_mask_{};  // of the digits
};

// The standard header of our messages, and what depends on the version in them. Not for
// applications.

class OutboundHeader {
 public:
  explicit OutboundHeader(const SessionConfig& config);
  // Another configuration of the same identity.
  void configure(const SessionConfig& config) noexcept;

  [[nodiscard]] const VersionTraits& version() const noexcept { return *version_; }
  [[nodiscard]] wire::TimePrecision precision() const noexcept { return precision_; }

  // Fields of a message that is sent for the first time.
  [[nodiscard]] wire::MessageHeader fields(std::string_view msg_type, std::uint64_t msg_seq_num,
                                           WallTime sending_time) const noexcept {
    return {.msg_type = msg_type,
            .msg_seq_num = msg_seq_num,
            .sending_time = sending_time,
            .precision = precision_,
            .poss_dup = false,
            .poss_resend = false,
            .orig_sending_time = {}};
  }
  // An encoder that has written the header. Inlined, so that the fields are not written to memory
  // and read again.
  [[nodiscard, gnu::always_inline]] wire::Encoder begin(std::span<char> buffer,
                                                        const wire::MessageHeader& fields,
                                                        const SequenceNumbers& numbers) noexcept {
    wire::Encoder encoder{buffer, template_, fields};
    if (sends_last_processed_) write_last_processed(encoder, numbers.next_inbound());
    return encoder;
  }

 private:
  static void write_last_processed(wire::Encoder& encoder, std::uint64_t next_inbound) noexcept;

  wire::HeaderTemplate template_;
  const VersionTraits* version_;
  wire::TimePrecision precision_ = wire::TimePrecision::Millis;
  bool sends_last_processed_ = false;
};

}  // namespace nexusfix::session::detail
