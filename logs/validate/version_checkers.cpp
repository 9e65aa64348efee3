#include "logs/validate/version_checkers.hpp"

#include <fmt/format.h>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Explanation;
using dictionary::Version;

Explanation version_unknown(const printing::DecodedMessage& message) {
  Explanation unknown;
  unknown.problem = fmt::format("BeginString (8) is '{}', which is no version of FIX",
                                printable(message.value(tag::BeginString)));
  unknown.nearest = "8= and one of " + version_names() + ", or --version or --dict";
  unknown.tag = tag::BeginString;
  return unknown;
}

}  // namespace

std::expected<std::optional<Explanation>, std::string> VersionCheckers::check(
    const printing::DecodedMessage& message, std::string_view bytes) {
  const auto agreed = dictionary::version_of_appl_ver_id(message.value(tag::DefaultApplVerID));
  if (agreed) default_application_ = *agreed;
  const auto begin_string = dictionary::version_of_begin_string(message.value(tag::BeginString));
  if (!begin_string) return version_unknown(message);
  const bool is_fixt = *begin_string == Version::Fixt11;
  const auto own = dictionary::version_of_appl_ver_id(message.value(tag::ApplVerID));
  const Version version = is_fixt ? own.value_or(default_application_) : *begin_string;
  std::unique_ptr<MessageChecker>& checker = checkers_[{version, is_fixt}];
  if (checker == nullptr) {
    auto made = MessageChecker::make(
        is_fixt ? NamedDictionary::over_fixt(version) : NamedDictionary::of(version), rules_);
    if (!made) return std::unexpected{std::move(made.error())};
    checker = std::move(*made);
  }
  return checker->check(bytes);
}

}  // namespace nexusfix::command
