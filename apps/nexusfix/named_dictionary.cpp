#include "nexusfix/named_dictionary.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <nexusfix/dictionary/load.hpp>

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using dictionary::Version;

struct VersionName {
  Version version;
  std::string_view name;
  std::string_view letters;  // what stays of any spelling
};

constexpr std::array kVersions{VersionName{Version::Fix40, "FIX.4.0", "40"},
                               VersionName{Version::Fix41, "FIX.4.1", "41"},
                               VersionName{Version::Fix42, "FIX.4.2", "42"},
                               VersionName{Version::Fix43, "FIX.4.3", "43"},
                               VersionName{Version::Fix44, "FIX.4.4", "44"},
                               VersionName{Version::Fix50, "FIX.5.0", "50"},
                               VersionName{Version::Fix50Sp1, "FIX.5.0SP1", "50SP1"},
                               VersionName{Version::Fix50Sp2, "FIX.5.0SP2", "50SP2"},
                               VersionName{Version::Fixt11, "FIXT.1.1", "T11"}};

bool is_after_4(Version version) {
  return version == Version::Fix50 || version == Version::Fix50Sp1 || version == Version::Fix50Sp2;
}

}  // namespace

std::optional<Version> version_of_name(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c == '/') return std::nullopt;  // of a path
    if (c == '.' || c == ' ' || c == '_' || c == '-') continue;
    letters += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (letters.starts_with("FIX")) letters.erase(0, 3);
  const auto found = std::ranges::find(kVersions, letters, &VersionName::letters);
  if (found == kVersions.end()) return std::nullopt;
  return found->version;
}

std::string_view name_of(Version version) noexcept {
  return std::ranges::find(kVersions, version, &VersionName::version)->name;
}

std::string version_names() {
  std::string names;
  for (const VersionName& version : kVersions) {
    if (!names.empty()) names += ' ';
    names += version.name;
  }
  return names;
}

NamedDictionary NamedDictionary::of(Version version) {
  if (is_after_4(version)) return over_fixt(version);
  NamedDictionary named;
  named.label_ = name_of(version);
  named.application_ = &dictionary::builtin_dictionary(version);
  named.transport_ = named.application_;
  return named;
}

NamedDictionary NamedDictionary::over_fixt(Version version) {
  NamedDictionary named;
  named.label_ = name_of(version);
  named.application_ = &dictionary::builtin_dictionary(version);
  named.transport_ = &dictionary::builtin_dictionary(Version::Fixt11);
  return named;
}

std::expected<NamedDictionary, std::string> NamedDictionary::load(Disk& disk,
                                                                  const std::string& path) {
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto loaded = dictionary::load_dictionary(*text, path);
  if (!loaded) return std::unexpected{loaded.error().what()};
  NamedDictionary named;
  named.label_ = path;
  named.loaded_ = std::make_shared<const Dictionary>(std::move(*loaded));
  named.application_ = named.loaded_.get();
  // Whoever wrote a whole dictionary of FIX 5.0 put a header into it.
  const bool is_whole = !named.application_->header.empty();
  named.transport_ =
      is_whole ? named.application_ : &dictionary::builtin_dictionary(Version::Fixt11);
  return named;
}

std::expected<NamedDictionary, std::string> NamedDictionary::open(Disk& disk,
                                                                  const std::string& name) {
  if (const auto version = version_of_name(name)) return of(*version);
  auto loaded = load(disk, name);
  if (!loaded && name.find_first_of("/.") == name.npos) {
    return std::unexpected{"'" + name + "' is neither a file nor one of " + version_names()};
  }
  return loaded;
}

std::vector<const Dictionary*> NamedDictionary::both() const {
  if (has_own_transport()) return {application_};
  return {application_, transport_};
}

}  // namespace nexusfix::command
