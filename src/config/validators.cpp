#include "config/api/validators.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/typed.hpp>

#include "base/api/ascii.hpp"
#include "base/api/full_path.hpp"

namespace nexusfix::config {
namespace {

using dictionary::Dictionary;
using dictionary::Validator;

// A dictionary that a session needs: a file, or the built-in one.
struct Wanted {
  std::string version;  // "FIX.4.4", "FIX.5.0SP2"
  std::string file;     // empty: the built-in one
  std::size_t line = 0;
  std::string_view key;      // of the configuration
  bool has_version = false;  // the key is AppDataDictionary.<version>
  dictionary::DictionaryFaults faults = dictionary::DictionaryFaults::Refuse;
};

// QuickFIX/J finds these names on its class path, in its own archive.
struct StandardFile {
  std::string_view name;
  dictionary::Version version;
};
constexpr StandardFile kStandardFiles[] = {{"FIX40.xml", dictionary::Version::Fix40},
                                           {"FIX41.xml", dictionary::Version::Fix41},
                                           {"FIX42.xml", dictionary::Version::Fix42},
                                           {"FIX43.xml", dictionary::Version::Fix43},
                                           {"FIX44.xml", dictionary::Version::Fix44},
                                           {"FIX50.xml", dictionary::Version::Fix50},
                                           {"FIX50SP1.xml", dictionary::Version::Fix50Sp1},
                                           {"FIX50SP2.xml", dictionary::Version::Fix50Sp2},
                                           {"FIXT11.xml", dictionary::Version::Fixt11}};

// Null: no standard dictionary has this name.
const StandardFile* standard_file(std::string_view name) {
  const auto place = std::ranges::find(kStandardFiles, name, &StandardFile::name);
  return place == std::end(kStandardFiles) ? nullptr : &*place;
}

std::string version_of(const Dictionary& dictionary) {
  const unsigned pack = dictionary.service_pack;
  return dictionary.begin_string + (pack == 0 ? std::string{} : "SP" + std::to_string(pack));
}

bool has_logon(const Dictionary& dictionary) { return dictionary.message("A") != nullptr; }

bool has_application_message(const Dictionary& dictionary) {
  return !std::ranges::all_of(dictionary.messages, &dictionary::MessageDefinition::admin);
}

// Null: there is no built-in one.
const Dictionary* standard_of(const std::string& version) {
  const auto known = dictionary::version_of_begin_string(version);
  return known ? &dictionary::builtin_dictionary(*known) : nullptr;
}

class ValidatorMaker {
 public:
  using Made = std::expected<Validator, SettingsErrors>;

  ValidatorMaker(const Settings& settings, Disk& disk) : settings_{settings}, disk_{disk} {}

  // transport: the same as application, except on a FIXT session.
  [[nodiscard]] Made make(const Wanted& transport, const Wanted& application,
                          const dictionary::ValidationRules& rules) {
    warn_if_absent(transport);
    warn_if_absent(application);
    const Key key{transport.version, transport.file,   application.version,
                  application.file,  transport.faults, rules};
    if (const auto known = validators_.find(key); known != validators_.end()) return known->second;
    const Found first = find(transport, has_logon, "Logon (A)");
    if (!first) return errors(transport, first.error());
    const Found second = &application == &transport
                             ? first
                             : find(application, has_application_message, "application message");
    if (!second) return errors(application, second.error());
    const Dictionary& complete = completed(transport, **first);
    const bool is_one = *second == *first;
    auto validator = Validator::make(
        dictionary::FixtDictionaries{complete, is_one ? complete : **second}, rules);
    if (!validator) {
      const bool is_built_in = application.file.empty();
      const std::string name =
          is_built_in ? "the built-in one of " + application.version : application.file;
      return errors(application, {name + ": " + validator.error()});
    }
    return validators_.emplace(key, *std::move(validator)).first->second;
  }
  [[nodiscard]] InDictionaries consume_found() {
    for (SettingsError& warning : found_.warnings) {
      const std::set<std::size_t>& lines = lines_of_.at({warning.text, warning.is_note});
      warning.line = *lines.begin();
      warning.text += others_text(lines);
    }
    std::multimap<std::size_t, SettingsError> by_line;
    for (SettingsError& warning : found_.warnings) {
      const std::size_t line = warning.line;
      by_line.emplace(line, std::move(warning));
    }
    found_.warnings.clear();
    for (auto& [line, warning] : by_line) found_.warnings.push_back(std::move(warning));
    return std::move(found_);
  }

 private:
  using Faults = dictionary::DictionaryFaults;
  // Version and file of the transport and of the application: a file of FIX.4.4 serves as both or
  // as one of them.
  using Key = std::tuple<std::string, std::string, std::string, std::string, Faults,
                         dictionary::ValidationRules>;
  // The error has all faults.
  using Found = std::expected<const Dictionary*, std::vector<std::string>>;

