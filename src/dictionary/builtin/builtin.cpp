#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <string_view>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/field.hpp>

#include "dictionary/builtin/builtin_rows.hpp"
#include "dictionary/builtin/packed.hpp"

namespace nexusfix::dictionary {
namespace {

// The application versions in Version's order, and the transport after them. No BeginString is
// FIX.5.0; configurations name the application version so.
constexpr std::string_view kTransport = "FIXT.1.1";
static_assert(wire::kApplicationVersions.size() == static_cast<std::size_t>(Version::Fixt11));
static_assert(wire::kApplicationVersions[static_cast<std::size_t>(Version::Fix44)] == "FIX.4.4");

Dictionary unpack_builtin(std::size_t version) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < version; ++i) begin += kBuiltinPacked.sizes[i];
  return unpack(kBuiltinPacked.packed.substr(begin), kBuiltinPacked.text);
}

}  // namespace

std::string_view to_string(Version version) noexcept {
  return version == Version::Fixt11 ? kTransport
                                    : wire::kApplicationVersions[static_cast<std::size_t>(version)];
}

std::optional<Version> version_of_begin_string(std::string_view text) noexcept {
  if (text == kTransport) return Version::Fixt11;
  const auto& versions = wire::kApplicationVersions;
  const auto found = std::ranges::find(versions, text);
  if (found == versions.end()) return std::nullopt;
  return static_cast<Version>(found - versions.begin());
}

std::optional<Version> version_of_appl_ver_id(std::string_view text) noexcept {
  return version_of_begin_string(wire::application_version(text));
}

const Dictionary& builtin_dictionary(Version version) {
  struct Unpacked {
    std::once_flag once;
    const Dictionary* dictionary = nullptr;
  };
  // Never freed, because other threads may still read them while the program ends.
  static std::array<Unpacked, kVersionCount> unpacked;
  const auto at = static_cast<std::size_t>(version);
  Unpacked& entry = unpacked.at(at);
  std::call_once(entry.once, [&] { entry.dictionary = new Dictionary{unpack_builtin(at)}; });
  return *entry.dictionary;
}

NameTable builtin_names(Version version) noexcept {
  return NameTable{kBuiltinRows[static_cast<std::size_t>(version)]};
}

}  // namespace nexusfix::dictionary
