// The slowest and most obvious parser: the specification of Parser::parse() in code. It shares only
// the names of the errors and the table of data fields with the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::test {

struct ReferenceField {
  std::uint64_t tag = 0;
  std::size_t value_offset = 0;
  std::string value;
};

struct ReferenceFault {
  wire::Fault::Rule rule{};
  std::size_t offset = 0;
  std::string tag_text;
};

struct ReferenceMessage {
  std::optional<wire::GarbledReason> garbled;
  std::vector<ReferenceField> fields;
  std::vector<ReferenceFault> faults;  // all of them

  // Nothing if there is none. Empty values may be ignored.
  [[nodiscard]] const ReferenceFault* first_fault(bool empty_counts) const {
    for (const ReferenceFault& fault : faults) {
      if (empty_counts || fault.rule != wire::Fault::Rule::ValueEmpty) return &fault;
    }
    return nullptr;
  }
};

class ReferenceParser {
 public:
  explicit ReferenceParser(wire::DataFieldTable table, wire::Checks checks = {})
      : table_{std::move(table)}, checks_{checks} {}

  ReferenceMessage parse(const std::string& frame) const {
    ReferenceMessage message;
    message.garbled = envelope_error(frame);
    if (message.garbled) return message;
    const std::size_t body_end = frame.size() - 7;
    std::optional<std::size_t> data_bytes;  // of the data field that must follow next
    for (std::size_t at = 0; at < body_end;) {
      at = read_field(frame, at, body_end, data_bytes, message);
    }
    message.fields.push_back({10, body_end + 3, frame.substr(body_end + 3, 3)});
    return message;
  }

 private:
  static bool all_digits(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }

  // The number, or nothing above 2^31 - 1.
  static std::optional<std::uint64_t> small_number(std::string text) {
    if (!all_digits(text)) return std::nullopt;
    text.erase(0, text.find_first_not_of('0'));
    if (text.size() > 10) return std::nullopt;
    const std::uint64_t value = text.empty() ? 0 : std::stoull(text);
    return value <= 0x7fff'ffff ? std::optional{value} : std::nullopt;
  }

  std::optional<wire::GarbledReason> envelope_error(const std::string& frame) const {
    using wire::GarbledReason;
    const std::size_t first_soh = frame.find('\x01');
    if (frame.substr(0, 2) != "8=" || first_soh == std::string::npos ||
        frame.substr(first_soh + 1, 2) != "9=") {
      return GarbledReason::FirstFieldsOutOfOrder;
    }
    std::string length;
    std::size_t at = first_soh + 3;
    if (checks_.body_length) {
      while (at < frame.size() && frame[at] >= '0' && frame[at] <= '9') length += frame[at++];
      if (!length.empty() && !small_number(length)) return GarbledReason::BodyLengthTooLarge;
      if (length.empty()) return GarbledReason::BodyLengthMalformed;
    } else {
      while (at < frame.size() && frame[at] != '\x01') ++at;
    }
    if (at == frame.size() || frame[at] != '\x01') return GarbledReason::BodyLengthMalformed;
    const std::size_t body_begin = at + 1;
    if (frame.substr(body_begin, 3) != "35=") return GarbledReason::FirstFieldsOutOfOrder;
    if (frame.size() < body_begin + 3 + 1 + 7) return GarbledReason::CheckSumMalformed;
    const std::size_t trailer = frame.size() - 7;
    if (frame[trailer - 1] != '\x01' || frame.substr(trailer, 3) != "10=" ||
        !all_digits(frame.substr(trailer + 3, 3)) || frame.back() != '\x01') {
      return GarbledReason::CheckSumMalformed;
    }
    if (checks_.body_length && *small_number(length) != trailer - body_begin) {
      return GarbledReason::BodyLengthWrong;
    }
    if (!checks_.check_sum) return std::nullopt;
    unsigned sum = 0;
    for (std::size_t i = 0; i < trailer; ++i) sum += static_cast<unsigned char>(frame[i]);
    if (*small_number(frame.substr(trailer + 3, 3)) != sum % 256) {
      return GarbledReason::CheckSumWrong;
    }
    return std::nullopt;
  }

  // Reads the field at `at`, which ends before body_end, and returns where the next one begins.
  std::size_t read_field(const std::string& frame, std::size_t at, std::size_t body_end,
                         std::optional<std::size_t>& data_bytes, ReferenceMessage& message) const {
    using FaultRule = wire::Fault::Rule;
    const std::optional<std::size_t> announced = std::exchange(data_bytes, std::nullopt);
    const std::size_t soh = frame.find('\x01', at);
    const std::string field = frame.substr(at, soh - at);
    const std::size_t equals = field.find('=');
    const std::string tag_text = field.substr(0, equals);
    if (equals == std::string::npos) {
      message.faults.push_back({FaultRule::TagWithoutValue, at, tag_text});
      return soh + 1;
    }
    const auto tag = small_number(tag_text);
    if (!tag || *tag == 0 || tag_text.front() == '0') {
      message.faults.push_back({FaultRule::TagMalformed, at, tag_text});
      return soh + 1;
    }
    const std::size_t value = at + equals + 1;
    const std::size_t end = announced ? value + *announced : soh;
    if (value == end) message.faults.push_back({FaultRule::ValueEmpty, at, tag_text});
    message.fields.push_back({*tag, value, frame.substr(value, end - value)});
    // The value of a data field is bytes, never a length.
    if (!announced) announce(frame, end + 1, body_end, {at, tag_text}, message, data_bytes);
    return end + 1;
  }

  struct Place {
    std::size_t offset;
    std::string tag_text;
  };

  // If the last field is a Length field and its data field follows, notes its size.
  void announce(const std::string& frame, std::size_t next, std::size_t body_end,
                const Place& length_field, ReferenceMessage& message,
                std::optional<std::size_t>& data_bytes) const {
    const auto data_tag = table_.data_tag_for(static_cast<wire::Tag>(message.fields.back().tag));
    if (!data_tag) return;
    const std::string start = std::to_string(*data_tag) + "=";
    if (next >= body_end || frame.substr(next, start.size()) != start) return;
    if (frame.find('\x01', next) < next + start.size()) return;
    const auto length = small_number(message.fields.back().value);
    const std::size_t value = next + start.size();
    if (!length || value + *length >= body_end || frame[value + *length] != '\x01') {
      message.faults.push_back(
          {wire::Fault::Rule::DataLengthWrong, length_field.offset, length_field.tag_text});
      return;
    }
    data_bytes = *length;
  }

  wire::DataFieldTable table_;
  wire::Checks checks_;
};

}  // namespace nexusfix::test