  [[nodiscard]] std::unexpected<SettingsErrors> errors(
      const Wanted& wanted, const std::vector<std::string>& texts) const {
    SettingsErrors errors;
    for (const std::string& text : texts) {
      errors.push_back({settings_.file, wanted.line, key_of(wanted) + ": " + text});
    }
    return std::unexpected{std::move(errors)};
  }

  // has_it: what a dictionary of another version must have to be used nevertheless.
  [[nodiscard]] Found find(const Wanted& wanted, bool (*has_it)(const Dictionary&),
                           std::string_view what) {
    if (wanted.file.empty()) {
      if (const Dictionary* const standard = standard_of(wanted.version)) return standard;
      return std::unexpected{std::vector{"there is no built-in dictionary of " + wanted.version}};
    }
    const Found loaded = load(wanted);
    if (!loaded || version_of(**loaded) == wanted.version) return loaded;
    const std::string text = wanted.file + " is a dictionary of " + version_of(**loaded) +
                             ", and the session speaks " + wanted.version;
    if (!has_it(**loaded)) {
      return std::unexpected{std::vector{text + ": the file has no " + std::string{what}}};
    }
    warn_of_version(wanted, text);
    return loaded;
  }

  // A file that has application messages only serves as a session's dictionary, too.
  [[nodiscard]] const Dictionary& completed(const Wanted& wanted, const Dictionary& dictionary) {
    const Dictionary* const standard = standard_of(wanted.version);
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): a cache of the maker owns it.
    if (wanted.file.empty() || standard == nullptr) return dictionary;
    const auto [place, is_new] = completed_.try_emplace({&dictionary, standard});
    if (is_new) {
      place->second.dictionary = dictionary;
      for (const std::string& name :
           dictionary::complete_session(place->second.dictionary, *standard)) {
        place->second.messages += (place->second.messages.empty() ? "" : ", ") + name;
      }
    }
    const std::string standard_name = "the built-in dictionary of " + wanted.version;
    if (dictionary.header.empty()) {
      warn(wanted, wanted.file + " has no header: that of " + standard_name + " is used", true);
    }
    if (const std::string& messages = place->second.messages; !messages.empty()) {
      warn(wanted, wanted.file + " has no " + messages + ": of " + standard_name, true);
    }
    return place->second.dictionary;
  }

  // The files of a FIXT.1.1 session often name another version: that of their transport, or one
  // without the service pack. For an older session it is more likely to be an error.
  void warn_of_version(const Wanted& wanted, const std::string& text) {
    warn(wanted, text + ": used nevertheless", wanted.key != "DataDictionary");
  }

  // Sessions with different rules may use the same file.
  [[nodiscard]] Found load(const Wanted& wanted) {
    const std::string& file = wanted.file;
    const std::pair key{file, wanted.faults};
    if (const auto known = files_.find(key); known != files_.end()) return &known->second;
    const DiskResult<std::string> text =
        read_regular_file(disk_, file, dictionary::kDictionaryBytesMax);
    if (!text) return instead_of(wanted, text.error());
    auto dictionary = dictionary::load_dictionary(*text, file, wanted.faults);
    if (!dictionary) return std::unexpected{dictionary.error().all()};
    // Without Warn these are notes, not warnings: the files of QuickFIX and QuickFIX/J have some of
    // these faults, and a QuickFIX configuration must start without warnings.
    const bool is_note = wanted.faults == Faults::Refuse;
    for (const std::string& warning : dictionary->warnings) warn(wanted, warning, is_note);
    const wire::DataFieldTable own = dictionary::data_fields(*dictionary);
    for (const wire::DataFieldTable::Pair pair : own.pairs()) found_.data_fields.add(pair);
    return &files_.emplace(key, *std::move(dictionary)).first->second;
  }

  // A name without a path may be one of QuickFIX/J's class path. A path names a file that was
  // expected to exist, and that may differ from the standard.
  [[nodiscard]] Found instead_of(const Wanted& wanted, const DiskError& error) {
    const StandardFile* const standard = standard_file(wanted.file);
    if (standard != nullptr && error.error_number == ENOENT) {
      absent_[wanted.file] = standard->version;
      warn_if_absent(wanted);
      return &dictionary::builtin_dictionary(standard->version);
    }
    const std::string_view path = wanted.file;
    const StandardFile* const meant = standard_file(path.substr(path.find_last_of("/\\") + 1));
    const bool is_of_windows = path.contains('\\') && !path.contains('/');
    const std::string hint = meant == nullptr
                                 ? std::string{}
                                 : "; without the key, or with " + std::string{meant->name} +
                                       " alone, the built-in dictionary is used";
    return std::unexpected{std::vector{"the file cannot be read: " + error.what() +
                                       (is_of_windows ? "; folders are separated by / here" : "") +
                                       hint}};
  }

