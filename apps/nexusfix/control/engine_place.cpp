#include "nexusfix/control/engine_place.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "base/api/ascii.hpp"
#include "nexusfix/files/settings_loader.hpp"

namespace nexusfix::command {
namespace {

// The value of a key in a file that has errors: that of its last line. Empty: the file has none.
std::string value_in(std::string_view text, std::string_view key) {
  std::string value;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (equals_ignoring_case(trimmed(line.substr(0, equals)), key)) {
      value = trimmed(line.substr(equals + 1));
    }
  }
  return value;
}

// The engine may be running with an earlier state of the file: an operator is just changing it.
std::expected<std::string, std::string> place_in_spite_of(std::string_view command, Disk& disk,
                                                          const std::string& file,
                                                          const std::string& errors) {
  constexpr std::uint64_t kFileBytesMax = 64U << 20U;
  const auto text = read_file(disk, file, kFileBytesMax);
  for (const std::string_view key : {"ControlSocket", "FileStorePath"}) {
    std::string place = text ? value_in(*text, key) : std::string{};
    if (place.empty()) continue;
    fmt::print(stderr, "nexusfix {}: warning: {} has errors; its {} is used: {}\n", command, file,
               key, place);
    return place;
  }
  return std::unexpected{errors +
                         "; --engine also takes the store's folder, or the control socket"};
}

// ControlSocket of a configuration file; otherwise the folder of its journal.
std::expected<std::string, std::string> place_in(std::string_view command,
                                                 const std::string& file) {
  PosixDisk disk;
  const auto settings = read_settings(disk, file);
  if (!settings) return place_in_spite_of(command, disk, file, settings.error());
  if (!settings->control_socket.empty()) return settings->control_socket;
  if (settings->store == config::StoreKind::Journal) return settings->store_folder;
  return std::unexpected{file +
                         ": its sessions have no journal, so that the engine has a control socket "
                         "only if ControlSocket names one"};
}

}  // namespace

std::expected<std::string, std::string> engine_place(std::string_view command,
                                                     const std::string& engine) {
  if (!engine.empty()) {
    std::error_code error;
    return std::filesystem::is_regular_file(engine, error) ? place_in(command, engine) : engine;
  }
  const std::vector<std::string> running = engine::find_running_engines();
  if (running.size() == 1) return running.front();
  if (running.empty()) {
    return std::unexpected{
        "no engine of this user runs on this machine with a control socket that can be found; "
        "--engine names its configuration file"};
  }
  std::string text = "several engines run; choose one with --engine:";
  for (const std::string& folder : running) (text += "\n  --engine ") += folder;
  return std::unexpected{std::move(text)};
}

std::string engine_fault(const engine::LiveError& error, const std::string& folder) {
  if (!error.is_absent) return error.text;
  return "no engine runs with the store " + folder + " (" + error.text + ")";
}

}  // namespace nexusfix::command
