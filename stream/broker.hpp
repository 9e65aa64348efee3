// Where a stream sends its records. Each destination is an implementation in a file of its own.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix::stream {

struct Header {
  std::string_view name;  // static lifetime
  std::string value;
};

// One record for the destination.
struct Outgoing {
  std::uint64_t id = 0;  // that acknowledged() gets
  std::string key;       // the session: its records stay in order
  std::vector<Header> headers;
  std::string value;
};

struct BrokerSettings {
  std::string brokers;  // "host:9092,host2:9092"
  std::string topic;
  // In the order in which they are set. Checked by check_setting().
  std::vector<std::pair<std::string, std::string>> others;
};

// One thread. Records are stored in the order in which they were sent.
class Broker {
 public:
  enum class Sent : std::uint8_t {
    Queued,  // it will be acknowledged, or serve() returns an error
    Full,    // the queue is at its limit; nothing was queued
  };
  virtual ~Broker() = default;
  // Does not wait. The error is one line, and final.
  [[nodiscard]] virtual std::expected<Sent, std::string> send(const Outgoing& record) = 0;
  // Waits for events up to this time, and passes what the destination has acknowledged. The error
  // is one line and final: a record can never be stored.
  [[nodiscard]] virtual std::expected<void, std::string> serve(
      std::chrono::milliseconds wait, FunctionRef<void(std::uint64_t id)> acknowledged) = 0;
  // Why the destination does not answer at the moment; empty: it does, as far as is known.
  [[nodiscard]] virtual std::string fault() const = 0;
  // In events: "the brokers", "the command". Static lifetime.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  // send() is not called any more: what waits for a full batch leaves now.
  virtual void finish() {}
};

// Whether a setting may be given; the error says why not. is_secret_allowed: it does not stand on a
// command line, where every user of the machine can read it.
[[nodiscard]] std::expected<void, std::string> check_setting(std::string_view name,
                                                             std::string_view value,
                                                             bool is_secret_allowed);
// Lines of NAME=VALUE, empty lines, and lines that begin with #. The error names the line.
// has_secret is set if one of them is a secret.
[[nodiscard]] std::expected<std::vector<std::pair<std::string, std::string>>, std::string>
read_settings(std::string_view text, bool& has_secret);

using OpenBroker =
    std::expected<std::unique_ptr<Broker>, std::string> (*)(const BrokerSettings& settings);
// By librdkafka. Only in a program that was built with NEXUSFIX_KAFKA. The error is one line: a
// setting that librdkafka does not take.
[[nodiscard]] std::expected<std::unique_ptr<Broker>, std::string> open_kafka(
    const BrokerSettings& settings);

}  // namespace nexusfix::stream
