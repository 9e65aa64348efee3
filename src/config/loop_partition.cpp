#include "config/api/loop_partition.hpp"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace nexusfix::config {
namespace {

constexpr std::uint32_t kEventLoopsMax = 64;

// FNV-1a: the same on every machine and in every version, because a store outlives both.
std::uint64_t hash_of(std::string_view name) noexcept {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325U;
  for (const char byte : name) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100'0000'01B3U;
  }
  return hash;
}

// For people.
std::string store_of_loop(const Settings& settings, std::uint32_t loop) {
  if (settings.store != StoreKind::Program) return folder_of_loop(settings.store_folder, loop);
  return "the program's store of event loop " + std::to_string(loop);
}

// The loop of each stored session.
std::expected<std::map<std::string, std::uint32_t, std::less<>>, std::string> stored_sessions(
    std::span<const store::Store* const> stores, const Settings& settings) {
  std::map<std::string, std::uint32_t, std::less<>> stored;
  for (std::uint32_t loop = 0; loop < stores.size(); ++loop) {
    const store::Store& store = *stores[loop];
    for (std::size_t key = 0; key < store.session_count(); ++key) {
      const auto name = store.session_name(static_cast<store::SessionKey>(key));
      const auto [place, added] = stored.emplace(name, loop);
      if (added) continue;
      return std::unexpected{std::string{"session " + std::string{name} + " is stored twice, in " +
                                         store_of_loop(settings, place->second) + " and in " +
                                         store_of_loop(settings, loop) +
                                         ": move the one that is not meant away"}};
    }
  }
  return stored;
}

// The folder of a loop that the configuration no longer has may hold some of its sessions.
std::expected<void, std::string> check_folders(const Settings& settings, Disk& disk) {
  if (settings.store != StoreKind::Journal) return {};
  for (std::uint32_t loop = settings.event_loops; loop < kEventLoopsMax; ++loop) {
    const std::string folder = folder_of_loop(settings.store_folder, loop);
    const auto names = disk.list(folder);
    if (!names || names->empty()) continue;
    return std::unexpected{std::string{
        settings.file + ": EventLoops=" + std::to_string(settings.event_loops) + ", and " + folder +
        " is the store of one more: its sessions would be forgotten. Set EventLoops=" +
        std::to_string(loop + 1) + ", or move that folder away"}};
  }
  return {};
}

// Puts each session into the settings of its loop.
std::expected<void, std::string> fill(std::vector<Settings>& shares,
                                      std::vector<SessionSettings> sessions, HomeOf home_of) {
  for (SessionSettings& one : sessions) {
    const std::string name = one.session.id.to_string();
    const auto wrong = [&](const std::string& what) {
      const SettingsError error{shares.front().file, one.line, name + ": EventLoop=" + what};
      return std::unexpected{std::string{error.what()}};
    };
    std::optional<std::uint32_t> home = home_of(name);
    if (!home) home = home_of(one.session.id.former_name());
    const std::uint32_t by_name = static_cast<std::uint32_t>(hash_of(name) % shares.size());
    const std::uint32_t loop = home ? *home : one.event_loop.value_or(by_name);
    if (one.event_loop && *one.event_loop != loop) {
      return wrong(std::to_string(*one.event_loop) + ", and it is stored in loop " +
                   std::to_string(loop) + ", " + store_of_loop(shares.front(), loop));
    }
    if (loop >= shares.size()) {
      return wrong(std::to_string(loop) + ": the engine was started with " +
                   std::to_string(shares.size()) + " EventLoops, counted from 0");
    }
    shares[loop].sessions.push_back(std::move(one));
  }
  return {};
}

}  // namespace

std::expected<std::vector<Settings>, std::string> partition_by_loop(
    Settings settings, Disk& disk, std::span<const store::Store* const> stores) {
  if (auto checked = check_folders(settings, disk); !checked) {
    return std::unexpected{std::move(checked.error())};
  }
  std::vector<SessionSettings> sessions = std::exchange(settings.sessions, {});
  std::vector<Settings> shares(stores.size(), settings);
  for (std::size_t loop = 1; loop < shares.size(); ++loop) shares[loop].warnings.clear();
  if (stores.size() == 1) {
    shares.front().sessions = std::move(sessions);
    return shares;
  }
  const auto stored = stored_sessions(stores, settings);
  if (!stored) return std::unexpected{stored.error()};
  const auto home_of = [&](const std::string& name) -> std::optional<std::uint32_t> {
    const auto found = stored->find(name);
    if (found == stored->end()) return std::nullopt;
    return found->second;
  };
  if (auto done = fill(shares, std::move(sessions), home_of); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return shares;
}

std::expected<std::vector<Settings>, std::string> partition_again(Settings settings,
                                                                  std::size_t loops,
                                                                  HomeOf home_of) {
  std::vector<SessionSettings> sessions = std::exchange(settings.sessions, {});
  std::vector<Settings> shares(loops, settings);
  for (std::size_t loop = 1; loop < shares.size(); ++loop) shares[loop].warnings.clear();
  if (auto done = fill(shares, std::move(sessions), home_of); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return shares;
}

}  // namespace nexusfix::config
