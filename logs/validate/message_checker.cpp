#include "logs/validate/message_checker.hpp"

#include <utility>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::command {

std::expected<std::unique_ptr<MessageChecker>, std::string> MessageChecker::make(
    NamedDictionary named, const dictionary::ValidationRules& rules) {
  auto validator = named.has_own_transport()
                       ? dictionary::Validator::make(named.application(), rules)
                       : dictionary::Validator::make(both(named), rules);
  if (!validator) return std::unexpected{named.label() + ": " + validator.error()};
  return std::unique_ptr<MessageChecker>{
      new MessageChecker{std::move(named), std::move(*validator)}};
}

MessageChecker::MessageChecker(NamedDictionary named, dictionary::Validator validator)
    : named_{std::move(named)}, validator_{std::move(validator)}, parser_{data_fields()} {}

wire::DataFieldTable MessageChecker::data_fields() const {
  return dictionary::data_fields(named_.application());
}

std::optional<dictionary::Explanation> MessageChecker::check(std::string_view bytes) {
  const auto message = parser_.parse(bytes);
  if (!message) return dictionary::explain(message.error(), bytes);
  const auto violation = validator_.validate(*message);
  if (!violation) return std::nullopt;
  return named_.has_own_transport()
             ? dictionary::explain(*violation, *message, named_.application())
             : dictionary::explain(*violation, *message, both(named_));
}

std::string_view MessageChecker::begin_string() const {
  const std::string& own = named_.transport().begin_string;
  return own.starts_with("FIX.5") ? dictionary::to_string(dictionary::Version::Fixt11)
                                  : std::string_view{own};
}

}  // namespace nexusfix::command
