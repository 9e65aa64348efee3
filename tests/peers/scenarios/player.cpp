#include "peers/scenarios/player.hpp"

#include <charconv>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "peers/scenarios/message_text.hpp"
#include "peers/scenarios/trader.hpp"
#include "peers/scenarios/venue.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::scenarios {
namespace {

using testing::bar;
using testing::soh;

constexpr std::string_view kTrader = "TRADER";
constexpr std::string_view kVenue = "VENUE";
// An engine that is not idle after this number of turns never will be.
constexpr unsigned kTurnsMax = 10'000;
// A message in pieces of this size is read in a bounded number of turns.
constexpr std::size_t kPieceBytes = 3;
constexpr unsigned kReadingTurnsMax = 300;

// Nothing: success; otherwise the error.
using Outcome = std::optional<std::string>;

std::string show(const Event& event) {
  switch (event.kind) {
    case EventKind::Connect:
      return "a connection";
    case EventKind::Disconnect:
      return "the end of the connection";
    case EventKind::Message:
      return bar(event.bytes);
  }
  return {};
}

std::string compared(std::string_view expected, std::string_view got) {
  return std::string{"\n  expected: "}.append(expected).append("\n  got:      ").append(got);
}

class Player {
 public:
  Player(const Script& script, std::size_t version, Stream stream) : script_{script} {
    if (stream == Stream::InPieces) internet_.limits.receive_bytes_max = kPieceBytes;
    quiet_turns_ = stream == Stream::InPieces ? kReadingTurnsMax : 3;
    meaning_.version = version;
    meaning_.now = clock_.now().wall;
  }

  std::optional<std::string> play() {
    for (const Line& line : script_.lines) {
      if (!line.versions.test(meaning_.version)) continue;
      meaning_.now = clock_.now().wall;
      if (const Outcome wrong = perform(line)) return failure(line, *wrong);
    }
    if (const Outcome left = unexpected()) {
      return failure(script_.lines.back(), "at the end: " + *left);
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string failure(const Line& line, std::string_view what) const {
    return line.place + ": " + line.statement + ": " + std::string{what} + "\nThe engine's log:\n" +
           log_.all();
  }

  Outcome perform(const Line& line) {
    switch (line.verb) {
      case Verb::Let:
        return let(line.text);
      case Verb::Setting:
        if (engine_) return "settings must come before everything that happens";
        settings_ += line.text + "\n";
        return std::nullopt;
      case Verb::ExpectConnect:
      case Verb::ExpectDisconnect:
      case Verb::ExpectMessage:
        if (const Outcome wrong = start()) return wrong;
        return expect(line);
      case Verb::ApplicationLoggedOn:
        return expect_notified("logged on");
      case Verb::ApplicationLoggedOut:
        return expect_notified("logged out");
      case Verb::ApplicationGot:
        return expect_delivered(line.text);
      default:
        break;
    }
    if (const Outcome wrong = start()) return wrong;
    if (Outcome left = unexpected()) return "before this " + *left;
    if (const Outcome wrong = act(line)) return wrong;
    return settle();
  }

  // An action. Its effects must be expected by the lines after it.
  Outcome act(const Line& line) {
    switch (line.verb) {
      case Verb::SendMessage:
      case Verb::SendFields:
      case Verb::SendBytes:
        return send(line);
      case Verb::Disconnect:
        return venue_.disconnect() ? Outcome{} : "there is no connection";
      case Verb::Restart:
        return restart();
      case Verb::Wait:
        return wait(line.text);
      case Verb::ApplicationSends:
        return send_by_application(line.text);
      case Verb::ApplicationLogsOut:
        engine_->session(0).log_out(line.text);
        return std::nullopt;
      case Verb::ApplicationLogsOn:
        engine_->session(0).log_on();
        return std::nullopt;
      default:
        return "not an action";
    }
  }

  [[nodiscard]] std::string configuration() const {
    const Version& version = kVersions[meaning_.version];
    std::string text =
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=5\n"
        "LogonTimeout=10\nLogoutTimeout=2\nLogoutCloseTimeout=0\nNonStopSession=Y\n"
        "FileStorePath=store\n"
        "SocketConnectHost=venue\nSocketConnectPort=" +
        std::to_string(Venue::kPort) + "\n[SESSION]\nBeginString=";
    text.append(version.begin_string).append("\nSenderCompID=").append(kTrader);
    text.append("\nTargetCompID=").append(kVenue).append("\n");
    if (!version.default_appl_ver_id.empty()) {
      text.append("DefaultApplVerID=").append(version.default_appl_ver_id).append("\n");
    }
    return text + settings_;
  }

  // Starts the engine at the first action.
  Outcome start() {
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
    return settle();
  }

  // The process is killed and started again; its files stay.
  Outcome restart() {
    network_.close_all();
    engine_.reset();
    disk_.process_death();
    venue_.forget_connection();
    return start();
  }

  // Runs both sides until neither has anything to do at this time.
  Outcome settle() {
    unsigned quiet_turns = 0;
    for (unsigned turn = 0; turn < kTurnsMax; ++turn) {
      has_ended_ = !engine_->poll(std::chrono::nanoseconds{0});
      const bool is_quiet = !venue_.poll() && next_deadline() > clock_.now().mono;
      quiet_turns = is_quiet ? quiet_turns + 1 : 0;
      if (quiet_turns == quiet_turns_) return std::nullopt;
    }
    return "the engine does not become idle";
  }

  // An engine whose sessions are all logged out waits only for a command.
  [[nodiscard]] MonoTime next_deadline() const {
    return has_ended_ ? kNever : engine_->next_deadline();
  }

  Outcome wait(std::string_view text) {
    const auto duration = parse_duration(text);
    if (!duration) return "not a time like 30s, 1500ms or 2m";
    const MonoTime begin = clock_.now().mono;
    const MonoTime end = begin + *duration;
    while (next_deadline() < end) {
      clock_.advance(next_deadline() - clock_.now().mono);
      if (Outcome wrong = settle()) return wrong;
      if (const Outcome early = unexpected()) {
        const auto passed =
            std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now().mono - begin);
        return "after " + std::to_string(passed.count()) + " ms: " + *early;
      }
    }
    clock_.advance(end - clock_.now().mono);
    return std::nullopt;
  }

  [[nodiscard]] Outcome unexpected() const {
    if (!venue_.events.empty()) {
      return "unexpected: " + show(venue_.events.front());
    }
    if (!trader_.callbacks.empty()) {
      return "unexpected in the application: " + trader_.callbacks.front();
    }
    return std::nullopt;
  }

  Outcome let(std::string_view text) {
    const std::size_t at = text.find(" = ");
    if (at == std::string_view::npos) return "not of the form: let NAME = TEXT";
    meaning_.lets[std::string{text.substr(0, at)}] = text.substr(at + 3);
    return std::nullopt;
  }

  // The MsgSeqNum of the line's message, and the next one. A resent message, which gives its
  // number, is not counted.
  static void count(const Fields& fields, std::uint64_t& next) {
    const std::string_view text = find_field(fields, "34").value_or("");
    if (text.empty() || find_field(fields, "43") == "Y") return;
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && stop == text.data() + text.size()) next = number + 1;
  }

