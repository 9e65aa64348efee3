#include "unit/session/side.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::session::test {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
  }
  return parts;
}

std::string_view tag_of(std::string_view field) { return field.substr(0, field.find('=')); }

bool has_tag(const std::vector<std::string_view>& fields, std::string_view tag) {
  return std::any_of(fields.begin(), fields.end(),
                     [&](std::string_view field) { return tag_of(field) == tag; });
}

std::string without(std::string_view bytes, std::initializer_list<std::string_view> tags) {
  std::string result;
  for (const std::string_view field : split(bytes, wire::kSoh)) {
    if (std::find(tags.begin(), tags.end(), tag_of(field)) != tags.end()) continue;
    if (!result.empty()) result += '|';
    result += field;
  }
  return result;
}

}  // namespace

Now test_start() noexcept {
  using namespace std::chrono;
  return {.wall = WallTime{sys_days{2024y / January / 15} + 10h + 30min},
          .mono = MonoTime{1'000'000s}};
}

std::string message_to(const SessionConfig& config, Now now, std::string_view fields,
                       std::string_view leave_out) {
  const std::vector<std::string_view> given = split(fields, '|');
  std::array<char, wire::kUtcTimestampBytesMax> time;
  const std::size_t time_size =
      wire::from_utc_timestamp(now.wall, wire::TimePrecision::Millis, time.data());
  std::string body;
  const auto put = [&](std::string_view field) { (body += field) += wire::kSoh; };
  const auto put_default = [&](std::string_view tag, std::string_view value) {
    if (tag == leave_out || has_tag(given, tag)) return;
    put(std::string{tag} + "=" + std::string{value});
  };
  // MsgType first and the header after it, because fields may contain malformed ones.
  std::string begin_string = config.id.begin_string;
  std::size_t next = 0;
  for (; next < given.size(); ++next) {
    const std::string_view tag = tag_of(given[next]);
    if (tag == "8") {
      begin_string = given[next].substr(2);
    } else if (tag == "35" || tag == "34") {
      put(given[next]);
    } else {
      break;
    }
  }
  put_default("49", config.id.target_comp_id);
  put_default("52", {time.data(), time_size});
  put_default("56", config.id.sender_comp_id);
  for (; next < given.size(); ++next) put(given[next]);

  std::string bytes =
      "8=" + begin_string + wire::kSoh + "9=" + std::to_string(body.size()) + wire::kSoh + body;
  unsigned sum = 0;
  for (const char byte : bytes) sum += static_cast<unsigned char>(byte);
  std::string digits = std::to_string(sum % 256);
  digits.insert(0, 3 - digits.size(), '0');
  return bytes + "10=" + digits + wire::kSoh;
}

std::string readable(std::string_view bytes) {
  return without(bytes, {"8", "9", "10", "49", "52", "56"});
}

std::string readable_in_full(std::string_view bytes) { return without(bytes, {"9", "10"}); }

SessionConfig acceptor_config(std::string_view begin_string) {
  SessionConfig config;
  config.id = {.begin_string = std::string{begin_string},
               .sender_comp_id = "VENUE",
               .target_comp_id = "TRADER",
               .qualifier = {}};
  config.role = Role::Acceptor;
  if (begin_string == "FIXT.1.1") config.fixt.default_appl_ver_id = "9";
  return config;
}

SessionConfig initiator_config(std::string_view begin_string) {
  SessionConfig config = acceptor_config(begin_string);
  std::swap(config.id.sender_comp_id, config.id.target_comp_id);
  config.role = Role::Initiator;
  return config;
}

