#include "engine/directory/reload/reload_job.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <nexusfix/engine/parts.hpp>
#include <nexusfix/settings.hpp>

#include "engine/directory/loop_partition.hpp"
#include "engine/directory/reload/reload_round.hpp"
#include "engine/directory/reload/reloader.hpp"
#include "engine/ground/credentials/logon_signer.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"

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

// Reads and checks the file as a start does.
void ReloadJob::read(Disk& disk) {
  const auto refuse = [&](EngineError why) { found_ = std::unexpected{std::move(why)}; };
  auto settings = load_settings(disk, start_.file);
  if (!settings) return refuse(to_error(settings.error()));
  Found found;
  // If any loop has pending changes, the file is read in full, so that they are named again.
  const bool has_pending = start_.directory && start_.directory->has_pending();
  if (settings->text == *start_.known && !has_pending) {
    found.is_same = true;
    found_ = std::move(found);
    return;
  }
  if (auto right = check(start_.check_settings, *settings); !right) {
    return refuse(std::move(right.error()));
  }
  if (const auto looked = preflight(*settings, disk, start_.parts); !looked) {
    return refuse(to_error(looked.error()));
  }
  std::vector<Settings> shares;
  if (start_.directory) {
    auto shared = partition_again(std::move(*settings), *start_.directory);
    if (!shared) return refuse(std::move(shared.error()));
    shares = std::move(*shared);
  } else {
    shares.push_back(std::move(*settings));
  }
  for (Settings& share : shares) {
    // Each loop has its own validators: two threads must not use one.
    auto dictionaries = make_validators(share, disk);
    if (!dictionaries) return refuse(to_error(dictionaries.error()));
    if (start_.tls) {
      const auto errors = start_.tls->prepare(share, disk, found.contexts);
      if (!errors.empty()) return refuse(to_error(errors));
    }
    const auto errors = give_signers(share, disk, /*with_commands=*/true);
    if (!errors.empty()) return refuse(to_error(errors));
    found.shares.push_back({std::move(share), std::move(*dictionaries)});
  }
  found_ = std::move(found);
}

void ReloadJob::finish() { reloader_.on_files_read(*this); }

void ReloadJob::fail(std::string_view why) {
  reloader_.end_reload(start_.order, std::unexpected{EngineError{std::string{why}}});
}

void CertificatesJob::finish() {
  watch_.report_certificates(reloaded_);
  if (reader_) reader_->read(reloaded_);
}

void CertificatesJob::fail(std::string_view why) {
  const std::vector<TlsContexts::Reloaded> failed{{.is_right = false, .text = std::string{why}}};
  watch_.report_certificates(failed);
  if (reader_) reader_->read(failed);
}

}  // namespace nexusfix::engine
