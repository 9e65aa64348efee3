// Connections: connecting, cutting the stream into messages, sending, closing.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <nexusfix/base/random.hpp>
#include <nexusfix/base/secret.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "engine/connection/repaired_frame.hpp"
#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kLogonTooLong = "more bytes than a Logon may have (MaxLogonSize)";
// As long as a message has not said how long it is, so many bytes are put behind those that were
// carried: its BodyLength is within them, and what is too much costs nothing but the copy.
constexpr std::size_t kCompletedBytesMin = 64;

// Who a Logon says it is, each part cut to what a log line can bear.
std::string describe_identity(const wire::MessageView& logon) {
  constexpr std::size_t kPartBytesMax = 64;
  const auto part = [&](wire::Tag tag) {
    return std::to_string(tag) + "=" +
           std::string{logon[tag].value_or("(missing)").substr(0, kPartBytesMax)};
  };
  std::string text =
      part(tag::BeginString) + " " + part(tag::SenderCompID) + " " + part(tag::TargetCompID);
  for (const wire::Tag tag :
       {tag::SenderSubID, tag::TargetSubID, tag::SenderLocationID, tag::TargetLocationID}) {
    if (logon[tag]) text += " " + part(tag);
  }
  return text;
}

wire::FrameScanner scanner_of(const SessionSettings& settings) {
  return wire::FrameScanner{
      wire::FrameLimits{.message_bytes_max = settings.limits.message_bytes_max}};
}

}  // namespace

// AllowedRemoteAddresses.
bool EventLoop::may_come_from(const SessionSettings& settings, std::string_view peer_name) {
  return settings.admission.allowed_remote_addresses.contains(
      transport::peer_address_of(peer_name));
}

void EventLoop::connect(SessionEntry& entry) {
  if (entry.next_settings) apply_next_settings(entry);
  reserve_for_connections();
  auto owned = std::make_unique<Connection>();
  Connection& connection = *owned;
  const transport::Endpoint& endpoint = entry.settings.connect[entry.connect_policy.address()];
  const auto socket = seams_.network->connect(endpoint);
  if (!socket) {
    report_.session(EventId::ConnectFailed, entry, socket.error().text);
    entry.connect_policy.schedule(entry.settings, entry.name, now_.mono);
    return;
  }
  connection.count_in(*seams_.budget);
  connection.scanner = scanner_of(entry.settings);
  connection.socket = *socket;
  connection.entry = &entry;
  const SessionSettings& settings = entry.settings;
  connection.deadline = now_.mono + (settings.reconnect.connect_timeout.count() != 0
                                         ? settings.reconnect.connect_timeout
                                         : settings.session.logon.timeout);
  try {
    connections_.add(std::move(owned));
  } catch (const std::bad_alloc&) {
    seams_.network->close(*socket);
    throw;
  }
  arm(connection, connection.deadline);
  entry.connection = &connection;
  entry.connect_policy.on_connecting();
}

void EventLoop::on_connected(Connection& connection) {
  if (connection.entry != nullptr) {
    // In front of our Logon, which may have a password.
    const std::string fault = certificate_fault(connection, connection.entry->settings);
    if (!fault.empty()) {
      report_.peer(EventId::CertificateRefused, *connection.entry,
                   "connection to " + seams_.network->peer_name(connection.socket) +
                       protection_of(connection) + " closed: " + fault);
      return close(connection);
    }
  }
  connection.established = true;
  connection.deadline = kNever;
  if (connection.entry == nullptr) return;
  report_.session(
      EventId::Connected, *connection.entry,
      "connected to " + seams_.network->peer_name(connection.socket) + protection_of(connection));
  transact(*connection.entry,
           [this](session::StateMachine& machine) { machine.on_connected(now_); });
}

