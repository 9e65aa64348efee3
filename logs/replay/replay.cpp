#include "logs/replay/replay.hpp"

#include <algorithm>
#include <csignal>
#include <deque>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "config/api/settings.hpp"
#include "logs/replay/log_message_source.hpp"
#include "logs/replay/replay_client.hpp"
#include "nexusfix/dictionary/own_dictionary.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

using logs::ChosenMessage;

constexpr std::string_view kReplayCommand = "replay";

// The session of --connect. Its numbers begin at 1, and received messages are not validated: the
// log may be of a venue with fields of its own.
constexpr std::string_view kOwnSettings =
    "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
    "ReconnectInterval=1\nHeartBtInt=30\nStore=memory\nResetOnLogon=Y\nUseDataDictionary=N\n"
    "[SESSION]\nSenderCompID=S\nTargetCompID=T\nBeginString=";

std::expected<config::Settings, std::string> own_settings(const ReplayOptions& options,
                                                          std::string_view first) {
  logs::MessageFields fields;
  fields.read(first);
  std::string version = options.version;
  if (version.empty()) version = fields.value(tag::BeginString);
  if (version == "FIXT.1.1") {
    const auto application = dictionary::version_of_appl_ver_id(fields.value(tag::ApplVerID));
    version = to_string(application.value_or(dictionary::Version::Fix50Sp2));
  }
  const auto known = dictionary::version_of_begin_string(version);
  if (!known) return std::unexpected{printable(version) + ": no version of FIX; give --version"};
  const std::string begin =
      version.starts_with("FIX.5") ? "FIXT.1.1\nDefaultApplVerID=" + version : version;
  auto settings = config::parse_settings(std::string{kOwnSettings} + begin + "\n", "replay");
  if (!settings) return std::unexpected{settings.error().front().what()};
  config::SessionSettings& session = settings->sessions.front();
  session.connect.front().host = options.host;
  session.connect.front().port = options.port;
  const auto comp_id = [&](const std::string& given, wire::Tag tag) {
    return given.empty() ? std::string{fields.value(tag)} : given;
  };
  session.session.id.sender_comp_id = comp_id(options.sender, tag::SenderCompID);
  session.session.id.target_comp_id = comp_id(options.target, tag::TargetCompID);
  if (session.session.id.sender_comp_id.empty() || session.session.id.target_comp_id.empty()) {
    return std::unexpected{"the log has no CompIDs; give --sender and --target"};
  }
  settings->text.clear();
  return std::move(*settings);
}

// The number of messages so far, on a terminal, from a second after the beginning on. The engine
// prints events there: each covers the line, which is drawn again.
class SentLine {
 public:
  SentLine(std::FILE* terminal, MonoTime begin)
      : terminal_{::isatty(::fileno(terminal)) == 1 ? terminal : nullptr},
        next_{begin + std::chrono::seconds{1}} {}
  void show(std::uint64_t sent, std::optional<WallTime> time, MonoTime now) {
    if (terminal_ == nullptr || now < next_) return;
    next_ = now + std::chrono::milliseconds{100};
    std::string text = counted(sent, "message") + " sent";
    if (time) append_utc(text += ", in the log it is ", *time, UtcForm::Plain, 0);
    fmt::print(terminal_, "\r\x1b[K{}\r", text);
    std::fflush(terminal_);
    is_shown_ = true;
  }
  void erase() {
    if (std::exchange(is_shown_, false)) fmt::print(terminal_, "\x1b[K");
  }

 private:
  std::FILE* terminal_;  // null: it is none
  MonoTime next_;
  bool is_shown_ = false;
};

// Sends the messages of the source at their times, and waits for the answers.
class ReplayRun {
 public:
  ReplayRun(const ReplayOptions& options, engine::Engine& engine, ReplayClient& client,
            logs::LogMessageSource& source, const FieldNames& names, std::FILE* terminal)
      : options_{options},
        engine_{engine},
        session_{engine.session(0)},
        client_{client},
        source_{source},
        message_{names, options.changes},
        line_{terminal, clock_.now().mono} {}

  // Empty: every message was sent.
  std::string run() {
    const MonoTime begin = clock_.now().mono;
    std::string failure = await_logon(begin);
    if (failure.empty()) {
      started_ = clock_.now().mono;
      failure = send_all();
      line_.erase();
      sent_time_ = clock_.now().mono - started_;
    }
    if (failure.empty()) await_answers();
    engine_.stop();
    while (engine_.poll(std::chrono::milliseconds{100})) {
    }
    if (failure.empty() && is_stopped()) return "stopped by a signal";
    return failure;
  }

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t unsent() const noexcept { return unsent_; }
  [[nodiscard]] std::chrono::nanoseconds sent_time() const noexcept { return sent_time_; }
  [[nodiscard]] const std::vector<std::string>& errors() const noexcept { return errors_; }

