#include "codegen/generate.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <nexusfix/dictionary.hpp>

#include "codegen/names.hpp"

namespace nexusfix::codegen {
namespace {

using Result = std::expected<void, std::string>;

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);  // npos + 1 is 0
}

// "venue/FIX44.xml" -> "fix44"
std::string default_name_space(std::string_view dictionary) {
  std::string_view stem = file_name(dictionary);
  stem = stem.substr(0, stem.find('.'));
  // A name that our code reserves cannot be a namespace. The caller must choose another one.
  std::string name = is_keyword(stem) ? identifier(stem) : std::string{stem};
  if (identifier(name) != name + '_') name = identifier(name);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return name;
}

// The library's own namespaces. Generated names would mix with theirs.
constexpr auto kTakenNameSpaces = std::to_array<std::string_view>(
    {"base", "command", "deferred", "detail", "dictionary", "engine", "explain", "nexusfix",
     "observe", "printing", "session", "store", "tag", "transport", "wire"});
// Within nexusfix these would hide well-known names, or they are macros of compilers.
constexpr auto kReservedNames =
    std::to_array<std::string_view>({"linux", "std", "unix", "posix", "abi"});

// Keywords of Go and Java that are none of C++.
constexpr auto kPackageKeywords = std::to_array<std::string_view>(
    {"abstract",    "assert",    "boolean",      "byte",   "chan",      "defer",      "extends",
     "fallthrough", "final",     "finally",      "func",   "go",        "implements", "import",
     "instanceof",  "interface", "map",          "native", "package",   "range",      "select",
     "strictfp",    "super",     "synchronized", "throws", "transient", "type",       "var"});

bool is_reserved(std::string_view name) {
  const bool is_the_compilers = name.contains("__") || (name.size() > 1 && name[0] == '_' &&
                                                        name[1] >= 'A' && name[1] <= 'Z');
  return is_the_compilers || std::ranges::find(kReservedNames, name) != kReservedNames.end();
}

Result check_name_space(const std::string& name) {
  if (is_keyword(name)) {
    return std::unexpected{"'" + name + "' is a keyword of C++; choose another namespace"};
  }
  if (is_reserved(name)) {
    return std::unexpected{"'" + name +
                           "' is a name that C++ or compilers reserve; "
                           "choose another namespace"};
  }
  if (std::ranges::find(kTakenNameSpaces, name) != kTakenNameSpaces.end()) {
    return std::unexpected{"nexusfix::" + name + " is the library's own namespace; choose another"};
  }
  if (name != identifier(name)) {
    return std::unexpected{"'" + name +
                           "' is not a valid namespace: use letters, digits and _, "
                           "and begin with a letter or _"};
  }
  return {};
}

// Removes headers of an earlier run that this run has not made.
std::expected<std::size_t, std::string> remove_stale(Disk& disk, const std::string& folder,
                                                     const std::set<std::string>& made) {
  const auto names = disk.list(folder);
  if (!names) return 0;  // there is no such folder
  std::size_t removed = 0;
  for (const std::string& name : *names) {
    const std::string path = folder + '/' + name;
    if (!name.ends_with(".hpp") || made.contains(path)) continue;
    constexpr std::size_t kHeaderBytesMax = 16U << 20U;
    const auto text = read_file(disk, path, kHeaderBytesMax);
    if (!text || text->find(kMadeBy) == text->npos) continue;  // not ours
    if (const auto gone = disk.remove(path); !gone) return std::unexpected{gone.error().what()};
    ++removed;
  }
  return removed;
}

}  // namespace

std::expected<dictionary::Dictionary, std::string> load_file(Disk& disk, const std::string& path) {
  const auto text = read_file(disk, path, dictionary::kDictionaryBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto loaded = dictionary::load_dictionary(*text, path);
  if (loaded) return std::move(*loaded);
  std::string lines;
  for (const std::string& line : loaded.error().all()) lines += (lines.empty() ? "" : "\n") + line;
  return std::unexpected{lines};
}

std::expected<bool, std::string> write_if_different(Disk& disk, const std::string& path,
                                                    std::string_view text) {
  const auto before = read_file(disk, path, text.size());
  if (before && *before == text) return false;
  if (const auto slash = path.rfind('/'); slash != path.npos) {
    const auto made = disk.make_directories(path.substr(0, slash));
    if (!made) return std::unexpected{made.error().what()};
  }
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error().what()};
  const auto written = (*file)->write_at(0, text);
  if (!written) return std::unexpected{written.error().what()};
  const auto cut = (*file)->truncate(text.size());
  if (!cut) return std::unexpected{cut.error().what()};
  return true;
}

std::expected<std::string, std::string> name_space_of(const MessagesJob& job) {
  const bool is_given = !job.name_space.empty();
  std::string name = is_given ? job.name_space : default_name_space(job.dictionary);
  if (const Result good = check_name_space(name); !good) {
    return std::unexpected{is_given ? good.error() : good.error() + " with --namespace"};
  }
  if (std::ranges::find(kPackageKeywords, name) != kPackageKeywords.end() &&
      job.language != Language::Cpp) {
    return std::unexpected{"'" + name + "' is a keyword of Go or Java; choose another name" +
                           (is_given ? "" : " with --namespace")};
  }
  return name;
}

std::expected<Generated, std::string> generate_messages(Disk& disk, const MessagesJob& job) {
  const auto name_space = name_space_of(job);
  if (!name_space) return std::unexpected{name_space.error()};
  const auto loaded = load_file(disk, job.dictionary);
  if (!loaded) return std::unexpected{loaded.error()};
  if (loaded->messages.empty()) {
    return std::unexpected{job.dictionary + ": the dictionary has no message"};
  }

  const bool is_cpp = job.language == Language::Cpp;
  Generated generated{.folder = is_cpp ? job.folder + "/nexusfix/" + *name_space : job.folder,
                      .warnings = loaded->warnings};
  const EmitOptions options{*name_space, std::string{file_name(job.dictionary)}};
  std::set<std::string> made;
  for (const GeneratedFile& file : emit_language(*loaded, job.language, options)) {
    const std::string path = job.folder + '/' + file.path;
    const auto written = write_if_different(disk, path, file.text);
    if (!written) return std::unexpected{written.error()};
    ++generated.headers;
    generated.written += *written ? 1 : 0;
    made.insert(path);
  }
  if (!is_cpp) return generated;
  for (const char* const below : {"", "/enums", "/groups"}) {
    const auto removed = remove_stale(disk, generated.folder + below, made);
    if (!removed) return std::unexpected{removed.error()};
    generated.removed += *removed;
  }
  return generated;
}

}  // namespace nexusfix::codegen
