#include "tester/load/counterparty.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"
#include "tester/play/received_message.hpp"

namespace nexusfix::tester {
namespace {

constexpr std::size_t kLinesMax = 100;  // of the conversation, which a report shows
constexpr std::chrono::milliseconds kInterruptTurn{100};
constexpr std::chrono::seconds kLongestSend{60};
constexpr std::chrono::seconds kConnectionWait{60};  // for an initiator
constexpr std::chrono::seconds kHeartbeatAfter{15};  // half of the HeartBtInt of `definitions`
// An engine may see a new connection before the end of the one before it, and refuse the new one.
constexpr std::chrono::milliseconds kBetweenConnections{100};
constexpr unsigned kConnectionsMax = 20;

std::uint64_t number_of(std::optional<std::string_view> text) {
  std::uint64_t number = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

std::string masked(std::string_view bytes, const OwnFields* own) {
  std::string text;
  std::span<const observe::MaskedField> more;
  if (own != nullptr) more = own->masked();
  observe::append_masked(text, bytes, more);
  return with_bars(text);
}

}  // namespace

Counterparty::Counterparty(const LoadContext& context, Result& result)
    : context_{context}, result_{result}, begin_{context.clock.now().mono} {
  meaning_.version = context.play.version;
  meaning_.lets = context.definitions;
}

bool Counterparty::fail(std::string what, std::string expected) {
  if (is_over_) return false;
  is_over_ = true;
  Failure failure{.place = result_.name,
                  .statement = "built in",
                  .what = std::move(what),
                  .expected = std::move(expected)};
  if (!lines_.empty()) {
    lines_.back().is_difference = true;
    if (lines_.back().side == Side::Engine)
      failure.got = masked(lines_.back().bytes, context_.play.own);
  } else {
    failure.got = "nothing";
  }
  result_.failure = std::move(failure);
  result_.verdict = Verdict::Failed;
  return false;
}

bool Counterparty::skip(std::string reason) {
  if (is_over_) return false;
  is_over_ = true;
  result_.verdict = Verdict::Skipped;
  result_.reason = std::move(reason);
  return false;
}

void Counterparty::keep(Side side, std::string bytes, bool is_message) {
  if (lines_.size() == kLinesMax) lines_.pop_front();
  lines_.push_back({side, now(), std::move(bytes), is_message});
}

void Counterparty::note(std::string text) { keep(Side::Neither, std::move(text), false); }

void Counterparty::finish() {
  if (!is_over_) result_.verdict = Verdict::Passed;
  for (const Line& line : lines_) {
    result_.entries.push_back(
        {.side = line.side,
         .at = line.at - begin_,
         .text = line.is_message ? masked(line.bytes, context_.play.own) : line.bytes,
         .is_message = line.is_message,
         .is_difference = line.is_difference});
  }
  result_.duration = now() - begin_;
  context_.wire.close_all();
}

void Counterparty::drop() {
  context_.wire.close(channel_);
  channel_.events.clear();
  is_logged_on_ = false;
  keep(Side::Tester, "disconnects", false);
}

bool Counterparty::connect() {
  Wire& wire = context_.wire;
  if (context_.play.side == EngineSide::Initiator) {
    const MonoTime end = now() + kConnectionWait;
    while (!wire.accept(channel_)) {
      if (context_.play.is_interrupted()) return !(is_over_ = true);
      if (now() >= end) return fail("no connection came within 60 s", "a connection");
      wire.poll(kInterruptTurn);
    }
    keep(Side::Engine, "connects", false);
    return result_.was_connected = true;
  }
  const MonoTime earliest = wire.closed_at() + kBetweenConnections;
  for (MonoTime time = now(); time < earliest; time = now()) wire.poll(earliest - time);
  connected_at_ = now();
  const auto started = wire.connect(channel_, context_.play.acceptor);
  if (!started) return fail(started.error(), "a connection");
  const MonoTime end = deadline();
  while (channel_.events.empty()) {
    if (context_.play.is_interrupted()) return !(is_over_ = true);
    if (!channel_.error.empty() || now() >= end) {
      return fail(channel_.error.empty() ? "no connection is made" : channel_.error,
                  "a connection");
    }
    wire.poll(kInterruptTurn);
  }
  channel_.events.pop_front();
  keep(Side::Tester, "connects", false);
  return result_.was_connected = true;
}

std::string Counterparty::logon_text(Numbers numbers) const {
  std::string text = "<log_on>";
  const auto fields = expand(text, meaning_);
  if (!fields || numbers == Numbers::Reset) return text;
  text.clear();
  for (const std::string& field : *fields) {
    if (!field.starts_with("141=")) text += (text.empty() ? "" : "|") + field;
  }
  return text;
}

void Counterparty::set_numbers_of_reset() {
  next_out_ = 1;
  next_in_ = 1;
  resent_to_ = 0;
  stored_.clear();
}

bool Counterparty::log_on(Numbers numbers, const OnMessage& on_message) {
  if (numbers == Numbers::Reset) set_numbers_of_reset();
  const std::uint64_t number = next_out_;
  for (unsigned attempt = 0; attempt < kConnectionsMax; ++attempt) {
    if (!connect()) return false;
    if (context_.play.side == EngineSide::Initiator) break;
    next_out_ = number;
    stored_.resize(number - 1);
    if (!send(logon_text(numbers))) return false;
    // A connection that ends without a byte: the engine has not seen the end of the one before.
    if (!wait_for_event(deadline())) break;
    if (channel_.events.front().kind == EventKind::Message) break;
    channel_.events.clear();
  }
  return await_logon_answer(numbers, on_message);
}

bool Counterparty::await_logon_answer(Numbers numbers, const OnMessage& on_message) {
  is_logged_on_ = false;
  const std::uint64_t expected = next_in_;
  const Received* const logon = next(deadline());
  if (logon == nullptr) return fail("the Logon did not come", "35=A");
  if (logon->type != "A") return fail("a message instead of a Logon", "35=A");
  logon_at_ = logon->at;
  is_logged_on_ = true;
  if (context_.play.side == EngineSide::Initiator && !answer_logon(*logon)) return false;
  const std::uint64_t last = logon->msg_seq_num - 1;
  if (numbers == Numbers::Reset || last < expected) return true;
  // What was lost with the connection before.
  const std::string range = std::to_string(expected) + "|16=" + std::to_string(last);
  if (!send("35=2|7=" + range)) return false;
  return resent(expected, last, on_message);
}

bool Counterparty::answer_logon(const Received& logon) {
  const bool resets = logon.value("141") == "Y";
  return send(resets ? "<log_on>" : "<log_on_again>");
}

bool Counterparty::log_out() {
  if (!send("35=5")) return false;
  const MonoTime end = deadline();
  while (const Received* const message = next(end)) {
    if (message->type != "5") continue;
    drop();
    return true;
  }
  return fail("the Logout is not answered", "35=5");
}

std::optional<MessageTemplate> Counterparty::message(std::string_view text, std::string_view tag) {
  const auto wall = context_.clock.now().wall.time_since_epoch();
  const auto run = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
  meaning_.now = context_.clock.now().wall;
  auto made = MessageTemplate::make(text, tag, "T" + std::to_string(run), writer("", 0), meaning_);
  if (made) return std::move(*made);
  fail(std::string{text} + ": " + made.error());
  return std::nullopt;
}

Writer Counterparty::writer(std::string_view msg_type, std::uint64_t msg_seq_num) const {
  Writer made{.sender_comp_id = context_.play.sender_comp_id,
              .target_comp_id = context_.play.target_comp_id,
              .msg_seq_num = msg_seq_num};
  if (context_.play.own != nullptr) made.header = context_.play.own->header(msg_type, next_in_ - 1);
  return made;
}

bool Counterparty::write(std::string_view bytes) {
  if (is_over_) return false;
  sent_at_ = now();
  const Until until{sent_at_ + kLongestSend, context_.play.is_interrupted};
  if (context_.wire.send(channel_, bytes, {}, until)) return true;
  if (context_.play.is_interrupted()) return !(is_over_ = true);
  if (channel_.socket != 0) return fail("the engine under test does not read for 60 s");
  return true;  // the connection has ended, which next() judges
}

void Counterparty::append(MessageTemplate& message, std::uint64_t count) {
  const WallTime wall = context_.clock.now().wall;
  const auto bytes = message.bytes({.msg_seq_num = next_out_, .count = count, .now = wall});
  collected_ += bytes;
  stored_.push_back({&message, count, wall});
  keep(Side::Tester, std::string{bytes}, true);
  ++next_out_;
  ++sent_count_;
}

bool Counterparty::flush() {
  const bool is_sent = write(collected_);
  collected_.clear();
  return is_sent;
}

bool Counterparty::send(MessageTemplate& message, std::uint64_t count, Delivery delivery) {
  if (delivery == Delivery::Sent) {
    append(message, count);
    return flush();
  }
  stored_.push_back({&message, count, context_.clock.now().wall});
  ++next_out_;
  return !is_over_;
}

bool Counterparty::send(std::string_view text) {
  stored_.push_back({nullptr, 0, context_.clock.now().wall});
  ++sent_count_;
  return send_numbered(text, next_out_++);
}

bool Counterparty::send_numbered(std::string_view text, std::uint64_t msg_seq_num) {
  meaning_.now = context_.clock.now().wall;
  auto fields = expand(text, meaning_);
  if (!fields) return fail(fields.error());
  replace_escapes(*fields);
  const std::string_view type = find_field(*fields, "35").value_or("");
  auto all = complete(*fields, writer(type, msg_seq_num), meaning_);
  if (!all) return fail(all.error());
  OwnFields* const own = context_.play.own;
  if (own != nullptr && type == "A") {
    const auto done = own->complete_logon(*all, *fields, meaning_.now, Signing::On);
    if (!done) return fail("the Logon cannot be signed: " + done.error());
  }
  const std::string bytes = frame(*all, meaning_);
  keep(Side::Tester, bytes, true);
  return write(bytes);
}

bool Counterparty::send_again(std::uint64_t msg_seq_num) {
  const Stored& stored = stored_[msg_seq_num - 1];
  if (stored.message == nullptr) return gap_fill(msg_seq_num, msg_seq_num + 1);
  const auto bytes = stored.message->bytes({.msg_seq_num = msg_seq_num,
                                            .count = stored.count,
                                            .now = context_.clock.now().wall,
                                            .orig_sending_time = stored.sending_time});
  collected_ += bytes;
  keep(Side::Tester, std::string{bytes}, true);
  ++sent_count_;
  return true;
}

bool Counterparty::gap_fill(std::uint64_t first, std::uint64_t next) {
  if (!flush()) return false;
  const std::string number = std::to_string(first);
  return send_numbered("35=4|34=" + number + "|43=Y|122=<now>|123=Y|36=" + std::to_string(next),
                       first);
}

// Application messages again, and one GapFill for each row of administrative ones.
bool Counterparty::resend(const Received& request) {
  ++resend_requests_;
  const std::uint64_t first = std::max<std::uint64_t>(number_of(request.value("7")), 1);
  const std::uint64_t end = number_of(request.value("16"));
  const std::uint64_t last = end == 0 ? next_out_ - 1 : std::min(end, next_out_ - 1);
  constexpr std::size_t kPartBytes = 65'536;
  for (std::uint64_t number = first; number <= last && !is_over_;) {
    std::uint64_t next = number;
    while (next <= last && stored_[next - 1].message == nullptr) ++next;
    if (next > number && !gap_fill(number, next)) return false;
    if (next <= last && !send_again(next++)) return false;
    if (collected_.size() > kPartBytes && !flush()) return false;
    number = next;
  }
  resent_to_ = std::max(resent_to_, last);
  return flush();
}

bool Counterparty::wait_for_event(MonoTime deadline) {
  while (channel_.events.empty()) {
    if (context_.play.is_interrupted()) is_over_ = true;
    const MonoTime time = now();
    if (is_over_ || channel_.socket == 0) return false;
    if (time >= deadline) {
      if (!context_.wire.poll(std::chrono::nanoseconds{0})) return false;
      continue;
    }
    context_.wire.poll(std::min<std::chrono::nanoseconds>(deadline - time, kInterruptTurn));
    if (!heartbeat_if_due()) return false;
  }
  return true;
}

bool Counterparty::heartbeat_if_due() {
  if (!is_logged_on_ || now() - sent_at_ < kHeartbeatAfter) return true;
  return send("35=0");
}

const Received* Counterparty::next(MonoTime deadline) {
  while (!is_over_) {
    if (!wait_for_event(deadline)) {
      if (channel_.socket == 0) fail("the connection has ended");
      return nullptr;
    }
    Event event = std::move(channel_.events.front());
    channel_.events.pop_front();
    if (event.kind != EventKind::Message) {
      fail("the engine ends the connection");
      return nullptr;
    }
    received_.bytes = std::move(event.bytes);
    received_.at = event.at;
    if (!judge()) return nullptr;
    const std::string_view type = received_.type;
    if (type == "0" && !received_.value("112")) continue;
    if (type == "1") {
      const std::string id{received_.value("112").value_or("")};
      if (!send("35=0|112=" + id)) return nullptr;
      continue;
    }
    if (type == "2") {
      if (!resend(received_)) return nullptr;
      continue;
    }
    return &received_;
  }
  return nullptr;
}

// The rules of each message; docs/guide/test-scripts.md has them.
bool Counterparty::judge() {
  ++received_count_;
  keep(Side::Engine, received_.bytes, true);
  received_.fields = fields_of(received_.bytes);
  received_.type = received_.value("35").value_or("");
  received_.msg_seq_num = number_of(received_.value("34"));
  received_.is_resent = received_.value("43") == "Y";
  const bool is_logon = received_.type == "A" && !received_.is_resent;
  // Only a Logon may say that messages are lost.
  const bool has_lost = is_logon && !is_logged_on_ && received_.msg_seq_num > next_in_;
  const Standing standing{.begin_string = kVersions[meaning_.version].begin_string,
                          .sender_comp_id = context_.play.target_comp_id,
                          .target_comp_id = context_.play.sender_comp_id,
                          .msg_seq_num = has_lost ? received_.msg_seq_num : next_in_};
  const auto breach = breach_of(received_.bytes, standing);
  if (breach) return fail(breach->what, breach->what);
  next_in_ = next_after(received_.fields, next_in_);
  if (received_.type == "5") is_logged_on_ = false;
  return true;
}

bool Counterparty::resent(std::uint64_t first, std::uint64_t last, const OnMessage& on_message) {
  std::uint64_t expected = first;
  while (expected <= last) {
    const Received* const message = next(deadline());
    if (message == nullptr) {
      return fail("MsgSeqNum " + std::to_string(expected) + " is not resent",
                  "34=" + std::to_string(expected) + "|43=Y");
    }
    if (message->is_resent && message->msg_seq_num != expected) {
      return fail("a resent message has MsgSeqNum " + std::to_string(message->msg_seq_num) +
                      " instead of " + std::to_string(expected),
                  "34=" + std::to_string(expected) + "|43=Y");
    }
    if (message->is_resent) {
      const bool is_gap_fill = message->type == "4";
      const std::uint64_t next = is_gap_fill ? number_of(message->value("36")) : expected + 1;
      if (next <= expected) return fail("NewSeqNo (36) is not higher than MsgSeqNum (34)");
      expected = next;
    }
    if (on_message && !on_message(*message)) return false;
  }
  return true;
}

}  // namespace nexusfix::tester
