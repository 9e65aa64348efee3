#include "control/api/control_protocol.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/api/escaped_text.hpp"
#include "control/api/running_engine.hpp"

namespace nexusfix::engine {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::nanoseconds;

constexpr const char* kVersion = "version";
constexpr const char* kRequest = "request";
constexpr std::string_view kSetNumbers = "set-numbers";
constexpr std::string_view kStatus = "status";
constexpr std::string_view kRoundTrip = "round-trip";
constexpr std::string_view kLatency = "latency";
constexpr std::string_view kTail = "tail";
constexpr std::string_view kTailRead = "tail-read";
constexpr std::size_t kErrorBytesMax = 2'000;

constexpr std::array kMessageKinds{observe::MessageKind::Received, observe::MessageKind::Sent,
                                   observe::MessageKind::Garbled};

constexpr std::array<std::string_view, 17> kActs{"log-out",
                                                 "log-on",
                                                 "disconnect",
                                                 "reset",
                                                 "reset-in-session",
                                                 "test-request",
                                                 "send-gap-fill",
                                                 "enable",
                                                 "disable",
                                                 "reload",
                                                 "rotate-logs",
                                                 "reload-certificates",
                                                 "stop",
                                                 "drain",
                                                 "move-shard",
                                                 "drain-node",
                                                 "join-node"};
static_assert(kActs[static_cast<std::size_t>(OperatorAct::JoinNode)] == "join-node");

template <class Object, class Value>
struct NamedMember {
  const char* name;
  Value Object::* member;
};
constexpr std::uint8_t kSessionStates = std::to_underlying(SessionState::StoreFailed) + 1;
constexpr NamedMember<LatencyRow, nanoseconds> kDurations[] = {
    {"mean_ns", &LatencyRow::mean}, {"p50_ns", &LatencyRow::p50},
    {"p90_ns", &LatencyRow::p90},   {"p99_ns", &LatencyRow::p99},
    {"p999_ns", &LatencyRow::p999}, {"highest_ns", &LatencyRow::highest}};

// The counts of a session that a line has. Session: SessionStatistics, const or not.
template <class Session>
void for_each_count(Session& session, auto&& visit) {
  visit("messages_in", session.in.messages);
  visit("messages_out", session.out.messages);
  visit("bytes_in", session.in.bytes);
  visit("bytes_out", session.out.bytes);
  visit("unsent_bytes", session.unsent_bytes);
  visit("queued_messages", session.queued_messages);
  visit("logons", session.logons);
  visit("logon_failures", session.logon_failures);
  visit("connect_failures", session.connect_failures);
  visit("failures_in_a_row", session.failures_in_a_row);
  visit("disconnects", session.disconnects);
  visit("gaps", session.gaps);
  visit("resent", session.resent);
  visit("garbled", session.garbled);
}

bool is_printable(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= ' ' && byte != 0x7f;
}
bool is_printable(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return is_printable(c); });
}

// A text of the counterparty may be part of it. Cut, so that a page fits a line.
std::string one_line(std::string_view text, std::size_t bytes_max = 600) {
  std::string line{text.substr(0, bytes_max)};
  std::ranges::replace_if(line, [](char c) { return !is_printable(c); }, '?');
  return line;
}