 private:
  [[nodiscard]] static bool is_stopped() noexcept { return engine::StopSignals::received(); }

  std::string await_logon(MonoTime since) {
    const std::chrono::seconds limit{options_.logon_seconds};
    while (!session_.is_logged_on()) {
      if (is_stopped()) return "stopped by a signal";
      if (clock_.now().mono - since >= limit) {
        return fmt::format("{} is not logged on after {} s", session_.name(), limit.count());
      }
      if (!engine_.poll(std::chrono::milliseconds{20})) return "the engine ended";
    }
    return {};
  }

  std::string send_all() {
    constexpr std::chrono::milliseconds kTick{5};
    while (!is_stopped()) {
      if (waiting_.empty()) {
        for (ChosenMessage& message : source_.take()) waiting_.push_back(std::move(message));
        if (waiting_.empty() && source_.has_ended()) return {};
      }
      const MonoTime now = clock_.now().mono;
      line_.show(sent_, waiting_.empty() ? std::nullopt : waiting_.front().time, now);
      const std::chrono::nanoseconds pause =
          waiting_.empty() ? kTick : std::min<std::chrono::nanoseconds>(kTick, due() - now);
      if (!session_.is_logged_on()) {
        if (std::string failure = await_logon(now); !failure.empty()) return failure;
      } else if (pause > std::chrono::nanoseconds{0} || !session_.is_writable()) {
        if (!engine_.poll(
                std::clamp<std::chrono::nanoseconds>(pause, std::chrono::nanoseconds{0}, kTick))) {
          return "the engine ended";
        }
      } else {
        send_some();
        engine_.poll(std::chrono::nanoseconds{0});
      }
    }
    return {};
  }

  // When the next message is to be sent. The clock of a log may go back: it is then sent at once.
  [[nodiscard]] MonoTime due() {
    const ChosenMessage& next = waiting_.front();
    if (options_.speed <= 0 || !next.time) return MonoTime{};
    if (!first_time_) first_time_ = next.time;
    const std::chrono::duration<double, std::nano> wait = *next.time - *first_time_;
    return started_ +
           std::chrono::nanoseconds{static_cast<std::int64_t>(wait.count() / options_.speed)};
  }

  void send_some() {
    constexpr int kBatch = 64;
    const Now now = clock_.now();
    for (int i = 0; i < kBatch && !waiting_.empty() && due() <= now.mono; ++i) {
      send(waiting_.front(), now.wall);
      waiting_.pop_front();
    }
  }

  void send(const ChosenMessage& chosen, WallTime now) {
    const std::string type{logs::msg_type_of(chosen.bytes)};
    wire::Encoder encoder = session_.begin(type);
    message_.write(encoder, chosen.bytes, session_.id().has_sub_ids(), now);
    const engine::SendResult result = session_.finish(encoder);
    if (result) {
      ++sent_;
      client_.record_sent(result->msg_seq_num, chosen.offset, type);
      return;
    }
    ++unsent_;
    constexpr std::size_t kErrorsMax = 20;
    if (errors_.size() < kErrorsMax) {
      errors_.push_back(fmt::format("the message at byte {} was not sent: {}",
                                    with_thousands(chosen.offset), result.error().what()));
    }
  }

  // Until nothing has come for the whole time.
  void await_answers() {
    const std::chrono::seconds quiet{options_.wait_seconds};
    std::uint64_t seen = client_.received();
    MonoTime since = clock_.now().mono;
    while (!is_stopped() && session_.is_logged_on() && clock_.now().mono - since < quiet) {
      if (!engine_.poll(std::chrono::milliseconds{10})) return;
      if (client_.received() != seen) {
        seen = client_.received();
        since = clock_.now().mono;
      }
    }
  }

  const ReplayOptions& options_;
  engine::Engine& engine_;
  engine::Session& session_;
  ReplayClient& client_;
  logs::LogMessageSource& source_;
  logs::ReplayedMessage message_;
  SystemClock clock_;
  SentLine line_;
  std::deque<ChosenMessage> waiting_;
  MonoTime started_{};
  std::optional<WallTime> first_time_;  // in the log, of the first message
  std::chrono::nanoseconds sent_time_{};
  std::uint64_t sent_ = 0;
  std::uint64_t unsent_ = 0;
  std::vector<std::string> errors_;
};

