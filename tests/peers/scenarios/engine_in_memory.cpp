#include "peers/scenarios/engine_in_memory.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "peers/scenarios/trader.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/recording_log.hpp"
#include "tester/play/player.hpp"

namespace nexusfix::scenarios {
namespace {

using tester::kVersions;
using tester::Meaning;
using tester::Verb;

constexpr std::string_view kTrader = "TRADER";
constexpr std::string_view kVenue = "VENUE";
constexpr std::uint16_t kPort = 5001;
// An engine that is not idle after this number of turns never will be.
constexpr unsigned kTurnsMax = 10'000;
// A message in pieces of this size is read in a bounded number of turns.
constexpr std::size_t kPieceBytes = 3;
constexpr unsigned kReadingTurnsMax = 300;

// Nothing: success; otherwise the error.
using Outcome = std::optional<std::string>;

// The engine, which runs while the tester waits for it, and the tester's network.
class EngineInMemory final : public tester::EngineUnderTest, public transport::Network {
 public:
  EngineInMemory(std::size_t version, Stream stream) : version_{version} {
    if (stream == Stream::InPieces) internet_.limits.receive_bytes_max = kPieceBytes;
    quiet_turns_ = stream == Stream::InPieces ? kReadingTurnsMax : 3;
  }

  [[nodiscard]] testing::ManualClock& clock() noexcept { return clock_; }
  [[nodiscard]] std::string log() const { return log_.all(); }

  Outcome start() override {
    if (engine_) return std::nullopt;
    auto settings = config::parse_settings(configuration(), "scenario.cfg");
    if (!settings) return settings.error().front().what();
    settings->sessions.front().reconnect.jitter = 0;
    EngineOptions options;
    options.clock = &clock_;
    options.disk = &disk_;
    options.network = &network_;
    options.log = &log_;
    auto opened = Engine::open(std::move(*settings), trader_, options);
    if (!opened) return opened.error().what();
    engine_.emplace(std::move(*opened));
    return std::nullopt;
  }

  // The process is killed and started again; its files stay.
  Outcome restart() override {
    network_.close_all();
    engine_.reset();
    disk_.process_death();
    return start();
  }

  Outcome perform(const tester::Statement& statement, const Meaning& meaning) override {
    const std::string_view text = statement.argument;
    if (statement.verb == Verb::Setting) {
      if (engine_) return "settings must come before everything that happens";
      settings_.append(text).append("\n");
      return std::nullopt;
    }
    settle();
    if (text == "logged on" || text == "logged out") return expect_notified(text);
    if (text.starts_with("got ")) return expect_delivered(text.substr(4), meaning);
    if (text.starts_with("sends ")) return send(text.substr(6), meaning);
    if (text == "logs on") {
      engine_->session(0).log_on();
      return std::nullopt;
    }
    if (text.starts_with("logs out")) {
      engine_->session(0).log_out(text.substr(std::min<std::size_t>(9, text.size())));
      return std::nullopt;
    }
    return "unknown: app " + statement.argument;
  }

  Outcome unexpected() override {
    settle();
    if (trader_.callbacks.empty()) return std::nullopt;
    return trader_.callbacks.front();
  }

  // Runs the engine until it is idle, and then lets the time pass.
  [[nodiscard]] std::size_t wait(
      std::span<transport::Ready> events,
      std::optional<std::chrono::nanoseconds> timeout) noexcept override {
    const MonoTime end = clock_.now().mono + timeout.value_or(std::chrono::nanoseconds{0});
    while (true) {
      if (const std::size_t count = settled(events); count > 0) return count;
      const MonoTime now = clock_.now().mono;
      if (now >= end) return 0;
      clock_.advance(std::min(next_deadline(), end) - now);
    }
  }
  std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint& endpoint) override {
    return venue_.listen(endpoint);
  }
  std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint& endpoint) override {
    return venue_.connect(endpoint);
  }
  std::uint16_t local_port(transport::SocketId socket) const override {
    return venue_.local_port(socket);
  }
  std::string peer_name(transport::SocketId socket) const override {
    return venue_.peer_name(socket);
  }
  std::string last_error(transport::SocketId socket) const override {
    return venue_.last_error(socket);
  }
  std::uint64_t connections_refused() const noexcept override {
    return venue_.connections_refused();
  }
  transport::IoResult receive(transport::SocketId socket,
                              std::span<char> buffer) noexcept override {
    return venue_.receive(socket, buffer);
  }
  transport::IoResult send(transport::SocketId socket,
                           std::span<const char> bytes) noexcept override {
    return venue_.send(socket, bytes);
  }
  void pause(transport::SocketId socket, bool paused) noexcept override {
    venue_.pause(socket, paused);
  }
  void close(transport::SocketId socket) noexcept override { venue_.close(socket); }
  void wake() noexcept override { venue_.wake(); }
  int descriptor() const noexcept override { return -1; }

 private:
  [[nodiscard]] std::string configuration() const {
    const tester::Version& version = kVersions[version_];
    std::string text =
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=5\n"
        "LogonTimeout=10\nLogoutTimeout=2\nLogoutCloseTimeout=0\nNonStopSession=Y\n"
        "FileStorePath=store\n"
        "SocketConnectHost=venue\nSocketConnectPort=" +
        std::to_string(kPort) + "\n[SESSION]\nBeginString=";
    text.append(version.begin_string).append("\nSenderCompID=").append(kTrader);
    text.append("\nTargetCompID=").append(kVenue).append("\n");
    if (!version.default_appl_ver_id.empty()) {
      text.append("DefaultApplVerID=").append(version.default_appl_ver_id).append("\n");
    }
    return text + settings_;
  }