// Reads the members of an object. The first fault counts; what is read after it is of no use.
class Members {
 public:
  Members(const Json& object, std::string& fault) : object_{object}, fault_{fault} {}

  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
  // Empty: there is none.
  [[nodiscard]] std::string text(const char* name) {
    const Json* const found = find(name);
    if (found == nullptr) return {};
    if (!found->is_string()) return refuse(name, "a text"), std::string{};
    return found->get<std::string>();
  }
  [[nodiscard]] std::string printable(const char* name) {
    std::string found = text(name);
    if (!is_printable(found)) refuse(name, "printable characters");
    return found;
  }
  // 0: there is none.
  template <std::integral Number>
  [[nodiscard]] Number number(const char* name) {
    const Json* const found = find(name);
    if (found == nullptr) return 0;
    const bool is_whole =
        std::signed_integral<Number> ? found->is_number_integer() : found->is_number_unsigned();
    const auto value = is_whole ? found->get<Number>() : Number{0};
    // get() truncates.
    if (!is_whole || *found != Json(value)) refuse(name, "a whole number, not too large");
    return value;
  }
  template <std::integral Number>
  [[nodiscard]] Number needed(const char* name) {
    if (!has(name)) refuse(name, "a number");
    return number<Number>(name);
  }
  // Absent or null: there is none.
  [[nodiscard]] std::optional<nanoseconds> nanos(const char* name) {
    const Json* const found = find(name);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return nanoseconds{number<std::int64_t>(name)};
  }
  [[nodiscard]] std::optional<WallTime> time(const char* name) {
    const auto since = nanos(name);
    return since ? std::optional{WallTime{*since}} : std::nullopt;
  }
  [[nodiscard]] bool flag(const char* name) {
    const Json* const found = find(name);
    return found != nullptr && found->is_boolean() && found->get<bool>();
  }
  [[nodiscard]] session::Numbers numbers(const char* name) {
    session::Numbers numbers;
    object(name, [&](Members both) {
      numbers = {.next_inbound = both.needed<std::uint64_t>("in"),
                 .next_outbound = both.needed<std::uint64_t>("out")};
    });
    return numbers;
  }
  // read: gets the Members of each object of an array.
  void each(const char* name, auto read) {
    const Json* const found = find(name);
    if (found == nullptr || !found->is_array()) return refuse(name, "an array");
    for (const Json& one : *found) {
      if (!one.is_object()) return refuse(name, "objects");
      read(Members{one, fault_});
    }
  }
  void object(const char* name, auto read) {
    const Json* const found = find(name);
    if (found == nullptr || !found->is_object()) return refuse(name, "an object");
    read(Members{*found, fault_});
  }
  // A member that nothing has read is misspelt, or of another request.
  void refuse_others() {
    for (const auto& one : object_.items()) {
      if (!fault_.empty() || std::ranges::find(read_, one.key()) != read_.end()) continue;
      fault_ = one_line(one.key()) + ": there is no such member";
    }
  }
  void refuse(std::string_view name, std::string_view expected) {
    if (!fault_.empty()) return;
    ((fault_ += one_line(name)) += ": ") += expected;
    fault_ += expected.ends_with('s') ? " were expected" : " was expected";
  }

 private:
  const Json* find(const char* name) {
    read_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }

  const Json& object_;
  std::string& fault_;
  std::vector<std::string_view> read_;
};

Json json_of(const session::Numbers& numbers) {
  return {{"in", numbers.next_inbound}, {"out", numbers.next_outbound}};
}
Json nanos_of(const std::optional<WallTime>& time) {
  return time ? Json(time->time_since_epoch().count()) : Json(nullptr);
}

Json json_of(const LiveNumbers& request) {
  return {{kVersion, kControlVersion},         {kRequest, kSetNumbers},
          {"session", request.session},        {"expected", json_of(request.expected)},
          {"wanted", json_of(request.wanted)}, {"reason", request.reason}};
}
Json json_of(const StatusRequest& request) {
  return {{kVersion, kControlVersion},
          {kRequest, kStatus},
          {"loop", request.loop},
          {"first", request.first}};
}
Json json_of(const OperatorCommand& command) {
  Json json{{kVersion, kControlVersion}, {kRequest, to_string(command.act)}};
  if (!command.session.empty()) json["session"] = command.session;
  if (!command.text.empty()) json["text"] = command.text;
  if (command.number != 0) json["number"] = command.number;
  json["reason"] = command.reason;
  return json;
}
Json json_of(const RoundTripRequest& request) {
  return {{kVersion, kControlVersion},
          {kRequest, kRoundTrip},
          {"session", request.session},
          {"test_request", request.id}};
}
Json json_of(const TailRequest& request) {
  return {{kVersion, kControlVersion}, {kRequest, kTail}, {"session", request.session}};
}
Json json_of(const TailReadRequest& request) {
  return {{kVersion, kControlVersion}, {kRequest, kTailRead}, {"tail", request.id}};
}
Json json_of(const LatencyRequest& request) {
  return {{kVersion, kControlVersion}, {kRequest, kLatency}, {"session", request.session}};
}
Json json_of(const RecordRequest& request) { return json_of(request.command); }

