// Rewrites messages so that others may see them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "logs/anonymise/field_treatments.hpp"
#include "logs/anonymise/pseudonyms.hpp"
#include "logs/fields/message_fields.hpp"
#include "logs/source/log_reader.hpp"

namespace nexusfix::logs {

enum class PriceChoice : std::uint8_t {
  Keep,
  Scale,  // all by one factor of the key, from 0.5 to 2, with the same digits after the point
};

// A decimal times numerator / 1000, rounded half away from zero, with the digits after the point of
// text. text: digits, at most one point, and perhaps a `-` first. Digits above the 30th become 0.
[[nodiscard]] std::string scaled(std::string_view text, std::uint64_t numerator);

// One thread at a time.
class Anonymiser {
 public:
  // treatments must outlive this object.
  Anonymiser(const PseudonymKey& key, FieldTreatments& treatments, PriceChoice prices);

  // Appends "TIME IN : ", of what is known of the two, the new message and a line feed. BodyLength
  // and CheckSum are those of the new message.
  void append(std::string& to, const LogMessage& message);

 private:
  void append_prefix(std::string& to, const LogMessage& message) const;
  void append_field(const MessageField& field, const MessageField* next);
  void append_value(const MessageField& field);

  Pseudonyms pseudonyms_;
  FieldTreatments& treatments_;
  PriceChoice prices_;
  std::uint64_t price_numerator_;
  MessageFields fields_;
  std::string body_;
};

}  // namespace nexusfix::logs
