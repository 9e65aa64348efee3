// The FIX session layer as a pure state machine: events go in, actions come out. It has no clock,
// no socket, no file, no thread and no log; time and bytes are arguments. The same object runs in
// production, in unit tests and in the simulator.
//
// Protocol of use: call one on_...() function, then take next_action() until it returns nothing,
// performing each action before taking the next; only then call the next on_...(). Exceptions to
// the rule, all explained below: on_delivered() follows a Deliver, begin_message() may be called at
// any time, on_replay_message() and on_replay_done() follow a Replay, on_disconnected() may come
// between two actions and discards those that need a connection.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/actions.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/known_header.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session {

enum class State : std::uint8_t {
  Disconnected,
  AwaitingLogon,  // acceptor: connected, nothing received yet
  LogonSent,      // initiator: our Logon is not answered yet
  LogonReceived,  // acceptor: a valid Logon waits for the owner's decision
  LoggedOn,
  LogoutSent,  // our Logout is not answered yet; messages are still processed
};

// What becomes of an application message that is numbered now; its owner stores it in any case.
enum class Outlet : std::uint8_t {
  Wire,         // it is transmitted at once
  BehindLogon,  // kept back until a Release, if the connection lasts; a part may be, see there
  Resend,       // the counterparty sees by our Logon's number that it misses it, and asks for it
};

struct Numbers {
  std::uint64_t next_inbound = 1;   // NextTargetMsgSeqNum
  std::uint64_t next_outbound = 1;  // NextSenderMsgSeqNum
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

// What the application thinks of a delivered message.
struct Verdict {
  enum class Kind : std::uint8_t {
    Accept,
    RejectBusiness,  // BusinessMessageReject (j); a session Reject (3) before FIX 4.2
    RejectSession,   // Reject (3)
  };
  Kind kind = Kind::Accept;
  unsigned reason = 0;        // BusinessRejectReason (380) or SessionRejectReason (373)
  wire::Tag ref_tag = 0;      // 0: none
  std::string_view text{};    // this and ref_id must live until next_action() returned nothing
  std::string_view ref_id{};  // RejectBusiness: BusinessRejectRefID (379); empty: none
};

// What the owner thinks of a resend.
struct ResendDecision {
  enum class Kind : std::uint8_t {
    Resend,   // from number `from` on; what is asked for before it is gap-filled
    GapFill,  // no message goes out again
    Reject,   // Reject with text; a resend that a Logon implies cannot be rejected: as LogOut
    LogOut,   // Logout with text
  };
  Kind kind = Kind::Resend;
  std::uint64_t from = 0;
  std::string_view text{};  // must live until next_action() returned nothing
};

// What the owner thinks of a Logon.
struct LogonDecision {
  enum class Kind : std::uint8_t { Accept, Refuse };
  Kind kind = Kind::Accept;
  std::string_view text{};  // Refuse: of the Logout; must live until next_action() returned nothing
  std::optional<std::uint32_t> session_status{};  // 1409 of the answer, on a FIXT session
};

enum class SendErrorCode : std::uint8_t { Encode, NotApplicationMessage };
struct SendError {
  SendErrorCode code = SendErrorCode::Encode;
  wire::EncodeError encode{};
};

// An application message with its number. The bytes lie in the buffer given to begin_message().
struct Outbound {
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
};

// One thread at a time. No function but the constructor allocates; none blocks or throws.
class StateMachine {
 public:
  // The numbers are what the store knows. what_is_wrong(config) must be empty.
  StateMachine(SessionConfig config, Numbers numbers);

