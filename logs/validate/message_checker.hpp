// Checks messages against one dictionary, and explains their errors.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/explanation.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

// A dictionary, with the validator and the parser that are built from it once. One thread.
class MessageChecker {
 public:
  // The error is one line.
  [[nodiscard]] static std::expected<std::unique_ptr<MessageChecker>, std::string> make(
      NamedDictionary named, const dictionary::ValidationRules& rules);

  // Returns nothing if the message is valid.
  [[nodiscard]] std::optional<dictionary::Explanation> check(std::string_view bytes);
  // The BeginString that the messages should have.
  [[nodiscard]] std::string_view begin_string() const;
  [[nodiscard]] const dictionary::Validator& validator() const noexcept { return validator_; }
  [[nodiscard]] wire::DataFieldTable data_fields() const;

 private:
  MessageChecker(NamedDictionary named, dictionary::Validator validator);
  [[nodiscard]] static dictionary::FixtDictionaries both(const NamedDictionary& named) {
    return {.transport = named.transport(), .application = named.application()};
  }

  NamedDictionary named_;
  dictionary::Validator validator_;
  wire::Parser parser_;
};

}  // namespace nexusfix::command
