#include "stream/sinks/nats_sink.hpp"

#include <algorithm>
#include <charconv>
#include <deque>
#include <fmt/format.h>
#include <nats/nats.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"
#include "stream/sinks/back_off.hpp"
#include "stream/sinks/http_sink.hpp"
#include "stream/sinks/json_line.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
using Acknowledged = FunctionRef<void(std::uint64_t id)>;
using Result = std::expected<void, std::string>;
using Failed = std::unexpected<std::string>;

constexpr auto kAnswerMax = 10s;
constexpr std::int64_t kConnectMillis = 2'000;
constexpr std::size_t kInFlightMax = 256;
constexpr std::size_t kRecordsMax = 20'000;
constexpr std::size_t kBytesMax = 16U << 20U;
constexpr int kTooLarge = 10'054;  // JSStreamMessageExceedsMaximumErr

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const {
    Destroy(object);
  }
};
using Options = std::unique_ptr<natsOptions, Destroyer<natsOptions_Destroy>>;
using Connection = std::unique_ptr<natsConnection, Destroyer<natsConnection_Destroy>>;
using Subscription = std::unique_ptr<natsSubscription, Destroyer<natsSubscription_Destroy>>;
using Message = std::unique_ptr<natsMsg, Destroyer<natsMsg_Destroy>>;

std::expected<Options, std::string> make_options(const NatsSettings& settings,
                                                 const std::string& token) {
  natsOptions* made = nullptr;
  natsStatus status = natsOptions_Create(&made);
  Options options{made};
  std::vector<const char*> servers;
  std::string all = settings.servers;
  std::ranges::replace(all, ',', '\0');
  for (std::size_t at = 0; at < all.size(); at += std::string_view{all.data() + at}.size() + 1) {
    servers.push_back(all.data() + at);
  }
  const auto set = [&](natsStatus done) {
    if (status == NATS_OK) status = done;
  };
  set(natsOptions_SetServers(made, servers.data(), static_cast<int>(servers.size())));
  set(natsOptions_SetName(made, "nexusfix-stream"));
  set(natsOptions_SetTimeout(made, kConnectMillis));
  // A new connection begins with the first record that is not acknowledged.
  set(natsOptions_SetAllowReconnect(made, false));
  const http::TlsFiles& tls = settings.tls;
  if (!tls.authorities.empty()) {
    set(natsOptions_SetSecure(made, true));
    set(natsOptions_LoadCATrustedCertificates(made, tls.authorities.c_str()));
  }
  if (!tls.certificate.empty()) {
    set(natsOptions_LoadCertificatesChain(made, tls.certificate.c_str(), tls.key.c_str()));
  }
  if (!settings.credentials.empty()) {
    set(natsOptions_SetUserCredentialsFromFiles(made, settings.credentials.c_str(), nullptr));
  }
  if (!token.empty()) set(natsOptions_SetToken(made, token.c_str()));
  if (status != NATS_OK) return Failed{natsStatus_GetText(status)};
  return options;
}

class NatsSink final : public Broker {
 public:
  explicit NatsSink(const NatsSettings& settings) : settings_{settings} {}

  std::expected<Sent, std::string> send(const Outgoing& record) override {
    const bool is_full = records_.size() >= kRecordsMax || bytes_ >= kBytesMax;
    if (is_full && !records_.empty()) return Sent::Full;
    bytes_ += record.value.size();
    records_.push_back(record);
    return Sent::Queued;
  }
  Result serve(std::chrono::milliseconds wait, Acknowledged acknowledged) override;
  std::string fault() const override { return fault_; }
  std::string_view name() const noexcept override { return "the NATS server"; }

 private:
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }
  void connect();
  [[nodiscard]] Result publish();
  [[nodiscard]] Message make_message(std::size_t index, const std::string& reply) const;
  [[nodiscard]] Result see(natsMsg& answer, Acknowledged acknowledged);
  void fail(const std::string& why);

  NatsSettings settings_;
  SystemClock clock_;
  BackOff back_off_;
  std::deque<Outgoing> records_;  // not acknowledged
  std::size_t bytes_ = 0;
  std::size_t in_flight_ = 0;    // the first of them, by this connection
  std::uint64_t published_ = 0;  // by this connection
  std::string last_id_;          // of the last record that this connection has published
  std::string inbox_;
  MonoTime last_progress_;
  std::string fault_;
  // The subscription must end first.
  Connection connection_;
  Subscription answers_;
};

void NatsSink::fail(const std::string& why) {
  fault_ = printable(why);
  answers_.reset();
  connection_.reset();
  in_flight_ = 0;
  published_ = 0;
  last_id_.clear();
  back_off_.fail(now());
}

void NatsSink::connect() {
  std::string token;
  if (!settings_.token_file.empty()) {
    auto read = read_token(*settings_.disk, settings_.token_file);
    if (!read) return fail(read.error());
    token = std::move(*read);
  }
  auto options = make_options(settings_, token);
  if (!options) return fail(options.error());
  natsConnection* connection = nullptr;
  natsStatus status = natsConnection_Connect(&connection, options->get());
  connection_.reset(connection);
  natsInbox* inbox = nullptr;
  if (status == NATS_OK) status = natsInbox_Create(&inbox);
  natsSubscription* answers = nullptr;
  if (status == NATS_OK) {
    inbox_ = std::string{inbox} + '.';
    natsInbox_Destroy(inbox);
    status = natsConnection_SubscribeSync(&answers, connection, (inbox_ + '*').c_str());
    answers_.reset(answers);
  }
  if (status != NATS_OK) return fail(natsStatus_GetText(status));
  if (records_.empty()) fault_.clear();
}