Json json_of(const Refusal& refusal) {
  return {{kVersion, kControlVersion}, {"error", one_line(refusal.text, kErrorBytesMax)}};
}
Json json_of(const CarriedOut& done) {
  Json json{{kVersion, kControlVersion}, {"done", one_line(done.result)}};
  if (done.test_request) json["test_request"] = *done.test_request;
  return json;
}
Json json_of(const RoundTripAnswer& trip) {
  return {{kVersion, kControlVersion},
          {"round_trip_ns", trip.took ? Json(trip.took->count()) : Json(nullptr)}};
}
Json json_of(const TailBegun& tail) { return {{kVersion, kControlVersion}, {"tail", tail.id}}; }

Json json_of(const SessionStatistics& session) {
  Json json{{"name", session.name},
            {"is_initiator", session.is_initiator},
            {"state", to_string(session.state)},
            {"why", one_line(session.why)},
            {"since_ns", nanos_of(session.logon_changed_at)},
            {"received_ns", nanos_of(session.in.last_at)},
            {"queued_ns", nanos_of(session.queued_since)},
            {"next", json_of(session.next)}};
  for_each_count(session, [&](const char* name, std::uint64_t count) { json[name] = count; });
  return json;
}
Json json_of(const StatusPage& page) {
  Json sessions = Json::array();
  for (const SessionStatistics& one : page.status.sessions) sessions.push_back(json_of(one));
  return {{kVersion, kControlVersion},
          {"process", page.status.process},
          {"started_ns", nanos_of(page.status.started)},
          {"loops", page.status.loops},
          {"standby", page.status.standby},
          {"cluster", page.status.cluster},
          {"next_page", {{"loop", page.next.loop}, {"first", page.next.first}}},
          {"sessions", std::move(sessions)}};
}

// SOH is in every message, and is kept.
constexpr auto kIsKept = [](char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80; };

Json json_of(const LiveMessages& read) {
  Json messages = Json::array();
  for (const LiveMessage& one : read.messages) {
    std::string bytes;
    append_escaped(bytes, one.bytes, kIsKept);
    messages.push_back({{"time_ns", one.time.time_since_epoch().count()},
                        {"direction", observe::direction_of(one.kind)},
                        {"session", one.session},
                        {"bytes", std::move(bytes)}});
  }
  return {{kVersion, kControlVersion}, {"lost", read.lost}, {"messages", std::move(messages)}};
}
Json json_of(const std::vector<LatencyRow>& rows) {
  Json latencies = Json::array();
  for (const LatencyRow& row : rows) {
    Json one{{"loop", row.loop}, {"what", row.what}, {"count", row.count}};
    for (const auto& [name, duration] : kDurations) one[name] = (row.*duration).count();
    latencies.push_back(std::move(one));
  }
  return {{kVersion, kControlVersion}, {"latencies", std::move(latencies)}};
}

