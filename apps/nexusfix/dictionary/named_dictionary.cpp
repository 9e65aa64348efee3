#include "nexusfix/dictionary/named_dictionary.hpp"

#include <cctype>
#include <utility>

#include <nexusfix/dictionary/load.hpp>

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

NamedDictionary::Opened NamedDictionary::load(Disk& disk, const std::string& path,
                                              dictionary::DictionaryFaults faults) {
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{std::vector{text.error().what()}};
  auto loaded = dictionary::load_dictionary(*text, path, faults);
  if (!loaded) return std::unexpected{loaded.error().all()};
  NamedDictionary named;
  named.label_ = path;
  named.loaded_ = std::make_shared<const Dictionary>(std::move(*loaded));
  named.application_ = named.loaded_.get();
  // A file with a header is a complete dictionary. The messages of a file without one have the
  // header of their version, which is that of FIXT.1.1 from FIX 5.0 on.
  if (!named.application_->header.empty()) {
    named.transport_ = named.application_;
    return named;
  }
  const auto version = dictionary::version_of_begin_string(named.application_->begin_string);
  const bool is_older = version && *version < Version::Fix50;
  named.transport_ = &dictionary::builtin_dictionary(is_older ? *version : Version::Fixt11);
  return named;
}

NamedDictionary::Opened NamedDictionary::open(Disk& disk, const std::string& name,
                                              dictionary::DictionaryFaults faults) {
  if (const auto version = version_of_name(name)) return of(*version);
  auto loaded = load(disk, name, faults);
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
