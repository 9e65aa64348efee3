#include "engine/validators.hpp"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include <nexusfix/dictionary/builtin.hpp>
#include <nexusfix/dictionary/data_fields.hpp>
#include <nexusfix/dictionary/load.hpp>

namespace nexusfix::engine {
namespace {

class ValidatorMaker {
 public:
  ValidatorMaker(const Settings& settings, Disk& disk) : settings_{settings}, disk_{disk} {}

  [[nodiscard]] std::expected<dictionary::Validator, SettingsError> make(
      const SessionSettings& session) {
    const DictionarySettings& wanted = session.dictionary;
    const auto error = [&](const std::string& text) {
      const std::size_t line = wanted.file.empty() ? session.line : wanted.line;
      return std::unexpected{SettingsError{settings_.file, line, "DataDictionary: " + text}};
    };
    const dictionary::ValidationRules& rules = wanted.rules;
    const Key key{wanted.file, session.session.id.begin_string, rules};
    if (const auto known = validators_.find(key); known != validators_.end()) return known->second;
    const auto dictionary = find(session);
    if (!dictionary) return error(dictionary.error());
    auto validator = dictionary::Validator::make(**dictionary, rules);
    if (!validator) {
      return error((wanted.file.empty() ? "the built-in one of " + (*dictionary)->begin_string
                                        : wanted.file) +
                   ": " + validator.error());
    }
    return validators_.emplace(key, *std::move(validator)).first->second;
  }
  [[nodiscard]] InDictionaries take_found() { return std::move(found_); }

 private:
  using Key = std::tuple<std::string, std::string, dictionary::ValidationRules>;
  using Found = std::expected<const dictionary::Dictionary*, std::string>;

  [[nodiscard]] Found find(const SessionSettings& session) {
    const std::string& begin_string = session.session.id.begin_string;
    const std::string& file = session.dictionary.file;
    if (file.empty()) {
      const auto version = dictionary::version_of_begin_string(begin_string);
      if (version) return &dictionary::builtin_dictionary(*version);
      return std::unexpected{"there is no built-in dictionary of " + begin_string};
    }
    const Found loaded = load(session);
    if (!loaded || (*loaded)->begin_string == begin_string) return loaded;
    return std::unexpected{file + " is a dictionary of " + (*loaded)->begin_string +
                           ", and the session speaks " + begin_string};
  }

  // Sessions with different rules may use the same file.
  [[nodiscard]] Found load(const SessionSettings& session) {
    const std::string& file = session.dictionary.file;
    if (const auto known = files_.find(file); known != files_.end()) return &known->second;
    const DiskResult<std::string> text = read_file(disk_, file, dictionary::kDictionaryBytesMax);
    if (!text) return std::unexpected{"the file cannot be read: " + text.error().what()};
    auto dictionary = dictionary::load_dictionary(*text, file);
    if (!dictionary) return std::unexpected{dictionary.error().what()};
    for (const std::string& warning : dictionary->warnings) {
      found_.warnings.push_back(
          {settings_.file, session.dictionary.line, "DataDictionary: " + warning});
    }
    const wire::DataFieldTable own = dictionary::data_fields(*dictionary);
    for (const wire::DataFieldPair pair : own.pairs()) found_.data_fields.add(pair);
    return &files_.emplace(file, *std::move(dictionary)).first->second;
  }

  const Settings& settings_;
  Disk& disk_;
  std::map<Key, dictionary::Validator> validators_;
  std::map<std::string, dictionary::Dictionary> files_;
  InDictionaries found_;
};

}  // namespace

std::expected<InDictionaries, SettingsError> make_validators(Settings& settings, Disk& disk) {
  ValidatorMaker maker{settings, disk};
  // One for all, as one thread runs them all.
  const auto memory = std::make_shared<dictionary::ValidationMemory>();
  for (SessionSettings& session : settings.sessions) {
    if (!session.dictionary.is_used) continue;
    auto validator = maker.make(session);
    if (!validator) return std::unexpected{std::move(validator.error())};
    session.session.validator = *std::move(validator);
    session.session.validation_memory = memory;
  }
  return maker.take_found();
}

}  // namespace nexusfix::engine