// Bytes that are no UTF-8 become U+FFFD.
std::string to_line(const auto& value) {
  return std::visit(
      [](const auto& one) {
        return json_of(one).dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      value);
}

LiveNumbers numbers_request(Members& members) {
  LiveNumbers request{.session = members.printable("session"),
                      .expected = members.numbers("expected"),
                      .wanted = members.numbers("wanted"),
                      .reason = members.printable("reason")};
  if (request.session.empty()) members.refuse("session", "a session");
  return request;
}

OperatorCommand command_request(OperatorAct act, Members& members) {
  OperatorCommand command{.act = act,
                          .session = members.printable("session"),
                          .text = members.printable("text"),
                          .number = members.number<std::uint64_t>("number"),
                          .reason = members.printable("reason")};
  if (needs_session(act) == command.session.empty()) {
    members.refuse("session", needs_session(act) ? "a session" : "no session");
  }
  return command;
}

ControlRequest request_of(const std::string& name, Members& members) {
  if (name == kStatus) {
    return StatusRequest{.loop = members.number<std::uint32_t>("loop"),
                         .first = members.number<std::size_t>("first")};
  }
  if (name == kSetNumbers) return numbers_request(members);
  if (name == kLatency) return LatencyRequest{members.printable("session")};
  if (name == kTail) return TailRequest{members.printable("session")};
  if (name == kTailRead) return TailReadRequest{members.needed<std::uint64_t>("tail")};
  if (name == kRoundTrip) {
    return RoundTripRequest{.session = members.printable("session"),
                            .id = members.needed<std::uint64_t>("test_request")};
  }
  if (const auto act = operator_act_of(name)) return command_request(*act, members);
  members.refuse(kRequest, "a known request");
  return {};
}

bool fits(const ControlRequest& request) noexcept {
  const auto* const command = std::get_if<OperatorCommand>(&request);
  const auto* const numbers = std::get_if<LiveNumbers>(&request);
  return (command == nullptr || command->reason.size() <= kLiveReasonBytesMax) &&
         (numbers == nullptr || numbers->reason.size() <= kLiveReasonBytesMax);
}

// Why a line of another version is not read; empty: it is of this one.
std::string version_fault(Members& members, std::string_view of) {
  const auto version = members.needed<std::uint32_t>(kVersion);
  if (!members.has(kVersion) || version == kControlVersion) return {};
  return "version " + std::to_string(kControlVersion) +
         " of the control protocol is spoken here, "
         "and the " +
         std::string{of} + " has version " + std::to_string(version);
}

SessionStatistics session_of(Members& members) {
  SessionStatistics session{.name = members.text("name"),
                            .is_initiator = members.flag("is_initiator"),
                            .logon_changed_at = members.time("since_ns"),
                            .why = members.text("why"),
                            .next = members.numbers("next"),
                            .in = {.last_at = members.time("received_ns")},
                            .queued_since = members.time("queued_ns")};
  const std::string state = members.text("state");
  std::uint8_t index = 0;
  while (index < kSessionStates && to_string(SessionState{index}) != state) ++index;
  if (index == kSessionStates) members.refuse("state", "a state of a session");
  session.state = SessionState{index};
  for_each_count(session, [&](const char* name, std::uint64_t& count) {
    count = members.needed<std::uint64_t>(name);
  });
  return session;
}

StatusPage page_of(Members& members) {
  StatusPage page{.status = {.process = members.needed<std::int32_t>("process"),
                             .started = members.time("started_ns").value_or(WallTime{}),
                             .loops = members.needed<std::uint32_t>("loops"),
                             .standby = members.text("standby"),
                             .cluster = members.text("cluster")},
                  .next = {}};
  members.each("sessions", [&](Members one) { page.status.sessions.push_back(session_of(one)); });
  members.object("next_page", [&](Members next) {
    page.next = {.loop = next.needed<std::uint32_t>("loop"),
                 .first = next.needed<std::size_t>("first")};
  });
  return page;
}

LiveMessages messages_of(Members& members) {
  LiveMessages read{.messages = {}, .lost = members.needed<std::uint64_t>("lost")};
  members.each("messages", [&](Members one) {
    const auto kind =
        std::ranges::find(kMessageKinds, one.text("direction"), observe::direction_of);
    if (kind == kMessageKinds.end()) return one.refuse("direction", "in, out or garbled");
    read.messages.push_back({.time = one.time("time_ns").value_or(WallTime{}),
                             .kind = *kind,
                             .session = one.text("session"),
                             .bytes = unescaped(one.text("bytes"))});
  });
  return read;
}

std::vector<LatencyRow> latencies_of(Members& members) {
  std::vector<LatencyRow> rows;
  members.each("latencies", [&](Members one) {
    LatencyRow& row = rows.emplace_back();
    row.loop = one.needed<std::uint32_t>("loop");
    row.what = one.text("what");
    row.count = one.needed<std::uint64_t>("count");
    for (const auto& [name, duration] : kDurations) {
      row.*duration = nanoseconds{one.needed<std::int64_t>(name)};
    }
  });
  return rows;
}

ControlAnswer answer_of(Members& members) {
  if (members.has("error")) return Refusal{.text = members.text("error")};
  if (members.has("done")) {
    CarriedOut done{.result = members.text("done")};
    if (members.has("test_request")) {
      done.test_request = members.number<std::uint64_t>("test_request");
    }
    return done;
  }
  if (members.has("sessions")) return page_of(members);
  if (members.has("messages")) return messages_of(members);
  if (members.has("tail")) return TailBegun{members.number<std::uint64_t>("tail")};
  if (members.has("latencies")) return latencies_of(members);
  return RoundTripAnswer{members.nanos("round_trip_ns")};
}

}  // namespace

