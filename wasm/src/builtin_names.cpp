// The names of the built-in dictionaries, made at their first use. The rows that the core has are
// half of a module's size, and the dictionaries have the same names.
#include <array>
#include <cstddef>
#include <memory>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {

NameTable builtin_names(Version version) noexcept {
  static std::array<std::unique_ptr<const LoadedNames>, kVersions.size()> names;
  std::unique_ptr<const LoadedNames>& made = names[static_cast<std::size_t>(version)];
  if (made == nullptr) made = std::make_unique<LoadedNames>(builtin_dictionary(version));
  return made->table();
}

}  // namespace nexusfix::dictionary
