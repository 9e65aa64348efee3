// Reports certificates before they expire, and reads them again on request.
#include "engine/directory/certificate_watch.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "engine/directory/reload/reload_job.hpp"
#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::chrono::hours kLookInterval{24};

}  // namespace

// The first loop checks for all loops.
void CertificateWatch::check() {
  if (!loop_.shared.tls || loop_.index != 0) [[likely]]
    return;
  if (loop_.shared.tls->consume_reload_request()) {
    reload({});
  }
  if (loop_.now().mono >= check_at_) report_expiries();
}

void CertificateWatch::reload(std::unique_ptr<CertificatesJob::Reader> reader) {
  files_.add(std::make_shared<CertificatesJob>(*this, loop_.shared.tls, std::move(reader)));
}

void CertificateWatch::report_expiries() {
  check_at_ = loop_.now().mono + kLookInterval;
  loop_.wake_at(check_at_);
  for (const transport::TlsExpiry& one : loop_.shared.tls->expiries()) {
    const auto ending = ending_of(one, loop_.now().wall);
    if (!ending) continue;
    loop_.report.engine(
        ending->is_near ? EventId::CertificateExpiresSoon : EventId::CertificateExpires,
        ending->text);
  }
}

void CertificateWatch::report_certificates(const std::vector<TlsContexts::Reloaded>& reloaded) {
  for (const TlsContexts::Reloaded& one : reloaded) {
    loop_.report.engine(
        one.is_right ? EventId::CertificatesReloaded : EventId::CertificatesNotReloaded,
        one.is_right ? "certificates read again: " + one.text
                     : "certificates stay as they were: " + one.text);
  }
  report_expiries();
}

}  // namespace nexusfix::engine
