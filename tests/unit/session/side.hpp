// One side of a session in a test: a state machine with an owner, in memory and in virtual time.
// Messages are written as in FIX documents: `|` between fields, without the fields that do not
// matter: 8, 9, 10, 49, 52, 56.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/parser.hpp>

#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::session::test {

using namespace std::chrono_literals;

// 2024-01-15 10:30:00 UTC; a monotonic clock that does not start at zero.
[[nodiscard]] Now test_start() noexcept;

// A message that the counterparty of config would send at now: fields such as
// "35=0|34=2|112=HELLO". BeginString, CompIDs and SendingTime are added unless fields has them;
// BodyLength and CheckSum are always correct. Tags in leave_out are not added.
[[nodiscard]] std::string message_to(const SessionConfig& config, Now now, std::string_view fields,
                                     std::string_view leave_out = {});

// As tests show it. readable_in_full() omits only 9 and 10.
[[nodiscard]] std::string readable(std::string_view bytes);
[[nodiscard]] std::string readable_in_full(std::string_view bytes);

[[nodiscard]] SessionConfig acceptor_config(std::string_view begin_string = "FIX.4.4");
[[nodiscard]] SessionConfig initiator_config(std::string_view begin_string = "FIX.4.4");

struct Delivered {
  std::uint64_t msg_seq_num = 0;
  std::string text;  // readable()
  bool poss_dup = false;
  bool poss_resend = false;
};

class Side {
 public:
  explicit Side(SessionConfig config, Numbers numbers = {});
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  // Events. Each performs every action that follows.
  void connect();
  void disconnect();
  void receive(std::string_view bytes);  // one frame; garbled if it does not parse
  void in(std::string_view fields) { receive(message_to(config(), now_, fields)); }
  void garbled(wire::GarbledReason reason);
  void advance(MonoTime::duration duration);  // stops at every deadline on the way
  void set_now(Now now) noexcept { now_ = now; }
  void wake();  // on_time() at the present time
  void log_out(std::string_view text = {});
  void reset_in_session(ResetFallback fallback = ResetFallback::KeepNumbers);
  void end_of_session(std::string_view text = {});
  // On the last Authenticate, or on logon_id.
  void decide(const LogonDecision& decision, std::uint64_t logon_id = 0);
  // Sends an application message and returns its number.
  std::uint64_t send(std::string_view msg_type = "D", std::string_view text = "order");

  // Acceptor with a Logon received, initiator with its Logon answered; sent() is then empty.
  void establish();

  // The messages sent since the last call.
  [[nodiscard]] std::vector<std::string> sent();
  [[nodiscard]] std::vector<std::string> sent_in_full();
  [[nodiscard]] std::deque<std::string> consume_wire();

  [[nodiscard]] StateMachine& machine() noexcept { return machine_; }
  [[nodiscard]] const SessionConfig& config() const noexcept { return machine_.config(); }
  [[nodiscard]] State state() const noexcept { return machine_.state(); }
  [[nodiscard]] std::uint64_t next_in() const noexcept {
    return machine_.sequence_numbers().next_inbound;
  }
  [[nodiscard]] std::uint64_t next_out() const noexcept {
    return machine_.sequence_numbers().next_outbound;
  }
  [[nodiscard]] Now now() const noexcept { return now_; }
  [[nodiscard]] bool is_connected() const noexcept { return is_connected_; }
  [[nodiscard]] bool has_notice(NoticeCode code) const;

  // Replays are served at once, or, if this is set, one stored message a call.
  bool serves_replays_in_slices = false;
  bool serve_slice();  // false: nothing to serve
  bool can_buffer = true;
  std::function<void(std::string_view bytes)> on_transmitted;  // each message, at once
  bool queues_until_logon = true;  // messages sent after an unanswered Logon
  std::function<detail::DeliveryDecision(Side&, const Deliver&)> application;  // default: accepts
  std::function<void(Side&)> on_administrative;
  std::function<void(Side&)> on_replay;  // called when one begins

  std::map<std::uint64_t, std::string> stored;
  std::vector<Delivered> delivered;
  std::vector<std::string> administrative;  // readable()
  std::vector<Notice> notices;
  std::vector<std::string> notice_texts;  // the texts of the notices
  std::vector<std::uint64_t> buffered_numbers;
  std::vector<std::uint64_t> discarded;  // of those, the ones that a SequenceReset passed over
  std::function<detail::ResendDecision(const AskResend&)> resend_governor;  // default: resend
  std::optional<DisconnectReason> disconnect_reason;  // of our last Disconnect
  std::uint64_t last_logon_id = 0;
  std::string asked_about;  // readable() of the Logon of the last Authenticate
  int logged_on = 0;
  int logged_out = 0;
  bool logout_is_complete = false;  // of the last LoggedOut
  int resets = 0;

 private:
  void perform_all();
  void perform(const Action& action);
  void transmit(std::string_view bytes);
  void deliver_in_sequence();
  void deliver(const Deliver& action);

  Now now_;
  StateMachine machine_;
  wire::Parser parser_;
  wire::Parser out_of_order_parser_;
  std::vector<char> scratch_;
  std::deque<std::string> wire_;
  std::map<std::uint64_t, std::string> out_of_order_;
  std::uint64_t lost_high_ = 0;  // of the messages that were not buffered
  std::deque<std::string> queued_until_logon_;
  std::optional<Replay> replay_;
  std::uint64_t replay_cursor_ = 0;
  bool is_connected_ = false;
  bool is_performing_ = false;
};

// Two sides and their connection. Nothing is in flight between two calls.
class Pair {
 public:
  Pair(SessionConfig initiator_config, SessionConfig acceptor_config);
  explicit Pair(std::string_view begin_string = "FIX.4.4")
      : Pair{session::test::initiator_config(begin_string),
             session::test::acceptor_config(begin_string)} {}

  void connect();
  void disconnect();  // bytes on the wire arrive; then the connection breaks
  void break_link();  // bytes on the wire are lost
  void exchange();    // until nothing is on the wire
  void advance(MonoTime::duration duration);

  Side initiator;
  Side acceptor;
};

}  // namespace nexusfix::session::test