Message NatsSink::make_message(std::size_t index, const std::string& reply) const {
  const Outgoing& record = records_[index];
  natsMsg* made = nullptr;
  const natsStatus status =
      natsMsg_Create(&made, settings_.subject.c_str(), reply.c_str(), record.value.data(),
                     static_cast<int>(record.value.size()));
  Message message{made};
  if (status != NATS_OK) return nullptr;
  natsMsgHeader_Set(made, "Nats-Msg-Id", id_of(record).c_str());
  // After a record that the server has refused or lost, it must take none that follows: consumers
  // would drop what comes late.
  if (!last_id_.empty()) {
    natsMsgHeader_Set(made, "Nats-Expected-Last-Msg-Id", last_id_.c_str());
  }
  for (const Header& one : record.headers) {
    natsMsgHeader_Set(made, std::string{one.name}.c_str(), one.value.c_str());
  }
  return message;
}

Result NatsSink::publish() {
  while (in_flight_ < std::min(records_.size(), kInFlightMax)) {
    const Outgoing& record = records_[in_flight_];
    const Message message = make_message(in_flight_, inbox_ + std::to_string(published_));
    const natsStatus status =
        message ? natsConnection_PublishMsg(connection_.get(), message.get()) : NATS_NO_MEMORY;
    if (status == NATS_MAX_PAYLOAD) {
      return Failed{fmt::format("subject {}: {} (a record of {} bytes, session {})",
                                settings_.subject, natsStatus_GetText(status), record.value.size(),
                                record.key)};
    }
    if (status != NATS_OK) {
      fail(natsStatus_GetText(status));
      return {};
    }
    if (in_flight_ == 0) last_progress_ = now();
    last_id_ = id_of(record);
    ++published_;
    ++in_flight_;
  }
  return {};
}

// One acknowledgement, or why there is none.
Result NatsSink::see(natsMsg& answer, Acknowledged acknowledged) {
  const std::string_view text{natsMsg_GetData(&answer),
                              static_cast<std::size_t>(natsMsg_GetDataLength(&answer))};
  const auto found = nlohmann::json::parse(text, nullptr, false);
  if (!found.is_object()) {
    fail("an acknowledgement is no JSON object");
    return {};
  }
  if (const auto error = found.find("error"); error != found.end() && error->is_object()) {
    const auto code = error->find("err_code");
    const auto cause = error->find("description");
    const std::string why = cause != error->end() && cause->is_string() ? cause->get<std::string>()
                                                                        : std::string{"an error"};
    if (code != error->end() && code->is_number_integer() &&
        code->get<std::int64_t>() == kTooLarge) {
      return Failed{fmt::format("subject {}: {}", settings_.subject, printable(why))};
    }
    fail(why);
    return {};
  }
  // The answers have the numbers of the messages: one that is missing was lost.
  const std::string expected = inbox_ + std::to_string(published_ - in_flight_);
  const auto sequence = found.find("seq");
  if (in_flight_ == 0 || natsMsg_GetSubject(&answer) != expected || sequence == found.end() ||
      !sequence->is_number_unsigned()) {
    fail("an acknowledgement is missing");
    return {};
  }
  bytes_ -= records_.front().value.size();
  const std::uint64_t id = records_.front().id;
  records_.pop_front();
  --in_flight_;
  acknowledged(id);
  last_progress_ = now();
  fault_.clear();
  back_off_.succeed();
  return {};
}

Result NatsSink::serve(std::chrono::milliseconds wait, Acknowledged acknowledged) {
  if (!connection_ && (!records_.empty() || !fault_.empty()) && back_off_.is_over(now())) connect();
  if (connection_) {
    if (auto published = publish(); !published) return published;
  }
  auto left = std::max<std::int64_t>(wait.count(), 1);
  for (std::size_t i = 0; connection_ && i < kInFlightMax; ++i) {
    natsMsg* got = nullptr;
    const natsStatus status = natsSubscription_NextMsg(&got, answers_.get(), left);
    const Message answer{got};
    if (status == NATS_TIMEOUT) break;
    if (status == NATS_NO_RESPONDERS) {
      fail(fmt::format("no stream of JetStream takes the subject {}", settings_.subject));
      return {};
    }
    if (status != NATS_OK) {
      fail(natsStatus_GetText(status));
      return {};
    }
    if (auto seen = see(*got, acknowledged); !seen) return seen;
    left = 1;
    if (in_flight_ == 0) break;
  }
  if (!connection_ && wait.count() > 0) nats_Sleep(wait.count());
  if (in_flight_ > 0 && now() - last_progress_ > kAnswerMax) {
    const char* last = nullptr;
    natsConnection_GetLastError(connection_.get(), &last);
    const bool has_last = last != nullptr && *last != '\0';
    fail(
        fmt::format("no acknowledgement for 10 s{}{}", has_last ? ": " : "", has_last ? last : ""));
  }
  return {};
}

}  // namespace

std::expected<std::unique_ptr<Broker>, std::string> open_nats(const NatsSettings& settings) {
  if (auto options = make_options(settings, {}); !options) return Failed{options.error()};
  return std::make_unique<NatsSink>(settings);
}

}  // namespace nexusfix::stream
