#include "engine/ground/state/connect_policy.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {
namespace {

// Sessions that lost the same counterparty must not all connect again at the same moment. The same
// session and attempt always give the same interval, so that a run can be repeated.
std::chrono::nanoseconds shortened(std::chrono::seconds interval, std::uint32_t jitter_percent,
                                   std::string_view session, std::uint32_t attempt) {
  SeededRandom random{std::hash<std::string_view>{}(session) + attempt};
  constexpr std::uint64_t kParts = 10'000;
  const std::uint64_t left_out = random.below(kParts) * jitter_percent / 100;  // of kParts
  return std::chrono::nanoseconds{interval} / kParts * static_cast<std::int64_t>(kParts - left_out);
}

}  // namespace

void ConnectPolicy::log_on(bool has_connection, MonoTime now) noexcept {
  become(has_connection ? State::AgainWhenClosed : State::Waiting);
  connect_at_ = now;
}

void ConnectPolicy::halt() noexcept {
  if (wants_connection()) become(State::Halted);
}

void ConnectPolicy::on_reset_requested(bool has_connection) noexcept {
  reset_request_ = has_connection ? ResetRequest::WhileConnected : ResetRequest::WithoutConnection;
  if (state_ == State::Connected) become(State::AgainWhenClosed);
}

bool ConnectPolicy::on_reset(bool may_connect, bool has_connection, MonoTime now) noexcept {
  const ResetRequest request = std::exchange(reset_request_, ResetRequest::None);
  if (request == ResetRequest::None || !may_connect) return false;
  // The connection may have ended just now, and on_closed() follows.
  return on_numbers_set(has_connection || request == ResetRequest::WhileConnected, now);
}

bool ConnectPolicy::on_numbers_set(bool has_connection, MonoTime now) noexcept {
  if (!is_halted()) return false;
  log_on(has_connection, now);
  return true;
}

void ConnectPolicy::on_logged_on() noexcept {
  attempts_ = 0;
  was_lost_ = true;
}

void ConnectPolicy::on_closed(const SessionSettings& settings, std::string_view session,
                              bool may_log_on, MonoTime now) {
  if (!wants_connection()) return;
  if (!may_log_on) {
    become(State::Waiting);
  } else if (state_ == State::AgainWhenClosed) {
    log_on(false, now);
  } else {
    schedule(settings, session, now);
  }
}

void ConnectPolicy::schedule(const SessionSettings& settings, std::string_view session,
                             MonoTime now) {
  const std::vector<std::chrono::seconds>& intervals = settings.reconnect.intervals;
  if (attempts_ == 0) first_attempt_at_ = now;
  const std::size_t step = std::min<std::size_t>(attempts_, intervals.size() - 1);
  become(State::Waiting);
  connect_at_ = now + shortened(intervals[step], settings.reconnect.jitter, session, attempts_);
  ++attempts_;
  address_ = (address_ + 1) % settings.connect.size();
  if (settings.reconnect.priority_start_over &&
      (was_lost_ || now - first_attempt_at_ >= *settings.reconnect.priority_start_over)) {
    address_ = 0;
    first_attempt_at_ = now;
  }
  was_lost_ = false;
}

}  // namespace nexusfix::engine
