#include <algorithm>
#include <utility>

#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/typed.hpp>

#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

TimerHandle add_timer(const SessionServices& services, SessionEntry& entry, auto time,
                      detail::TimerCallback&& callback) {
  if (entry.membership.is_closing()) return {};
  const Now now = services.sessions.transactor.now();
  const TimerHandle timer =
      entry.timers.add(time, now, entry.stored.handle_key(), std::move(callback));
  if (timer) {
    services.loop.arm(entry, entry.timers.next(now));
  } else {
    services.loop.report.peer(EventId::TimerRefused, entry,
                              {"a timer is not set: the session has ", kTimersMax, " timers"});
  }
  return timer;
}

}  // namespace

Session::Session(const SessionServices& services, SessionEntry& entry) noexcept
    : services_{&services}, entry_{&entry}, versions_{&entry.machine.application_versions()} {}

std::optional<std::string> Session::setting(std::string_view key) const {
  const auto& all = entry_->settings().application;
  const auto found = all.find(config::application_name(key));
  return found == all.end() ? std::nullopt : std::optional{found->second};
}

const PendingKeys& Session::pending_keys() const noexcept { return entry_->file.pending(); }

const session::SessionId& Session::id() const noexcept { return entry_->settings().session.id; }
std::string_view Session::name() const noexcept { return entry_->name; }
session::Numbers Session::numbers() const noexcept { return entry_->machine.sequence_numbers(); }
SessionHandle Session::handle() const noexcept {
  return {services_->loop.index, entry_->stored.handle_key()};
}
WallTime Session::now() const noexcept { return services_->sessions.transactor.now().wall; }

WallTime Session::received_at() const noexcept {
  const Connection* const connection = entry_->connection();
  const bool is_known = connection != nullptr && connection->received_at() != WallTime::min();
  return is_known ? connection->received_at() : now();
}

bool Session::is_logged_on() const noexcept {
  return !services_->io.commit.has_failed() && entry_->machine.state() == session::State::LoggedOn;
}

wire::SendingTime Session::sending_time() const noexcept {
  // begin() has read the clock: now() would read it again outside of events.
  return {services_->loop.now().wall, entry_->machine.time_precision()};
}

// begin() and finish() are in sending/outbox.cpp.

TimerHandle Session::call_at(MonoTime time, detail::TimerCallback callback) {
  return add_timer(*services_, *entry_, time, std::move(callback));
}
TimerHandle Session::call_at(WallTime time, detail::TimerCallback callback) {
  return add_timer(*services_, *entry_, time, std::move(callback));
}
TimerHandle Session::call_after(std::chrono::nanoseconds delay, detail::TimerCallback callback) {
  const MonoTime now = services_->sessions.transactor.now().mono;
  const MonoTime time = delay >= kNever - now ? kNever : now + std::max(delay, {});
  return call_at(time, std::move(callback));
}
bool Session::cancel(const TimerHandle& timer) noexcept {
  return timer.session == entry_->stored.handle_key() && entry_->timers.cancel(timer);
}

// A backlog that the application has seen must have its on_writable(), even if the socket takes all
// bytes at the end of the event.
std::size_t Session::unsent_bytes() const noexcept {
  Connection* const connection = entry_->connection();
  if (connection == nullptr) return 0;
  const std::size_t waiting = connection->outbound().size() + entry_->resend.queued().size();
  if (waiting > Backlog::high(entry_->settings().limits.queued_bytes_max)) {
    connection->backlog().begin();
  }
  return waiting;
}
bool Session::is_writable() const noexcept {
  if (entry_->outbound_limit && entry_->outbound_limit->waiting.is_high()) return false;
  return unsent_bytes() == 0 || !entry_->connection()->backlog().is_high();
}

std::pmr::memory_resource& Session::scratch() noexcept { return services_->loop.use_scratch(); }

void Session::log_out(std::string_view text) { services_->sessions.control.log_out(*entry_, text); }
void Session::answer_logon(std::uint64_t id, const LogonAnswer& answer) {
  services_->sessions.actions.answer_logon(*entry_, id, answer);
}
void Session::disconnect(std::string_view why) {
  std::string text = "disconnected by the application";
  if (!why.empty()) (text += ": ") += why;
  services_->sessions.control.disconnect(*entry_, text);
}
std::optional<SendFailure> Session::send_obstacle() const noexcept {
  return services_->sessions.outbox.obstacle_of(*entry_);
}
void Session::reset(std::string_view text) { services_->sessions.control.reset(*entry_, text); }
std::expected<void, std::string> Session::reset_in_session() {
  return services_->sessions.control.reset_in_session(*entry_);
}
void Session::remove(std::string_view text) {
  if (services_->sessions.registry.remove(*entry_) && entry_->connection() != nullptr) {
    services_->sessions.control.log_out(*entry_, text);
  }
}
void Session::log_on() { services_->sessions.control.log_on(*entry_); }

std::expected<void, std::string> Session::set_next_numbers(session::Numbers numbers,
                                                           std::string_view reason) {
  return services_->sessions.control.set_next_numbers(*entry_, numbers, reason);
}

std::string_view to_string(SendFailure failure) noexcept {
  switch (failure) {
    case SendFailure::WrongVersion:
      return "the message is of another FIX version than the session";
    case SendFailure::NotApplicationMessage:
      return "administrative messages are sent by the session itself";
    case SendFailure::NotBegun:
      return "no message of this session is begun: another begin(), or another event, came between";
    case SendFailure::TransactionTooLarge:
      return "too much was sent in one callback";
    case SendFailure::Vetoed:
      return "the application's on_sending() withheld it";
    case SendFailure::NotLoggedOn:
      return "the session is not logged on, and the message is not kept for later: "
             "SendWhileLoggedOut=N, or it has a "
             "password or a field of LogMaskedTags, which no store is to have";
    case SendFailure::WithinSending:
      return "a message cannot be sent from on_sending(), on_sent() or write_logon()";
    case SendFailure::SessionEnding:
      return "the session is ending; when its connection has ended, its sequence numbers begin at "
             "1 again";
    case SendFailure::OutOfMemory:
      return "there was no memory for it; nothing was numbered, stored or sent";
    case SendFailure::StoreStopped:
      return "the store has failed or is closed; nothing is accepted any more";
    case SendFailure::StoreFull:
      return "the disk has no room for more of the log; what is left is for session messages";
    case SendFailure::Draining:
      return "the engine is being drained, and accepts no new message";
    case SendFailure::RateLimited:
      return "OutboundMessages permits no message now, and this one does not wait for it";
    case SendFailure::Encode:
      break;
  }
  return "a value cannot be sent";
}

std::string SendError::what() const {
  if (failure != SendFailure::Encode) return std::string{to_string(failure)};
  const std::string field = "field " + std::to_string(encode.tag) + ": ";
  switch (encode.code) {
    case wire::EncodeErrorCode::BufferFull:
      return field + "the message is longer than the limit";
    case wire::EncodeErrorCode::SohInValue:
      return field + "the value holds SOH, which would end it";
    case wire::EncodeErrorCode::EmptyValue:
      return field + "the value is empty";
    case wire::EncodeErrorCode::ValueOutOfRange:
      return field + "a date or time of day that does not exist";
    case wire::EncodeErrorCode::MessageMalformed:
      return "the stored message is damaged";
    case wire::EncodeErrorCode::GroupCountWrong:
      return field + "the group has not as many entries as its count says, or an empty one";
    case wire::EncodeErrorCode::TagInvalid:
      break;
  }
  return field + "not a tag that a caller may write";
}

}  // namespace nexusfix::engine