  Outcome expect(const Line& line) {
    Event expected{line.verb == Verb::ExpectConnect ? EventKind::Connect : EventKind::Disconnect,
                   {}};
    if (line.verb == Verb::ExpectMessage) {
      const auto fields = expand(line.text, meaning_);
      if (!fields) return fields.error();
      const auto all = complete(*fields, {kTrader, kVenue, next_expected_}, meaning_);
      if (!all) return all.error();
      expected = {EventKind::Message, frame(*all, meaning_)};
      count(*all, next_expected_);
    }
    if (venue_.events.empty()) return compared(show(expected), "nothing");
    const Event event = std::move(venue_.events.front());
    venue_.events.pop_front();
    const bool is_same = event.kind == expected.kind && event.bytes == expected.bytes;
    return is_same ? Outcome{} : compared(show(expected), show(event));
  }

  Outcome expect_notified(std::string_view expected) {
    if (trader_.callbacks.empty()) return compared(expected, "nothing");
    const std::string callback = std::move(trader_.callbacks.front());
    trader_.callbacks.pop_front();
    return callback == expected ? Outcome{} : compared(expected, callback);
  }

  // A delivered message that has at least the line's fields.
  Outcome expect_delivered(std::string_view text) {
    const auto fields = expand(text, meaning_);
    if (!fields) return fields.error();
    if (trader_.callbacks.empty()) return compared(text, "nothing");
    const std::string callback = "|" + std::exchange(trader_.callbacks.front(), {});
    trader_.callbacks.pop_front();
    for (const std::string& field : *fields) {
      if (callback.find("|" + field + "|") == std::string::npos) return compared(field, callback);
    }
    return std::nullopt;
  }

  Outcome send(const Line& line) {
    const auto fields = expand(line.text, meaning_);
    if (!fields) return fields.error();
    std::string bytes;
    if (line.verb == Verb::SendBytes) {
      for (const std::string& field : *fields) bytes += soh(field + "|");
    } else {
      const bool as_it_stands = line.verb == Verb::SendFields;
      const auto all = as_it_stands ? std::expected<Fields, std::string>{*fields}
                                    : complete(*fields, {kVenue, kTrader, next_sent_}, meaning_);
      if (!all) return all.error();
      bytes = frame(*all, meaning_);
      count(*all, next_sent_);
    }
    return venue_.send(bytes) ? Outcome{} : "there is no connection";
  }

  Outcome send_by_application(std::string_view text) {
    const auto fields = expand(text, meaning_);
    if (!fields) return fields.error();
    const auto type = find_field(*fields, "35");
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

  const Script& script_;
  Meaning meaning_;
  std::string settings_;
  testing::ManualClock clock_;
  testing::FakeDisk disk_;
  testing::RecordingLog log_;
  transport::FakeInternet internet_;
  transport::FakeNetwork network_{internet_};
  Venue venue_{internet_};
  Trader trader_;
  std::optional<Engine> engine_;
  unsigned quiet_turns_ = 0;  // until both sides are at rest
  bool has_ended_ = false;    // poll() had nothing left to do
  std::uint64_t next_sent_ = 1;
  std::uint64_t next_expected_ = 1;
};

}  // namespace

std::optional<std::string> play(const Script& script, std::size_t version, Stream stream) {
  return Player{script, version, stream}.play();
}

}  // namespace nexusfix::scenarios
