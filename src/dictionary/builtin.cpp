#include <algorithm>
#include <array>
#include <mutex>

#include <nexusfix/dictionary/builtin.hpp>

#include "dictionary/builtin_rows.hpp"
#include "dictionary/packed.hpp"

namespace nexusfix::dictionary {
namespace {

struct VersionName {
  std::string_view begin_string;
  std::string_view appl_ver_id;  // empty: the version has none
  Version version;
};

// ApplVerID's values: FIX 5.0 SP2, field 1128. FIX.5.0 never stands in a BeginString;
// configurations write the application version so.
constexpr auto kVersionNames = std::to_array<VersionName>({
    {"FIX.4.0", "2", Version::Fix40},
    {"FIX.4.1", "3", Version::Fix41},
    {"FIX.4.2", "4", Version::Fix42},
    {"FIX.4.3", "5", Version::Fix43},
    {"FIX.4.4", "6", Version::Fix44},
    {"FIX.5.0", "7", Version::Fix50},
    {"FIX.5.0SP1", "8", Version::Fix50Sp1},
    {"FIX.5.0SP2", "9", Version::Fix50Sp2},
    {"FIXT.1.1", "", Version::Fixt11},
});
static_assert(kVersionNames.size() == kVersionCount);

std::optional<Version> find(std::string_view VersionName::* member,
                            std::string_view text) noexcept {
  const auto found = std::ranges::find(kVersionNames, text, member);
  if (text.empty() || found == kVersionNames.end()) return std::nullopt;
  return found->version;
}

}  // namespace

std::optional<Version> version_of_begin_string(std::string_view text) noexcept {
  return find(&VersionName::begin_string, text);
}

std::optional<Version> version_of_appl_ver_id(std::string_view text) noexcept {
  return find(&VersionName::appl_ver_id, text);
}

std::string_view to_string(Version version) noexcept {
  return kVersionNames[static_cast<std::size_t>(version)].begin_string;
}

std::string_view appl_ver_id(Version version) noexcept {
  return kVersionNames[static_cast<std::size_t>(version)].appl_ver_id;
}

const Dictionary& builtin_dictionary(Version version) {
  struct Unpacked {
    std::once_flag once;
    const Dictionary* dictionary = nullptr;
  };
  // Never freed: whoever runs while the program ends may still read them.
  static std::array<Unpacked, kVersionCount> unpacked;
  const auto at = static_cast<std::size_t>(version);
  Unpacked& entry = unpacked.at(at);
  std::call_once(entry.once, [&] {
    entry.dictionary = new Dictionary{unpack(kBuiltinPacked[at], kBuiltinRows[at].text)};
  });
  return *entry.dictionary;
}

NameTable builtin_names(Version version) noexcept {
  return NameTable{kBuiltinRows[static_cast<std::size_t>(version)]};
}

}  // namespace nexusfix::dictionary
