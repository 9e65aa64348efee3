// A session that gets any event at any time: hostile and garbled messages, time that passes or not,
// disconnects, and commands of its owner. The simulator's checker judges its sent and delivered
// messages as in a simulated world: numbers, resends, gap fills, resets, order. In addition, its
// messages are well-formed for our own parser, its numbers go back only after a reset, it delivers
// only received messages, and it answers a TestRequest at the end if it is still logged on.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/simulator/trace.hpp>
#include <nexusfix/simulator/violation.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/state_machine.hpp"
#include "simulator/check/checker.hpp"
#include "simulator/check/wire_message.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::Input;
using testing::require;

constexpr int kStepsMax = 200;
// The checker keeps a line for each number. A counterparty that jumps beyond the limit ends the
// run.
constexpr std::uint64_t kNumberMax = 2'000;

SessionConfig config_of(Input& input) {
  static const auto kValidator =
      dictionary::Validator::make(dictionary::builtin_dictionary(dictionary::Version::Fix44), {})
          .value();
  constexpr std::array<std::string_view, 4> kVersions{"FIX.4.4", "FIX.4.2", "FIX.4.0", "FIXT.1.1"};
  const std::size_t first = input.byte();
  const std::size_t second = input.byte();
  const auto is_set = [&](unsigned bit) { return (second >> bit & 1U) != 0; };
  const std::string_view version = kVersions[first / 2 % kVersions.size()];
  SessionConfig config = first % 2 == 0 ? acceptor_config(version) : initiator_config(version);
  config.heartbeat.heart_bt_int = std::chrono::seconds{first >> 3U & 7U};
  if (version == "FIX.4.4" && (first & 64U) != 0) config.validation.validator = kValidator;
  if ((first & 128U) != 0) config.shows_administrative = config.resend.asks_before = true;
  config.reset.on_logon = is_set(0);
  config.reset.on_logout = is_set(1);
  config.reset.on_disconnect = is_set(2);
  config.logon.authenticates = is_set(3) && first % 2 == 0;
  config.gap.resend_request_chunk = is_set(5) ? 2 : 0;
  config.resend.persist_messages = !is_set(6);
  config.logon.send_next_expected_msg_seq_num =
      is_set(7) && (version == "FIX.4.4" || first / 2 % 4 == 3);
  return config;
}

// The owner's view of the session, for the checker.
class Owner final : public simulator::CheckedProcess {
 public:
  explicit Owner(Side& side) : side_{side} {}
  void note() {
    const Numbers numbers = side_.machine().sequence_numbers();
    const auto epoch = static_cast<std::uint64_t>(side_.resets) + 1;
    if (record_.epoch != epoch) record_.created = side_.now().wall;
    record_ = {.next_inbound = numbers.next_inbound,
               .next_outbound = numbers.next_outbound,
               .epoch = epoch,
               .created = record_.created};
  }
  [[nodiscard]] const store::SessionRecord& record(std::size_t) const override { return record_; }
  [[nodiscard]] std::uint64_t retired_until(std::size_t) const override { return 0; }
  [[nodiscard]] store::LogPosition appended() const override { return 0; }
  [[nodiscard]] bool is_logged_on(std::size_t) const override {
    return side_.state() == State::LoggedOn;
  }
  [[nodiscard]] Numbers numbers(std::size_t) const override {
    return side_.machine().sequence_numbers();
  }

 private:
  Side& side_;
  store::SessionRecord record_{};
};

// The simulator's checker, for a process of one session with an arbitrary counterparty.
class Judge {
 public:
  explicit Judge(Side& side) : side_{side}, owner_{side} {
    config::Settings settings;
    settings.sessions.emplace_back().session = side.config();
    checker_.add_process(0, "session");
    owner_.note();
    checker_.process_started(0, owner_, settings);
  }

  void transmitted(std::string_view bytes) {
    owner_.note();
    const bool is_initiator = side_.config().role == Role::Initiator;
    checker_.bytes_sent(connection_, is_initiator ? 0 : 1, 0, bytes);
  }
  void delivered(std::string_view bytes) {
    owner_.note();
    checker_.heard(0, 0, bytes);
    checker_.delivered(0, 0, bytes);
  }
  void promised(std::uint64_t msg_seq_num) { checker_.promised(0, 0, msg_seq_num); }
  void connected() { ++connection_; }
  // The counterparty has asked for a reset, or the session's time is over.
  void allow_reset() { checker_.allow_reset(0); }
  void step_done(bool is_reset) {
    owner_.note();
    if (is_reset) checker_.session_reset(0, side_.config().id.to_string());
    checker_.turn_done(0);
    if (const auto& violation = violation_.get()) {
      std::fprintf(stderr, "%s: %s\n", violation->invariant.c_str(), violation->what.c_str());
      require(false);
    }
  }

