#include "bench/nexusfix_subject.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire.hpp>

#include "bench/engine/inside.hpp"

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
    static constexpr std::int64_t kUnits[] = {100'000, 10'000, 1'000, 100, 10, 1};
    const auto message = parser.parse(messages[input]);
    if (!message) return 0;
    const auto order_id = message->get<std::string_view>(37);
    const auto last_qty = message->get<Decimal>(32);
    const auto last_px = message->get<Decimal>(31);
    const auto transact_time = message->get<WallTime>(60);
    if (!order_id || !last_qty || !last_px || !transact_time) return 0;
    const std::int64_t ms = transact_time->time_since_epoch().count() / kNsPerMs;
    const std::int64_t px = last_px->mantissa() * kUnits[last_px->scale()];
    return order_id->size() + as_answer(last_qty->mantissa() + px + ms % 1000);
  }
};

// One call frames all messages of the stream: the place of a message depends on the one before.
struct Frame {
  std::string_view bytes;

  std::uint64_t operator()(std::size_t) const {
    std::uint64_t total = 0;
    wire::Framer framer{bytes};
    while (const auto frame = framer.next()) {
      keep(frame->size());
      total += frame->size();
    }
    return total;
  }
};

// The parsers are not moved, because they own the messages' indexes.
struct ReadGroup {
  std::vector<wire::Parser> parsers;
  std::vector<wire::MessageView> messages;

  explicit ReadGroup(const std::vector<std::string>& texts) : parsers(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      messages.push_back(parsers[i].parse(texts[i]).value_or(wire::MessageView{}));
    }
  }
  std::uint64_t operator()(std::size_t input) const {
    constexpr const wire::GroupShape& kEntries = wire::kGroupShape<268, 269, 270, 271>;
    std::uint64_t sum = 0;
    for (const wire::GroupEntry entry : messages[input].group(kEntries)) {
      sum += static_cast<std::uint64_t>(entry.get<char>(269).value_or(0));
      sum += static_cast<std::uint64_t>(entry.get<Decimal>(270).value_or(Decimal{}).mantissa());
      sum += entry.get<std::uint64_t>(271).value_or(0);
    }
    return sum;
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
  // Each tag is a constant at its own call, as in an application.
  std::uint64_t operator()(std::size_t input) const {
    const wire::MessageView& message = messages[input];
    return sizes_of(message, std::make_index_sequence<kLookups>{});
  }
  template <std::size_t... I>
  NEXUSFIX_ALWAYS_INLINE static std::uint64_t sizes_of(const wire::MessageView& message,
                                                       std::index_sequence<I...>) {
    return (size_of(message[kLookupTags[I]]) + ...);
  }
  NEXUSFIX_ALWAYS_INLINE static std::uint64_t size_of(
      const std::optional<std::string_view>& value) {
    return value ? value->size() : 0;
  }
};

struct CheckSum {
  Views texts;
  std::uint64_t operator()(std::size_t input) const { return wire::check_sum(texts[input]); }
};

// The text is within a message, as for a parser, so that the bytes before it may be read, too, as
// in MessageView::get().
template <class Value>
struct Convert {
  Views texts;

  explicit Convert(const ValueTexts& values) {
    wire::Parser parser;
    for (const std::string& message : values.messages) {
      const auto view = parser.parse(message).value_or(wire::MessageView{});
      texts.push_back(view[static_cast<wire::Tag>(values.tag)].value_or(std::string_view{}));
    }
  }
  std::uint64_t operator()(std::size_t input) const {
    const auto value = wire::convert<Value, wire::detail::TextFront::Readable>(texts[input]);
    return value ? number_of(*value) : 0;
  }
  static std::uint64_t number_of(std::int64_t value) { return as_answer(value); }
  static std::uint64_t number_of(Decimal value) { return as_answer(value.mantissa()); }
  static std::uint64_t number_of(FixedPrice value) { return as_answer(value.units()); }
  static std::uint64_t number_of(WallTime value) {
    return as_answer(value.time_since_epoch().count());
  }
};

