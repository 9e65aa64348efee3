#include "config/api/tls_contexts.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/api/utc_text.hpp"

namespace nexusfix::config {
namespace {

SettingsError at_its_key(const std::string& file, const SessionSettings& session,
                         const transport::TlsError& error) {
  const auto& origins = session.tls->origins;
  SessionTls::Origin origin = origins[static_cast<std::size_t>(error.item)];
  // An error in the certificate's file is reported at the certificate's key.
  if (origin.line == 0 && error.item == transport::TlsItem::Key) {
    origin = origins[static_cast<std::size_t>(transport::TlsItem::Certificate)];
  }
  // Keys that name files turn TLS on, as in QuickFIX/Go; QuickFIX's examples name some without TLS.
  const SessionTls::Origin asked = origins[static_cast<std::size_t>(transport::TlsItem::Build)];
  const bool is_said = asked.key == "SocketUseSSL" || asked.key == "SSLEnable";
  const std::string hint = is_said ? "" : "; the line SocketUseSSL=N says that no TLS is meant";
  if (origin.line == 0) origin = asked;
  if (origin.line == 0) return {file, session.line, "[SESSION]: TLS: " + error.text};
  return {file, origin.line, std::string{origin.key} + ": " + error.text + hint};
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

TlsContexts::Contexts TlsContexts::known() const {
  const std::lock_guard lock{mutex_};
  return all_;
}

SettingsErrors TlsContexts::give(Settings& settings, Disk& disk) {
  Contexts made;
  SettingsErrors errors = prepare(settings, disk, made);
  keep(made);
  return errors;
}

SettingsErrors TlsContexts::prepare(Settings& settings, Disk& disk, Contexts& made) const {
  const Contexts known = this->known();
  SettingsErrors errors;
  for (SessionSettings& session : settings.sessions) {
    if (!session.tls) continue;
    const auto find_in = [&](const Contexts& all) -> std::shared_ptr<transport::TlsContext> {
      const auto has_same = [&](const auto& one) {
        return one->settings() == session.tls->settings;
      };
      const auto found = std::ranges::find_if(all, has_same);
      return found == all.end() ? nullptr : *found;
    };
    auto context = find_in(known);
    if (!context) context = find_in(made);
    if (!context) {
      auto fresh = transport::TlsContext::make(session.tls->settings, disk);
      if (!fresh) {
        SettingsError error = at_its_key(settings.file, session, fresh.error());
        const bool is_reported = std::ranges::any_of(errors, [&](const SettingsError& other) {
          return other.line == error.line && other.text == error.text;
        });
        if (!is_reported) errors.push_back(std::move(error));
        continue;
      }
      context = made.emplace_back(std::move(*fresh));
    }
    if (session.accept) session.accept->tls = context;
    for (transport::Endpoint& endpoint : session.connect) endpoint.tls = context;
  }
  return errors;
}

void TlsContexts::keep(const Contexts& made) {
  const std::lock_guard lock{mutex_};
  for (const auto& context : made) {
    if (std::ranges::find(all_, context) == all_.end()) all_.push_back(context);
  }
}

bool TlsContexts::empty() const {
  const std::lock_guard lock{mutex_};
  return all_.empty();
}

std::vector<transport::TlsExpiry> TlsContexts::expiries() const {
  std::vector<transport::TlsExpiry> all;
  for (const auto& context : known()) {
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
  std::vector<Reloaded> all;
  for (const auto& context : known()) {
    const auto done = context->reload(disk);
    all.push_back({done.has_value(), done ? context->description() : done.error().text});
  }
  return all;
}

}  // namespace nexusfix::config