  // AppDataDictionary and AppDataDictionary.<version> mean the same for the default version: the
  // line of the file shows which of them was used.
  [[nodiscard]] std::string key_of(const Wanted& wanted) const {
    std::string key{wanted.key};
    const auto has_key = [&](std::string_view name) {
      std::string_view rest = settings_.text;
      for (std::size_t line = 1; line < wanted.line && !rest.empty(); ++line) {
        rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
      }
      const std::string_view text = trimmed(rest.substr(0, rest.find('\n')));
      return equals_ignoring_case(text.substr(0, name.size()), name);
    };
    const bool has_version = wanted.has_version || has_key(key + ".");
    return has_version && !wanted.file.empty() ? key + "." + wanted.version : key;
  }

  // Warns for each line that names the file, also if another session has made the validator.
  void warn_if_absent(const Wanted& wanted) {
    const auto absent = absent_.find(wanted.file);
    if (absent == absent_.end()) return;
    warn(wanted,
         wanted.file + " is not there: the built-in dictionary of " +
             std::string{to_string(absent->second)} + " is used",
         true);
  }

  // Equal texts of many lines become one warning with their number.
  void warn(const Wanted& wanted, const std::string& text, bool is_note = false) {
    SettingsError warning{settings_.file, wanted.line, key_of(wanted) + ": " + text, is_note};
    std::set<std::size_t>& lines = lines_of_[{warning.text, is_note}];
    if (lines.empty()) found_.warnings.push_back(std::move(warning));
    lines.insert(wanted.line);
  }

  const Settings& settings_;
  Disk& disk_;
  std::map<Key, Validator> validators_;
  std::map<std::pair<std::string, Faults>, Dictionary> files_;
  struct Completed {
    Dictionary dictionary;
    std::string messages;  // that the standard has added
  };
  std::map<std::pair<const Dictionary*, const Dictionary*>, Completed> completed_;  // by a standard
  // Built-in dictionaries that replace absent files.
  std::map<std::string, dictionary::Version> absent_;
  InDictionaries found_;
  // The lines of the configuration, by the text and whether it is a note.
  std::map<std::pair<std::string, bool>, std::set<std::size_t>> lines_of_;
};

Wanted application_of(const SessionSettings& session, char appl_ver_id) {
  Wanted wanted{std::string{wire::application_version({&appl_ver_id, 1})},
                {},
                session.line,
                "AppDataDictionary",
                false,
                session.dictionary.faults};
  const auto& files = session.dictionary.applications;
  if (const auto given = files.find(appl_ver_id); given != files.end()) {
    wanted.file = given->second.path;
    wanted.line = given->second.line;
    wanted.has_version =
        wire::known_appl_ver_id(session.session.fixt.default_appl_ver_id) != appl_ver_id;
  }
  return wanted;
}

// Makes validators of all versions, because a counterparty may name any of them in its Logon or in
// a message. All built-in ones together take 40 ms and 3 MB for each engine.
std::expected<void, SettingsErrors> make_fixt(ValidatorMaker& maker, SessionSettings& settings,
                                              const Wanted& transport) {
  session::SessionConfig& config = settings.session;
  for (char version = '2'; version <= '9'; ++version) {
    const bool is_default = wire::known_appl_ver_id(config.fixt.default_appl_ver_id) == version;
    auto made = maker.make(transport, application_of(settings, version), settings.dictionary.rules);
    if (!made) return std::unexpected{std::move(made.error())};
    if (is_default) config.validation.validator = *made;
    config.validation.application_validators.push_back({version, *std::move(made)});
  }
  return {};
}

}  // namespace

std::expected<InDictionaries, SettingsErrors> make_validators(Settings& settings, Disk& disk) {
  ValidatorMaker maker{settings, disk};
  SettingsErrors errors;
  const auto note = [&](SettingsErrors found) {
    for (SettingsError& error : found) {
      const bool is_known = std::ranges::any_of(errors, [&](const SettingsError& other) {
        return other.line == error.line && other.text == error.text;
      });
      if (!is_known) errors.push_back(std::move(error));
    }
  };
  // One for all sessions, because one thread runs them all.
  const auto memory =
      FullPathOnly::is_on() ? nullptr : std::make_shared<dictionary::ValidationMemory>();
  for (SessionSettings& session : settings.sessions) {
    const DictionarySettings& given = session.dictionary;
    if (!given.is_used) continue;
    session::SessionConfig& config = session.session;
    const bool is_fixt = !config.fixt.default_appl_ver_id.empty();
    config.validation.memory = memory;
    const Wanted wanted{config.id.begin_string,
                        given.file,
                        given.file.empty() ? session.line : given.line,
                        is_fixt ? "TransportDataDictionary" : "DataDictionary",
                        false,
                        given.faults};
    if (is_fixt) {
      if (auto made = make_fixt(maker, session, wanted); !made) note(std::move(made.error()));
      continue;
    }
    auto made = maker.make(wanted, wanted, given.rules);
    if (made) {
      config.validation.validator = *std::move(made);
    } else {
      note(std::move(made.error()));
    }
  }
  if (!errors.empty()) return std::unexpected{std::move(errors)};
  return maker.consume_found();
}

}  // namespace nexusfix::config
