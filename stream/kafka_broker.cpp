// The brokers of Kafka, by librdkafka.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <librdkafka/rdkafka.h>
#include <optional>

#include <nexusfix/base/clock.hpp>

#include "stream/broker.hpp"

namespace nexusfix::stream {
namespace {

// Without an acknowledgement for this time, the brokers count as lost.
constexpr std::chrono::seconds kSilenceMax{10};
constexpr std::size_t kErrorBytes = 512;

struct Setting {
  const char* name;
  const char* value;
};
constexpr Setting kFixed[] = {
    {"enable.idempotence", "true"},
    {"acks", "all"},
    {"message.timeout.ms", "0"},  // a broker may be away for days
};
// A file of settings, and --set, may have others.
constexpr Setting kDefaults[] = {
    {"client.id", "nexusfix-stream"},
    {"partitioner", "murmur2_random"},  // as Java's clients
    {"queue.buffering.max.kbytes", "65536"},
    {"message.max.bytes", "10485760"},
    {"statistics.interval.ms", "5000"},
    {"reconnect.backoff.max.ms", "5000"},
};

class KafkaBroker final : public Broker {
 public:
  KafkaBroker() = default;
  KafkaBroker(const KafkaBroker&) = delete;
  KafkaBroker& operator=(const KafkaBroker&) = delete;
  ~KafkaBroker() override {
    if (kafka_ == nullptr) return;
    is_ending_ = true;
    rd_kafka_purge(
        kafka_, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
    rd_kafka_destroy(kafka_);
  }

  std::expected<void, std::string> open(const BrokerSettings& settings);
  std::expected<Sent, std::string> send(const Outgoing& record) override;
  std::expected<void, std::string> serve(std::chrono::milliseconds wait,
                                         FunctionRef<void(std::uint64_t id)> acknowledged) override;
  std::string fault() const override { return fault_; }
  std::string_view name() const noexcept override { return "the brokers"; }

 private:
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void* self) {
    static_cast<KafkaBroker*>(self)->take(*message);
  }
  static void on_error(rd_kafka_t* kafka, int error, const char* reason, void* self) {
    static_cast<KafkaBroker*>(self)->record_error(kafka, static_cast<rd_kafka_resp_err_t>(error),
                                                  reason);
  }
  static int on_statistics(rd_kafka_t*, char* json, std::size_t size, void* self) {
    static_cast<KafkaBroker*>(self)->read_statistics({json, size});
    return 0;
  }
  // Connections that fail are in on_error(), too.
  static void on_log(const rd_kafka_t*, int, const char*, const char*) {}

  void take(const rd_kafka_message_t& message);
  void record_error(rd_kafka_t* kafka, rd_kafka_resp_err_t error, const char* reason);
  void read_statistics(std::string_view json);
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }

