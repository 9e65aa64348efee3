#include "nexusfix/dictionary/named_dictionary.hpp"

#include <cctype>
#include <utility>

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using dictionary::Version;

// The common part of all spellings: "5.0 SP2", "FIX50SP2" and "FIX.5.0SP2" are 50SP2.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '.' || c == ' ' || c == '_' || c == '-') continue;
    letters += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (letters.starts_with("FIX")) letters.erase(0, 3);
  return letters;
}

bool is_after_4(Version version) {
  return version == Version::Fix50 || version == Version::Fix50Sp1 || version == Version::Fix50Sp2;
}

}  // namespace

std::optional<Version> version_of_name(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const Version version : dictionary::kVersions) {
    if (letters == letters_of(to_string(version))) return version;
  }
  return std::nullopt;
}

std::string version_names() {
  std::string names;
  for (const Version version : dictionary::kVersions) {
    if (!names.empty()) names += ' ';
    names += to_string(version);
  }
  return names;
}

NamedDictionary NamedDictionary::of(Version version) {
  if (is_after_4(version)) return over_fixt(version);
  NamedDictionary named;
  named.label_ = to_string(version);
  named.application_ = &dictionary::builtin_dictionary(version);
  named.transport_ = named.application_;
  return named;
}

NamedDictionary NamedDictionary::over_fixt(Version version) {
  NamedDictionary named;
  named.label_ = to_string(version);
  named.application_ = &dictionary::builtin_dictionary(version);
  named.transport_ = &dictionary::builtin_dictionary(Version::Fixt11);
  return named;
}

// As an engine does for a session.
void complete_session(Dictionary& dictionary) {
  const auto version = dictionary::version_of_begin_string(dictionary.begin_string);
  const bool is_application = version && is_after_4(*version) && dictionary.header.empty();
  if (!version || is_application) return;
  const Version transport = is_after_4(*version) ? Version::Fixt11 : *version;
  dictionary::complete_session(dictionary, dictionary::builtin_dictionary(transport));
}

NamedDictionary::Opened NamedDictionary::load(Disk& disk, const std::string& path,
                                              dictionary::DictionaryFaults faults) {
  auto named = read(disk, path, faults);
  if (!named) return named;
  auto complete = std::make_shared<Dictionary>(named->application());
  complete_session(*complete);
  named->use(std::move(complete));
  return named;
}

NamedDictionary::Opened NamedDictionary::read(Disk& disk, const std::string& path,
                                              dictionary::DictionaryFaults faults) {
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{std::vector{text.error().what()}};
  auto loaded = dictionary::load_dictionary(*text, path, faults);
  if (!loaded) return std::unexpected{loaded.error().all()};
  NamedDictionary named;
  named.label_ = path;
  named.use(std::make_shared<const Dictionary>(std::move(*loaded)));
  return named;
}

// A dictionary with a header is complete. The messages of a file without one have the header of
// their version, which is that of FIXT.1.1 from FIX 5.0 on.
void NamedDictionary::use(std::shared_ptr<const Dictionary> loaded) {
  loaded_ = std::move(loaded);
  application_ = loaded_.get();
  transport_ = application_;
  if (!application_->header.empty()) return;
  const auto version = dictionary::version_of_begin_string(application_->begin_string);
  const bool is_older = version && *version < Version::Fix50;
  transport_ = &dictionary::builtin_dictionary(is_older ? *version : Version::Fixt11);
}

NamedDictionary::Opened NamedDictionary::open(Disk& disk, const std::string& name,
                                              dictionary::DictionaryFaults faults) {
  if (const auto version = version_of_name(name)) return of(*version);
  auto loaded = read(disk, name, faults);
  if (!loaded && name.find_first_of("/.") == name.npos) {
    return std::unexpected{
        std::vector{"'" + name + "' is neither a file nor one of " + version_names()}};
  }
  return loaded;
}

std::vector<const Dictionary*> NamedDictionary::both() const {
  if (has_own_transport()) return {application_};
  return {application_, transport_};
}

}  // namespace nexusfix::command
