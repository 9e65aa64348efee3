// The TLS contexts of the sessions of a configuration, and when their certificates end.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::config {

// A certificate or list that ends so soon that an operator must know.
struct Ending {
  bool is_near = false;  // within days, or in the past
  std::string text{};    // "certificate CN=venue in venue.pem ends in 3 days, at ..."
};
[[nodiscard]] std::optional<Ending> ending_of(const transport::TlsExpiry& expiry, WallTime now);

// The TLS contexts of an engine's connections. Shared by all event loops. Any thread.
class TlsContexts {
 public:
  using Contexts = std::vector<std::shared_ptr<transport::TlsContext>>;

  // Puts contexts into the endpoints of sessions with TLS; equal settings share one context.
  // Returns all errors, each at the key that names the file.
  [[nodiscard]] SettingsErrors give(Settings& settings, Disk& disk);
  // give() in two steps. prepare() reads files, and blocks no other thread. It appends new
  // contexts to made; keep() gives them to the engine.
  [[nodiscard]] SettingsErrors prepare(Settings& settings, Disk& disk, Contexts& made) const;
  void keep(const Contexts& made);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::vector<transport::TlsExpiry> expiries() const;

  // Also for signal handlers: reload() must be called soon.
  void want_reload() noexcept { is_reload_wanted_.store(true, std::memory_order_release); }
  [[nodiscard]] bool consume_reload_request() noexcept {
    // Pairs with the release above. The load comes first, because the flag is hardly ever set.
    return is_reload_wanted_.load(std::memory_order_relaxed) &&
           is_reload_wanted_.exchange(false, std::memory_order_acquire);
  }
  struct Reloaded {
    bool is_valid = false;
    std::string text{};  // the context's description; or the error, and then nothing has changed
  };
  [[nodiscard]] std::vector<Reloaded> reload(Disk& disk);

 private:
  mutable std::mutex mutex_;
  [[nodiscard]] Contexts known() const;

  Contexts all_;
  std::atomic<bool> is_reload_wanted_{false};
};

}  // namespace nexusfix::config
