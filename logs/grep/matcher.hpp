// Decides whether a message fulfils an expression. It looks for bytes that a fulfilling message
// must have, and reads the fields of only those messages.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "logs/fields/message_fields.hpp"
#include "logs/grep/expression.hpp"
#include "logs/messages/message_scanner.hpp"

namespace nexusfix::logs {

class Matcher {
 public:
  explicit Matcher(const Expression& expression);
  // A matcher with this plan, for another thread.
  [[nodiscard]] Matcher copy() const { return Matcher{plan_}; }

  // bytes: one message with SOH after each field. The result is the one of matches_fields(); most
  // messages are decided by their bytes.
  [[nodiscard]] bool matches(std::string_view bytes);
  // For each message of a text, in order: one search may decide about many of them.
  [[nodiscard]] bool matches(const printing::ScannedMessage& message) {
    return (wanted_.empty() || has_wanted(message)) && matches(message.bytes);
  }
  // Decides by the fields alone.
  [[nodiscard]] bool matches_fields(std::string_view bytes);

 private:
  struct Step {
    Expression::Kind kind = Expression::Kind::Comparison;
    Comparison comparison{};
    std::string begin{};  // SOH, the tag and `=`; of a group: of its count field
    std::string whole{};  // that, the value and SOH, if exactly these bytes must occur
    std::vector<Step> parts{};
    wire::Tag count = 0;
    std::vector<wire::Tag> members{};
    bool is_data = false;         // the value of the field may have SOH
    bool is_exact = false;        // a message without data fields is decided by its bytes
    bool is_of_msg_type = false;  // only MsgType counts, which comes before every data field
  };
  // The last search in a text. It has no wanted bytes between these two places.
  struct Search {
    std::uint64_t text_id = 0;
    const char* from = nullptr;
    const char* to = nullptr;
    bool is_found = false;  // and has them there
  };
  using Fields = std::span<const MessageField>;

  explicit Matcher(Step plan) : plan_{std::move(plan)}, wanted_{wanted_by(plan_)} {}
  static Step compile(const Expression& expression);
  static bool is_exact(const Step& step);
  // Bytes that a message must have; empty: none are certain. Of several conditions only the first
  // one counts: the others may need a look at fewer messages.
  static std::string wanted_by(const Step& step);
  [[nodiscard]] bool has_wanted(const printing::ScannedMessage& message);
  // False: the message does not fulfil the step. True: it may.
  static bool may_match(const Step& step, std::string_view bytes);
  static bool may_compare(const Step& step, std::string_view bytes);
  static bool matches(const Step& step, std::string_view bytes, Fields fields);
  static bool compares(const Comparison& comparison, std::string_view bytes, Fields fields);
  static bool matches_group(const Step& step, Fields fields);

  Step plan_;
  std::string wanted_;
  std::vector<Search> searches_;  // by file
  MessageFields fields_;
};

// The matcher of an expression; none of an empty one. The error is for people: it has the wrong
// place underlined.
[[nodiscard]] std::expected<std::optional<Matcher>, std::string> make_matcher(
    std::string_view expression, const command::FieldNames& names);

}  // namespace nexusfix::logs
