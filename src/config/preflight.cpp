// Checks the files, folders and devices that a configuration names, before anything is created.
#include "config/api/preflight.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/api/thread_setup.hpp"
#include "config/api/logon_passwords.hpp"
#include "config/api/logon_signer.hpp"
#include "config/api/tls_contexts.hpp"
#include "config/api/validators.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::config {
namespace {

constexpr std::string_view kStoreKey = "FileStorePath";

// A folder into which the engine writes.
struct Folder {
  std::string_view key;
  std::string path;
  std::size_t line = 0;
  bool is_shared = false;  // LogFileMode lets others read its files
};

std::vector<Folder> folders_of(const Settings& settings) {
  std::vector<Folder> folders;
  if (settings.store == StoreKind::Journal || !settings.postgres.note_folder.empty()) {
    folders.push_back({kStoreKey, settings.store_folder, settings.store_folder_line});
  }
  for (const SessionSettings& session : settings.sessions) {
    const LogSettings& log = session.log;
    if (log.files.folder.empty()) continue;
    const bool is_shared = (log.files.permissions & 077U) != 0;
    folders.push_back({"FileLogPath", log.files.folder, log.folder_line, is_shared});
    if (log.files.backup_folder.empty()) continue;
    folders.push_back(
        {"FileLogBackupPath", log.files.backup_folder, log.backup_folder_line, is_shared});
  }
  return folders;
}

class PreflightChecks {
 public:
  PreflightChecks(const Settings& settings, Disk& disk, const engine::Parts& parts)
      : settings_{settings}, disk_{disk}, parts_{parts} {}

  // All but the dictionaries.
  void check_machine() {
    check_parts();
    check_folders();
    check_cpus();
    check_certificates();
    check_logon_keys();
    check_passwords();
  }

  [[nodiscard]] std::vector<SettingsError> check_dictionaries() {
    Settings copy = settings_;
    auto found = make_validators(copy, disk_);
    if (found) return std::move(found->warnings);
    std::ranges::move(found.error(), std::back_inserter(errors_));
    return {};
  }

  [[nodiscard]] SettingsErrors consume_errors() {
    std::ranges::sort(errors_, {}, &SettingsError::line);
    return std::move(errors_);
  }

 private:
  // Each missing part once, for the first session that needs it.
  void check_parts() {
    for (const SessionSettings& session : settings_.sessions) {
      for (MissingPart& missing : missing_parts(session, parts_)) {
        const auto is_same = [&](const SettingsError& error) { return error.text == missing.text; };
        if (std::ranges::any_of(errors_, is_same)) continue;
        errors_.push_back({settings_.file, missing.line, std::move(missing.text)});
      }
    }
    if (parts_.web != nullptr) return;
    for (MissingPart& missing : missing_web_part(settings_.web)) {
      errors_.push_back({settings_.file, missing.line, std::move(missing.text)});
    }
  }

  void check_folders() {
    for (const Folder& one : folders_of(settings_)) {
      const bool is_of_logs = one.key != kStoreKey;
      look_at(one.path, one.line,
              std::string{one.key} + (is_of_logs ? ": the logs cannot be written: " : ": "));
    }
  }

  void check_cpus() {
    if (auto wrong = find_cpu_conflict(settings_.threads.cpus)) {
      errors_.push_back({settings_.file, settings_.threads.cpus_line, std::move(*wrong)});
    }
  }

  void check_certificates() {
    const auto has_tls = [](const SessionSettings& session) { return session.tls != nullptr; };
    if (std::ranges::none_of(settings_.sessions, has_tls)) return;
    Settings copy = settings_;
    std::ranges::move(TlsContexts{}.give(copy, disk_), std::back_inserter(errors_));
  }

  // No command is run: it may wait for a person's answer.
  void check_logon_keys() {
    Settings copy = settings_;
    std::ranges::move(give_signers(copy, disk_, /*with_commands=*/false),
                      std::back_inserter(errors_));
  }

