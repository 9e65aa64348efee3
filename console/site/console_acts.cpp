#include "console/site/console_acts.hpp"

#include <cstdint>
#include <optional>

#include "base/api/printable_text.hpp"
#include "console/json/json.hpp"

namespace nexusfix::web {
namespace {

constexpr std::size_t kReasonBytesMax = 1'000;  // room for the operator's identity
constexpr std::size_t kTextBytesMax = 255;

std::string text_at(const Json& body, const char* name) {
  const auto found = body.find(name);
  return found != body.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<std::uint64_t> number_at(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::optional<session::Numbers> numbers_at(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_object()) return std::nullopt;
  const auto in = number_at(*found, "in");
  const auto out = number_at(*found, "out");
  if (!in || !out || *in == 0 || *out == 0) return std::nullopt;
  return session::Numbers{.next_inbound = *in, .next_outbound = *out};
}

std::unexpected<std::string> wrong(std::string_view what) {
  return std::unexpected{std::string{what}};
}

}  // namespace

std::expected<Act, std::string> read_act(std::string_view text) {
  const Json body = Json::parse(text, nullptr, false);
  if (!body.is_object()) return wrong("a JSON object was expected");
  const std::string name = text_at(body, "act");
  const std::string session = text_at(body, "session");
  const std::string reason = text_at(body, "reason");
  const std::string sent = text_at(body, "text");
  if (reason.empty() || reason.size() > kReasonBytesMax || printable(reason) != reason) {
    return wrong("a reason of 1 to 1000 printable bytes was expected");
  }
  if (sent.size() > kTextBytesMax || printable(sent) != sent) {
    return wrong("a text of at most 255 printable bytes was expected");
  }
  if (name == "set-numbers") {
    const auto expected = numbers_at(body, "expected");
    const auto wanted = numbers_at(body, "wanted");
    if (session.empty() || !expected || !wanted) {
      return wrong("a session, and its expected and wanted numbers, from 1 on, were expected");
    }
    return engine::LiveNumbers{
        .session = session, .expected = *expected, .wanted = *wanted, .reason = reason};
  }
  const auto act = engine::operator_act_of(name);
  if (!act) return wrong("there is no such act");
  if (engine::needs_session(*act) == session.empty()) {
    return wrong(session.empty() ? "a session was expected" : "no session was expected");
  }
  return engine::OperatorCommand{.act = *act,
                                 .session = session,
                                 .text = sent,
                                 .number = number_at(body, "number").value_or(0),
                                 .reason = reason};
}

}  // namespace nexusfix::web
