#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/base/printable_text.hpp>

#include "nexusfix/stream/broker.hpp"

namespace nexusfix::stream {
namespace {

// What the promise of the stream rests on.
constexpr std::array<std::string_view, 7> kFixed{"acks",
                                                 "request.required.acks",
                                                 "bootstrap.servers",
                                                 "enable.idempotence",
                                                 "metadata.broker.list",
                                                 "transactional.id",
                                                 "message.timeout.ms"};

bool is_secret(std::string_view name) {
  return name.find("password") != name.npos || name.find("secret") != name.npos ||
         name == "ssl.key.pem" || name == "sasl.oauthbearer.config";
}

}  // namespace

std::expected<void, std::string> check_setting(std::string_view name, bool is_secret_allowed) {
  if (std::ranges::find(kFixed, name) != kFixed.end()) {
    return std::unexpected{
        fmt::format("{} is set by the stream itself: without its value, messages could be lost or "
                    "repeated, or the brokers are named twice",
                    printable(name))};
  }
  if (!is_secret_allowed && is_secret(name)) {
    return std::unexpected{fmt::format(
        "{} is a secret: every user sees the command line. Write it to a file for --properties",
        printable(name))};
  }
  return {};
}

std::expected<std::vector<std::pair<std::string, std::string>>, std::string> read_settings(
    std::string_view text, bool& has_secret) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find('=');
    if (equals == line.npos || equals == 0) {
      return std::unexpected{fmt::format("line {}: NAME=VALUE was expected", number)};
    }
    const std::string_view name = trimmed(line.substr(0, equals));
    if (auto allowed = check_setting(name, true); !allowed) {
      return std::unexpected{fmt::format("line {}: {}", number, allowed.error())};
    }
    has_secret = has_secret || is_secret(name);
    settings.emplace_back(name, trimmed(line.substr(equals + 1)));
  }
  return settings;
}

}  // namespace nexusfix::stream
