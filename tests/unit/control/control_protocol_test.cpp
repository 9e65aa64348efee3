// The lines of the control socket: what is read of them, and what is not.
#include "control/api/control_protocol.hpp"

#include <gtest/gtest.h>
#include <random>

#include "control/api/running_engine.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

std::string fault_of(std::string_view line) {
  const auto read = read_request(line);
  return read ? std::string{} : read.error();
}
bool has_fault(std::string_view line, std::string_view words) {
  const std::string fault = fault_of(line);
  EXPECT_TRUE(fault.ends_with(": nothing was done")) << line << '\n' << fault;
  return fault.find(words) != std::string::npos;
}

const std::vector<ControlRequest>& each_request() {
  static const std::vector<ControlRequest> all{
      LiveNumbers{.session = "S", .expected = {1, 2}, .wanted = {3, UINT64_MAX}, .reason = "why"},
      StatusRequest{.loop = 3, .first = 32},
      OperatorCommand{
          .act = OperatorAct::LogOut, .session = "S", .text = "a \"b\" \\", .reason = "r"},
      OperatorCommand{.act = OperatorAct::Drain, .number = 60, .reason = "r"},
      RoundTripRequest{.session = "S", .id = 7},
      TailRequest{""},
      TailReadRequest{9},
      LatencyRequest{"S"}};
  return all;
}