 private:
  Side& side_;
  Owner owner_;
  simulator::WorldTime now_{};
  simulator::Trace trace_{now_, 0, nullptr};
  simulator::FirstViolation violation_{now_};
  simulator::Checker checker_{trace_, violation_};
  std::uint64_t connection_ = 0;
};

class Driven {
 public:
  Driven(const SessionConfig& config, Input& input) : input_{input}, side_{config} {
    require(validate(config).empty());
    side_.serves_replays_in_slices = input.byte() % 2 == 1;
    side_.on_transmitted = [this](std::string_view bytes) { judge_.transmitted(bytes); };
    side_.application = [this](Side&, const Deliver& action) {
      const std::string_view bytes = action.message->bytes();
      require(received_.contains(bytes));
      // Without a dictionary, a header field may occur twice, and the first one counts. The
      // checker's own reader does not accept that.
      const auto read = simulator::read_wire_message(bytes);
      const bool is_plain = read && read->msg_seq_num == action.msg_seq_num;
      if (is_plain && action.msg_seq_num <= kNumberMax) judge_.delivered(bytes);
      return detail::DeliveryDecision{};
    };
  }

  void run() {
    for (int step = 0; step < kStepsMax && !input_.empty(); ++step) {
      const Numbers before = side_.machine().sequence_numbers();
      const int resets_before = side_.resets;
      const std::size_t delivered_before = side_.delivered.size();
      run_step();
      const bool is_reset = side_.resets != resets_before;
      require(!is_reset || may_reset());
      judge_.step_done(is_reset);
      check_numbers(before, is_reset);
      check_sent(is_reset);
      withdraw_resets(is_reset);
      check_delivered(delivered_before, is_reset);
      if (side_.next_in() > kNumberMax) return;
    }
    end();
  }

 private:
  void run_step() {
    switch (input_.byte() % 16) {
      case 0:
      case 1:
        if (side_.is_connected()) break;
        judge_.connected();
        side_.connect();
        break;
      case 2:
        if (side_.is_connected()) side_.disconnect();
        break;
      case 3:
        side_.advance(std::chrono::milliseconds{100 * input_.byte()});
        break;
      case 4:
        if (const auto number = side_.send("D", "order")) judge_.promised(number);
        break;
      case 5:
        side_.log_out("enough");
        break;
      case 6:
        if (input_.byte() % 8 != 0) break;
        judge_.allow_reset();
        is_over_ = true;
        side_.end_of_session("evening");
        break;
      case 7:
        side_.decide(input_.byte() % 4 == 0
                         ? LogonDecision{.kind = LogonDecision::Kind::Refuse, .text = "no"}
                         : LogonDecision{});
        break;
      case 8:
        side_.serve_slice();
        break;
      case 9:
        receive_fields("35=" + input_.text(input_.byte()));
        break;
      case 10:
        receive_changed();
        break;
      default:
        receive_fields(likely_fields());
        break;
    }
  }

  void receive_fields(const std::string& fields) {
    const bool is_writable = !("|" + fields + "|").contains("|8|");  // BeginString has a value
    if (side_.is_connected() && is_writable) {
      receive(message_to(side_.config(), side_.now(), fields));
    }
  }

  void receive(const std::string& bytes) {
    if (asks_for_reset(bytes)) {
      judge_.allow_reset();
      is_asked_ = true;
    }
    received_.insert(bytes);
    side_.receive(bytes);
  }

  // A Logon with an invalid form must not cause a reset.
  bool asks_for_reset(std::string_view bytes) {
    const wire::FrameResult frame = wire::next_frame(bytes, {});
    if (frame.status != wire::FrameResult::Status::Complete || frame.size != bytes.size())
      return false;
    const auto message = parser_.parse(bytes);
    return message && !message->fault() && (*message)[35] == "A" && (*message)[141] == "Y";
  }

  // The checker allows resets permanently once it has allowed one, because one that has begun may
  // end much later.
  [[nodiscard]] bool may_reset() const {
    const SessionConfig& config = side_.config();
    return is_asked_ || is_over_ || config.reset.on_logon || config.reset.on_logout ||
           config.reset.on_disconnect;
  }
  void withdraw_resets(bool is_reset) {
    // The application may still have to decide about the Logon, or the session may have to end.
    if (is_reset || side_.state() != State::LogonReceived) is_asked_ = false;
    if (is_reset) is_over_ = false;
  }