std::string summary(const ReplayRun& run, const ReplayClient& client,
                    const logs::LeftOutCounts& left_out) {
  std::string text =
      fmt::format("{} sent in {}", counted(run.sent(), "message"), duration_text(run.sent_time()));
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", with_thousands(count), what);
  };
  add(run.unsent(), "not sent");
  text += "\nleft out: ";
  const std::size_t none = text.size();
  add(left_out.administrative, "administrative");
  add(left_out.of_others, "of another sender");
  add(left_out.resends, "sent again in the log");
  add(left_out.unmatched, "that --where does not find");
  if (text.size() == none) {
    text += "none";
  } else {
    text.erase(none, 2);
  }
  text += fmt::format("\nreceived: {}, {} rejected, {} rejected\n",
                      counted(client.received(), "message"), counted(client.rejects(), "message"),
                      counted(client.rejected_orders(), "order request"));
  return text;
}

class Replay {
 public:
  Replay(const ReplayOptions& options, Disk& disk, ReplayStreams streams,
         const engine::EngineOptions& engine)
      : options_{options}, disk_{disk}, streams_{streams}, engine_options_{engine} {}

  int run() {
    const auto own = own_dictionary(disk_, options_.dictionary);
    if (!own) return wrong(own.error());
    const FieldNames names{own->get()};
    logs::LogMessageSource::Choice choice{.matcher = nullptr, .sent_by = options_.sent_by};
    auto matcher = logs::make_matcher(options_.expression, names);
    if (!matcher) return wrong(matcher.error());
    if (*matcher) choice.matcher = std::make_shared<logs::Matcher>(**std::move(matcher));
    std::optional<config::Settings> settings;
    if (!options_.config.empty()) {
      auto loaded = read_settings(disk_, options_.config, options_.unknown_keys);
      if (!loaded) return wrong(loaded.error());
      if (loaded->sessions.size() != 1 || loaded->sessions.front().is_template) {
        return wrong(options_.config + ": exactly one session is needed");
      }
      loaded->event_loops = 1;
      settings = std::move(*loaded);
    }
    logs::LogMessageSource source{disk_, options_.input, std::move(choice)};
    if (!settings) {
      auto made = settings_of_first(source);
      if (!made) return ended_early(source, made.error());
      settings = std::move(*made);
    }
    return send(std::move(*settings), source, names);
  }

 private:
  int wrong(std::string_view text) const {
    std::fflush(streams_.out);
    fmt::print(streams_.err, "nexusfix {}: {}\n", kReplayCommand, text);
    return kUsage;
  }
  void show_errors(logs::LogMessageSource& source) const {
    for (const std::string& error : source.consume_errors()) wrong(printable(error));
  }

  // --connect takes version and CompIDs from the first chosen message.
  std::expected<config::Settings, std::string> settings_of_first(logs::LogMessageSource& source) {
    while (!source.wait(std::chrono::milliseconds{100})) {
    }
    first_ = source.take();
    if (first_.empty()) return std::unexpected{"there is no message to send"};
    return own_settings(options_, first_.front().bytes);
  }

  int ended_early(logs::LogMessageSource& source, std::string_view text) const {
    show_errors(source);
    wrong(text);
    return source.has_unopened() ? kUsage : kFailure;
  }

  int send(config::Settings settings, logs::LogMessageSource& source, const FieldNames& names) {
    source.put_back(std::move(first_));
    ReplayClient client{streams_.out, names};
    auto engine = engine::Engine::open(std::move(settings), client, engine_options_);
    if (!engine) return ended_early(source, engine.error().what());
    std::string failure;
    const engine::StopSignals signals{*engine};
    ReplayRun run{options_, *engine, client, source, names, streams_.err};
    failure = run.run();
    show_errors(source);
    for (const std::string& error : run.errors()) wrong(error);
    fmt::print(streams_.out, "{}", summary(run, client, source.counts()));
    std::fflush(streams_.out);
    if (!failure.empty()) wrong(failure);
    if (failure.empty() && source.has_unopened()) return kUsage;
    const bool is_complete = failure.empty() && !source.has_unread() && run.unsent() == 0;
    return is_complete && client.rejects() == 0 ? kSuccess : kFailure;
  }

  const ReplayOptions& options_;
  Disk& disk_;
  ReplayStreams streams_;
  const engine::EngineOptions& engine_options_;
  std::vector<ChosenMessage> first_;
};

}  // namespace

int replay_files(const ReplayOptions& options, Disk& disk, ReplayStreams streams,
                 const engine::EngineOptions& engine) {
  return Replay{options, disk, streams, engine}.run();
}

}  // namespace nexusfix::command
