#include "tester/play/received_message.hpp"

#include <algorithm>
#include <charconv>

#include "tester/script/message_text.hpp"

namespace nexusfix::tester {
namespace {

// FIX TagValue Encoding, "int": leading zeros do not change a number.
std::optional<std::uint64_t> int_value(std::optional<std::string_view> text) {
  std::uint64_t number = 0;
  if (!text) return std::nullopt;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc{} || stop != text->data() + text->size()) return std::nullopt;
  return number;
}

Breach breach(std::string_view tag, std::string_view name, std::string_view is,
              std::string_view must_be) {
  return {std::string{tag}, std::string{name} + " (" + std::string{tag} + ") is " +
                                std::string{is} + ", and must be " + std::string{must_be}};
}

std::optional<Breach> breach_of_frame(std::string_view bytes,
                                      const std::vector<ReceivedField>& fields,
                                      std::string_view begin_string) {
  if (fields.size() < 4 || fields[0].tag != "8" || fields[1].tag != "9" || fields[2].tag != "35") {
    return Breach{fields.empty() ? "" : std::string{fields[0].tag},
                  "BeginString (8), BodyLength (9) and MsgType (35) must come first"};
  }
  if (fields[0].value != begin_string) {
    return breach("8", "BeginString", fields[0].value, begin_string);
  }
  if (fields.back().tag != "10" || bytes.back() != '\x01') {
    return Breach{"10", "CheckSum (10) and SOH must come last"};
  }
  const auto begin = static_cast<std::size_t>(fields[2].tag.data() - bytes.data());
  const auto end = static_cast<std::size_t>(fields.back().tag.data() - bytes.data());
  if (int_value(fields[1].value) != end - begin) {
    return breach("9", "BodyLength", fields[1].value, std::to_string(end - begin));
  }
  const std::string sum = check_sum_field(bytes.substr(0, end));
  const std::string_view digits = std::string_view{sum}.substr(3, 3);
  if (fields.back().value != digits) return breach("10", "CheckSum", fields.back().value, digits);
  return std::nullopt;
}

}  // namespace

std::optional<Breach> breach_of(std::string_view bytes, const Standing& standing) {
  const auto fields = fields_of(bytes);
  if (auto wrong = breach_of_frame(bytes, fields, standing.begin_string)) return wrong;
  const std::string_view sender = value_of(fields, "49").value_or("absent");
  if (sender != standing.sender_comp_id) {
    return breach("49", "SenderCompID", sender, standing.sender_comp_id);
  }
  const std::string_view target = value_of(fields, "56").value_or("absent");
  if (target != standing.target_comp_id) {
    return breach("56", "TargetCompID", target, standing.target_comp_id);
  }
  if (!value_of(fields, "52")) return Breach{"52", "SendingTime (52) is missing"};
  const auto number = value_of(fields, "34");
  if (!int_value(number)) return Breach{"34", "MsgSeqNum (34) is missing or no number"};
  const bool counts = value_of(fields, "43") != "Y" && standing.msg_seq_num != 0;
  if (counts && int_value(number) != standing.msg_seq_num) {
    return breach("34", "MsgSeqNum", *number, std::to_string(standing.msg_seq_num));
  }
  return std::nullopt;
}

std::uint64_t next_after(const std::vector<ReceivedField>& fields, std::uint64_t expected) {
  const bool is_resent = value_of(fields, "43") == "Y";
  if (value_of(fields, "35") == "4") {
    const std::uint64_t next = int_value(value_of(fields, "36")).value_or(expected);
    return is_resent ? std::max(next, expected) : next;
  }
  const auto number = int_value(value_of(fields, "34"));
  return is_resent || !number ? expected : *number + 1;
}

}  // namespace nexusfix::tester
