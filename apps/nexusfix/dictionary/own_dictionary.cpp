#include "nexusfix/dictionary/own_dictionary.hpp"

#include <nexusfix/dictionary.hpp>

namespace nexusfix::command {

std::expected<std::unique_ptr<const dictionary::Dictionary>, std::string> own_dictionary(
    Disk& disk, const std::string& path) {
  if (path.empty()) return nullptr;
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto loaded = dictionary::load_dictionary(*text, path, dictionary::DictionaryFaults::Warn);
  if (loaded) return std::make_unique<const dictionary::Dictionary>(std::move(*loaded));
  std::string errors;
  for (const std::string& error : loaded.error().all()) {
    errors.append(errors.empty() ? "" : "\n").append(error);
  }
  return std::unexpected{std::move(errors)};
}

}  // namespace nexusfix::command
