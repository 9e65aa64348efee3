// Checks each message against the built-in dictionary of its own version.
#pragma once

#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>

#include "logs/validate/message_checker.hpp"
#include "nexusfix/messages/decoded_message.hpp"

namespace nexusfix::command {

// A dictionary is unpacked, and its validator built, at the first message of its version. One
// thread.
class VersionCheckers {
 public:
  explicit VersionCheckers(const dictionary::ValidationRules& rules = {}) : rules_{rules} {}

  // Nothing: the message is valid. message: decode_message(bytes). The DefaultApplVerID of a Logon
  // counts for the messages after it. The error is one line: the rules do not fit the dictionary.
  [[nodiscard]] std::expected<std::optional<dictionary::Explanation>, std::string> check(
      const printing::DecodedMessage& message, std::string_view bytes);

 private:
  dictionary::ValidationRules rules_;
  // bool: over FIXT
  std::map<std::pair<dictionary::Version, bool>, std::unique_ptr<MessageChecker>> checkers_;
  dictionary::Version default_application_ = dictionary::Version::Fix50Sp2;
};

}  // namespace nexusfix::command
