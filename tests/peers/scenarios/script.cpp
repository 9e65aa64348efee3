#include "peers/scenarios/script.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace nexusfix::scenarios {
namespace {

enum class Text : std::uint8_t { None, Allowed, Needed };

struct VerbName {
  std::string_view name;
  Verb verb;
  Text text;
};

// If two names match, the longer one comes first.
constexpr std::array kVerbs{
    VerbName{"let", Verb::Let, Text::Needed},
    VerbName{"setting", Verb::Setting, Text::Needed},
    VerbName{"expect connect", Verb::ExpectConnect, Text::None},
    VerbName{"expect disconnect", Verb::ExpectDisconnect, Text::None},
    VerbName{"expect", Verb::ExpectMessage, Text::Needed},
    VerbName{"send fields", Verb::SendFields, Text::Needed},
    VerbName{"send bytes", Verb::SendBytes, Text::Needed},
    VerbName{"send", Verb::SendMessage, Text::Needed},
    VerbName{"disconnect", Verb::Disconnect, Text::None},
    VerbName{"restart", Verb::Restart, Text::None},
    VerbName{"wait", Verb::Wait, Text::Needed},
    VerbName{"app sends", Verb::ApplicationSends, Text::Needed},
    VerbName{"app logs out", Verb::ApplicationLogsOut, Text::Allowed},
    VerbName{"app logs on", Verb::ApplicationLogsOn, Text::None},
    VerbName{"app logged on", Verb::ApplicationLoggedOn, Text::None},
    VerbName{"app logged out", Verb::ApplicationLoggedOut, Text::None},
    VerbName{"app got", Verb::ApplicationGot, Text::Needed},
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// The text after the word or words; nothing if it does not begin with them.
std::optional<std::string_view> rest_after(std::string_view text, std::string_view words) {
  if (!text.starts_with(words)) return std::nullopt;
  const std::string_view rest = text.substr(words.size());
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  return trim(rest);
}

class Reader {
 public:
  explicit Reader(std::string parts) : parts_{std::move(parts)} { script_.versions.set(); }

  std::expected<Script, std::string> read(const std::string& path) {
    script_.name = std::filesystem::path{path}.stem().string();
    if (!read_file(path, VersionSet{}.set())) return std::unexpected{error_};
    if (script_.lines.empty()) return std::unexpected{script_.name + ": the file is empty"};
    return std::move(script_);
  }

 private:
  bool fail(const std::string& place, std::string_view what) {
    error_ = (place + ": ").append(what);
    return false;
  }

  bool read_file(const std::string& path, VersionSet versions) {
    const std::string name = std::filesystem::path{path}.filename().string();
    std::ifstream file{path};
    if (!file) return fail(path, "cannot be read");
    std::string line;
    for (std::size_t number = 1; std::getline(file, line); ++number) {
      const std::string place = name + ":" + std::to_string(number);
      const std::string_view text = trim(line);
      if (number == 1 && (!text.starts_with("# ") || text.size() < 10)) {
        return fail(place, "the first line must be a comment that names the scenario's source");
      }
      if (text.empty() || text.front() == '#') continue;
      if (!take(place, text, versions)) return false;
    }
    return true;
  }

  bool take(const std::string& place, std::string_view text, VersionSet versions) {
    if (text.front() == '[') {
      const std::size_t end = text.find(']');
      if (end == std::string_view::npos) return fail(place, "\"]\" is missing");
      const auto named = parse_versions(text.substr(1, end - 1));
      if (!named) return fail(place, named.error());
      versions &= *named;
      text = trim(text.substr(end + 1));
    }
    if (const auto named = rest_after(text, "versions")) return restrict(place, *named);
    if (const auto part = rest_after(text, "include")) {
      return read_file(parts_ + "/" + std::string{*part} + ".part", versions);
    }
    for (const VerbName& one : kVerbs) {
      const auto rest = rest_after(text, one.name);
      if (!rest) continue;
      if (rest->empty() && one.text == Text::Needed) {
        return fail(place, "\"" + std::string{one.name} + "\" needs an argument");
      }
      if (!rest->empty() && one.text == Text::None) {
        return fail(place, "\"" + std::string{one.name} + "\" takes no argument");
      }
      script_.lines.push_back({place, std::string{text}, versions, one.verb, std::string{*rest}});
      return true;
    }
    return fail(place, "unknown statement: " + std::string{text});
  }

  bool restrict(const std::string& place, std::string_view named) {
    if (!script_.lines.empty()) return fail(place, "\"versions\" must come first");
    const auto versions = parse_versions(named);
    if (!versions) return fail(place, versions.error());
    script_.versions = *versions;
    return true;
  }

  std::string parts_;
  Script script_;
  std::string error_;
};

}  // namespace

std::expected<Script, std::string> read_script(const std::string& path, const std::string& parts) {
  return Reader{parts}.read(path);
}

}  // namespace nexusfix::scenarios