std::string_view to_string(OperatorAct act) noexcept {
  return kActs[static_cast<std::size_t>(act)];
}

std::optional<OperatorAct> operator_act_of(std::string_view text) noexcept {
  const auto found = std::ranges::find(kActs, text);
  if (found == kActs.end()) return std::nullopt;
  return static_cast<OperatorAct>(found - kActs.begin());
}

Refusal lacks_session(std::string_view name) {
  return {.text = "the engine serves no session " + std::string{name}, .lacks_session = true};
}

std::string line_of(const ControlRequest& request) { return to_line(request); }
std::string line_of(const ControlAnswer& answer) { return to_line(answer); }

std::expected<ControlRequest, std::string> read_request(std::string_view line) {
  const auto nothing_done = [](std::string why) {
    return std::unexpected{std::move(why) + ": nothing was done"};
  };
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return nothing_done("a request is a JSON object on one line");
  std::string fault;
  Members members{json, fault};
  if (std::string other = version_fault(members, "request"); !other.empty()) {
    return nothing_done(std::move(other));
  }
  ControlRequest request = request_of(members.text(kRequest), members);
  members.refuse_others();
  if (fault.empty() && !fits(request)) {
    members.refuse("reason", "at most " + std::to_string(kLiveReasonBytesMax) + " bytes");
  }
  if (!fault.empty()) return nothing_done(std::move(fault));
  return request;
}

std::expected<OperatorRequest, std::string> read_operator_request(std::string_view json) {
  auto request = read_request(json);
  if (!request) return std::unexpected{std::move(request.error())};
  if (auto* const command = std::get_if<OperatorCommand>(&*request)) return std::move(*command);
  if (auto* const numbers = std::get_if<LiveNumbers>(&*request)) return std::move(*numbers);
  return std::unexpected{std::string{"request: a command was expected: nothing was done"}};
}

std::string operator_answer(const std::expected<void, std::string>& done) {
  return line_of(done ? ControlAnswer{CarriedOut{}} : ControlAnswer{Refusal{done.error()}});
}

ControlAnswer read_answer(std::string_view line) {
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Refusal{.text = "no answer of an engine: " + one_line(line)};
  std::string fault;
  Members members{json, fault};
  if (std::string other = version_fault(members, "answer"); !other.empty()) {
    return Refusal{.text = std::move(other)};
  }
  ControlAnswer answer = answer_of(members);
  if (!fault.empty()) return Refusal{.text = "no answer of an engine: " + fault};
  return answer;
}

std::size_t line_bytes(const observe::LoggedMessage& message) noexcept {
  constexpr std::size_t kFrame = 100;  // the names, the time and the direction
  constexpr std::size_t kEscaped = 6;  // \u0001
  constexpr std::size_t kLiteral = 3;  // %XX
  std::size_t bytes = kFrame + kEscaped * message.session.size();
  for (const char byte : message.bytes) {
    const auto value = static_cast<unsigned char>(byte);
    const bool is_escaped = value < ' ' || value == 0x7f || byte == '"' || byte == '\\';
    bytes += is_escaped ? kEscaped : value >= 0x80 || byte == '%' ? kLiteral : 1;
  }
  return bytes;
}

}  // namespace nexusfix::engine