  // A message with one changed byte: its CheckSum or its form makes it invalid.
  void receive_changed() {
    std::string bytes = message_to(side_.config(), side_.now(), likely_fields());
    const std::size_t at = input_.byte() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(input_.byte()));
    if (side_.is_connected()) receive(bytes);
  }

  // A message of the session layer, or an order, with a number close to the expected one.
  std::string likely_fields() {
    const std::size_t what = input_.byte();
    const std::size_t flags = input_.byte();
    const auto nudge = static_cast<std::int64_t>(input_.byte() % 16) - 4;
    const std::string number = near(side_.next_in(), nudge % 5 == 0 ? 0 : nudge);
    std::string fields = "35=" + std::string{"A01234 5Dj8"[what % 11]} + "|34=" + number;
    if ((flags & 1U) != 0) fields += "|43=Y|122=20240115-10:29:59.000";
    switch (what % 11) {
      case 0:
        fields += "|98=0|108=" + std::to_string(flags >> 5U);
        if ((flags & 2U) != 0) fields += "|141=Y";
        if ((flags & 4U) != 0) fields += "|789=" + near(side_.next_out(), nudge);
        if (side_.config().id.begin_string == "FIXT.1.1") fields += "|1137=9";
        break;
      case 2:
        fields += "|112=HELLO";
        break;
      case 3:
        fields += "|7=" + near(1, flags >> 4U) + "|16=" + near(0, flags >> 2U & 15U);
        break;
      case 4:
        fields += "|45=1|58=no";
        break;
      case 5:
        if ((flags & 2U) != 0) fields += "|123=Y";
        fields += "|36=" + near(side_.next_in(), static_cast<std::int64_t>(flags >> 4U) - 4);
        break;
      case 8:
        fields += "|11=O1|55=AAPL|54=1|38=100|40=1|60=20240115-10:30:00";
        break;
      default:
        break;
    }
    return fields;
  }

  static std::string near(std::uint64_t number, std::int64_t nudge) {
    return std::to_string(std::max<std::int64_t>(static_cast<std::int64_t>(number) + nudge, 0));
  }

  void check_numbers(const Numbers& before, bool is_reset) {
    const Numbers now = side_.machine().sequence_numbers();
    require(now.next_inbound >= 1 && now.next_outbound >= 1);
    if (is_reset) return;
    require(now.next_inbound >= before.next_inbound && now.next_outbound >= before.next_outbound);
  }

  void check_sent(bool is_reset) {
    for (const std::string& bytes : side_.consume_wire()) {
      const wire::FrameResult frame = wire::next_frame(bytes, {});
      require(frame.status == wire::FrameResult::Status::Complete && frame.size == bytes.size());
      const auto message = parser_.parse(bytes);
      require(message && !message->fault());
      require((*message)[49] == side_.config().id.sender_comp_id &&
              (*message)[56] == side_.config().id.target_comp_id);
      const auto number = wire::to_uint((*message)[34].value_or(""));
      require(number.has_value() && *number >= 1);
      const bool is_sent_again = (*message)[43] == "Y";  // or replaces a resent one
      if (is_sent_again || is_reset) continue;
      require(*number < side_.next_out());
    }
  }

  void check_delivered(std::size_t delivered_before, bool is_reset) {
    if (is_reset) last_delivered_ = 0;
    for (std::size_t i = delivered_before; i < side_.delivered.size(); ++i) {
      const std::uint64_t number = side_.delivered[i].msg_seq_num;
      if (!is_reset) require(number > last_delivered_ && number < side_.next_in());
      last_delivered_ = number;
    }
    if (is_reset) last_delivered_ = std::min(last_delivered_, side_.next_in() - 1);
  }

  void end() {
    while (side_.serve_slice()) {
    }
    judge_.step_done(false);
    check_sent(false);
    if (side_.state() != State::LoggedOn) return;
    receive_fields("35=1|34=" + std::to_string(side_.next_in()) + "|112=STILL THERE");
    const auto sent = side_.sent();
    require(std::ranges::any_of(
        sent, [](const std::string& one) { return one.contains("112=STILL THERE"); }));
  }

  Input& input_;
  Side side_;
  Judge judge_{side_};
  wire::Parser parser_;
  std::set<std::string, std::less<>> received_;
  std::uint64_t last_delivered_ = 0;
  bool is_asked_ = false;  // for a reset, by a Logon
  bool is_over_ = false;   // the session's time
};

}  // namespace
}  // namespace nexusfix::session::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nexusfix::testing::Input input{data, size};
  const auto config = nexusfix::session::test::config_of(input);
  nexusfix::session::test::Driven{config, input}.run();
  return 0;
}
