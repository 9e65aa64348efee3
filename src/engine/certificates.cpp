// Certificates while the engine runs: read anew when they are to be, and told before they end.
#include <chrono>
#include <string>

#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::hours kLookInterval{24};

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
    const auto ending = ending_of(one, now_.wall);
    if (!ending) continue;
    report(ending->is_near ? observe::Severity::Error : observe::Severity::Warning, {},
           ending->text);
  }
}

}  // namespace nexusfix::engine