  void settle() {
    std::array<transport::Ready, 0> none;
    static_cast<void>(settled(none));
  }

  // Runs the engine until something came to the tester, or until it is idle. 0: nothing came.
  std::size_t settled(std::span<transport::Ready> events) {
    unsigned quiet_turns = 0;
    for (unsigned turn = 0; engine_ && turn < kTurnsMax && quiet_turns < quiet_turns_; ++turn) {
      has_ended_ = !engine_->poll(std::chrono::nanoseconds{0});
      if (const std::size_t count = venue_.wait(events, std::nullopt); count > 0) return count;
      quiet_turns = next_deadline() > clock_.now().mono ? quiet_turns + 1 : 0;
    }
    return 0;
  }

  // An engine whose sessions are all logged out waits only for a command.
  [[nodiscard]] MonoTime next_deadline() const {
    return has_ended_ || !engine_ ? kNever : engine_->next_deadline();
  }

  static std::string compared(std::string_view expected, std::string_view got) {
    return std::string{"expected: "}.append(expected).append(", got: ").append(got);
  }

  Outcome expect_notified(std::string_view expected) {
    if (trader_.callbacks.empty()) return compared(expected, "nothing");
    const std::string callback = std::move(trader_.callbacks.front());
    trader_.callbacks.pop_front();
    return callback == expected ? Outcome{} : compared(expected, callback);
  }

  // A delivered message that has at least the line's fields.
  Outcome expect_delivered(std::string_view text, const Meaning& meaning) {
    const auto fields = tester::expand(text, meaning);
    if (!fields) return fields.error();
    if (trader_.callbacks.empty()) return compared(text, "nothing");
    const std::string callback = "|" + std::exchange(trader_.callbacks.front(), {});
    trader_.callbacks.pop_front();
    for (const std::string& field : *fields) {
      if (callback.find("|" + field + "|") == std::string::npos) return compared(field, callback);
    }
    return std::nullopt;
  }

  Outcome send(std::string_view text, const Meaning& meaning) {
    const auto fields = tester::expand(text, meaning);
    if (!fields) return fields.error();
    const auto type = tester::find_field(*fields, "35");
    if (!type) return "35= is missing";
    wire::Encoder encoder = engine_->session(0).begin(*type);
    for (const std::string& field : *fields) {
      const std::size_t at = field.find('=');
      wire::Tag tag = 0;
      std::from_chars(field.data(), field.data() + at, tag);
      if (tag != tag::MsgType) encoder.field(tag, std::string_view{field}.substr(at + 1));
    }
    const auto sent = engine_->session(0).finish(encoder);
    return sent ? Outcome{} : sent.error().what();
  }

  std::size_t version_;
  std::string settings_;
  testing::ManualClock clock_;
  testing::FakeDisk disk_;
  testing::RecordingLog log_;
  transport::FakeInternet internet_;
  transport::FakeNetwork network_{internet_};            // the engine's
  transport::FakeNetwork venue_{internet_, "10.0.0.2"};  // the tester's
  Trader trader_;
  std::optional<Engine> engine_;
  unsigned quiet_turns_ = 0;  // until both sides are at rest
  bool has_ended_ = false;    // poll() had nothing left to do
};

std::expected<std::string, std::string> text_of(const std::string& path) {
  std::ifstream file{path};
  if (!file) return std::unexpected{path + ": cannot be read"};
  return std::string{std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

std::expected<tester::Script, std::string> read_scenario(const std::string& path,
                                                         const std::string& parts) {
  const auto text = text_of(path);
  if (!text) return std::unexpected{text.error()};
  const auto part = [&](const std::string& name) {
    auto own = text_of(parts + "/" + name + ".part");
    return own ? own : text_of(NEXUSFIX_SHIPPED_PARTS "/" + name + ".part");
  };
  return tester::parse_script(
      path, *text, {.parts = part, .names = {}, .application = tester::Application::Present});
}

std::optional<std::string> play(const tester::Script& script, std::size_t version, Stream stream) {
  EngineInMemory engine{version, stream};
  tester::Wire wire{engine, engine.clock()};
  transport::Endpoint endpoint;
  endpoint.port = kPort;
  if (const auto port = wire.listen(endpoint); !port) return port.error();
  tester::PlayOptions options;
  options.version = version;
  options.sender_comp_id = kVenue;
  options.target_comp_id = kTrader;
  options.timeout = std::chrono::milliseconds{0};
  options.side = tester::EngineSide::Initiator;
  options.strictness = tester::Strictness::Always;
  options.ignores_heartbeats = false;
  const auto result = tester::play(script, options, wire, engine.clock(), engine);
  if (!result.failure) return std::nullopt;
  const tester::Failure& failure = *result.failure;
  std::string text = failure.place + ": " + failure.statement + ": " + failure.what;
  if (!failure.expected.empty()) {
    text += "\n  expected: " + failure.expected + "\n  got:      " + failure.got;
  }
  return text + "\nThe engine's log:\n" + engine.log();
}

}  // namespace nexusfix::scenarios
