// Certificates while the engine runs: read again when they are to be, and told before they end.
#include <chrono>
#include <string>

#include "engine/loop/event_loop.hpp"
#include "engine/registry/reload_job.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::hours kLookInterval{24};

}  // namespace

// The first loop does it for all of them.
void EventLoop::check_certificates() {
  if (!seams_.tls || loop() != 0) [[likely]]
    return;
  if (seams_.tls->take_reload_wanted()) {
    files_.add(std::make_shared<CertificatesJob>(seams_.tls));
    serve_files();
  }
  if (now_.mono >= certificates_at_) report_expiries();
}

void EventLoop::report_expiries() {
  certificates_at_ = now_.mono + kLookInterval;
  wake_at(certificates_at_);
  for (const transport::TlsExpiry& one : seams_.tls->expiries()) {
    const auto ending = ending_of(one, now_.wall);
    if (!ending) continue;
    report_.engine(ending->is_near ? EventId::CertificateExpiresSoon : EventId::CertificateExpires,
                   ending->text);
  }
}

void EventLoop::report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded) {
  for (const TlsContexts::Reloaded& one : reloaded) {
    report_.engine(one.is_right ? EventId::CertificatesReloaded : EventId::CertificatesNotReloaded,
                   one.is_right ? "certificates read again: " + one.text
                                : "certificates stay as they were: " + one.text);
  }
  report_expiries();
}

}  // namespace nexusfix::engine
