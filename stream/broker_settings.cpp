#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "stream/broker.hpp"

namespace nexusfix::stream {
namespace {

// The promise of the stream rests on these: each alias of librdkafka, and the reason.
struct Fixed {
  std::string_view name;
  std::string_view reason;
};
constexpr std::string_view kBrokers = "--kafka names the brokers";
constexpr std::string_view kReplicas =
    "the cursor passes a message only when all replicas in sync have it";
constexpr std::string_view kRepeats =
    "without the idempotent producer, a retry could repeat and reorder messages";
constexpr std::string_view kNoLimit =
    "a message that is dropped after a time or a number of attempts is lost in the middle";
constexpr std::string_view kInFlight =
    "the idempotent producer has its own limit: with more requests, a retry reorders messages";
constexpr std::string_view kTransactions = "the stream uses no transactions: it would never commit";
constexpr std::string_view kReports = "without all delivery reports, the cursor never moves";
constexpr std::array kFixed{
    Fixed{"acks", kReplicas},
    Fixed{"request.required.acks", kReplicas},
    Fixed{"bootstrap.servers", kBrokers},
    Fixed{"metadata.broker.list", kBrokers},
    Fixed{"enable.idempotence", kRepeats},
    Fixed{"enable.gapless.guarantee", "the stream itself ends at a message that cannot be stored"},
    Fixed{"transactional.id", kTransactions},
    Fixed{"transaction.timeout.ms", kTransactions},
    Fixed{"message.timeout.ms", kNoLimit},
    Fixed{"delivery.timeout.ms", kNoLimit},
    Fixed{"message.send.max.retries", kNoLimit},
    Fixed{"retries", kNoLimit},
    Fixed{"max.in.flight", kInFlight},
    Fixed{"max.in.flight.requests.per.connection", kInFlight},
    Fixed{"queuing.strategy", "another order than that of the log makes a consumer drop messages"},
    Fixed{"delivery.report.only.error", kReports},
    Fixed{"enabled_events", kReports},
    Fixed{"log.queue", "no thread reads that queue, so it grows without a limit"},
};

// They keep the records of a key on one partition.
constexpr std::array<std::string_view, 6> kPartitioners{
    "consistent", "consistent_random", "murmur2", "murmur2_random", "fnv1a", "fnv1a_random"};
constexpr std::uint64_t kQueueKbytesMax = 1U << 20U;

// Why the value cannot be used; empty: it can, as far as the stream is concerned.
std::string fault_of(std::string_view name, std::string_view value) {
  if (name == "partitioner" && std::ranges::find(kPartitioners, value) == kPartitioners.end()) {
    return fmt::format(
        "with it, a session can be on several partitions, and a consumer drops messages that come "
        "out of order. Use one of {}",
        fmt::join(kPartitioners, ", "));
  }
  const bool is_kbytes = name == "queue.buffering.max.kbytes";
  if (!is_kbytes && name != "queue.buffering.max.messages") return {};
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || number == 0) {
    return "a number above 0 was expected: the memory of the stream has a limit";
  }
  if (is_kbytes && number > kQueueKbytesMax) {
    return fmt::format("at most {} was expected: the memory of the stream has a limit",
                       kQueueKbytesMax);
  }
  return {};
}

bool is_secret(std::string_view name) {
  return name.find("password") != name.npos || name.find("secret") != name.npos ||
         name == "ssl.key.pem" || name == "sasl.oauthbearer.config";
}

}  // namespace

std::expected<void, std::string> check_setting(std::string_view name, std::string_view value,
                                               bool is_secret_allowed) {
  const auto fixed = std::ranges::find(kFixed, name, &Fixed::name);
  if (fixed != kFixed.end()) {
    return std::unexpected{fmt::format("{} is set by the stream itself: {}", name, fixed->reason)};
  }
  if (const std::string fault = fault_of(name, value); !fault.empty()) {
    return std::unexpected{fmt::format("{}={}: {}", name, printable(value), fault)};
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
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (auto allowed = check_setting(name, value, true); !allowed) {
      return std::unexpected{fmt::format("line {}: {}", number, allowed.error())};
    }
    has_secret = has_secret || is_secret(name);
    settings.emplace_back(name, value);
  }
  return settings;
}

}  // namespace nexusfix::stream
