#include "session/api/connection_state.hpp"

namespace nexusfix::session::detail {

void HeartbeatTimers::set_interval(std::chrono::seconds interval,
                                   const HeartbeatConfig& config) noexcept {
  const auto multiple = [interval](double factor) {
    const std::chrono::duration<double> product = factor * std::chrono::duration<double>{interval};
    return std::chrono::duration_cast<MonoTime::duration>(product);
  };
  interval_ = interval;
  heartbeat_after_ = interval;
  test_request_after_ = multiple(1.0 + config.test_request_delay);
  silence_after_ = multiple(config.timeout - config.test_request_delay);
}

// The silence is timed from the TestRequest, not from the last message: a process that was stopped
// for a while asks first, because what it missed may lie unread in its socket. A counterparty that
// may be silent is asked again after the same time of silence, and gets our Heartbeats meanwhile.
HeartbeatTimers::Due HeartbeatTimers::remove_due(MonoTime now,
                                                 const HeartbeatConfig& config) noexcept {
  if (test_request_sent_) {
    if (config.disconnects_on_silence) return Due::SilenceTooLong;
    if (now < *test_request_sent_ + silence_after_) return Due::Heartbeat;
    test_request_sent_.reset();
    last_received_ = now;
    return Due::SilenceTooLong;
  }
  if (now < last_received_ + test_request_after_) return Due::Heartbeat;
  test_request_sent_ = now;
  return Due::TestRequest;
}

}  // namespace nexusfix::session::detail