Side::Side(SessionConfig config, Numbers numbers)
    : now_{test_start()}, machine_{std::move(config), numbers}, scratch_(16'384) {}

void Side::connect() {
  is_connected_ = true;
  disconnect_reason.reset();
  machine_.on_connected(now_);
  perform_all();
}

void Side::disconnect() {
  is_connected_ = false;
  replay_.reset();
  out_of_order_.clear();
  lost_high_ = 0;
  queued_until_logon_.clear();
  machine_.on_disconnected(now_);
  perform_all();
}

void Side::receive(std::string_view bytes) {
  if (!is_connected_) return;
  const auto message = parser_.parse(bytes);
  if (!message) return garbled(message.error().reason);
  machine_.on_message(*message, now_);
  perform_all();
}

void Side::garbled(wire::GarbledReason reason) {
  machine_.on_garbled(reason, now_);
  perform_all();
}

void Side::advance(MonoTime::duration duration) {
  const MonoTime until = now_.mono + duration;
  while (machine_.next_deadline() <= until) {
    const MonoTime::duration step =
        std::max(machine_.next_deadline() - now_.mono, MonoTime::duration::zero());
    now_ = {.wall = now_.wall + step, .mono = now_.mono + step};
    wake();
  }
  const MonoTime::duration rest = until - now_.mono;
  now_ = {.wall = now_.wall + rest, .mono = until};
}

void Side::wake() {
  machine_.on_time(now_);
  perform_all();
}

void Side::log_out(std::string_view text) {
  machine_.on_logout_command(text, now_);
  perform_all();
}
void Side::reset_in_session(ResetFallback fallback) {
  machine_.on_reset_command(fallback, now_);
  perform_all();
}

void Side::end_of_session(std::string_view text) {
  machine_.on_session_end(text, now_);
  perform_all();
}

void Side::decide(const LogonDecision& decision, std::uint64_t logon_id) {
  machine_.on_logon_decision(logon_id == 0 ? last_logon_id : logon_id, decision, now_);
  perform_all();
}

std::uint64_t Side::send(std::string_view msg_type, std::string_view text) {
  std::array<char, 512> buffer;
  wire::Encoder encoder = machine_.begin_message(buffer, msg_type, now_);
  encoder.field(tag::Text, text);
  const Outlet outlet = machine_.outlet();
  const auto outbound = machine_.finish_message(encoder);
  if (!outbound) return 0;
  stored[outbound->msg_seq_num] = std::string{outbound->bytes};
  if (outlet == Outlet::Wire) transmit(outbound->bytes);
  if (outlet == Outlet::AfterLogon && queues_until_logon)
    queued_until_logon_.emplace_back(outbound->bytes);
  return outbound->msg_seq_num;
}

void Side::establish() {
  connect();
  in("35=A|34=" + std::to_string(next_in()) + "|98=0|108=30" +
     (config().id.begin_string == "FIXT.1.1" ? "|1137=9" : ""));
  ASSERT_EQ(state(), State::LoggedOn);
  wire_.clear();
  notices.clear();
}

std::vector<std::string> Side::sent() {
  std::vector<std::string> result;
  for (const std::string& bytes : consume_wire()) result.push_back(readable(bytes));
  return result;
}

std::vector<std::string> Side::sent_in_full() {
  std::vector<std::string> result;
  for (const std::string& bytes : consume_wire()) result.push_back(readable_in_full(bytes));
  return result;
}

std::deque<std::string> Side::consume_wire() { return std::exchange(wire_, {}); }

bool Side::has_notice(NoticeCode code) const {
  return std::any_of(notices.begin(), notices.end(),
                     [code](const Notice& notice) { return notice.code == code; });
}

void Side::perform_all() {
  while (const std::optional<Action> action = machine_.next_action(scratch_)) perform(*action);
  if (!serves_replays_in_slices) {
    while (serve_slice()) {
    }
  }
  if (disconnect_reason && is_connected_) return disconnect();
  deliver_in_sequence();
}

void Side::deliver_in_sequence() {
  if (is_performing_) return;
  is_performing_ = true;
  while (is_connected_ && state() != State::LogonReceived) {
    out_of_order_.erase(out_of_order_.begin(), out_of_order_.lower_bound(next_in()));
    if (out_of_order_.empty() || out_of_order_.begin()->first != next_in()) break;
    const std::string bytes = out_of_order_.extract(out_of_order_.begin()).mapped();
    const auto message = out_of_order_parser_.parse(bytes);
    machine_.on_message(*message, now_);
    perform_all();
  }
  is_performing_ = false;
  if (!is_connected_ || state() == State::LogonReceived) return;
  const std::uint64_t expected = next_in();
  if (lost_high_ < expected) lost_high_ = 0;
  const GapConfig& gap = config().gap;
  const bool asks_for_one_gap = gap.closed_resend_requests || gap.resend_request_chunk != 0;
  if (lost_high_ == 0 && (out_of_order_.empty() || !asks_for_one_gap)) return;
  machine_.on_out_of_order_lost(out_of_order_.empty() ? 0 : out_of_order_.begin()->first,
                                lost_high_, now_);
  while (const std::optional<Action> action = machine_.next_action(scratch_)) perform(*action);
  if (next_in() > expected) deliver_in_sequence();
}

void Side::transmit(std::string_view bytes) {
  wire_.emplace_back(bytes);
  if (on_transmitted) on_transmitted(bytes);
}

void Side::perform(const Action& action) {
  if (const auto* fresh = std::get_if<Transmit>(&action)) {
    transmit(fresh->bytes);
    if (fresh->is_resendable) stored[fresh->msg_seq_num] = std::string{fresh->bytes};
  } else if (const auto* retransmit = std::get_if<Retransmit>(&action)) {
    transmit(retransmit->bytes);
  } else if (const auto* deliver_action = std::get_if<Deliver>(&action)) {
    deliver(*deliver_action);
  } else if (const auto* hold = std::get_if<BufferOutOfOrder>(&action)) {
    buffered_numbers.push_back(hold->msg_seq_num);
    if (can_buffer) {
      out_of_order_[hold->msg_seq_num] = std::string{hold->bytes};
    } else {
      lost_high_ = std::max(lost_high_, hold->msg_seq_num);
    }
  } else if (const auto* passed = std::get_if<DiscardOutOfOrder>(&action)) {
    auto next = out_of_order_.lower_bound(passed->begin);
    while (next != out_of_order_.end() && next->first <= passed->end) {
      discarded.push_back(next->first);
      next = out_of_order_.erase(next);
    }
  } else if (const auto* shown = std::get_if<Administrative>(&action)) {
    administrative.push_back(readable(shown->message->bytes()));
    if (on_administrative) on_administrative(*this);
  } else if (const auto* asked = std::get_if<AskResend>(&action)) {
    machine_.on_resend_decision(
        resend_governor ? resend_governor(*asked) : detail::ResendDecision{}, now_);
  } else if (std::holds_alternative<Release>(action)) {
    if (!queues_until_logon) machine_.send_heartbeat();
    for (const std::string& bytes : std::exchange(queued_until_logon_, {})) transmit(bytes);
  } else if (const auto* replay = std::get_if<Replay>(&action)) {
    replay_ = *replay;
    replay_cursor_ = replay->begin;
    if (on_replay) on_replay(*this);
  } else if (std::holds_alternative<Reset>(action)) {
    ++resets;
    stored.clear();
    out_of_order_.clear();
    lost_high_ = 0;
    queued_until_logon_.clear();
    replay_.reset();
  } else if (const auto* authenticate = std::get_if<Authenticate>(&action)) {
    last_logon_id = authenticate->logon_id;
    asked_about = readable(authenticate->message->bytes());
  } else if (std::holds_alternative<LoggedOn>(action)) {
    ++logged_on;
  } else if (const auto* ended = std::get_if<LoggedOut>(&action)) {
    ++logged_out;
    logout_is_complete = ended->is_complete;
  } else if (const auto* disconnect_action = std::get_if<Disconnect>(&action)) {
    disconnect_reason = disconnect_action->reason;
  } else if (const auto* notice = std::get_if<Notice>(&action)) {
    notices.push_back(*notice);
    notice_texts.emplace_back(notice->text);
    notices.back().text = {};
  }
}

bool Side::serve_slice() {
  if (!replay_) return false;
  const Replay serving = *replay_;
  const auto next = stored.lower_bound(replay_cursor_);
  if (next != stored.end() && next->first <= serving.end) {
    replay_cursor_ = next->first + 1;
    machine_.on_replay_message(next->first, next->second, now_);
  } else {
    replay_.reset();
    machine_.on_replay_done(now_);
  }
  while (const std::optional<Action> action = machine_.next_action(scratch_)) perform(*action);
  return replay_.has_value();
}

void Side::deliver(const Deliver& action) {
  delivered.push_back({.msg_seq_num = action.msg_seq_num,
                       .text = readable(action.message->bytes()),
                       .poss_dup = action.poss_dup,
                       .poss_resend = action.poss_resend});
  machine_.on_delivered(application ? application(*this, action) : detail::DeliveryDecision{},
                        now_);
}

Pair::Pair(SessionConfig initiator_config, SessionConfig acceptor_config)
    : initiator{std::move(initiator_config)}, acceptor{std::move(acceptor_config)} {}

void Pair::connect() {
  acceptor.connect();
  initiator.connect();
  exchange();
}

void Pair::disconnect() {
  exchange();
  break_link();
}

void Pair::break_link() {
  (void)initiator.consume_wire();
  (void)acceptor.consume_wire();
  if (initiator.is_connected()) initiator.disconnect();
  if (acceptor.is_connected()) acceptor.disconnect();
}

void Pair::exchange() {
  for (;;) {
    const std::deque<std::string> to_acceptor = initiator.consume_wire();
    const std::deque<std::string> to_initiator = acceptor.consume_wire();
    if (to_acceptor.empty() && to_initiator.empty()) break;
    for (const std::string& bytes : to_acceptor) acceptor.receive(bytes);
    for (const std::string& bytes : to_initiator) initiator.receive(bytes);
  }
  // One side has closed the connection: the other one sees the end.
  if (initiator.is_connected() == acceptor.is_connected()) return;
  (initiator.is_connected() ? initiator : acceptor).disconnect();
}

void Pair::advance(MonoTime::duration duration) {
  const MonoTime until = initiator.now().mono + duration;
  for (;;) {
    const MonoTime next =
        std::min(initiator.machine().next_deadline(), acceptor.machine().next_deadline());
    if (next > until) break;
    const MonoTime::duration step = std::max(next - initiator.now().mono, MonoTime::duration{});
    initiator.advance(step);
    acceptor.advance(step);
    exchange();
  }
  initiator.advance(until - initiator.now().mono);
  acceptor.advance(until - acceptor.now().mono);
}

}  // namespace nexusfix::session::test
