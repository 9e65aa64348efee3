#include "engine/tls_contexts.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/base/utc_text.hpp>

namespace nexusfix::engine {
namespace {

SettingsError at_its_key(const std::string& file, const SessionSettings& session,
                         const transport::TlsError& error) {
  const auto& origins = session.tls->origins;
  SessionTls::Origin origin = origins[static_cast<std::size_t>(error.item)];
  // What is in the certificate's file is no other key's matter.
  if (origin.line == 0 && error.item == transport::TlsItem::Key) {
    origin = origins[static_cast<std::size_t>(transport::TlsItem::Certificate)];
  }
  if (origin.line == 0) origin = origins[static_cast<std::size_t>(transport::TlsItem::Build)];
  if (origin.line == 0) return {file, session.line, "[SESSION]: TLS: " + error.text};
  return {file, origin.line, std::string{origin.key} + ": " + error.text};
}

}  // namespace

std::optional<Ending> ending_of(const transport::TlsExpiry& expiry, WallTime now) {
  constexpr std::chrono::days kWarned{30};
  constexpr std::chrono::days kNear{7};
  const auto left = std::chrono::floor<std::chrono::seconds>(
      expiry.at - std::chrono::time_point_cast<std::chrono::seconds>(now));
  if (left >= kWarned) return std::nullopt;
  const std::string end = utc_text(expiry.at, UtcForm::Plain) + " UTC";
  const auto days = std::chrono::floor<std::chrono::days>(left).count();
  return Ending{left < kNear, expiry.what + (left.count() < 0 ? " has ended, at " + end
                                                              : " ends in " + std::to_string(days) +
                                                                    " days, at " + end)};
}

SettingsErrors TlsContexts::give(Settings& settings, Disk& disk) {
  const std::lock_guard lock{mutex_};
  SettingsErrors errors;
  for (SessionSettings& session : settings.sessions) {
    if (!session.tls) continue;
    const auto has_same = [&](const auto& one) { return one->settings() == session.tls->settings; };
    auto known = std::ranges::find_if(all_, has_same);
    if (known == all_.end()) {
      auto made = transport::TlsContext::make(session.tls->settings, disk);
      if (!made) {
        SettingsError error = at_its_key(settings.file, session, made.error());
        const bool is_told = std::ranges::any_of(errors, [&](const SettingsError& other) {
          return other.line == error.line && other.text == error.text;
        });
        if (!is_told) errors.push_back(std::move(error));
        continue;
      }
      known = all_.insert(all_.end(), std::move(*made));
    }
    if (session.accept) session.accept->tls = *known;
    for (transport::Endpoint& endpoint : session.connect) endpoint.tls = *known;
  }
  return errors;
}

bool TlsContexts::empty() const {
  const std::lock_guard lock{mutex_};
  return all_.empty();
}

std::vector<transport::TlsExpiry> TlsContexts::expiries() const {
  const std::lock_guard lock{mutex_};
  std::vector<transport::TlsExpiry> all;
  for (const auto& context : all_) {
    for (transport::TlsExpiry& one : context->expiries()) {
      const bool is_known = std::ranges::any_of(all, [&](const transport::TlsExpiry& other) {
        return other.what == one.what && other.at == one.at;
      });
      if (!is_known) all.push_back(std::move(one));
    }
  }
  return all;
}

std::vector<TlsContexts::Reloaded> TlsContexts::reload(Disk& disk) {
  const std::lock_guard lock{mutex_};
  std::vector<Reloaded> all;
  for (const auto& context : all_) {
    const auto done = context->reload(disk);
    all.push_back({done.has_value(), done ? context->description() : done.error().text});
  }
  return all;
}

}  // namespace nexusfix::engine
