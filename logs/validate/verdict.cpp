#include "logs/validate/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::command {

std::string verdict_text(const MessagePlace& place, const dictionary::Explanation& wrong) {
  const std::string reason =
      wrong.reason ? fmt::format(" (373={})", std::to_underlying(*wrong.reason)) : "";
  const std::string text = wrong.text();
  const std::size_t first_line = std::min(text.find('\n'), text.size());
  return fmt::format("{}, message {}: {}{}{}", printable(place.file), place.number,
                     text.substr(0, first_line), reason, text.substr(first_line));
}

Json verdict_json(const MessagePlace& place, const printing::DecodedMessage& message,
                  const std::optional<dictionary::Explanation>& wrong) {
  Json json = Json::object({{"file", place.file},
                            {"message", place.number},
                            {"msg_type", message.value(tag::MsgType)},
                            {"msg_seq_num", message.value(tag::MsgSeqNum)},
                            {"valid", !wrong.has_value()}});
  if (wrong) {
    json.set("problem", wrong->problem);
    json.set("tag", wrong->tag != 0 ? Json{wrong->tag} : Json{});
    json.set("reason", wrong->reason ? Json{std::to_underlying(*wrong->reason)} : Json{});
    json.set("offset", wrong->offset);
    json.set("size", wrong->size);
    json.set("definition", wrong->definition);
    json.set("nearest", wrong->nearest);
  }
  return json;
}

}  // namespace nexusfix::command
