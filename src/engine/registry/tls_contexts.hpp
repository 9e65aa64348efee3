// What an engine's connections are protected with.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/tls.hpp>

#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// What ends so soon that somebody must be told.
struct Ending {
  bool is_near = false;  // within days, or in the past
  std::string text{};    // "certificate CN=venue in venue.pem ends in 3 days, at ..."
};
[[nodiscard]] std::optional<Ending> ending_of(const transport::TlsExpiry& expiry, WallTime now);

// Of all event loops. Any thread.
class TlsContexts {
 public:
  using Contexts = std::vector<std::shared_ptr<transport::TlsContext>>;

  // Puts contexts into the endpoints of sessions with TLS; the same settings have the same one.
  // Every mistake, at the key that named the file.
  [[nodiscard]] SettingsErrors give(Settings& settings, Disk& disk);
  // The same in two steps. The first one reads files and keeps no other thread waiting; what it has
  // made, beside what made had already, is the engine's with the second one.
  [[nodiscard]] SettingsErrors prepare(Settings& settings, Disk& disk, Contexts& made) const;
  void keep(const Contexts& made);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<transport::TlsExpiry> expiries() const;

  // Signal handlers, too: reload() is to be called soon.
  void want_reload() noexcept { is_reload_wanted_.store(true, std::memory_order_release); }
  [[nodiscard]] bool take_reload_wanted() noexcept {
    // Pairs with the release above. Read first: it is hardly ever set.
    return is_reload_wanted_.load(std::memory_order_relaxed) &&
           is_reload_wanted_.exchange(false, std::memory_order_acquire);
  }
  struct Reloaded {
    bool is_right = false;
    std::string text{};  // what is offered now, or what is wrong and all is as before
  };
  [[nodiscard]] std::vector<Reloaded> reload(Disk& disk);

 private:
  mutable std::mutex mutex_;
  [[nodiscard]] Contexts known() const;

  Contexts all_;
  std::atomic<bool> is_reload_wanted_{false};
};

}  // namespace nexusfix::engine
