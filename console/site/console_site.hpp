// The web console: its page, and what the page asks for.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "console/http/http_server.hpp"
#include "console/json/session_names.hpp"
#include "console/server/worker.hpp"
#include "console/site/access.hpp"
#include "console/site/event_ring.hpp"
#include "console/site/journal_pages.hpp"
#include "console/site/live_stream.hpp"
#include "control/api/operations.hpp"

namespace nexusfix::web {

struct ConsoleOptions {
  bool allows_acts = false;
  std::string configuration_file{};  // empty: the program has built its settings
  std::string store_folder{};        // of the journal; empty: there is none
  std::string token_file{};
  SessionNames names{};
  bool is_encrypted = false;      // by TLS
  bool has_certificates = false;  // each browser has shown a valid certificate
};

class ConsoleSite final : public Site {
 public:
  ConsoleSite(ConsoleOptions options, EventRing& events, Clock& clock);
  ~ConsoleSite() override;

  // Before begin(): what browsers call this server.
  void listen_on(std::string_view host, std::uint16_t port, const std::vector<std::string>& names);
  // Before the first request. The error: the token file cannot be used.
  [[nodiscard]] std::expected<void, std::string> begin(engine::Operations& engine);
  // No request follows.
  void end();

  [[nodiscard]] const std::string& token_file() const noexcept { return options_.token_file; }
  void answer(Request request, Reply reply) override;

 private:
  [[nodiscard]] Response sign_in(const Request& request);
  void answer_operator(const Request& request, const SignIn& sign_in, Reply reply);
  [[nodiscard]] Response overview(const SignIn& sign_in) const;
  [[nodiscard]] Response live(const Request& request);
  void act(const Request& request, const SignIn& sign_in, Reply reply);
  [[nodiscard]] Response messages(const Request& request);
  [[nodiscard]] Response configuration(const std::string& session);
  [[nodiscard]] Response schedule();
  [[nodiscard]] Response wrong_token(const Request& request) const;
  void report_refusals();
  [[nodiscard]] bool was_reloaded() noexcept;
  void read_names();
  [[nodiscard]] std::shared_ptr<const SessionNames> names();

  ConsoleOptions options_;
  EventRing& events_;
  Clock& clock_;
  PosixDisk disk_;
  Access access_;
  EngineStateCache states_;
  JournalPages pages_{disk_};  // of the thread of reader_
  std::mutex names_mutex_;
  std::shared_ptr<const SessionNames> names_;
  std::atomic<std::uint64_t> named_reload_{0};  // of EventRing::reloads(): names_ are of then
  Worker reader_;
  Worker acts_;  // never waits for reader_
  engine::Operations* engine_ = nullptr;
};

}  // namespace nexusfix::web
