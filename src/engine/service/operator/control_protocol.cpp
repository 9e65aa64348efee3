#include "engine/service/operator/control_protocol.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <concepts>
#include <span>
#include <system_error>
#include <utility>

#include "base/api/escaped_text.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kSetNumbers = "set-numbers";
constexpr std::string_view kControl = "ctl";
constexpr std::string_view kStatus = "status";
constexpr char kTab = '\t';
constexpr char kRow = '\x1e';

constexpr std::string_view kTailRead = "tail-read";
constexpr std::string_view kLatency = "latency";

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

bool is_printable(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= ' ' && byte != 0x7f;
  });
}

template <std::integral Number>
std::optional<Number> to_number(std::string_view text) noexcept {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

void append(std::string& line, std::string_view field) { (line += kTab) += field; }
template <std::integral Number>
void append(std::string& line, Number number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  append(line, std::string_view{digits.data(), end});
}

// A text of the counterparty may be part of it. Cut, so that a row fits a page.
std::string one_line(std::string_view text) {
  constexpr std::size_t kBytesMax = 600;
  std::string line{text.substr(0, kBytesMax)};
  std::ranges::replace_if(line, [](char c) { return !is_printable({&c, 1}); }, '?');
  return line;
}

// Nanoseconds of UTC; 0: none.
std::int64_t nanos_of(const std::optional<WallTime>& time) noexcept {
  return time ? time->time_since_epoch().count() : 0;
}
std::optional<WallTime> time_of(std::int64_t nanos) noexcept {
  if (nanos == 0) return std::nullopt;
  return WallTime{std::chrono::nanoseconds{nanos}};
}

std::optional<LiveNumbers> read_numbers(const std::vector<std::string_view>& fields) {
  if (fields.size() != 7 || fields[6].size() > kLiveReasonBytesMax) return std::nullopt;
  std::array<std::uint64_t, 4> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = to_number<std::uint64_t>(fields[1 + i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  return LiveNumbers{.session = std::string{fields[5]},
                     .expected = {.next_inbound = numbers[0], .next_outbound = numbers[1]},
                     .wanted = {.next_inbound = numbers[2], .next_outbound = numbers[3]},
                     .reason = std::string{fields[6]}};
}

// The fields after "ctl" and the version.
std::optional<ControlRequest> read_control(std::span<const std::string_view> fields) {
  const std::string_view word = fields.empty() ? std::string_view{} : fields[0];
  if (word == kStatus && fields.size() == 3) {
    const auto loop = to_number<std::uint32_t>(fields[1]);
    const auto first = to_number<std::size_t>(fields[2]);
    if (loop && first) return StatusRequest{*loop, *first};
  }
  if (word == kRoundTrip && fields.size() == 3) {
    const auto id = to_number<std::uint64_t>(fields[2]);
    if (id) return RoundTripRequest{std::string{fields[1]}, *id};
  }
  if (word == kLatency && fields.size() == 2) return LatencyRequest{std::string{fields[1]}};
  if (word == kTail && fields.size() == 2) return TailRequest{std::string{fields[1]}};
  if (word == kTailRead && fields.size() == 2) {
    if (const auto id = to_number<std::uint64_t>(fields[1])) return TailReadRequest{*id};
  }
  if (fields.size() != 5 || fields[4].size() > kLiveReasonBytesMax) return std::nullopt;
  const auto act = operator_act_of(word);
  const auto number = to_number<std::uint64_t>(fields[3]);
  if (!act || !number || needs_session(*act) == fields[1].empty()) return std::nullopt;
  return OperatorCommand{.act = *act,
                         .session = std::string{fields[1]},
                         .text = std::string{fields[2]},
                         .number = *number,
                         .reason = std::string{fields[4]}};
}

std::string begin_line(std::string_view word) {
  std::string line{kControl};
  append(line, kControlVersion);
  append(line, word);
  return line;
}

std::optional<SessionStatus> read_row(std::string_view row) {
  const auto fields = split(row, kTab);
  std::array<std::int64_t, 17> numbers{};
  constexpr std::size_t kTexts = 4;
  if (fields.size() != kTexts + numbers.size()) return std::nullopt;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = to_number<std::int64_t>(fields[kTexts + i]);
    if (!number) return std::nullopt;
    numbers[i] = *number;
  }
  const auto count = [&](std::size_t i) { return static_cast<std::uint64_t>(numbers[i]); };
  return SessionStatus{.name = std::string{fields[0]},
                       .is_initiator = fields[1] == "I",
                       .state = std::string{fields[2]},
                       .why = std::string{fields[3]},
                       .failures_in_a_row = count(16),
                       .since = time_of(numbers[0]),
                       .next = {.next_inbound = count(1), .next_outbound = count(2)},
                       .messages_in = count(3),
                       .messages_out = count(4),
                       .received_at = time_of(numbers[5]),
                       .unsent_bytes = count(6),
                       .bytes_in = count(7),
                       .bytes_out = count(8),
                       .logons = count(9),
                       .logon_failures = count(10),
                       .connect_failures = count(11),
                       .disconnects = count(12),
                       .gaps = count(13),
                       .resent = count(14),
                       .garbled = count(15)};
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

std::string line_of(const LiveNumbers& request) {
  std::string line{kSetNumbers};
  for (const std::uint64_t number : {request.expected.next_inbound, request.expected.next_outbound,
                                     request.wanted.next_inbound, request.wanted.next_outbound}) {
    append(line, number);
  }
  append(line, request.session);
  append(line, request.reason);
  return line;
}

std::string line_of(const StatusRequest& request) {
  std::string line = begin_line(kStatus);
  append(line, request.loop);
  append(line, request.first);
  return line;
}

std::string line_of(const OperatorCommand& command) {
  std::string line = begin_line(to_string(command.act));
  append(line, command.session);
  append(line, command.text);
  append(line, command.number);
  append(line, command.reason);
  return line;
}

std::string line_of(const RoundTripRequest& request) {
  std::string line = begin_line(kRoundTrip);
  append(line, request.session);
  append(line, request.id);
  return line;
}

std::string line_of(const TailRequest& request) {
  std::string line = begin_line(kTail);
  append(line, request.session);
  return line;
}

std::string line_of(const TailReadRequest& request) {
  std::string line = begin_line(kTailRead);
  append(line, request.id);
  return line;
}

std::string line_of(const LatencyRequest& request) {
  std::string line = begin_line(kLatency);
  append(line, request.session);
  return line;
}

std::expected<ControlRequest, std::string> read_request(std::string_view line) {
  const auto fields = split(line, kTab);
  if (std::ranges::all_of(fields, is_printable)) {
    if (fields[0] == kSetNumbers) {
      if (auto numbers = read_numbers(fields)) return *std::move(numbers);
    }
    if (fields[0] == kControl && fields.size() > 1) {
      const auto version = to_number<std::uint32_t>(fields[1]);
      if (version && *version != kControlVersion) {
        return std::unexpected{"the engine speaks version " + std::to_string(kControlVersion) +
                               " of the control protocol, and the command version " +
                               std::to_string(*version) + ": nothing was done"};
      }
      if (version) {
        if (auto request = read_control(std::span{fields}.subspan(2))) return *std::move(request);
      }
    }
  }
  return std::unexpected{"this is no command that the engine knows: nothing was done"};
}

void append_head(std::string& answer, const EngineStatus& engine, const StatusRequest& next) {
  answer += kStatus;
  append(answer, engine.process);
  append(answer, nanos_of(engine.started));
  append(answer, engine.loops);
  append(answer, next.loop);
  append(answer, next.first);
  append(answer, engine.standby);
  append(answer, engine.cluster);
}

void append_row(std::string& answer, const SessionStatus& session) {
  (answer += kRow) += session.name;
  append(answer, session.is_initiator ? "I" : "A");
  append(answer, session.state);
  append(answer, one_line(session.why));
  append(answer, nanos_of(session.since));
  append(answer, session.next.next_inbound);
  append(answer, session.next.next_outbound);
  append(answer, session.messages_in);
  append(answer, session.messages_out);
  append(answer, nanos_of(session.received_at));
  for (const std::uint64_t count :
       {session.unsent_bytes, session.bytes_in, session.bytes_out, session.logons,
        session.logon_failures, session.connect_failures, session.disconnects, session.gaps,
        session.resent, session.garbled, session.failures_in_a_row}) {
    append(answer, count);
  }
}

std::optional<StatusPage> read_page(std::string_view answer) {
  const auto rows = split(answer, kRow);
  const auto head = split(rows[0], kTab);
  if (head.size() != 8 || head[0] != kStatus) return std::nullopt;
  const auto process = to_number<std::int32_t>(head[1]);
  const auto started = to_number<std::int64_t>(head[2]);
  const auto loops = to_number<std::uint32_t>(head[3]);
  const auto next_loop = to_number<std::uint32_t>(head[4]);
  const auto next_first = to_number<std::size_t>(head[5]);
  if (!process || !started || !loops || !next_loop || !next_first) return std::nullopt;
  StatusPage page{.status = {.process = *process,
                             .started = WallTime{std::chrono::nanoseconds{*started}},
                             .loops = *loops,
                             .standby = std::string{head[6]},
                             .cluster = std::string{head[7]}},
                  .next = {*next_loop, *next_first}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    auto session = read_row(rows[i]);
    if (!session) return std::nullopt;
    page.status.sessions.push_back(*std::move(session));
  }
  return page;
}

std::string done_answer(std::string_view result) {
  std::string answer{kDone};
  if (!result.empty()) append(answer, one_line(result));
  return answer;
}

std::optional<std::string> read_done_answer(std::string_view answer) {
  if (answer == kDone) return std::string{};
  if (!answer.starts_with(kDone) || answer.substr(kDone.size(), 1) != "\t") return std::nullopt;
  return std::string{answer.substr(kDone.size() + 1)};
}

std::string number_answer(std::string_view word, std::uint64_t number) {
  std::string answer{word};
  append(answer, number);
  return answer;
}

std::optional<std::uint64_t> read_number_answer(std::string_view answer, std::string_view word) {
  if (!answer.starts_with(word)) return std::nullopt;
  answer.remove_prefix(word.size());
  if (answer.empty() || answer[0] != kTab) return std::nullopt;
  return to_number<std::uint64_t>(answer.substr(1));
}

// A message may have any byte in a data field. SOH is the most frequent one, and is kept.
void append_message(std::string& answer, const observe::LoggedMessage& message) {
  answer += kRow;
  answer += std::to_string(message.time.time_since_epoch().count());
  append(answer, static_cast<std::uint32_t>(message.kind));
  append(answer, message.session);
  answer += kTab;
  append_escaped(answer, message.bytes,
                 [](char byte) { return byte != '\n' && byte != kTab && byte != kRow; });
}

std::optional<LiveMessages> read_messages(std::string_view answer) {
  const auto rows = split(answer, kRow);
  const auto lost = read_number_answer(rows[0], kMessages);
  if (!lost) return std::nullopt;
  LiveMessages messages{.messages = {}, .lost = *lost};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto fields = split(rows[i], kTab);
    if (fields.size() != 4) return std::nullopt;
    const auto time = to_number<std::int64_t>(fields[0]);
    const auto kind = to_number<std::uint8_t>(fields[1]);
    constexpr auto kKindMax = static_cast<std::uint8_t>(observe::MessageKind::Garbled);
    if (!time || !kind || *kind > kKindMax) return std::nullopt;
    messages.messages.push_back({.time = WallTime{std::chrono::nanoseconds{*time}},
                                 .kind = static_cast<observe::MessageKind>(*kind),
                                 .session = std::string{fields[2]},
                                 .bytes = unescaped(fields[3])});
  }
  return messages;
}

std::string latencies_answer(const std::vector<LatencyRow>& rows) {
  std::string answer{kLatency};
  for (const LatencyRow& row : rows) {
    (answer += kRow) += row.what;
    append(answer, row.loop);
    append(answer, row.count);
    for (const auto figure : {row.mean, row.p50, row.p90, row.p99, row.p999, row.highest}) {
      append(answer, static_cast<std::int64_t>(figure.count()));
    }
  }
  return answer;
}

std::optional<std::vector<LatencyRow>> read_latencies(std::string_view answer) {
  const auto rows = split(answer, kRow);
  if (rows[0] != kLatency) return std::nullopt;
  std::vector<LatencyRow> latencies;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto fields = split(rows[i], kTab);
    if (fields.size() != 9) return std::nullopt;
    const auto loop = to_number<std::uint32_t>(fields[1]);
    const auto count = to_number<std::uint64_t>(fields[2]);
    std::array<std::chrono::nanoseconds, 6> figures{};
    for (std::size_t at = 0; at < figures.size(); ++at) {
      const auto nanos = to_number<std::int64_t>(fields[3 + at]);
      if (!nanos) return std::nullopt;
      figures[at] = std::chrono::nanoseconds{*nanos};
    }
    if (!loop || !count) return std::nullopt;
    latencies.push_back({.loop = *loop,
                         .what = std::string{fields[0]},
                         .count = *count,
                         .mean = figures[0],
                         .p50 = figures[1],
                         .p90 = figures[2],
                         .p99 = figures[3],
                         .p999 = figures[4],
                         .highest = figures[5]});
  }
  return latencies;
}

}  // namespace nexusfix::engine
