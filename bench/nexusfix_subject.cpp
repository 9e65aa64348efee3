#include "bench/nexusfix_subject.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <nexusfix/wire.hpp>

namespace nexusfix::bench {
namespace {

using Views = std::vector<std::string_view>;

Views views_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

std::uint64_t as_answer(std::int64_t value) { return static_cast<std::uint64_t>(value); }

WallTime wall_time(std::int64_t milliseconds) {
  return WallTime{std::chrono::milliseconds{milliseconds}};
}

struct Parse {
  Views messages;
  wire::Parser parser;

  std::uint64_t operator()(std::size_t input) {
    const auto message = parser.parse(messages[input]);
    return message && !message->fault() ? message->field_count() : 0;
  }
};

struct ParseAndRead {
  Views messages;
  wire::Parser parser;

  std::uint64_t operator()(std::size_t input) {
    constexpr std::int64_t kNsPerMs = 1'000'000;
    const auto message = parser.parse(messages[input]);
    if (!message) return 0;
    const auto order_id = message->get<std::string_view>(37);
    const auto last_qty = message->get<Decimal>(32);
    const auto last_px = message->get<Decimal>(31);
    const auto transact_time = message->get<WallTime>(60);
    if (!order_id || !last_qty || !last_px || !transact_time) return 0;
    const std::int64_t ms = transact_time->time_since_epoch().count() / kNsPerMs;
    return order_id->size() + as_answer(last_qty->mantissa() + last_px->mantissa() + ms % 1000);
  }
};

struct Frame {
  std::string_view bytes;
  std::vector<std::size_t> begins;
  wire::FrameLimits limits;

  std::uint64_t operator()(std::size_t input) const {
    const wire::FrameResult frame = wire::next_frame(bytes.substr(begins[input]), limits);
    return frame.status == wire::FrameStatus::Complete ? frame.size : 0;
  }
};

struct Lookup {
  std::vector<wire::Parser> parsers;
  std::vector<wire::MessageView> messages;

  explicit Lookup(const std::vector<std::string>& texts) : parsers(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      messages.push_back(parsers[i].parse(texts[i]).value_or(wire::MessageView{}));
    }
  }
  // Each tag is a constant at a place of its own in the code, as in an application.
  std::uint64_t operator()(std::size_t input) const {
    const wire::MessageView message = messages[input];
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (size_of(message[kLookupTags[I]]) + ...);
    }(std::make_index_sequence<kLookups>{});
  }
  static std::uint64_t size_of(const std::optional<std::string_view>& value) {
    return value ? value->size() : 0;
  }
};

struct Integer {
  Views texts;
  std::uint64_t operator()(std::size_t input) const {
    const auto value = wire::to_int(texts[input]);
    return value ? as_answer(*value) : 0;
  }
};

struct Price {
  Views texts;
  std::uint64_t operator()(std::size_t input) const {
    const auto value = wire::to_decimal(texts[input]);
    return value ? as_answer(value->mantissa()) : 0;
  }
};

struct Timestamp {
  Views texts;
  std::uint64_t operator()(std::size_t input) const {
    const auto value = wire::to_utc_timestamp(texts[input]);
    return value ? as_answer(value->time_since_epoch().count()) : 0;
  }
};

constexpr std::size_t kMessageBytesMax = 512;

struct EncodeOrder {
  std::vector<Order> orders;
  wire::HeaderFields session{"FIX.4.4", kSender, kTarget};
  std::array<char, kMessageBytesMax> buffer{};

  std::string_view encode(std::size_t input) {
    const Order& order = orders[input];
    wire::MessageHeader header;
    header.msg_type = "D";
    header.msg_seq_num = order.msg_seq_num;
    header.sending_time = wall_time(order.sending_time_ms);
    wire::Encoder encoder{buffer, session, header};
    encoder.field(11, order.cl_ord_id)
        .field(21, '1')
        .field(55, order.symbol)
        .field(54, order.side)
        .field(60, wall_time(order.transact_time_ms))
        .field(38, Decimal{order.order_qty, 0})
        .field(40, '2')
        .field(44, Decimal{order.price_cents, 2})
        .field(59, '0');
    return encoder.finish().value_or(std::string_view{});
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct EncodeExecution {
  std::vector<Execution> executions;
  wire::HeaderFields session{"FIX.4.4", kSender, kTarget};
  std::array<char, kMessageBytesMax> buffer{};

  std::string_view encode(std::size_t input) {
    const Execution& e = executions[input];
    wire::MessageHeader header;
    header.msg_type = "8";
    header.msg_seq_num = e.msg_seq_num;
    header.sending_time = wall_time(e.sending_time_ms);
    wire::Encoder encoder{buffer, session, header};
    encoder.field(37, e.order_id)
        .field(17, e.exec_id)
        .field(150, 'F')
        .field(39, '2')
        .field(55, e.symbol)
        .field(54, '1')
        .field(38, Decimal{e.order_qty, 0})
        .field(44, Decimal{e.price_cents, 2})
        .field(32, Decimal{e.last_qty, 0})
        .field(31, Decimal{e.last_px_cents, 2})
        .field(151, Decimal{e.leaves_qty, 0})
        .field(14, Decimal{e.cum_qty, 0})
        .field(6, Decimal{e.avg_px_cents, 2})
        .field(60, wall_time(e.transact_time_ms));
    return encoder.finish().value_or(std::string_view{});
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

// One call is the whole stream.
struct StreamParse {
  std::string_view bytes;
  wire::Parser parser;

  std::uint64_t operator()(std::size_t) {
    std::uint64_t fields = 0;
    wire::Framer framer{bytes};
    while (const auto frame = framer.next()) {
      const auto message = parser.parse(*frame);
      if (message) fields += message->field_count();
    }
    return fields;
  }
};

class NexusFix final : public Subject {
 public:
  std::string name() const override { return "NexusFIX"; }
  ContestantPtr parse(const Messages& messages) override {
    return make_contestant(Parse{views_of(messages.texts), wire::Parser{}}, messages.field_counts);
  }
  ContestantPtr parse_and_read(const ReadJob& job) override {
    return make_contestant(ParseAndRead{views_of(job.messages.texts), wire::Parser{}}, job.answers);
  }
  ContestantPtr frame(const Stream& stream) override {
    return make_contestant(Frame{stream.bytes, stream.begins, {}}, stream.sizes);
  }
  ContestantPtr lookup(const LookupJob& job) override {
    return make_contestant(Lookup{job.messages.texts}, job.answers);
  }
  ContestantPtr integer(const IntegerJob& job) override {
    return make_contestant(Integer{views_of(job.texts)}, job.answers);
  }
  ContestantPtr price(const PriceJob& job) override {
    return make_contestant(Price{views_of(job.texts)}, job.mantissas);
  }
  ContestantPtr timestamp(const TimestampJob& job) override {
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    Answers nanoseconds;
    for (const std::uint64_t ms : job.milliseconds) nanoseconds.push_back(ms * kNsPerMs);
    return make_contestant(Timestamp{views_of(job.texts)}, nanoseconds);
  }
  ContestantPtr encode_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(EncodeOrder{job.values}, job);
  }
  ContestantPtr encode_execution(const EncodeJob<Execution>& job) override {
    return make_encoding_contestant(EncodeExecution{job.values}, job);
  }
  ContestantPtr stream_parse(const Stream& stream) override {
    return make_contestant(StreamParse{stream.bytes, wire::Parser{}}, {stream.field_count});
  }
};

}  // namespace

std::unique_ptr<Subject> make_nexusfix_subject() { return std::make_unique<NexusFix>(); }

}  // namespace nexusfix::bench
