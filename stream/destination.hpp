// The options of `nexusfix stream` that name the destination.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "stream/broker.hpp"
#include "stream/sinks/http_sink.hpp"
#include "stream/sinks/nats_sink.hpp"

namespace CLI {
class App;
}

namespace nexusfix::stream {

// One thread. Errors are one line.
class Destination {
 public:
  // The options refer to this object.
  void add_options(CLI::App& app);
  // After the options are parsed: there is exactly one destination, and each option is one of it.
  [[nodiscard]] std::expected<void, std::string> check(Disk& disk);
  // "kafka", "stdout", "command", "http", "nats": that of the option, and the default name of a
  // cursor.
  [[nodiscard]] std::string_view name() const noexcept;
  // A record is a line of JSON. Otherwise it has headers, and its value is any bytes.
  [[nodiscard]] bool has_lines() const noexcept;
  // is_object: the value of each record is a JSON object.
  [[nodiscard]] std::expected<std::unique_ptr<Broker>, std::string> open(Disk& disk,
                                                                         bool is_object) const;

 private:
  [[nodiscard]] std::expected<void, std::string> check_kafka(Disk& disk);
  [[nodiscard]] std::expected<void, std::string> check_http(Disk& disk);
  [[nodiscard]] std::expected<void, std::string> check_nats(Disk& disk);

  BrokerSettings kafka_;
  std::vector<std::string> sets_;
  std::string properties_;  // path
  bool is_stdout_ = false;
  std::string command_;
  std::string ack_ = "line";
  HttpSettings http_;
  std::string url_;
  std::string otlp_;
  NatsSettings nats_;
  std::size_t batch_lines_ = 500;
  std::int64_t batch_wait_ms_ = 200;
};

}  // namespace nexusfix::stream
