// What a script expects of one field of a message.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/received_fields.hpp"

namespace re2 {
class RE2;
}  // namespace re2

namespace nexusfix::tester {

enum class Comparison : std::uint8_t {
  Equal,         // 39=2
  NotEqual,      // 39!=8
  Less,          // 34<10
  LessEqual,     // 34<=10
  Greater,       // 34>10
  GreaterEqual,  // 34>=10
  Pattern,       // 58~too low
  AnyOf,         // 39 in 0,1,2
  Present,       // 58 present
  Absent,        // 58 absent
  Captured,      // 37 as order_id
};

class Condition {
 public:
  // Reads "39!=8" or another form. The error says what was expected.
  [[nodiscard]] static std::expected<Condition, std::string> parse(std::string_view text);

  // Nothing: the message fulfils it. Otherwise what the message has in this field.
  [[nodiscard]] std::optional<std::string> difference(
      const std::vector<ReceivedField>& fields) const;

  [[nodiscard]] const std::string& tag() const noexcept { return tag_; }
  [[nodiscard]] std::uint64_t occurrence() const noexcept { return occurrence_; }
  [[nodiscard]] Comparison comparison() const noexcept { return comparison_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }    // as written
  [[nodiscard]] const std::string& value() const noexcept { return value_; }  // or the name

 private:
  [[nodiscard]] bool is_fulfilled(std::string_view value) const;

  std::string tag_;
  std::uint64_t occurrence_ = 1;
  Comparison comparison_ = Comparison::Equal;
  std::string value_;
  std::shared_ptr<const re2::RE2> pattern_;
  std::string text_;
};

}  // namespace nexusfix::tester