  // Events.
  void on_connected(Now now) noexcept;
  void on_disconnected(Now now) noexcept;
  // A frame that parsed. The view must stay valid until next_action() has returned nothing.
  void on_message(const wire::MessageView& message, Now now) noexcept;
  void on_garbled(wire::GarbledReason reason, Now now) noexcept;
  // At or after next_deadline(); earlier calls are harmless.
  void on_time(Now now) noexcept;
  // After a Deliver: the message's number is used up. Exactly once for each Deliver.
  void on_delivered(const Verdict& verdict, Now now) noexcept;
  // After an Authenticate, at once or later. What is decided about an earlier Logon is ignored.
  void on_logon_decision(std::uint64_t logon_id, const LogonDecision& decision, Now now) noexcept;
  // After an AskResend, once for each.
  void on_resend_decision(const ResendDecision& decision, Now now) noexcept;
  // What the owner holds begins at first_held, after what is expected, or it could not keep what
  // it was asked to hold (0: nothing): what is missing before that is asked for, unless it has
  // been. If next_inbound has moved, what is due then comes first, and this call again. Of what is
  // held not needed where a ResendRequest asks for everything.
  void on_held_lost(std::uint64_t first_held, Now now) noexcept;
  // The session's time is over, by its schedule: Logout with text, and both numbers are 1 when the
  // connection has ended; at once if there is none.
  void on_session_end(std::string_view text, Now now) noexcept;
  // The operator's or the application's wish to end the session; text goes into Logout (58).
  void on_logout_command(std::string_view text, Now now) noexcept;

  // Serving a Replay: stored messages in ascending order, each as it was sent first. Those without
  // a kept message are left out, and become gap fills. bytes must live until next_action() returned
  // nothing. Calls for a Replay that has ended meanwhile (the connection broke, or a Reset) are
  // ignored.
  void on_replay_message(std::uint64_t msg_seq_num, std::string_view bytes, Now now) noexcept;
  void on_replay_done(Now now) noexcept;

  // The next thing to do. scratch (kScratchBytes; for a Retransmit, the message's size more) must
  // live until the action's bytes have been used.
  static constexpr std::size_t kScratchBytes = 4096;
  [[nodiscard]] std::optional<Action> next_action(std::span<char> scratch) noexcept {
    if (delivers_next_) {
      delivers_next_ = false;
      return Deliver{.message = message_, .msg_seq_num = message_seq_num_};
    }
    if (pending_begin_ == pending_end_) return std::nullopt;
    return take_action(scratch);
  }

  // An application message: encode the body between the two calls. Takes a number only when
  // finish_message() succeeds. Allowed in every state: without a logged-on counterparty the message
  // is numbered and stored, and reaches it after the next Logon: outlet() says how, before
  // finish_message() is called. No next_action() between the two calls.
  [[nodiscard]] wire::Encoder begin_message(std::span<char> buffer, std::string_view msg_type,
                                            Now now) noexcept;
  [[nodiscard]] std::expected<Outbound, SendError> finish_message(wire::Encoder& encoder) noexcept {
    return finish_message(encoder.finish());
  }
  // The same for what the encoder's finish() has said.
  [[nodiscard]] std::expected<Outbound, SendError> finish_message(
      const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept;
  // Gives back the numbers from next_outbound on: what was sent in a callback that failed, none of
  // which has been stored or transmitted. It puts off no Heartbeat either.
  void rewind_outbound(std::uint64_t next_outbound) noexcept;

  // An acceptor's answer to the Logon that has still to go out has a higher number than what a
  // callback sends in front of it; an initiator's Logon has a lower one than all that comes behind
  // it.
  [[nodiscard]] Outlet outlet() const noexcept {
    const bool is_open = state_ == State::LogonSent || state_ == State::LoggedOn;
    return is_open ? outlet_ : Outlet::Resend;
  }
  // After a Release without all that was to be kept back: a Heartbeat, whose number shows that
  // there is more to ask for. To be followed by next_action().
  void tell_number() noexcept;

  // The owner has kept messages waiting, and does: their SendingTime may be old. Until the end of
  // the connection, or false.
  void set_delayed(bool is_delayed) noexcept { is_delayed_ = is_delayed; }
  // The owner could not do what an event asked for: the numbers are those that it has recorded.
  // on_disconnected() is to follow; nothing may come between.
  void roll_back(Numbers numbers) noexcept { numbers_ = numbers; }
  // Another configuration of the same identity, between two events. While connected what both sides
  // have agreed on must be as before: role, HeartBtInt, versions and fields of the header and the
  // Logon. what_is_wrong(config) must be empty.
  void configure(SessionConfig config) noexcept;
  // An operator's decision about the next numbers, both ≥ 1. Disconnected only.
  void set_numbers(Numbers numbers) noexcept;

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] Numbers numbers() const noexcept { return numbers_; }
  // After a Logout: with the end of this connection, or the answer, both numbers begin at 1 again;
  // or they do so within this event. A message that was sent now would be forgotten.
  [[nodiscard]] bool is_about_to_reset() const noexcept;
  // In LogonReceived: whether the Logon that waits would be admitted if it was accepted now. Else
  // its numbers contradict the session's, and on_logon_decision() refuses it all the same.
  [[nodiscard]] bool would_admit() const noexcept;
  [[nodiscard]] const SessionConfig& config() const noexcept;
  // FIXT: the DefaultApplVerID (1137) of the counterparty's last Logon, the version of its messages
  // that name none; ours until there was one. Empty on other sessions.
  [[nodiscard]] std::string_view counterparty_appl_ver_id() const noexcept;
  // When on_time() must be called next; kNever if nothing is waited for.
  [[nodiscard]] MonoTime next_deadline() const noexcept;