  void check_passwords() {
    if (parts_.passwords == nullptr) return;
    for (const SessionSettings& session : settings_.sessions) {
      if (session.credentials.password_file.empty()) continue;
      const std::size_t line = session.credentials.password_file_line;
      const auto is_reported = [&](const SettingsError& error) { return error.line == line; };
      if (std::ranges::any_of(errors_, is_reported)) continue;
      const auto checked = parts_.passwords->check_file(disk_, session.credentials.password_file);
      if (!checked) errors_.push_back({settings_.file, line, "PasswordFile: " + checked.error()});
    }
  }

  void look_at(const std::string& folder, std::size_t line, const std::string& what) {
    const bool is_known = std::ranges::any_of(errors_, [&](const SettingsError& error) {
      return error.line == line && error.text.starts_with(what);
    });
    if (is_known) return;
    const auto could = disk_.could_write_into(folder);
    if (could) return;
    errors_.push_back({settings_.file, line,
                       what + could.error().what() +
                           "; a folder was expected that is there or can be made, and that this "
                           "process may write into"});
  }

  const Settings& settings_;
  Disk& disk_;
  const engine::Parts& parts_;
  SettingsErrors errors_;
};

}  // namespace

SettingsErrors check_machine(const Settings& settings, Disk& disk, const engine::Parts& parts) {
  PreflightChecks checks{settings, disk, parts};
  checks.check_machine();
  return checks.consume_errors();
}

std::vector<SettingsError> open_folders(const Settings& settings, Disk& disk) {
  std::vector<SettingsError> warnings;
  for (const Folder& one : folders_of(settings)) {
    if (one.is_shared) continue;
    const auto is_private = disk.is_private(one.path);
    // A folder that does not exist is created for its owner only.
    if (!is_private || *is_private) continue;
    SettingsError warning{settings.file, one.line,
                          std::string{one.key} +
                              ": others than the owner may look into the "
                              "folder, which was there before: chmod 700 " +
                              one.path};
    const auto is_same = [&](const SettingsError& other) { return other.text == warning.text; };
    if (std::ranges::none_of(warnings, is_same)) warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::expected<std::vector<SettingsError>, SettingsErrors> preflight(const Settings& settings,
                                                                    Disk& disk,
                                                                    const engine::Parts& parts) {
  PreflightChecks checks{settings, disk, parts};
  checks.check_machine();
  std::vector<SettingsError> warnings = checks.check_dictionaries();
  std::ranges::move(open_folders(settings, disk), std::back_inserter(warnings));
  if (auto errors = checks.consume_errors(); !errors.empty()) {
    return std::unexpected{std::move(errors)};
  }
  return warnings;
}

SettingsErrors missing_addresses(const Settings& settings) {
  SettingsErrors errors;
  const auto network = transport::make_epoll_network();
  if (!network) return errors;
  std::set<std::string> asked;
  for (const SessionSettings& session : settings.sessions) {
    if (!session.accept || session.accept->host.empty()) continue;
    if (!asked.insert(session.accept->host).second) continue;
    transport::Endpoint any_port = *session.accept;
    any_port.port = 0;
    const auto could = (*network)->could_listen(any_port);
    if (could) continue;
    const std::string& text = could.error().text;  // "listen 192.0.2.1:0: Cannot assign ..."
    errors.push_back({settings.file, session.accept_host_line,
                      "SocketAcceptAddress=" + session.accept->host + ": " +
                          text.substr(text.rfind(": ") + 2) +
                          "; an address of this machine was expected"});
  }
  return errors;
}

std::vector<SettingsError> expiring_certificates(const Settings& settings, Disk& disk,
                                                 WallTime now) {
  Settings copy = settings;
  TlsContexts contexts;
  static_cast<void>(contexts.give(copy, disk));  // preflight() reports errors of the files
  std::vector<SettingsError> warnings;
  for (const transport::TlsExpiry& one : contexts.expiries()) {
    if (auto ending = ending_of(one, now)) {
      warnings.push_back({settings.file, 0, std::move(ending->text)});
    }
  }
  return warnings;
}

}  // namespace nexusfix::config