void CarriedBytes::append(std::string_view bytes, std::size_t needed) {
  if (const std::size_t storage = storage_for(bytes.size(), needed); storage != 0) {
    std::vector<char> larger;
    larger.reserve(storage);
    larger.assign(bytes_.begin(), bytes_.end());
    if (wipes_on_clear_) wipe_bytes(bytes_);
    bytes_.swap(larger);
    storage_ = bytes_.capacity();
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::size_t CarriedBytes::storage_for(std::size_t bytes, std::size_t needed) const noexcept {
  const std::size_t size = bytes_.size() + bytes;
  if (size <= bytes_.capacity()) return 0;
  return std::max({size, kStorageBytesMin, std::min(needed, 2 * bytes_.capacity())});
}

void CarriedBytes::drop_front(std::size_t count) {
  if (wipes_on_clear_) {  // What is behind the Logon moves over it, and leaves its own place.
    const auto rest = std::span{bytes_}.subspan(count);
    std::ranges::copy(rest, bytes_.begin());
    wipe_bytes(std::span{bytes_}.subspan(rest.size()));
    bytes_.resize(rest.size());
    return;
  }
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
}

void CarriedBytes::clear() noexcept {
  if (std::exchange(wipes_on_clear_, false)) wipe_bytes(bytes_);
  bytes_.clear();
  if (bytes_.capacity() <= kKeptBytesMax) return;
  std::vector<char>{}.swap(bytes_);
  storage_ = 0;
}

// Every connection of the loop receives into the same buffer; views into it are good until the
// callbacks that they are given to have returned.
void EventLoop::on_readable(Connection& connection) {
  // Of one that is paused only its end is of interest, which the network tells all the same.
  if (connection.resumes_at != kNever) return on_paused_readable(connection);
  on_receive_result(connection, seams_.network->receive(connection.socket, std::span{receive_buffer_}));
}

void EventLoop::on_receive_result(Connection& connection, transport::IoResult result) {
  if (result.status == transport::IoStatus::Ok) {
    // Until there is a session it is a Logon, which may have a password.
    const WipedAtEnd logon{
        std::span{receive_buffer_}.first(connection.entry == nullptr ? result.bytes : 0)};
    on_bytes(connection, {receive_buffer_.data(), result.bytes});
    // Nothing has waited any longer, here or in the operating system: it is as old as it says.
    const bool is_drained =
        result.bytes < receive_buffer_.size() && connection.resumes_at == kNever;
    if (is_drained && connection.entry != nullptr) connection.entry->machine.set_delayed(false);
  }
  on_received(connection, result);
}

void EventLoop::on_received(Connection& connection, transport::IoResult result) {
  if (connection.socket == 0) return;  // Closed by what it sent.
  switch (result.status) {
    case transport::IoStatus::Ok:
      if (connection.entry == nullptr && !connection.carried.empty() &&
          connection.carried_needed > connection.logon_bytes_max) {
        refuse(connection, EventId::LogonTooLong, kLogonTooLong);
      }
      break;
    case transport::IoStatus::WouldBlock:
      break;
    case transport::IoStatus::Closed:
      close(connection, EventId::ConnectionClosedByCounterparty,
            connection.carried.empty() ? "closed by the counterparty"
                                       : "closed by the counterparty in the middle of a message");
      break;
    case transport::IoStatus::Failed: {
      const std::string why = seams_.network->last_error(connection.socket);
      // Whoever knocks and goes away is nobody's matter; whoever speaks no TLS is.
      if (connection.entry == nullptr &&
          (result.error_number == EPROTO || result.error_number == ENOMEM)) {
        return refuse(connection, EventId::HandshakeFailed, why);
      }
      close(connection, EventId::ConnectionLost, why);
      break;
    }
  }
}

// Nothing that follows our last word is listened to.
bool EventLoop::listens(const Connection& connection) const noexcept {
  return connection.socket != 0 && !connection.closing && !store_failed_ && !connection.migrates_to;
}

void EventLoop::on_bytes(Connection& connection, std::string_view bytes) {
  const Receiving receiving{receiving_, connection};
  bytes.remove_prefix(complete_carried(connection, bytes));
  while (!bytes.empty() && listens(connection)) {
    wire::FrameResult frame = connection.scanner.next(bytes);
    if (frame.status == wire::FrameStatus::NeedMore) {
      connection.carried_needed = frame.size;
      static_cast<void>(carry(connection, bytes, frame.size));
      return;
    }
    if (!on_scanned(connection, frame, bytes)) {
      connection.carried_needed = frame.size;
      static_cast<void>(carry(connection, bytes, bytes.size()));
      return;
    }
    bytes.remove_prefix(frame.size);
  }
  if (connection.migrates_to) [[unlikely]]
    migrate(connection, bytes);
}

// Puts as few of bytes behind those that were carried as end their message. Returns how many: the
// rest of bytes is framed where it is.
std::size_t EventLoop::complete_carried(Connection& connection, std::string_view bytes) {
  CarriedBytes& carried = connection.carried;
  std::size_t taken = 0;
  while (!carried.empty()) {
    if (!listens(connection)) {
      carried.clear();
      return bytes.size();
    }
    if (carried.size() < connection.carried_needed) {
      const std::size_t wanted =
          std::max(connection.carried_needed - carried.size(), kCompletedBytesMin);
      const std::string_view next = bytes.substr(taken, wanted);
      if (!carry(connection, next, connection.carried_needed)) return bytes.size();
      taken += next.size();
      if (carried.size() < connection.carried_needed) return taken;
    }
    wire::FrameResult frame = connection.scanner.next(carried.view());
    connection.carried_needed = frame.size;
    if (frame.status == wire::FrameStatus::NeedMore) continue;
    if (!on_scanned(connection, frame, carried.view())) {
      static_cast<void>(carry(connection, bytes.substr(taken), carried.size() + bytes.size()));
      return bytes.size();
    }
    connection.carried_needed = 0;
    const std::size_t left = carried.size() - frame.size;
    if (left <= taken) {
      carried.clear();
      return taken - left;
    }
    carried.drop_front(frame.size);  // Of rubbish the last bytes may be carried on.
  }
  return taken;
}

bool EventLoop::on_scanned(Connection& connection, wire::FrameResult& frame,
                           std::string_view bytes) {
  if (frame.status == wire::FrameStatus::Complete) return on_frame(connection, frame, bytes);
  if (frame.status == wire::FrameStatus::Garbled) {
    on_garbled_frame(connection, frame.reason, bytes.substr(0, frame.size));
  }
  return true;
}

// scanned: a whole frame at the front of bytes; of one that is several messages, because its
// BodyLength is wrong, the first alone.
bool EventLoop::on_frame(Connection& connection, wire::FrameResult& scanned,
                         std::string_view bytes) {
  std::string_view frame = bytes.substr(0, scanned.size);
  if (connection.entry == nullptr && !with_next_settings_.empty()) [[unlikely]]
    apply_next_settings();  // Of those whose connection has ended in this turn, too.
  if (connection.entry == nullptr && frame.size() > connection.logon_bytes_max) {
    report_.logs().unknown(frame, /*is_message=*/false, now_.wall);
    refuse(connection, EventId::LogonTooLong, kLogonTooLong);
    return true;
  }
  auto message = parser_.parse(frame);
  if (!message) [[unlikely]] {
    const wire::GarbledReason reason = message.error().reason;
    message = parse_repaired(connection, reason, frame);
    if (!message) {
      on_garbled_frame(connection, reason, frame);
      return true;
    }
    scanned.size = frame.size();
  }
  if (must_wait(connection, *message)) return false;
  ++stats_.messages_in;
  if (connection.entry == nullptr && !bind(connection, *message)) {
    report_.logs().unknown(frame, /*is_message=*/true, now_.wall);
    return true;
  }
  SessionEntry& entry = *connection.entry;
  if (connection.was_delayed) entry.machine.set_delayed(true);
  note_administrative(entry, *message);
  log_received(entry, frame);
  transact(entry, [&](session::StateMachine& machine) { machine.on_message(*message, now_); });
  deliver_in_sequence(entry);
  return true;
}

// ValidateLengthAndChecksum=N: what QuickFIX would take, too. What comes after it sees a message
// whose BodyLength and CheckSum are right; the message log has the bytes that came.
std::expected<wire::MessageView, wire::ParseError> EventLoop::parse_repaired(
    const Connection& connection, wire::GarbledReason reason, std::string_view& frame) {
  using enum wire::GarbledReason;
  const std::unexpected failure{wire::ParseError{reason, 0}};
  const bool is_unsound =
      reason == BodyLengthWrong || reason == CheckSumWrong || reason == CheckSumMalformed;
  const bool is_of_another = seams_.directory && connection.entry == nullptr;
  const bool is_taken = takes_unsound_ || (is_of_another && seams_.directory->takes_unsound());
  if (!is_unsound || !is_taken) return failure;
  const auto repair = [&](const SessionSettings* settings) {
    const bool takes_any_length = settings == nullptr || !settings->validates_length;
    const std::string_view first =
        takes_any_length ? frame.substr(0, first_message_size(frame)) : frame;
    wipe_bytes(repaired_);  // It may have been a Logon with a password.
    repaired_ =
        repaired_frame(first, takes_any_length ? BodyLengthRule::Any : BodyLengthRule::Right);
    auto message = parser_.parse(repaired_);
    if (message) frame = first;
    return message;
  };
  if (connection.entry != nullptr) {
    const SessionSettings& settings = connection.entry->settings;
    if (settings.validates_check_sum) return failure;
    return repair(&settings);
  }
  // A Logon: by the rule of the session that it is for. Another loop looks itself.
  const std::string_view whole = frame;
  auto logon = repair(nullptr);
  if (!logon) return failure;
  const SessionSettings* const settings = acceptor_settings(connection, *logon);
  if (settings == nullptr && seams_.directory) return logon;
  if (settings != nullptr && !settings->validates_check_sum) {
    if (!settings->validates_length) return logon;
    frame = whole;
    return repair(settings);
  }
  frame = whole;
  return failure;
}

// By ThrottleAction=Delay: the counterparty's own send buffer fills up, and it slows down. What has
// been received stays where a message that is not whole would stay.
bool EventLoop::must_wait(Connection& connection, const wire::MessageView& message) {
  if (connection.entry == nullptr) {
    return delays_logon(connection, message) || waits_for_credentials(connection, message);
  }
  if (connection.unthrottled) return false;
  SessionEntry& entry = *connection.entry;
  if (!entry.throttle.is_set() || entry.settings.throttle.action != ThrottleAction::Delay ||
      entry.machine.state() != session::State::LoggedOn ||
      session::is_administrative(message.msg_type()) || entry.throttle.allow(now_.mono)) {
    return false;
  }
  entry.machine.set_delayed(true);
  connection.resumes_at = entry.throttle.next_at();
  arm(connection, connection.resumes_at);
  seams_.network->pause(connection.socket, true);
  return true;
}

void EventLoop::resume(Connection& connection) {
  const bool is_logon = connection.entry == nullptr;
  connection.resumes_at = kNever;
  seams_.network->pause(connection.socket, false);
  on_bytes(connection, {});
  if (is_logon) wipe_traces();
}

void EventLoop::on_paused_readable(Connection& connection) {
  const transport::IoResult result =
      seams_.network->receive(connection.socket, std::span{receive_buffer_});
  if (result.status == transport::IoStatus::Ok) {
    if (connection.entry == nullptr) return close(connection);  // No peer waits for its answer.
    static_cast<void>(carry(connection, {receive_buffer_.data(), result.bytes}, 0));
  } else if (result.status != transport::IoStatus::WouldBlock) {
    drain_delayed(connection);
  }
  on_received(connection, result);
}

// At the end of a connection: what it had sent by then is taken, whatever the throttle says.
void EventLoop::drain_delayed(Connection& connection) {
  if (connection.resumes_at == kNever) return;
  connection.resumes_at = kNever;
  if (connection.entry == nullptr) return;  // Its Logon was held back.
  connection.unthrottled = true;
  on_bytes(connection, {});
}

void EventLoop::on_garbled_frame(Connection& connection, wire::GarbledReason reason,
                           std::string_view bytes) {
  ++stats_.garbled;
  if (connection.entry == nullptr) {
    report_.logs().unknown(bytes, /*is_message=*/false, now_.wall);
    refuse(connection, EventId::NotFix,
           "what came first is no FIX message: " + std::string{to_string(reason)});
    return;
  }
  SessionEntry& entry = *connection.entry;
  report_.logs().garbled(entry.log, bytes, now_.wall);
  transact(entry, [&](session::StateMachine& machine) { machine.on_garbled(reason, now_); });
  const std::uint32_t count_max = entry.settings.limits.garbled_per_second_max;
  if (connection.garbled.allow(now_.mono, count_max) || connection.socket == 0) return;
  close(connection, EventId::GarbledFlood,
        "disconnecting: more than " + std::to_string(count_max) +
            " garbled messages within a second");
}

// The first message names the session. Whoever cannot be placed is closed without a word, because
// an answer would use up a number of a session that is not proven (test cases 1S b, c and e).
bool EventLoop::bind(Connection& connection, const wire::MessageView& logon) {
  if (logon.msg_type() != std::string_view{"A"}) {
    refuse(connection, EventId::FirstMessageNotLogon, "the first message is not a Logon");
    return false;
  }
  const LogonCredentials& credentials = connection.credentials;
  if (credentials.state == LogonCredentials::State::Refused) {
    refuse(connection, EventId::PasswordRefused,
           describe_identity(logon) + ": " + credentials.text);
    return false;
  }
  // In front of all that makes or takes a session's place.
  if (const SessionSettings* const settings = acceptor_settings(connection, logon)) {
    if (logon.bytes().size() >
        settings->limits.logon_bytes_max) {  // Others of its port may have more.
      refuse(connection, EventId::LogonTooLong,
             describe_identity(logon) + ": " + std::string{kLogonTooLong});
      return false;
    }
    if (const std::string fault = certificate_fault(connection, *settings); !fault.empty()) {
      refuse(connection, EventId::CertificateRefused, describe_identity(logon) + ": " + fault);
      return false;
    }
  }
  SessionEntry* entry = find_acceptor(connection, logon);
  if (entry == nullptr && is_of_another_loop(connection, logon)) return false;
  if (entry == nullptr) {
    refuse(connection, EventId::SessionUnknown, why_unknown(logon));
    return false;
  }
  if (!may_come_from(entry->settings, seams_.network->peer_name(connection.socket))) {
    refuse(connection, EventId::SessionAddressRefused,
           "session " + entry->name + " is not allowed from this address");
    return false;
  }
  // Whatever the reason: nobody who needs a password is let in without the right one.
  if (!entry->settings.credentials.password_file.empty() &&
      credentials.state != LogonCredentials::State::Right) {
    refuse(connection, EventId::PasswordNotChecked,
           "session " + entry->name + ": its password was not checked");
    return false;
  }
  follow_schedule(*entry);  // It may open in this very moment.
  if (!entry->may_log_on) {
    refuse(connection, EventId::LogonOutsideSchedule,
           "session " + entry->name + " is closed by its schedule");
    return false;
  }
  if (entry->connection != nullptr) {
    refuse(connection, EventId::SessionAlreadyLoggedOn,
           "session " + entry->name + " is logged on from elsewhere already");
    return false;
  }
  if (entry->accepts_only_reset && logon[tag::ResetSeqNumFlag] != std::string_view{"Y"}) {
    refuse(connection, EventId::SessionAwaitsOperator,
           "session " + entry->name + " waits for an operator to set its sequence numbers");
    return false;
  }
  leave_pending(connection);
  connection.entry = entry;
  connection.scanner = scanner_of(entry->settings);
  connection.deadline = kNever;
  entry->connection = &connection;
  report_.peer(EventId::ConnectionAccepted, *entry,
               "connection from " + seams_.network->peer_name(connection.socket) +
                   protection_of(connection) +
                   (credentials.text.empty() ? "" : ": " + credentials.text));
  transact(*entry, [this](session::StateMachine& machine) { machine.on_connected(now_); });
  return connection.socket != 0 && !connection.closing;
}

// As we see it: the counterparty is the target. Nothing: a CompID is missing.
std::optional<session::SessionId> EventLoop::id_of(const wire::MessageView& logon) {
  const auto sender = logon[tag::SenderCompID];
  const auto target = logon[tag::TargetCompID];
  if (!sender || !target) return std::nullopt;
  const auto part = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  return session::SessionId{.begin_string = std::string{logon.begin_string()},
                            .sender_comp_id = std::string{*target},
                            .target_comp_id = std::string{*sender},
                            .sender_sub_id = part(tag::TargetSubID),
                            .sender_location_id = part(tag::TargetLocationID),
                            .target_sub_id = part(tag::SenderSubID),
                            .target_location_id = part(tag::SenderLocationID)};
}

session::SessionId EventLoop::without_sub_ids(const session::SessionId& id) {
  return {.begin_string = id.begin_string,
          .sender_comp_id = id.sender_comp_id,
          .target_comp_id = id.target_comp_id};
}

SessionEntry* EventLoop::find_acceptor(const Connection& connection, const wire::MessageView& logon) {
  const auto id = id_of(logon);
  if (!id) return nullptr;
  if (SessionEntry* const entry = known_acceptor(*id)) {
    return entry->listener == connection.listener ? entry : nullptr;
  }
  return make_dynamic(connection, without_sub_ids(*id));
}

// A session that is configured without SubIDs and LocationIDs is theirs who have any.
SessionEntry* EventLoop::known_acceptor(const session::SessionId& id) {
  auto found = acceptors_.find(id.to_string());
  if (found == acceptors_.end() && id.has_sub_ids()) {
    found = acceptors_.find(without_sub_ids(id).to_string());
  }
  return found == acceptors_.end() ? nullptr : found->second;
}

std::string EventLoop::why_unknown(const wire::MessageView& logon) const {
  if (const auto id = id_of(logon)) {
    auto found = refused_sessions_.find(id->to_string());
    if (found == refused_sessions_.end()) {
      found = refused_sessions_.find(without_sub_ids(*id).to_string());
    }
    if (found != refused_sessions_.end()) {
      return "session " + found->first + " is not served since the start: " + found->second;
    }
  }
  return "no session of this configuration has these CompIDs and this BeginString: " +
         describe_identity(logon);
}

std::string EventLoop::protection_of(const Connection& connection) const {
  const std::string protection = seams_.network->protection(connection.socket);
  return protection.empty() ? protection : ", " + protection;
}

// AllowedCertificates.
std::string EventLoop::certificate_fault(const Connection& connection,
                                       const SessionSettings& settings) const {
  const std::vector<std::string>& allowed = settings.admission.allowed_certificates;
  if (allowed.empty()) return {};
  const std::vector<std::string> shown = seams_.network->peer_identities(connection.socket);
  if (shown.empty()) return "it has shown no certificate, and AllowedCertificates asks for one";
  if (std::ranges::find_first_of(shown, allowed) != shown.end()) return {};
  std::string text = "its certificate is none of AllowedCertificates:";
  constexpr std::size_t kToldBytesMax = 400;
  for (const std::string& one : shown) {
    if (text.size() + one.size() > kToldBytesMax) return text + " ...";
    text += " " + one;
  }
  return text;
}

void EventLoop::refuse(Connection& connection, EventId id, std::string_view why) {
  ++stats_.connections_refused;
  report_.refused(id, connection.source, seams_.network->peer_name(connection.socket), why);
  close(connection);
}

void EventLoop::mark_unsent(Connection& connection) {
  if (connection.unsent) return;
  connection.unsent = true;
  unsent_.push_back(&connection);
}

void EventLoop::send_waiting(Connection& connection) {
  while (!connection.outbound.empty()) {
    const transport::IoResult result =
        seams_.network->send(connection.socket, connection.outbound.waiting());
    if (result.status == transport::IoStatus::Failed ||
        result.status == transport::IoStatus::Closed) {
      close(connection, EventId::ConnectionLost, seams_.network->last_error(connection.socket));
      return;
    }
    if (result.status == transport::IoStatus::WouldBlock || result.bytes == 0) {
      block(connection);
      break;
    }
    connection.takes_by = kNever;
    connection.outbound.take(result.bytes);
  }
  if (connection.outbound.empty() && connection.closing) {
    close(connection, EventId::ConnectionClosed, connection.close_reason);
  } else if (connection.entry != nullptr && connection.entry->replay &&
             connection.outbound.size() <= replay_bytes_max()) {
    replay_ready_ = true;  // There is room again for a resend that waited for it.
  }
}

// Until it is writable. A counterparty that is heard and takes nothing would stay for ever.
void EventLoop::block(Connection& connection) {
  connection.blocked = true;
  if (connection.takes_by != kNever || connection.entry == nullptr) return;
  connection.takes_by = now_.mono + connection.entry->settings.limits.slow_consumer_timeout;
  arm(connection, connection.takes_by);
}

void EventLoop::end_slow_consumer(Connection& connection) {
  const auto time = connection.entry->settings.limits.slow_consumer_timeout;
  close(connection, EventId::SlowConsumerTimedOut,
        "slow consumer: it has taken none of " + std::to_string(connection.outbound.size()) +
            " bytes for " + std::to_string(time.count()) + " s (SlowConsumerTimeout)");
}

void EventLoop::enforce_outbound_limit(Connection& connection) {
  if (connection.entry == nullptr) return;
  const std::size_t waiting = connection.outbound.size() + connection.entry->queued_after_resend.size();
  if (waiting <= connection.entry->settings.limits.queued_bytes_max) return;
  close(connection, EventId::SlowConsumerQueueFull,
        "slow consumer: " + std::to_string(waiting) + " bytes wait for it");
}

void EventLoop::close(Connection& connection) { close(connection, {}, {}); }

void EventLoop::close(Connection& connection, EventId id, std::string_view why) {
  drain_delayed(connection);
  std::unique_ptr<Connection> owned = connections_.take(connection.socket);
  if (owned == nullptr) return;
  leave_pending(connection);
  seams_.network->close(connection.socket);
  connection_timers_.disarm(connection);
  closed_.push_back(std::move(owned));
  connection.socket = 0;
  SessionEntry* entry = std::exchange(connection.entry, nullptr);
  if (entry == nullptr) return;
  entry->connection = nullptr;
  entry->replay.reset();
  entry->queued_after_resend.release();
  entry->forget_queued_until_logon();
  entry->queued_until_logon.release();
  if (!why.empty()) report_.peer(id, *entry, why, &connection);
  if (!entry->disconnection) {
    static_cast<void>(with_memory([&] { entry->disconnection_text = why; }));
  }
  if (connection.established) {
    transact(*entry, [this](session::StateMachine& machine) { machine.on_disconnected(now_); });
  }
  forget_out_of_order(*entry);  // Without a reset they are asked for again.
  if (entry->is_dynamic && !entry->has_logged_on) remove(*entry, {});
  entry->connect_policy.on_closed(entry->settings, entry->name, entry->may_log_on, now_.mono);
  if (!entry->connect_policy.wants_connection() || !entry->may_log_on) return;
  arm(*entry, entry->connect_policy.connect_at());
}

}  // namespace nexusfix::engine
