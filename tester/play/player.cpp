#include "tester/play/player.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <nexusfix/observe/logs.hpp>

#include "observe/api/logs.hpp"
#include "tester/play/difference.hpp"
#include "tester/play/received_message.hpp"
#include "tester/script/condition.hpp"

namespace nexusfix::tester {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterruptTurn{100};   // an interrupt is noticed after this time
constexpr milliseconds kLongestSend{60'000};  // to a counterparty that does not read

// An engine may see a new connection before the end of the one before it, and refuse the new one.
constexpr milliseconds kBetweenConnections{100};
constexpr unsigned kLatePollsMax = 16;
constexpr std::size_t kIgnoredShown = 10'000;  // messages of a case

// Nothing: the script goes on.
using Outcome = std::optional<Failure>;

Failure failure(std::string what) { return {.what = std::move(what)}; }

std::string seconds_text(std::chrono::nanoseconds time) {
  const auto count = std::chrono::duration_cast<milliseconds>(time).count();
  if (count % 1000 != 0) return std::to_string(count) + " ms";
  return std::to_string(count / 1000) + " s";
}

struct Session {
  std::string name;  // empty: the first one
  std::string sender_comp_id;
  std::string target_comp_id;
  std::uint64_t next_out = 1;
  std::uint64_t next_in = 0;  // 0: any
  Channel channel{};
  Pieces pieces{};
  std::string rest;  // after `send first`
};

class Player {
 public:
  Player(const PlayOptions& options, Wire& wire, Clock& clock, EngineUnderTest& engine)
      : options_{options},
        wire_{wire},
        clock_{clock},
        engine_{engine},
        random_{options.seed},
        timeout_{options.timeout},
        begin_{clock.now().mono} {
    meaning_.version = options.version;
    meaning_.lets = options.lets;
    meaning_.random = &random_;
    sessions_[""] = {.name = {},
                     .sender_comp_id = options.sender_comp_id,
                     .target_comp_id = options.target_comp_id,
                     .rest = {}};
    if (options.ignores_heartbeats) {
      ignored_.push_back({*Condition::parse("35=0"), *Condition::parse("112 absent")});
    }
  }

  Result play(const Script& script) {
    Outcome wrong = run(script.statements);
    if (!wrong && !is_over_) {
      is_at_end_ = true;
      wrong = nothing_left("at the end ");
    }
    if (wrong && wrong->place.empty() && !script.statements.empty()) {
      wrong->place = script.statements.back().place;
    }
    if (wrong) {
      result_.verdict = Verdict::Failed;
      result_.failure = std::move(wrong);
    } else if (!is_over_) {
      result_.verdict = Verdict::Passed;
    }
    if (ignored_count_ > kIgnoredShown) {
      result_.remarks.push_back(std::to_string(ignored_count_ - kIgnoredShown) +
                                " more messages are ignored, and not in the conversation");
    }
    result_.name = script.name;
    result_.title = script.title;
    result_.duration = clock_.now().mono - begin_;
    wire_.close_all();
    return std::move(result_);
  }

 private:
  // For people, with passwords and what the configuration says masked.
  std::string masked(std::string_view bytes) const {
    std::string text;
    std::span<const observe::MaskedField> more;
    if (options_.own != nullptr) more = options_.own->masked();
    const std::string_view shown = begin_of(bytes);
    observe::append_masked(text, shown, more);
    text = with_bars(text);
    if (shown.size() < bytes.size()) text += size_text(bytes.size());
    return text;
  }

  // A line of a script, which may have a password, too.
  std::string masked_line(std::string text) const {
    std::ranges::replace(text, '|', kSoh);
    return masked(text);
  }

  std::string name_of(const Event& event) const {
    switch (event.kind) {
      case EventKind::Connect:
        return "a connection";
      case EventKind::Disconnect:
        return "the end of the connection";
      case EventKind::Message:
        break;
    }
    return masked(event.bytes);
  }

  Outcome run(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (options_.is_interrupted()) is_over_ = true;
      if (is_over_) return std::nullopt;
      const bool is_for_side = statement.scope.sides.test(static_cast<std::size_t>(options_.side));
      if (!is_for_side || !statement.scope.versions.test(meaning_.version)) continue;
      current_ = &statement;
      set_names(session_of(statement));
      Outcome wrong = perform(statement);
      if (!wrong) continue;
      if (wrong->place.empty()) {
        wrong->place = statement.place;
        wrong->statement = (statement.session.empty() ? "" : statement.session + ": ") +
                           masked_line(statement.text);
        wrong->what = masked_line(std::move(wrong->what));
        wrong->expected = masked_line(std::move(wrong->expected));
      }
      return wrong;
    }
    return std::nullopt;
  }

  Session& session_of(const Statement& statement) { return sessions_.at(statement.session); }

  void set_names(const Session& session) {
    meaning_.now = clock_.now().wall;
    meaning_.values["sender"] = session.sender_comp_id;
    meaning_.values["target"] = session.target_comp_id;
    meaning_.values["NextOut"] = std::to_string(session.next_out);
    meaning_.values["NextIn"] = std::to_string(std::max<std::uint64_t>(session.next_in, 1));
  }

  Outcome perform(const Statement& statement) {
    switch (statement.verb) {
      case Verb::Let:
      case Verb::Session:
      case Verb::Timeout:
      case Verb::Pieces:
      case Verb::PiecesOff:
      case Verb::Ignore:
      case Verb::IgnoreNothing:
      case Verb::Mark:
      case Verb::ChecksOn:
      case Verb::ChecksOff:
      case Verb::SigningOn:
      case Verb::SigningOff:
      case Verb::Remark:
        return set(statement);
      case Verb::Repeat:
      case Verb::If:
      case Verb::IfDisconnect:
      case Verb::IfSilent:
        return branch(statement);
      case Verb::Setting:
        return of_engine(engine_.perform(statement, meaning_));
      case Verb::Elapsed:
        return elapsed(statement);
      case Verb::Fail:
        return failure(with_names(statement.argument, meaning_));
      case Verb::Skip:
        return end_with(Verdict::Skipped, with_names(statement.argument, meaning_));
      case Verb::Stop:
        return end_with(Verdict::Passed, {});
      default:
        break;
    }
    if (Outcome wrong = of_engine(engine_.start())) return wrong;
    switch (statement.verb) {
      case Verb::ExpectConnect:
        return expect_connect(statement);
      case Verb::ExpectDisconnect:
        return expect_disconnect(statement);
      case Verb::ExpectMessage:
        return expect_message(statement);
      case Verb::ExpectExactly:
        return expect_exactly(statement);
      case Verb::Application:
        return act_by_application(statement);
      default:
        return act(statement);
    }
  }

  static Outcome of_engine(std::optional<std::string> wrong) {
    if (!wrong) return std::nullopt;
    return failure(std::move(*wrong));
  }

  Outcome end_with(Verdict verdict, std::string reason) {
    is_over_ = true;
    result_.verdict = verdict;
    result_.reason = masked_line(std::move(reason));
    return std::nullopt;
  }

  // Statements that change only what later ones mean.
  Outcome set(const Statement& statement) {
    Session& session = session_of(statement);
    switch (statement.verb) {
      case Verb::Let: {
        const std::size_t at = statement.argument.find(" = ");
        const std::string name = statement.argument.substr(0, at);
        if (!options_.lets.contains(name)) meaning_.lets[name] = statement.argument.substr(at + 3);
        break;
      }
      case Verb::Session:
        return declare(statement.argument);
      case Verb::Timeout:
        timeout_ = *statement.time;
        break;
      case Verb::Pieces:
        session.pieces = {static_cast<std::size_t>(statement.count),
                          statement.time.value_or(milliseconds{0})};
        break;
      case Verb::PiecesOff:
        session.pieces = {};
        break;
      case Verb::Ignore: {
        auto conditions = conditions_of(statement.argument);
        if (!conditions) return failure(conditions.error());
        ignored_.push_back(std::move(*conditions));
        break;
      }
      case Verb::IgnoreNothing:
        ignored_.clear();
        break;
      case Verb::Mark:
        marks_[statement.argument] = last_event_;
        break;
      case Verb::Remark:
        result_.remarks.push_back(masked_line(with_names(statement.argument, meaning_)));
        break;
      case Verb::SigningOn:
      case Verb::SigningOff:
        signing_ = statement.verb == Verb::SigningOn ? Signing::On : Signing::Off;
        break;
      default:
        checks_ = statement.verb == Verb::ChecksOn;
        break;
    }
    return std::nullopt;
  }

  Outcome declare(std::string_view text) {
    const std::size_t blank = text.find(' ');
    Session session{.name = std::string{text.substr(0, blank)},
                    .sender_comp_id = options_.sender_comp_id,
                    .target_comp_id = options_.target_comp_id,
                    .rest = {}};
    const auto fields = expand(text.substr(blank + 1), meaning_);
    if (!fields) return failure(fields.error());
    if (const auto sender = find_field(*fields, "49")) session.sender_comp_id = *sender;
    if (const auto target = find_field(*fields, "56")) session.target_comp_id = *target;
    const std::string name = session.name;
    sessions_[name] = std::move(session);
    return std::nullopt;
  }

  Outcome branch(const Statement& statement) {
    if (statement.verb == Verb::Repeat) {
      for (std::uint64_t i = 0; i < statement.count && !is_over_; ++i) {
        if (Outcome wrong = run(statement.body)) return wrong;
      }
      return std::nullopt;
    }
    if (Outcome wrong = of_engine(engine_.start())) return wrong;
    const auto holds = is_true(statement);
    if (!holds) return failure(holds.error());
    return run(*holds ? statement.body : statement.otherwise);
  }

  // Whether what comes next is as the `if` says; then it is consumed.
  std::expected<bool, std::string> is_true(const Statement& statement) {
    Session& session = session_of(statement);
    const MonoTime deadline = clock_.now().mono + statement.time.value_or(timeout_);
    if (statement.verb == Verb::IfSilent) return next_event(session, deadline, {}) == nullptr;
    std::vector<Condition> conditions;
    if (statement.verb == Verb::If) {
      auto parsed = conditions_of(statement.argument);
      if (!parsed) return std::unexpected{parsed.error()};
      conditions = std::move(*parsed);
    }
    const Event* const event = next_event(session, deadline, conditions);
    if (event == nullptr) return false;
    if (statement.verb == Verb::IfDisconnect) {
      if (event->kind != EventKind::Disconnect) return false;
      consume(session);
      return true;
    }
    if (event->kind != EventKind::Message || difference(event->bytes, conditions)) return false;
    capture(*event, conditions);
    if (Outcome wrong = keeps_rules(session, *event, conditions)) {
      return std::unexpected{wrong->what + ": " + wrong->got};
    }
    consume(session);
    return true;
  }

  std::expected<std::vector<Condition>, std::string> conditions_of(std::string_view text) {
    auto fields = expand(text, meaning_);
    if (!fields) return std::unexpected{fields.error()};
    replace_escapes(*fields);
    std::vector<Condition> conditions;
    for (const std::string& field : *fields) {
      auto condition = Condition::parse(field);
      if (!condition) return std::unexpected{condition.error()};
      conditions.push_back(std::move(*condition));
    }
    return conditions;
  }

  void capture(const Event& event, const std::vector<Condition>& conditions) {
    const auto fields = fields_of(event.bytes);
    for (const Condition& condition : conditions) {
      if (condition.comparison() != Comparison::Captured) continue;
      meaning_.values[condition.value()] =
          std::string{value_of(fields, condition.tag(), condition.occurrence()).value_or("")};
    }
  }

  // The next event of a session that is not ignored, which stays where it is. Null: none came
  // before the deadline. A message that fulfils the conditions is never ignored.
  const Event* next_event(Session& session, MonoTime deadline,
                          const std::vector<Condition>& expected) {
    unsigned late_polls = 0;
    while (true) {
      while (!session.channel.events.empty()) {
        const Event& event = session.channel.events.front();
        const bool is_message = event.kind == EventKind::Message;
        const bool is_expected =
            !expected.empty() && is_message && !difference(event.bytes, expected);
        if (!is_message || is_expected || !is_ignored(event)) return &event;
        count_received(session, event);
        ignore(session);
      }
      if (options_.is_interrupted()) is_over_ = true;
      const MonoTime now = clock_.now().mono;
      if (is_over_ || session.channel.socket == 0) return nullptr;
      if (now >= deadline) {
        // What has come in time is judged, but an engine may send without end.
        if (late_polls++ >= kLatePollsMax || !wire_.poll(std::chrono::nanoseconds{0}))
          return nullptr;
        continue;
      }
      wire_.poll(std::min<std::chrono::nanoseconds>(deadline - now, kInterruptTurn));
    }
  }

  // Goes on without the message. The conversation has only the first kIgnoredShown of them.
  void ignore(Session& session) {
    if (ignored_count_++ < kIgnoredShown) {
      consume(session);
      result_.entries.back().is_ignored = true;
      return;
    }
    last_event_ = session.channel.events.front().at;
    session.channel.events.pop_front();
  }

  bool is_ignored(const Event& event) const {
    return std::ranges::any_of(ignored_, [&](const std::vector<Condition>& conditions) {
      return !difference(event.bytes, conditions);
    });
  }

  // The event has been judged: it goes to the conversation.
  void consume(Session& session) {
    Event& event = session.channel.events.front();
    record(session, Side::Engine, event);
    last_event_ = event.at;
    if (event.kind == EventKind::Connect) result_.was_connected = true;
    session.channel.events.pop_front();
  }

  void record(const Session& session, Side side, const Event& event) {
    const bool is_message = event.kind == EventKind::Message;
    result_.entries.push_back({.side = side,
                               .session = session.name,
                               .at = event.at - begin_,
                               .text = is_message ? masked(event.bytes) : name_of(event),
                               .place = current_->place,
                               .is_message = is_message});
  }

  void record_sent(const Session& session, std::string_view bytes, bool is_message) {
    record(session, Side::Tester, {EventKind::Message, std::string{bytes}, clock_.now().mono});
    result_.entries.back().is_message = is_message;
  }

  void record_note(const Session& session, Side side, std::string text) {
    result_.entries.push_back({.side = side,
                               .session = session.name,
                               .at = clock_.now().mono - begin_,
                               .text = std::move(text),
                               .place = current_->place});
  }

  // What came up to the one that is wrong, which is marked.
  Outcome differs(Session& session, Failure wrong) {
    if (!session.channel.events.empty()) {
      const Event& event = session.channel.events.front();
      wrong.got = event.kind == EventKind::Message ? masked(event.bytes) : name_of(event);
      consume(session);
      result_.entries.back().is_difference = true;
    } else {
      record_note(session, Side::Neither, wrong.what);
      result_.entries.back().is_difference = true;
    }
    return wrong;
  }

  Outcome nothing_came(Session& session, std::chrono::nanoseconds time, std::string expected) {
    if (is_over_) return std::nullopt;
    std::string what = "nothing came within " + seconds_text(time);
    if (!session.channel.error.empty()) what = session.channel.error;
    if (session.channel.socket == 0 && session.channel.error.empty()) {
      what = "there is no connection";
    }
    return differs(session,
                   {.what = std::move(what), .expected = std::move(expected), .got = "nothing"});
  }

  Outcome expect_connect(const Statement& statement) {
    Session& session = session_of(statement);
    const milliseconds time = statement.time.value_or(timeout_);
    const MonoTime deadline = clock_.now().mono + time;
    if (!session.channel.events.empty()) {
      return differs(session, {.what = "it is not what comes next", .expected = "a connection"});
    }
    while (!wire_.accept(session.channel)) {
      if (options_.is_interrupted()) is_over_ = true;
      const MonoTime now = clock_.now().mono;
      if (is_over_) return std::nullopt;
      if (now >= deadline) {
        if (wire_.poll(std::chrono::nanoseconds{0})) continue;
        return differs(session, {.what = "no connection came within " + seconds_text(time),
                                 .expected = "a connection",
                                 .got = "nothing"});
      }
      wire_.poll(std::min<std::chrono::nanoseconds>(deadline - now, kInterruptTurn));
    }
    record_note(session, Side::Engine, "connects");
    result_.was_connected = true;
    return std::nullopt;
  }

  Outcome expect_disconnect(const Statement& statement) {
    Session& session = session_of(statement);
    const milliseconds time = statement.time.value_or(timeout_);
    const Event* const event = next_event(session, clock_.now().mono + time, {});
    const std::string expected = "the end of the connection";
    if (event == nullptr) return nothing_came(session, time, expected);
    if (event->kind != EventKind::Disconnect) {
      return differs(session, {.what = "a message instead of the end of the connection",
                               .expected = expected});
    }
    consume(session);
    return std::nullopt;
  }

  Outcome expect_message(const Statement& statement) {
    Session& session = session_of(statement);
    const milliseconds time = statement.time.value_or(timeout_);
    const auto conditions = conditions_of(statement.argument);
    if (!conditions) return failure(conditions.error());
    const Event* const event = next_event(session, clock_.now().mono + time, *conditions);
    std::string expected = texts_of(*conditions);
    if (event == nullptr) return nothing_came(session, time, std::move(expected));
    if (event->kind != EventKind::Message) {
      return differs(session, {.what = name_of(*event) + " instead of a message",
                               .expected = std::move(expected)});
    }
    if (const auto other = difference(event->bytes, *conditions)) {
      return differs(session, {.what = other->got + " instead of " + other->condition->text() +
                                       reason_in(event->bytes, *other->condition),
                               .expected = std::move(expected),
                               .tag = other->condition->tag()});
    }
    capture(*event, *conditions);
    if (Outcome wrong = keeps_rules(session, *event, *conditions)) return wrong;
    consume(session);
    return std::nullopt;
  }

  // The rules for each received message, but for fields that the script has judged itself.
  Outcome keeps_rules(Session& session, const Event& event,
                      const std::vector<Condition>& conditions) {
    const auto judges = [&](std::string_view tag) {
      return std::ranges::any_of(conditions,
                                 [&](const Condition& one) { return one.tag() == tag; });
    };
    const auto fields = fields_of(event.bytes);
    const bool is_reset = value_of(fields, "35") == "A" && value_of(fields, "141") == "Y";
    if (is_reset) session.next_in = 1;
    const Standing standing{.begin_string = kVersions[meaning_.version].begin_string,
                            .sender_comp_id = session.target_comp_id,
                            .target_comp_id = session.sender_comp_id,
                            .msg_seq_num = judges("34") ? 0 : session.next_in};
    auto breach = checks_ ? breach_of(event.bytes, standing) : std::nullopt;
    if (checks_ && !breach && options_.examine) breach = options_.examine(event.bytes);
    if (breach && !judges(breach->tag)) {
      return differs(session, {.what = breach->what, .expected = breach->what, .tag = breach->tag});
    }
    count_received(session, event);
    return std::nullopt;
  }

  static void count_received(Session& session, const Event& event) {
    session.next_in = next_after(fields_of(event.bytes), session.next_in);
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

  Outcome expect_exactly(const Statement& statement) {
    Session& session = session_of(statement);
    const milliseconds time = statement.time.value_or(timeout_);
    if (session.next_in == 0) session.next_in = 1;
    const auto bytes = bytes_of(statement.argument, session, Side::Engine);
    if (!bytes) return failure(bytes.error());
    const auto type = value_of(fields_of(*bytes), "35");
    const std::vector own{*Condition::parse("35=" + std::string{type.value_or("")})};
    const Event* const event = next_event(session, clock_.now().mono + time, own);
    if (event == nullptr) return nothing_came(session, time, with_bars(*bytes));
    if (event->kind != EventKind::Message || event->bytes != *bytes) {
      return differs(session, {.what = "not the expected bytes",
                               .expected = with_bars(*bytes),
                               .tag = first_different_tag(event->bytes, *bytes)});
    }
    consume(session);
    return std::nullopt;
  }

  // The whole message of a line, which one side of the session sends; its number is counted.
  std::expected<std::string, std::string> bytes_of(std::string_view text, Session& session,
                                                   Side side) {
    const bool is_own = side == Side::Tester;
    OwnFields* const own = is_own ? options_.own : nullptr;
    std::uint64_t& next = is_own ? session.next_out : session.next_in;
    auto fields = expand(text, meaning_);
    if (!fields) return std::unexpected{fields.error()};
    replace_escapes(*fields);
    const std::string_view type = find_field(*fields, "35").value_or("");
    Writer writer{.sender_comp_id = is_own ? session.sender_comp_id : session.target_comp_id,
                  .target_comp_id = is_own ? session.target_comp_id : session.sender_comp_id,
                  .msg_seq_num = next};
    const std::uint64_t last_in = std::max<std::uint64_t>(session.next_in, 1) - 1;
    if (own != nullptr) writer.header = own->header(type, last_in);
    auto all = complete(*fields, writer, meaning_);
    if (!all) return std::unexpected{all.error()};
    if (own != nullptr && type == "A") {
      const auto done = own->complete_logon(*all, *fields, meaning_.now, signing_);
      if (!done) return std::unexpected{"the Logon cannot be signed: " + done.error()};
    }
    count(*all, next);
    return frame(*all, meaning_);
  }

  Outcome elapsed(const Statement& statement) {
    const auto time = last_event_ - marks_[statement.argument];
    if (time >= *statement.time && time <= statement.time_max) return std::nullopt;
    return failure(seconds_text(time) + " passed since \"mark " + statement.argument + "\", not " +
                   seconds_text(*statement.time) + " to " + seconds_text(statement.time_max));
  }

  Outcome act_by_application(const Statement& statement) {
    const bool is_action =
        statement.argument.starts_with("sends") || statement.argument.starts_with("logs");
    if (is_action) {
      if (Outcome left = nothing_left("before this ")) return left;
    }
    return of_engine(engine_.perform(statement, meaning_));
  }

  // An action. Its effects are expected by the statements after it.
  Outcome act(const Statement& statement) {
    Session& session = session_of(statement);
    const bool is_rest = statement.verb == Verb::Disconnect || statement.verb == Verb::Wait ||
                         statement.verb == Verb::Restart;
    if (is_rest || options_.strictness == Strictness::Always) {
      if (Outcome left = nothing_left("before this ")) return left;
    }
    switch (statement.verb) {
      case Verb::Connect:
        return connect(session);
      case Verb::Disconnect:
        if (session.channel.socket == 0) return failure("there is no connection");
        wire_.close(session.channel);
        record_note(session, Side::Tester, "disconnects");
        return std::nullopt;
      case Verb::Wait:
        return wait(*statement.time);
      case Verb::Restart:
        for (auto& [name, one] : sessions_) wire_.close(one.channel);
        record_note(session, Side::Neither, "the engine is restarted");
        return of_command(engine_.restart());
      case Verb::LogOut:
        record_note(session, Side::Neither, "the engine has the command to log out");
        return of_command(engine_.log_out());
      case Verb::ReadingOn:
      case Verb::ReadingOff:
        wire_.set_reading(session.channel, statement.verb == Verb::ReadingOn);
        return std::nullopt;
      default:
        return send(statement, session);
    }
  }

  // Ctrl-C ends a command, too, which is no failure of the engine.
  Outcome of_command(std::optional<std::string> wrong) {
    if (options_.is_interrupted()) is_over_ = true;
    return is_over_ ? std::nullopt : of_engine(std::move(wrong));
  }

  Outcome connect(Session& session) {
    if (session.channel.socket != 0) return failure("the session is connected");
    const MonoTime earliest = wire_.closed_at() + kBetweenConnections;
    for (MonoTime now = clock_.now().mono; now < earliest && !options_.is_interrupted();
         now = clock_.now().mono) {
      wire_.poll(earliest - now);
    }
    const auto started = wire_.connect(session.channel, options_.acceptor);
    if (!started) return failure(started.error());
    const MonoTime deadline = clock_.now().mono + timeout_;
    const Event* const event = next_event(session, deadline, {});
    if (event == nullptr || event->kind != EventKind::Connect) {
      if (is_over_) return std::nullopt;
      return nothing_came(session, timeout_, "a connection");
    }
    session.channel.events.pop_front();
    record_note(session, Side::Tester, "connects");
    result_.was_connected = true;
    return std::nullopt;
  }

  Outcome wait(milliseconds time) {
    const MonoTime begin = clock_.now().mono;
    const MonoTime end = begin + time;
    for (MonoTime now = begin; now < end && !is_over_; now = clock_.now().mono) {
      if (options_.is_interrupted()) is_over_ = true;
      if (Outcome early = nothing_left("after " + seconds_text(now - begin) + " ")) return early;
      wire_.poll(std::min<std::chrono::nanoseconds>(end - now, kInterruptTurn));
    }
    return std::nullopt;
  }

  // Every message that has come must have been expected.
  Outcome nothing_left(std::string_view when) {
    wire_.poll_all();
    for (auto& [name, session] : sessions_) {
      const Event* const event = next_event(session, MonoTime::min(), {});
      if (event == nullptr) continue;
      // Either side may close the connection after the last statement.
      const bool is_end = is_at_end_ && event->kind == EventKind::Disconnect;
      if (is_end && options_.strictness == Strictness::AtRest) continue;
      return differs(session, {.what = std::string{when} + "unexpected: " + name_of(*event)});
    }
    if (auto left = engine_.unexpected()) {
      return failure(std::string{when} + "unexpected in the application: " + *left);
    }
    return std::nullopt;
  }

  Outcome send(const Statement& statement, Session& session) {
    const bool is_raw = statement.verb == Verb::SendBytes || statement.verb == Verb::SendGarbage ||
                        statement.verb == Verb::SendRest;
    auto bytes = bytes_to_send(statement, session);
    if (!bytes) return failure(bytes.error());
    if (session.channel.socket == 0 && session.channel.events.empty()) {
      return failure("there is no connection");
    }
    record_sent(session, *bytes, !is_raw);
    last_event_ = clock_.now().mono;
    const MonoTime deadline = clock_.now().mono + kLongestSend;
    if (wire_.send(session.channel, *bytes, session.pieces, {deadline, options_.is_interrupted}))
      return std::nullopt;
    if (clock_.now().mono >= deadline) return failure("the engine under test does not read");
    return std::nullopt;  // the connection has ended, which a later statement judges
  }

  std::expected<std::string, std::string> bytes_to_send(const Statement& statement,
                                                        Session& session) {
    if (statement.verb == Verb::SendRest) return std::exchange(session.rest, {});
    if (statement.verb == Verb::SendGarbage) return garbage(statement.count);
    const bool is_raw = statement.verb == Verb::SendBytes || statement.verb == Verb::SendFields;
    if (!is_raw) {
      auto bytes = bytes_of(statement.argument, session, Side::Tester);
      if (!bytes) return bytes;
      if (statement.verb == Verb::SendAltered) alter(*bytes, statement.count);
      if (statement.verb == Verb::SendFirst) {
        const std::size_t size = std::min<std::size_t>(statement.count, bytes->size());
        session.rest = bytes->substr(size);
        bytes->resize(size);
      }
      return bytes;
    }
    if (statement.verb == Verb::SendBytes) return raw_bytes(statement.argument, meaning_);
    auto fields = expand(statement.argument, meaning_);
    if (!fields) return std::unexpected{fields.error()};
    replace_escapes(*fields);
    return frame(*fields, meaning_);
  }

  std::string garbage(std::uint64_t count) {
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_.below(256));
    return bytes;
  }

  // Changes the value of at most `count` bytes.
  void alter(std::string& bytes, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && !bytes.empty(); ++i) {
      char& byte = bytes[random_.below(bytes.size())];
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1 + random_.below(255)));
    }
  }

  const PlayOptions& options_;
  Wire& wire_;
  Clock& clock_;
  EngineUnderTest& engine_;
  SeededRandom random_;
  Meaning meaning_;
  std::map<std::string, Session, std::less<>> sessions_;
  std::vector<std::vector<Condition>> ignored_;
  std::map<std::string, MonoTime, std::less<>> marks_;
  milliseconds timeout_;
  MonoTime begin_;
  MonoTime last_event_{};
  const Statement* current_ = nullptr;
  std::size_t ignored_count_ = 0;
  bool checks_ = true;
  Signing signing_ = Signing::On;
  bool is_over_ = false;
  bool is_at_end_ = false;
  Result result_;
};

}  // namespace

std::optional<std::string> EngineUnderTest::perform(const Statement&, const Meaning&) {
  return "this engine is not run by the tester";
}

Result play(const Script& script, const PlayOptions& options, Wire& wire, Clock& clock,
            EngineUnderTest& engine) {
  return Player{options, wire, clock, engine}.play(script);
}

}  // namespace nexusfix::tester
