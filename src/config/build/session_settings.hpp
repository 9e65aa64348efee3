// Builds the settings of one [SESSION].
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"
#include "config/text/settings_section.hpp"
#include "config/zones/time_zones.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::config {

// The time zones and the files of holidays of all sessions. Each is read once.
class Calendars {
 public:
  using Holidays = std::expected<std::set<std::chrono::local_days>, std::string>;

  // disk: null for a configuration without a file, which cannot name another file.
  explicit Calendars(Disk* disk) : disk_{disk} {}

  [[nodiscard]] TimeZones& zones() noexcept { return zones_; }
  // One date a line, 2026-12-25, with or without a name after it; # begins a comment.
  [[nodiscard]] const Holidays& holidays(const std::string& path);

 private:
  [[nodiscard]] Holidays read(const std::string& path) const;

  Disk* disk_;
  TimeZones zones_;
  std::map<std::string, Holidays> files_;
};

// Non-stop if the keys are invalid, which is reported, or if none is given.
[[nodiscard]] session::Schedule build_schedule(const MergedSection& keys, SettingsReport& report,
                                               Calendars& calendars);

// The role of a session without a ConnectionType, which QuickFIX/Go does not have. Unset: the
// session has keys of both roles, or of neither.
struct ImpliedRole {
  session::Role role = session::Role::Initiator;
  std::string_view key;  // that implies it
  std::size_t line = 0;
};
[[nodiscard]] std::optional<ImpliedRole> implied_role(const MergedSection& keys);

[[nodiscard]] SessionSettings build_session(const MergedSection& keys, SettingsReport& report,
                                            Calendars& calendars);

// Null: no proxy is asked for, or its keys are invalid, which is reported.
[[nodiscard]] std::shared_ptr<const transport::ConnectProxy> build_proxy(const MergedSection& keys,
                                                                         SettingsReport& report);

// Reports an address of the counterparty that this proxy's protocol cannot express; name is its
// key's.
void check_target(const transport::ConnectProxy& proxy, const std::string& name, const Given& host,
                  SettingsReport& report);

// Reports an acceptor's section that asks for a proxy: its author would rely on it.
void refuse_proxy_of(const Section& section, SettingsReport& report);

}  // namespace nexusfix::config
