// Certificates while the engine runs: read anew when they are to be, and told before they end.
#include <chrono>
#include <string>

#include <nexusfix/base/utc_text.hpp>

#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::hours kLookInterval{24};
constexpr std::chrono::days kWarned{30};
constexpr std::chrono::days kAlarmed{7};

}  // namespace

// The first loop does it for all of them.
void Runtime::look_after_certificates() {
  if (!seams_.tls || loop() != 0) [[likely]]
    return;
  if (seams_.tls->take_reload_wanted()) {
    for (const TlsContexts::Reloaded& one : seams_.tls->reload(*seams_.disk)) {
      report(one.is_right ? observe::Severity::Info : observe::Severity::Error, {},
             one.is_right ? "certificates read again: " + one.text
                          : "certificates stay as they were: " + one.text);
    }
    certificates_at_ = now_.mono;
  }
  if (now_.mono < certificates_at_) return;
  certificates_at_ = now_.mono + kLookInterval;
  wake_at(certificates_at_);
  for (const transport::TlsExpiry& one : seams_.tls->expiries()) {
    const auto left = std::chrono::floor<std::chrono::seconds>(
        one.at - std::chrono::time_point_cast<std::chrono::seconds>(now_.wall));
    if (left >= kWarned) continue;
    const std::string end = utc_text(one.at, UtcForm::Plain) + " UTC";
    const auto days = std::chrono::floor<std::chrono::days>(left).count();
    report(left < kAlarmed ? observe::Severity::Error : observe::Severity::Warning, {},
           one.what + (left.count() < 0 ? " has ended, at " + end
                                        : " ends in " + std::to_string(days) + " days, at " + end));
  }
}

}  // namespace nexusfix::engine