  std::string topic_;
  rd_kafka_t* kafka_ = nullptr;
  SystemClock clock_;
  std::uint64_t in_flight_ = 0;
  MonoTime last_progress_;
  std::optional<FunctionRef<void(std::uint64_t)>> acknowledged_;
  std::string last_reason_;
  std::string fault_;
  std::string final_error_;
  bool is_ending_ = false;
};

std::expected<void, std::string> KafkaBroker::open(const BrokerSettings& settings) {
  topic_ = settings.topic;
  char error[kErrorBytes] = {};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  const auto set = [&](const char* name, const char* value) {
    return rd_kafka_conf_set(conf, name, value, error, sizeof error) == RD_KAFKA_CONF_OK;
  };
  bool is_set = set("bootstrap.servers", settings.brokers.c_str());
  for (const Setting& one : kDefaults) is_set = is_set && set(one.name, one.value);
  for (const auto& [name, value] : settings.others) {
    is_set = is_set && set(name.c_str(), value.c_str());
  }
  for (const Setting& one : kFixed) is_set = is_set && set(one.name, one.value);
  rd_kafka_conf_set_opaque(conf, this);
  rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
  rd_kafka_conf_set_error_cb(conf, on_error);
  rd_kafka_conf_set_stats_cb(conf, on_statistics);
  rd_kafka_conf_set_log_cb(conf, on_log);
  if (is_set) kafka_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (kafka_ == nullptr) {
    rd_kafka_conf_destroy(conf);
    return std::unexpected{std::string{error}};
  }
  last_progress_ = now();
  return {};
}

std::expected<Broker::Sent, std::string> KafkaBroker::send(const Outgoing& record) {
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(record.headers.size());
  for (const Header& one : record.headers) {
    rd_kafka_header_add(headers, one.name.data(), static_cast<ssize_t>(one.name.size()),
                        one.value.data(), static_cast<ssize_t>(one.value.size()));
  }
  void* const opaque = reinterpret_cast<void*>(static_cast<std::uintptr_t>(record.id));
  rd_kafka_vu_t parts[6] = {};
  parts[0].vtype = RD_KAFKA_VTYPE_TOPIC;
  parts[0].u.cstr = topic_.c_str();
  parts[1].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  parts[1].u.i = RD_KAFKA_MSG_F_COPY;
  parts[2].vtype = RD_KAFKA_VTYPE_KEY;
  parts[2].u.mem = {const_cast<char*>(record.key.data()), record.key.size()};
  parts[3].vtype = RD_KAFKA_VTYPE_VALUE;
  parts[3].u.mem = {const_cast<char*>(record.value.data()), record.value.size()};
  parts[4].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[4].u.headers = headers;
  parts[5].vtype = RD_KAFKA_VTYPE_OPAQUE;
  parts[5].u.ptr = opaque;
  rd_kafka_error_t* const refused = rd_kafka_produceva(kafka_, parts, std::size(parts));
  const rd_kafka_resp_err_t error =
      refused == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(refused);
  rd_kafka_error_destroy(refused);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    if (in_flight_++ == 0) last_progress_ = now();
    return Sent::Queued;
  }
  rd_kafka_headers_destroy(headers);
  if (error == RD_KAFKA_RESP_ERR__QUEUE_FULL) return Sent::Full;
  return std::unexpected{fmt::format("topic {}: {} (a record of {} bytes, key {})", topic_,
                                     rd_kafka_err2str(error), record.value.size(), record.key)};
}

std::expected<void, std::string> KafkaBroker::serve(
    std::chrono::milliseconds wait, FunctionRef<void(std::uint64_t id)> acknowledged) {
  acknowledged_ = acknowledged;
  rd_kafka_poll(kafka_, static_cast<int>(wait.count()));
  acknowledged_.reset();
  if (in_flight_ > 0 && fault_.empty() && now() - last_progress_ > kSilenceMax) {
    fault_ = last_reason_.empty() ? "no answer for 10 s" : last_reason_;
  }
  if (!final_error_.empty()) return std::unexpected{final_error_};
  return {};
}

void KafkaBroker::take(const rd_kafka_message_t& message) {
  if (is_ending_) return;
  --in_flight_;
  if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    last_progress_ = now();
    fault_.clear();
    if (acknowledged_) (*acknowledged_)(reinterpret_cast<std::uintptr_t>(message._private));
    return;
  }
  if (!final_error_.empty()) return;
  final_error_ = fmt::format(
      "topic {}: {} (a record of {} bytes, key {})", topic_, rd_kafka_err2str(message.err),
      message.len, std::string_view{static_cast<const char*>(message.key), message.key_len});
}

void KafkaBroker::record_error(rd_kafka_t* kafka, rd_kafka_resp_err_t error, const char* reason) {
  last_reason_ = reason;
  if (error == RD_KAFKA_RESP_ERR__FATAL) {
    char text[kErrorBytes] = {};
    const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(kafka, text, sizeof text);
    if (final_error_.empty()) {
      final_error_ = fmt::format("{}: {}", rd_kafka_err2str(cause), std::string_view{text});
    }
  } else if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    fault_ = last_reason_;
  } else if (error == RD_KAFKA_RESP_ERR__AUTHENTICATION || error == RD_KAFKA_RESP_ERR__SSL) {
    fault_ = last_reason_;
  }
}

void KafkaBroker::read_statistics(std::string_view json) {
  // Nothing waits for an acknowledgement that would show it.
  if (in_flight_ == 0 && json.find(R"("state":"UP")") != json.npos) fault_.clear();
}

}  // namespace

std::expected<std::unique_ptr<Broker>, std::string> open_kafka(const BrokerSettings& settings) {
  auto broker = std::make_unique<KafkaBroker>();
  if (auto opened = broker->open(settings); !opened) return std::unexpected{opened.error()};
  return broker;
}

}  // namespace nexusfix::stream