TEST(ControlProtocol, each_request_is_read_as_it_was_written) {
  for (const ControlRequest& request : each_request()) {
    const std::string line = line_of(request);
    const auto read = read_request(line);
    ASSERT_TRUE(read.has_value()) << line << '\n' << read.error();
    EXPECT_EQ(read->index(), request.index());
    EXPECT_EQ(line_of(*read), line);
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  EXPECT_EQ(line_of(each_request()[0]),
            R"({"version":8,"request":"set-numbers","session":"S","expected":{"in":1,"out":2},)"
            R"("wanted":{"in":3,"out":18446744073709551615},"reason":"why"})");
}

TEST(ControlProtocol, each_act_has_a_request_of_its_name) {
  for (int i = 0; i <= static_cast<int>(OperatorAct::JoinNode); ++i) {
    const auto act = static_cast<OperatorAct>(i);
    const auto read = read_request(
        line_of(OperatorCommand{.act = act, .session = needs_session(act) ? "S" : ""}));
    ASSERT_TRUE(read.has_value()) << to_string(act) << ": " << read.error();
    EXPECT_EQ(std::get<OperatorCommand>(*read).act, act);
  }
}

TEST(ControlProtocol, line_that_is_no_object_is_refused) {
  for (const std::string& line :
       {std::string{}, std::string{"stop"}, std::string{"[]"}, std::string{"8"},
        std::string{"null"}, std::string{"\"stop\""},
        std::string{"{\"version\":8,\"request\":\"stop\""},
        std::string{R"({"version":8,"request":"stop"} {})"}, std::string{R"({"version":8,})"},
        std::string{"{\"version\":8,\"request\":\"st\xff\"}"}, std::string(60'000, '['),
        std::string(60'000, '{')}) {
    EXPECT_TRUE(has_fault(line, "a JSON object on one line")) << line.substr(0, 100);
  }
}

TEST(ControlProtocol, request_of_another_version_or_of_none_is_refused) {
  EXPECT_TRUE(has_fault(R"({"version":7,"request":"stop"})", "request has version 7"));
  EXPECT_TRUE(has_fault(R"({"version":9,"more":1})", "request has version 9"));
  EXPECT_TRUE(has_fault(R"({"request":"stop"})", "version: a number was expected"));
  EXPECT_TRUE(has_fault(R"({"version":"8","request":"stop"})", "version"));
  EXPECT_TRUE(has_fault(R"({"version":8.0,"request":"stop"})", "version"));
}

TEST(ControlProtocol, request_with_a_wrong_or_unknown_member_is_refused_and_named) {
  constexpr std::string_view kBegin = R"({"version":8,"request":)";
  const std::pair<std::string_view, std::string_view> faults[] = {
      {R"("fly"})", "request: a known request"},
      {R"(7})", "request: a text was expected"},
      {R"("stop","session":"S"})", "session: no session was expected"},
      {R"("log-out"})", "session: a session was expected"},
      {R"("log-out","session":7})", "session: a text was expected"},
      {R"("log-out","session":"S","reason":"two\nlines"})", "reason: printable characters"},
      {R"("log-out","session":"S","text":"\u001b"})", "text: printable characters"},
      {R"("send-gap-fill","session":"S","number":-1})", "number: a whole number"},
      {R"("send-gap-fill","session":"S","number":1e3})", "number: a whole number"},
      {R"("send-gap-fill","session":"S","numbr":7})", "numbr: there is no such member"},
      {R"("stop","tail":7})", "tail: there is no such member"},
      {R"("tail-read"})", "tail: a number was expected"},
      {R"("round-trip","session":"S"})", "test_request: a number was expected"},
      {R"("status","loop":4294967296})", "loop: a whole number, not too large"},
      {R"("set-numbers","session":"S","expected":{"in":1,"out":1}})", "wanted: an object"},
      {R"("set-numbers","expected":{"in":1,"out":1},"wanted":{"in":1,"out":1}})",
       "session: a session was expected"}};
  for (const auto& [rest, words] : faults) {
    const std::string line = std::string{kBegin} + std::string{rest};
    EXPECT_TRUE(has_fault(line, words)) << line << '\n' << fault_of(line);
  }
  const auto with_reason = [&](std::size_t bytes) {
    return std::string{kBegin} + R"("stop","reason":")" + std::string(bytes, 'x') + "\"}";
  };
  EXPECT_EQ(fault_of(with_reason(kLiveReasonBytesMax)), "");
  EXPECT_TRUE(has_fault(with_reason(kLiveReasonBytesMax + 1), "at most 1500 bytes were expected"));
}

// No damage is read as another request than one that could have been written.
TEST(ControlProtocol, damaged_requests_are_refused_or_read_whole) {
  std::mt19937 random{7};
  for (int round = 0; round < 20'000; ++round) {
    std::string line = line_of(each_request()[random() % each_request().size()]);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      line[random() % line.size()] = static_cast<char>(random());
    }
    const auto read = read_request(line);
    if (!read) continue;
    const std::string again = line_of(*read);
    const auto twice = read_request(again);
    ASSERT_TRUE(twice.has_value()) << line << '\n' << again << '\n' << twice.error();
    EXPECT_EQ(line_of(*twice), again) << line;
  }
}

template <class Answer>
Answer back(const Answer& answer) {
  const std::string line = line_of(ControlAnswer{answer});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  ControlAnswer read = read_answer(line);
  if (auto* const same = std::get_if<Answer>(&read)) return std::move(*same);
  ADD_FAILURE() << line;
  return {};
}

TEST(ControlProtocol, answers_arrive_as_they_were_given) {
  EXPECT_EQ(back(Refusal{"why \"not\""}).text, "why \"not\"");
  EXPECT_EQ(back(Refusal{"two\nlines"}).text, "two?lines");
  EXPECT_EQ(back(CarriedOut{.result = "what"}).result, "what");
  EXPECT_EQ(back(CarriedOut{}).test_request, std::nullopt);
  EXPECT_EQ(back(CarriedOut{.test_request = 7}).test_request, 7U);
  EXPECT_EQ(back(RoundTripAnswer{}).took, std::nullopt);
  EXPECT_EQ(back(RoundTripAnswer{1'500ns}).took, 1'500ns);
  EXPECT_EQ(back(TailBegun{3}).id, 3U);
  const std::vector<LatencyRow> rows{{.loop = 1,
                                      .what = "w",
                                      .count = 2,
                                      .mean = 3ns,
                                      .p50 = 4ns,
                                      .p90 = 5ns,
                                      .p99 = 6ns,
                                      .p999 = 7ns,
                                      .highest = 8ns}};
  EXPECT_EQ(line_of(ControlAnswer{back(rows)}), line_of(ControlAnswer{rows}));
  EXPECT_EQ(back(rows).at(0).p999, 7ns);
}

TEST(ControlProtocol, status_arrives_as_it_was_given) {
  SessionStatistics session{
      .name = "S", .is_initiator = true, .state = SessionState::StoreFailed, .why = "because"};
  session.logon_changed_at = WallTime{5ns};
  session.in.messages = 6;
  session.next = {.next_inbound = 3, .next_outbound = 4};
  session.garbled = 9;
  const StatusPage page{.status = {.process = 11,
                                   .started = WallTime{12ns},
                                   .loops = 2,
                                   .standby = "waits",
                                   .cluster = "c",
                                   .sessions = {session, SessionStatistics{.name = "T"}}},
                        .next = {.loop = 1, .first = 32}};
  const StatusPage read = back(page);
  EXPECT_EQ(line_of(ControlAnswer{read}), line_of(ControlAnswer{page}));
  ASSERT_EQ(read.status.sessions.size(), 2U);
  EXPECT_EQ(read.status.sessions[0].logon_changed_at, WallTime{5ns});
  EXPECT_EQ(read.status.sessions[0].in.last_at, std::nullopt);
  EXPECT_EQ(read.status.sessions[0].next, session.next);
  EXPECT_EQ(read.status.sessions[0].state, SessionState::StoreFailed);
  EXPECT_EQ(read.status.sessions[0].in.messages, 6U);
  EXPECT_EQ(read.status.sessions[0].garbled, 9U);
  EXPECT_TRUE(read.status.sessions[0].is_initiator);
  EXPECT_EQ(read.next.first, 32U);
}

TEST(ControlProtocol, an_unknown_state_of_a_session_is_an_error) {
  std::string line =
      line_of(ControlAnswer{StatusPage{.status = {.sessions = {{.name = "S"}}}, .next = {}}});
  line.replace(line.find("listening"), 9, "sleeping");
  const ControlAnswer read = read_answer(line);
  ASSERT_TRUE(std::holds_alternative<Refusal>(read));
  EXPECT_THAT(std::get<Refusal>(read).text, ::testing::HasSubstr("state"));
}

TEST(ControlProtocol, any_byte_of_a_message_arrives) {
  std::string bytes{"8=FIX\x01%41%zz\\\"\xc3\xa9"};
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  const observe::LoggedMessage logged{
      .time = {}, .session = "S", .bytes = bytes, .kind = observe::MessageKind::Garbled};
  const LiveMessages sent{
      .messages = {{.time = WallTime{3ns}, .kind = logged.kind, .session = "S", .bytes = bytes}},
      .lost = 3};
  const LiveMessages read = back(sent);
  EXPECT_EQ(read.lost, 3U);
  ASSERT_EQ(read.messages.size(), 1U);
  EXPECT_EQ(read.messages[0].bytes, bytes);
  EXPECT_EQ(read.messages[0].kind, logged.kind);
  EXPECT_EQ(read.messages[0].time, WallTime{3ns});
  EXPECT_LE(line_of(ControlAnswer{sent}).size(), 50 + line_bytes(logged));
}

TEST(ControlProtocol, line_that_is_no_answer_is_an_error_with_the_line) {
  for (const std::string_view line : {"", "done", "{}", R"({"version":8,"messages":7,"lost":0})",
                                      R"({"version":8,"lost":0,"messages":[{"direction":"up"}]})",
                                      R"({"version":8,"sessions":[7],"process":1,"loops":1})"}) {
    const ControlAnswer read = read_answer(line);
    ASSERT_TRUE(std::holds_alternative<Refusal>(read)) << line;
    EXPECT_TRUE(std::get<Refusal>(read).text.starts_with("no answer of an engine: ")) << line;
  }
  const ControlAnswer later = read_answer(R"({"version":9,"done":""})");
  EXPECT_EQ(std::get<Refusal>(later).text,
            "version 8 of the control protocol is spoken here, and the answer has version 9");
}

TEST(ControlProtocol, operator_request_is_a_command_or_sets_numbers) {
  EXPECT_TRUE(read_operator_request(R"({"version":8,"request":"stop"})").has_value());
  EXPECT_FALSE(read_operator_request(R"({"version":8,"request":"status"})").has_value());
  EXPECT_EQ(operator_answer({}), R"({"version":8,"done":""})");
  EXPECT_EQ(operator_answer(std::unexpected{"no"}), R"({"version":8,"error":"no"})");
}

}  // namespace
}  // namespace nexusfix::engine
