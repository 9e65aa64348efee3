#include "tester/run/suites.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nexusfix::tester {
namespace {

constexpr std::string_view kParts = "parts";
constexpr std::string_view kPart = ".part";
constexpr std::string_view kEnding = ".scenario";
constexpr std::uint64_t kFileBytesMax = 4U << 20U;

// others: the files beside the script.
std::expected<std::string, std::string> shipped_part(const std::string& name,
                                                     const std::vector<std::string>& others = {}) {
  std::vector<std::string_view> known;
  const auto add = [&](std::string_view file) {
    if (file.ends_with(kPart)) known.push_back(file.substr(0, file.size() - kPart.size()));
  };
  for (const ShippedFile& file : shipped_files()) {
    if (file.suite == kParts && file.name == name + ".part") return std::string{file.text};
    add(file.name);
  }
  std::ranges::for_each(others, add);
  return std::unexpected{name + ".part: there is no such part" + did_you_mean(name, known)};
}

std::expected<std::string, std::string> shipped_part_alone(const std::string& name) {
  return shipped_part(name);
}

// A part of the script's folder, of parts/ in it or beside it, or one that the program has.
PartReader parts_of(Disk& disk, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  return [&disk, folder](const std::string& name) -> std::expected<std::string, std::string> {
    std::vector<std::string> others;
    for (const std::string_view in : {"", "parts/", "../parts/"}) {
      auto text = read_file(disk, folder + std::string{in} + name + ".part", kFileBytesMax);
      if (text) return std::move(*text);
      const std::string path = folder + std::string{in};
      const auto files = disk.list(path.empty() ? "." : path);
      if (files) others.insert(others.end(), files->begin(), files->end());
    }
    return shipped_part(name, others);
  };
}

std::expected<Case, std::string> read_one(const std::string& path, Disk& disk,
                                          const std::set<std::string, std::less<>>& names) {
  const auto text = read_file(disk, path, kFileBytesMax);
  if (!text) return std::unexpected{text.error().what()};
  auto script = parse_script(path, *text, {.parts = parts_of(disk, path), .names = names});
  if (!script) return std::unexpected{script.error()};
  return Case{{}, std::move(*script), nullptr};
}

// The cases that no script has.
std::vector<const LoadCase*> load_cases() {
  std::vector<const LoadCase*> cases;
  for (const auto& suite : {performance_cases(), soak_cases()}) {
    for (const LoadCase& one : suite) cases.push_back(&one);
  }
  return cases;
}

std::expected<Case, std::string> read_load(const LoadCase& load,
                                           const std::set<std::string, std::less<>>& names) {
  const std::string text = "# " + std::string{load.title} + "\nlanguage 1\ninclude definitions\n";
  auto script = parse_script(std::string{load.name} + std::string{kEnding}, text,
                             {.parts = shipped_part_alone, .names = names});
  if (!script) return std::unexpected{script.error()};
  script->versions = load.versions;
  if (load.for_acceptors_alone) script->connects.set();
  return Case{std::string{load.suite}, std::move(*script), &load};
}

std::string no_such(const std::string& what) {
  std::string text = "there is no suite, file or folder \"" + what + "\"";
  const auto names = suite_names();
  const std::string nearest = did_you_mean(what, names);
  text += (nearest.empty() ? "." : nearest) + " Suites:";
  for (const std::string_view name : names) (text += ' ') += name;
  return text;
}

}  // namespace

std::vector<std::string_view> suite_names() {
  std::vector<std::string_view> names;
  for (const ShippedFile& file : shipped_files()) {
    const bool is_known = std::ranges::find(names, file.suite) != names.end();
    if (file.suite != kParts && !is_known) names.push_back(file.suite);
  }
  for (const LoadCase* const load : load_cases()) {
    if (names.back() != load->suite) names.push_back(load->suite);
  }
  return names;
}

std::expected<std::vector<Case>, std::string> read_cases(
    const std::string& what, const std::set<std::string, std::less<>>& names, Disk& disk) {
  std::vector<Case> cases;
  for (const ShippedFile& file : shipped_files()) {
    if (file.suite != what || what == kParts) continue;
    auto script = parse_script(std::string{file.name}, file.text,
                               {.parts = shipped_part_alone, .names = names});
    if (!script) return std::unexpected{script.error()};
    cases.push_back({what, std::move(*script), nullptr});
  }
  for (const LoadCase* const load : load_cases()) {
    if (load->suite != what) continue;
    auto one = read_load(*load, names);
    if (!one) return std::unexpected{one.error()};
    cases.push_back(std::move(*one));
  }
  if (!cases.empty()) return cases;
  const auto files = disk.list(what);
  if (!files) {
    if (!disk.status(what)) return std::unexpected{no_such(what)};
    auto one = read_one(what, disk, names);
    if (!one) return std::unexpected{one.error()};
    cases.push_back(std::move(*one));
    return cases;
  }
  std::vector<std::string> sorted = *files;
  std::ranges::sort(sorted);
  for (const std::string& file : sorted) {
    if (!file.ends_with(kEnding)) continue;
    auto one = read_one(what + "/" + file, disk, names);
    if (!one) return std::unexpected{one.error()};
    cases.push_back(std::move(*one));
  }
  if (cases.empty()) return std::unexpected{what + ": no file in it ends with .scenario"};
  return cases;
}

}  // namespace nexusfix::tester