 private:
  enum class MsgKind : std::uint8_t;
  struct Inbound;  // a message and what was read of its header

  // What a Logon says, for as long as it waits for a decision.
  struct LogonFacts {
    std::uint64_t msg_seq_num = 0;
    std::optional<std::uint64_t> next_expected;  // 789, if both sides say it
    std::chrono::seconds heart_bt_int{};
    bool wants_reset = false;
    char appl_ver_id = 0;
    std::optional<std::uint32_t> session_status{};  // that the answer is to carry
  };

  // A range of outbound numbers, both inclusive. Empty while begin is 0.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t resend_from = 0;  // what is below it is gap-filled without a look at the store
  };

  // Why a message is not processed.
  struct Objection {
    unsigned reason = 0;         // SessionRejectReason (373)
    std::string_view ref_tag{};  // RefTagID (371) as it is to be sent; empty: none
    bool ends_session = false;   // a Logout follows the Reject
    bool is_business = false;    // reason is a BusinessRejectReason (380)
    std::string_view text{};     // empty: the reason's own text
    std::string_view ref_id{};   // BusinessRejectRefID (379)
  };

  // What an event leaves to be done. next_action() makes an Action of it, and only then gives an
  // outbound number to it, so that numbers are in the order of transmission.
  enum class Step : std::uint8_t {
    TransmitLogon,      // flag: with ResetSeqNumFlag, second: status
    TransmitLogout,     // text, second: SessionStatus and 1; 0: none
    Authenticate,       // first: logon_id
    TransmitHeartbeat,  // text: TestReqID, flag: whether there is one
    TransmitTestRequest,
    TransmitResendRequest,  // first: BeginSeqNo, second: EndSeqNo, 0: everything
    TransmitReject,         // objection_
    RetransmitStored,       // replay_stored_
    RetransmitRest,         // the gap fill behind the last stored message
    Deliver,                // first: MsgSeqNum, flag: PossDup, second: PossResend
    ShowAdministrative,
    Hold,           // first: MsgSeqNum, text: bytes
    PassedOver,     // first, second: range
    ServeExpected,  // first: what the counterparty's Logon expects; the answer was sent last
    AskResend,      // first, second: range
    Replay,         // first, second: range
    Reset,
    Release,
    LoggedOn,
    LoggedOut,
    Disconnect,  // code
    Notice,      // code, first: expected, second: received, text
  };
  struct Pending {
    Step step = Step::Notice;
    std::uint8_t code = 0;
    bool flag = false;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::string_view text{};
  };

  // No event leaves more than this; what grows with its input is drawn out by Replay instead.
  static constexpr std::size_t kPendingMax = 16;
  static constexpr std::size_t kTextBytesMax = 160;
  // What is served early beyond this is held until its turn.
  static constexpr std::size_t kEarlyMax = 16;

  void derive() noexcept;  // what follows from the configuration