// Write: a function of a value and an address. It returns the bytes that it wrote there.
template <class Value, class Write>
struct WriteText {
  std::vector<Value> values;
  Write write;
  std::array<char, 64> text{};

  // Inline, as in an encoder: a call would take a fifth of the measured time.
  NEXUSFIX_ALWAYS_INLINE std::string_view encode(std::size_t input) {
    return {text.data(), write(values[input], text.data())};
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

template <class Value, class Job, class Write>
ContestantPtr make_text_contestant(const EncodeJob<Job>& job, Write write) {
  std::vector<Value> values;
  for (const Job& value : job.values) {
    if constexpr (std::is_same_v<Value, Decimal>) {
      values.emplace_back(value.mantissa, static_cast<std::uint8_t>(value.scale));
    } else if constexpr (std::is_same_v<Value, WallTime>) {
      values.push_back(wall_time(value));
    } else {
      values.push_back(value);
    }
  }
  return make_encoding_contestant(WriteText<Value, Write>{std::move(values), write}, job);
}

constexpr std::size_t kMessageBytesMax = 512;

// Rendered once for each session.
wire::HeaderTemplate session_header() {
  return wire::HeaderTemplate::make({"FIX.4.4", kSender, kTarget}).value();
}

struct EncodeOrder {
  std::vector<Order> orders;
  wire::HeaderTemplate session = session_header();
  std::array<char, kMessageBytesMax> buffer{};

  std::string_view encode(std::size_t input) {
    const Order& order = orders[input];
    wire::Encoder encoder{buffer,
                          session,
                          {.msg_type = "D",
                           .msg_seq_num = order.msg_seq_num,
                           .sending_time = wall_time(order.sending_time_ms)}};
    encoder.field<11>(order.cl_ord_id)
        .field<21>('1')
        .field<55>(order.symbol)
        .field<54>(order.side)
        .field<60>(wall_time(order.transact_time_ms))
        .field<38>(Decimal{order.order_qty, 0})
        .field<40>('2')
        .field<44>(Decimal{order.price_cents, 2})
        .field<59>('0');
    return encoder.finish().value_or(std::string_view{});
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct EncodeDraft {
  wire::HeaderTemplate session = session_header();
  std::array<char, kMessageBytesMax> buffer{};

  std::string_view operator()(const fix44::NewOrderSingle::Draft& draft, const Order& order) {
    wire::Encoder encoder{buffer,
                          session,
                          {.msg_type = "D",
                           .msg_seq_num = order.msg_seq_num,
                           .sending_time = wall_time(order.sending_time_ms)}};
    return encoder.fields(draft.fields()).finish().value_or(std::string_view{});
  }
};

fix44::NewOrderSingle::Draft draft_of(const Order& order) {
  fix44::NewOrderSingle::Draft draft;
  const auto set = draft.set(
      fix44::ClOrdID{order.cl_ord_id}, fix44::HandlInst::AutomatedExecutionOrderPrivate,
      fix44::Symbol{order.symbol}, static_cast<fix44::Side>(order.side),
      fix44::TransactTime{wall_time(order.transact_time_ms)}, fix44::OrderQty{order.order_qty},
      fix44::OrdType::Limit, fix44::Price{Decimal{order.price_cents, 2}}, fix44::TimeInForce::Day);
  if (!set) draft.clear();  // check() finds it
  return draft;
}

struct BuildDraft {
  std::vector<Order> orders;
  EncodeDraft encode_draft{};

  std::string_view encode(std::size_t input) {
    return encode_draft(draft_of(orders[input]), orders[input]);
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct AmendDraft {
  std::vector<Order> orders;
  fix44::NewOrderSingle::Draft draft = draft_of(orders.front());
  EncodeDraft encode_draft{};

  std::string_view encode(std::size_t input) {
    const Order& order = orders[input];
    const auto set = draft.set(
        fix44::ClOrdID{order.cl_ord_id}, fix44::TransactTime{wall_time(order.transact_time_ms)},
        fix44::OrderQty{order.order_qty}, fix44::Price{Decimal{order.price_cents, 2}});
    return set ? encode_draft(draft, order) : std::string_view{};
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct EncodeExecution {
  std::vector<Execution> executions;
  wire::HeaderTemplate session = session_header();
  std::array<char, kMessageBytesMax> buffer{};

  std::string_view encode(std::size_t input) {
    const Execution& e = executions[input];
    wire::Encoder encoder{buffer,
                          session,
                          {.msg_type = "8",
                           .msg_seq_num = e.msg_seq_num,
                           .sending_time = wall_time(e.sending_time_ms)}};
    encoder.field<37>(e.order_id)
        .field<17>(e.exec_id)
        .field<150>('F')
        .field<39>('2')
        .field<55>(e.symbol)
        .field<54>('1')
        .field<38>(Decimal{e.order_qty, 0})
        .field<44>(Decimal{e.price_cents, 2})
        .field<32>(Decimal{e.last_qty, 0})
        .field<31>(Decimal{e.last_px_cents, 2})
        .field<151>(Decimal{e.leaves_qty, 0})
        .field<14>(Decimal{e.cum_qty, 0})
        .field<6>(Decimal{e.avg_px_cents, 2})
        .field<60>(wall_time(e.transact_time_ms));
    return encoder.finish().value_or(std::string_view{});
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

// One call parses the whole stream.
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
    return make_contestant(Frame{stream.bytes}, {stream.bytes.size()});
  }
  ContestantPtr read_group(const ReadJob& job) override {
    return make_contestant(ReadGroup{job.messages.texts}, job.answers);
  }
  ContestantPtr lookup(const LookupJob& job) override {
    return make_contestant(Lookup{job.messages.texts}, job.answers);
  }
  ContestantPtr checksum(const ChecksumJob& job) override {
    return make_contestant(CheckSum{views_of(job.texts)}, job.sums);
  }
  ContestantPtr integer(const IntegerJob& job) override {
    return make_contestant(Convert<std::int64_t>{job.values}, job.answers);
  }
  ContestantPtr price(const PriceJob& job) override {
    return make_contestant(Convert<Decimal>{job.values}, job.mantissas);
  }
  ContestantPtr fixed_price(const PriceJob& job) override {
    return make_contestant(Convert<FixedPrice>{job.values}, job.units);
  }
  ContestantPtr timestamp(const TimestampJob& job) override {
    constexpr std::uint64_t kNsPerMs = 1'000'000;
    Answers nanoseconds;
    for (const std::uint64_t ms : job.milliseconds) nanoseconds.push_back(ms * kNsPerMs);
    return make_contestant(Convert<WallTime>{job.values}, nanoseconds);
  }
  ContestantPtr integer_text(const EncodeJob<std::int64_t>& job) override {
    return make_text_contestant<std::int64_t>(
        job, [](std::int64_t value, char* out) { return wire::from_int(value, out); });
  }
  ContestantPtr price_text(const EncodeJob<PriceValue>& job) override {
    return make_text_contestant<Decimal>(
        job, [](Decimal value, char* out) { return wire::from_decimal(value, out); });
  }
  ContestantPtr timestamp_text(const EncodeJob<std::int64_t>& job) override {
    return make_text_contestant<WallTime>(job, [](WallTime value, char* out) {
      return wire::from_utc_timestamp(value, wire::TimePrecision::Millis, out);
    });
  }
  ContestantPtr encode_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(EncodeOrder{job.values}, job);
  }
  ContestantPtr encode_execution(const EncodeJob<Execution>& job) override {
    return make_encoding_contestant(EncodeExecution{job.values}, job);
  }
  ContestantPtr build_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(BuildDraft{job.values}, job);
  }
  ContestantPtr amend_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(AmendDraft{job.values}, job);
  }
  ContestantPtr stream_parse(const Stream& stream) override {
    return make_contestant(StreamParse{stream.bytes, wire::Parser{}}, {stream.field_count});
  }
  ContestantPtr inside() override { return make_inside(false); }
};

}  // namespace

std::unique_ptr<Subject> make_nexusfix_subject() { return std::make_unique<NexusFix>(); }

}  // namespace nexusfix::bench