  // Queue (state_machine.cpp).
  void begin_event(const Now& now) noexcept;
  void push(const Pending& pending) noexcept;
  void move_to_front(std::size_t waiting) noexcept;
  void deliver_in_order() noexcept;
  void push_deliver(std::uint64_t msg_seq_num, bool poss_dup, bool poss_resend) noexcept;
  void notice(NoticeCode code, std::string_view text = {}, std::uint64_t expected = 0,
              std::uint64_t received = 0) noexcept;
  [[nodiscard]] std::optional<Action> take_action(std::span<char> scratch) noexcept;
  void advance_to(std::uint64_t next_inbound) noexcept;
  void advance_within_gap() noexcept;
  void forget_connection() noexcept;
  void forget_resends() noexcept;
  void reset_numbers() noexcept;

  // Receiving (ordinary.cpp, receive.cpp, header.cpp).
  [[nodiscard]] bool is_ordinary(const wire::MessageView& message) noexcept;
  [[nodiscard]] bool is_as_before(const wire::MessageView& message) const noexcept;
  [[nodiscard]] bool is_valid(const wire::MessageView& message) const noexcept;
  [[nodiscard]] bool learn_header(const wire::MessageView& message) noexcept;
  void learn_minute(std::string_view sending_time, WallTime time) noexcept;
  [[nodiscard]] bool is_sent_near(std::string_view sending_time) noexcept;
  void receive(const wire::MessageView& message) noexcept;
  void on_refused(const Verdict& verdict) noexcept;
  void receive_by_kind(const Inbound& in) noexcept;
  void receive_in_order(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void process(const Inbound& in) noexcept;
  void show_administrative() noexcept;
  void on_msg_seq_num_unreadable(const wire::MessageView& message) noexcept;
  void on_too_low(const Inbound& in) noexcept;
  void refuse_too_low(std::uint64_t msg_seq_num) noexcept;
  [[nodiscard]] std::string_view compared_text(std::string_view what, std::uint64_t expected,
                                               std::uint64_t received) noexcept;
  void on_too_high(const Inbound& in) noexcept;
  [[nodiscard]] std::optional<Objection> header_objection(const Inbound& in) noexcept;
  [[nodiscard]] std::optional<Objection> form_objection(const Inbound& in) noexcept;
  [[nodiscard]] std::optional<Objection> version_objection(const Inbound& in) const noexcept;
  [[nodiscard]] bool supports_version(std::string_view appl_ver_id) const noexcept;
  [[nodiscard]] const dictionary::Validator& validator_of(const Inbound& in) const noexcept;
  [[nodiscard]] std::optional<Objection> objection_to(
      const Inbound& in, const dictionary::Violation& violation) noexcept;
  [[nodiscard]] std::string_view ref_tag_text(wire::Tag tag) noexcept;
  [[nodiscard]] std::string_view noted_text(std::string_view text,
                                            std::string_view ref_tag) noexcept;
  [[nodiscard]] std::string_view received_reject_text(const wire::MessageView& message) noexcept;
  [[nodiscard]] std::optional<Objection> poss_dup_objection(const Inbound& in) const noexcept;
  [[nodiscard]] bool comp_ids_match(const wire::MessageView& message) const noexcept;
  [[nodiscard]] bool sending_time_is_near(WallTime sending_time) const noexcept;

  // Logon and Logout (logon.cpp, logout.cpp).
  void receive_before_logon(const wire::MessageView& message) noexcept;
  [[nodiscard]] bool is_worth_an_answer(const Inbound& in,
                                        const std::optional<Objection>& objection) const noexcept;
  void on_first_logon(const Inbound& in) noexcept;
  void admit(const LogonFacts& logon) noexcept;
  void receive_undecided(const wire::MessageView& message) noexcept;
  [[nodiscard]] LogonFacts facts_of(const Inbound& in) const noexcept;
  void note_session_status(const wire::MessageView& message) noexcept;
  void on_reset_logon(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void accept_logon(const LogonFacts& logon, bool reply_with_reset) noexcept;
  void refuse_next_expected(std::uint64_t unsent, std::uint64_t next_expected) noexcept;
  [[nodiscard]] std::string_view logon_objection(
      const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void set_heart_bt_int(std::chrono::seconds interval) noexcept;
  void on_logout(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void leave(std::string_view text, DisconnectReason before_logon) noexcept;
  void log_out(std::string_view text) noexcept;
  void log_out_and_disconnect(std::string_view text, DisconnectReason reason) noexcept;
  void end_session(DisconnectReason reason) noexcept;

  // Heartbeats and timeouts (heartbeat.cpp).
  void on_test_request(const Inbound& in) noexcept;
  void on_heartbeat_time() noexcept;
  void on_silence() noexcept;
  void on_gap_time() noexcept;
  [[nodiscard]] MonoTime heartbeat_deadline() const noexcept;

  // Gaps and resends (gap.cpp, resend.cpp, sequence_reset.cpp).
  void request_resend(std::uint64_t received, std::uint64_t gap_end) noexcept;
  void widen_gap(std::uint64_t received, std::uint64_t gap_end) noexcept;
  void await_resend(std::uint64_t received, std::uint64_t gap_end) noexcept;
  void push_resend_request() noexcept;
  void note_answer() noexcept;
  [[nodiscard]] std::uint64_t without_held(std::uint64_t new_seq_no) noexcept;
  void on_served_early(const Inbound& in) noexcept;
  [[nodiscard]] bool note_early(std::uint64_t msg_seq_num) noexcept;
  void drop_early_below(std::uint64_t next_inbound) noexcept;
  [[nodiscard]] std::uint64_t after_early(std::uint64_t msg_seq_num) const noexcept;
  void on_resend_request(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  [[nodiscard]] std::expected<Range, Objection> requested_range(const Inbound& in) const noexcept;
  void serve_expected(std::uint64_t next_expected) noexcept;
  void ask_or_serve(Range range, std::uint64_t request_seq_num) noexcept;
  [[nodiscard]] bool is_repeated_too_often(const Range& range) noexcept;
  [[nodiscard]] bool asks_too_much(const Range& range) noexcept;
  void serve(Range range) noexcept;
  void replay(Range range) noexcept;
  void finish_replay() noexcept;
  void on_sequence_reset(const Inbound& in, const std::optional<Objection>& objection) noexcept;
  void on_gap_fill(const Inbound& in) noexcept;
  void skip_to(std::uint64_t new_seq_no) noexcept;

  // Rejects (reject.cpp).
  void reject(const Inbound& in, const Objection& objection) noexcept;
  void reject_and_log_out(const Inbound& in, const Objection& objection) noexcept;
  void push_reject(const wire::MessageView& message, std::uint64_t msg_seq_num,
                   const Objection& objection) noexcept;

  // Sending (send.cpp).
  void note_sent_application() noexcept;

  // Encoding (encode.cpp).
  [[nodiscard]] std::optional<Action> perform(const Pending& pending,
                                              std::span<char> scratch) noexcept;
  [[nodiscard]] Action transmit_logon(const Pending& pending, std::span<char> scratch) noexcept;
  [[nodiscard]] Action transmit_logout(const Pending& pending, std::span<char> scratch) noexcept;
  [[nodiscard]] Action transmit_reject(std::span<char> scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_stored(std::span<char> scratch) noexcept;
  [[nodiscard]] std::optional<Action> retransmit_rest(std::span<char> scratch) noexcept;
  [[nodiscard]] Action gap_fill(std::uint64_t new_seq_no, std::span<char> scratch) noexcept;
  template <class Body>
  [[nodiscard]] Transmit transmit(std::string_view msg_type, std::span<char> scratch,
                                  Body&& body) noexcept;
  [[nodiscard]] wire::MessageHeader header(std::string_view msg_type) const noexcept;
  void write_last_processed(wire::Encoder& encoder) const noexcept;
  void write_session_status(wire::Encoder& encoder, const Pending& pending) const noexcept;

  SessionConfig config_;
  wire::HeaderTemplate header_template_;
  const VersionTraits* version_;
  wire::TimePrecision precision_;
  bool sends_last_processed_ = false;
  bool sends_next_expected_ = false;
  bool closes_requests_ = true;        // a ResendRequest ends where the gap ends
  char counterparty_appl_ver_id_ = 0;  // 0: not a FIXT session
  Numbers numbers_;
  State state_ = State::Disconnected;
  bool is_connected_ = false;
  Now now_{};  // of the event being handled

  std::array<Pending, kPendingMax> pending_{};
  std::size_t pending_begin_ = 0;
  std::size_t pending_end_ = 0;
  std::array<char, kTextBytesMax> text_{};  // Text made for the event being handled

  // The message being handled, the one that awaits the application's verdict, or the one rejected.
  const wire::MessageView* message_ = nullptr;
  std::uint64_t message_seq_num_ = 0;
  bool awaits_verdict_ = false;
  bool delivers_next_ = false;  // the message, which is in order; pending_ is empty
  Objection objection_;
  std::array<char, 10> ref_tag_text_{};
  std::array<char, 2 * kTextBytesMax> noted_text_{};  // of the event's Notices about a message
  std::size_t noted_size_ = 0;

  detail::KnownHeader known_;

  // Application message between begin_message() and finish_message().
  std::uint64_t begun_msg_seq_num_ = 0;
  bool begun_is_administrative_ = false;
  MonoTime begun_at_{};

  // Timers.
  MonoTime deadline_ = kNever;  // for the Logon or the Logout that is awaited
  MonoTime last_sent_{};
  // The application messages sent since one event, which may have to be undone.
  struct {
    MonoTime event = kNever;
    std::uint64_t next_inbound = 0;
    MonoTime sent_before{};  // last_sent_ without them
    MonoTime sent = kNever;  // last_sent_ with them
  } undo_;
  MonoTime last_received_{};
  std::optional<MonoTime> test_request_sent_;  // and not answered by anything yet
  MonoTime::duration heart_bt_int_{};          // 0: none
  std::chrono::seconds heart_bt_int_seconds_{};
  MonoTime::duration test_request_after_{};
  MonoTime::duration disconnect_after_{};  // after the TestRequest

  // An inbound gap: asked for, and open until next_inbound has reached gap_end_. 0: none.
  std::uint64_t gap_end_ = 0;
  std::uint64_t requested_end_ = 0;  // of the open ResendRequest; 0: it asks for everything
  MonoTime gap_deadline_ = kNever;
  unsigned gap_requests_ = 0;          // without progress
  MonoTime gap_limit_ = kNever;        // without progress for resend_timeout
  MonoTime answered_at_{};             // the last part of the answer, or the request
  MonoTime::duration answer_pause_{};  // the longest one of this gap's answers
  // Numbers above the expected one that were received on this connection. A message up to
  // held_high_ may be one that the owner had kept, so its SendingTime may be old.
  std::uint64_t held_high_ = 0;
  // Numbers of a Logon that was answered and of ResendRequests that were served though they came
  // too early: counted when their turn comes, in ascending order. early_first_: the first; 0: none.
  std::array<std::uint64_t, kEarlyMax> early_{};
  std::size_t early_count_ = 0;
  std::uint64_t early_first_ = 0;
  std::uint64_t early_resend_request_ = 0;  // the highest ResendRequest that was served early
  bool reset_is_pending_ = false;           // numbers_.next_outbound is not 1 yet
  bool resets_at_end_ = false;              // the session's time is over
  std::uint64_t logon_id_ = 0;              // of the last Authenticate
  LogonFacts pending_logon_;                // while the state is LogonReceived
  bool is_delayed_ = false;                 // what comes has waited at the owner's
  bool reset_sent_ = false;                 // our Logon with ResetSeqNumFlag is not answered yet
  std::uint64_t logon_sent_ = 0;            // initiator: its number, on this connection
  Outlet outlet_ = Outlet::Resend;          // while the state is LogonSent or LoggedOn

  // A resend that awaits the owner's decision, and the number of the ResendRequest; 0: a Logon's.
  Range asked_;
  std::uint64_t asked_by_ = 0;
  // What was served last, and how often in a row.
  Range served_;
  std::uint32_t served_count_ = 0;
  // What was asked for on this connection: the lowest number, and how many in all.
  std::uint64_t asked_lowest_ = 0;
  std::uint64_t asked_count_ = 0;
  // An outbound resend in progress, and the one that comes after it.
  Range replay_;  // begin: the next number to be covered
  Range replay_next_;
  std::uint64_t stored_seq_num_ = 0;
  std::string_view stored_bytes_;
};

}  // namespace nexusfix::session
