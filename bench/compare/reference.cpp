#include "bench/compare/reference.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <numeric>
#include <string_view>

#include "bench/ladder/map_parser.hpp"

namespace nexusfix::bench {
namespace {

using ladder::MapParser;

std::uint64_t to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size()
             ? static_cast<std::uint64_t>(value)
             : 0;
}

double to_double(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && result.ptr == text.data() + text.size() ? value : 0;
}

// Converts YYYYMMDD-HH:MM:SS.sss to milliseconds since 1970; 0 if it is no such text.
std::uint64_t to_milliseconds(std::string_view text) {
  constexpr std::string_view kForm = "YYYYMMDD-HH:MM:SS.sss";
  if (text.size() != kForm.size() || text[8] != '-' || text[11] != ':' || text[14] != ':' ||
      text[17] != '.') {
    return 0;
  }
  const auto part = [&](std::size_t at, std::size_t size) {
    return static_cast<int>(to_integer(text.substr(at, size)));
  };
  using namespace std::chrono;
  const year_month_day date{year{part(0, 4)}, month{static_cast<unsigned>(part(4, 2))},
                            day{static_cast<unsigned>(part(6, 2))}};
  if (!date.ok()) return 0;
  const auto time = sys_days{date} + hours{part(9, 2)} + minutes{part(12, 2)} +
                    seconds{part(15, 2)} + milliseconds{part(18, 3)};
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

unsigned sum_of(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  return sum % 256;
}

struct Parse {
  std::vector<std::string> messages;
  MapParser parser;

  std::uint64_t operator()(std::size_t input) {
    return parser.parse(messages[input]) ? parser.field_count() : 0;
  }
};

struct ParseAndRead {
  std::vector<std::string> messages;
  MapParser parser;

  std::uint64_t operator()(std::size_t input) {
    if (!parser.parse(messages[input])) return 0;
    const auto order_id = parser.find(37);
    const auto last_qty = parser.find(32);
    const auto last_px = parser.find(31);
    const auto transact_time = parser.find(60);
    if (!order_id || !last_qty || !last_px || !transact_time) return 0;
    const double units = to_double(*last_px) * 100'000 + 0.5;
    return order_id->size() + static_cast<std::uint64_t>(to_double(*last_qty)) +
           static_cast<std::uint64_t>(units) + to_milliseconds(*transact_time) % 1000;
  }
};

// Searches for the CheckSum field. 0: there is none.
std::size_t frame_size(std::string_view bytes, std::size_t begin) {
  constexpr std::string_view kCheckSum{
      "\x01"
      "10="};
  const std::size_t trailer = bytes.find(kCheckSum, begin);
  if (trailer == std::string_view::npos) return 0;
  const std::size_t end = bytes.find('\x01', trailer + kCheckSum.size());
  return end == std::string_view::npos ? 0 : end + 1 - begin;
}

struct Frame {
  std::string_view bytes;

  std::uint64_t operator()(std::size_t) const {
    std::size_t at = 0;
    while (at < bytes.size()) {
      const std::size_t size = frame_size(bytes, at);
      if (size == 0) return 0;
      keep(size);
      at += size;
    }
    return at;
  }
};

struct Lookup {
  std::vector<MapParser> messages;

  explicit Lookup(const std::vector<std::string>& texts) : messages(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) (void)messages[i].parse(texts[i]);
  }
  std::uint64_t operator()(std::size_t input) const {
    std::uint64_t bytes = 0;
    for (const int tag : kLookupTags) {
      const auto value = messages[input].find(static_cast<ladder::Tag>(tag));
      if (value) bytes += value->size();
    }
    return bytes;
  }
};

template <class Function>
struct Convert {
  std::vector<std::string> texts;
  Function function;
  std::uint64_t operator()(std::size_t input) const { return function(texts[input]); }
};

template <class Function>
ContestantPtr make_conversion(const std::vector<std::string>& texts, Function function,
                              const Answers& answers) {
  return make_contestant(Convert<Function>{texts, function}, answers);
}

// A time in parts for snprintf(), as gmtime() returns it.
struct ClockText {
  std::array<char, 32> text{};

  explicit ClockText(std::int64_t ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> time{milliseconds{ms}};
    const auto midnight = floor<days>(time);
    const year_month_day date{midnight};
    const hh_mm_ss clock{time - midnight};
    std::snprintf(
        text.data(), text.size(), "%04d%02u%02u-%02d:%02d:%02d.%03d", static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
        static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  }
};

struct IntegerText {
  std::vector<std::int64_t> values;
  std::array<char, 32> text{};

  std::string_view encode(std::size_t input) {
    const auto end = std::to_chars(text.data(), text.data() + text.size(), values[input]);
    return {text.data(), end.ptr};
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct PriceText {
  std::vector<PriceValue> values;
  std::array<char, 32> text{};

  std::string_view encode(std::size_t input) {
    const PriceValue& price = values[input];
    const auto end = std::to_chars(text.data(), text.data() + text.size(), price.value,
                                   std::chars_format::fixed, price.scale);
    return {text.data(), end.ptr};
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct TimestampText {
  std::vector<std::int64_t> values;
  std::string text{};

  std::string_view encode(std::size_t input) {
    text = ClockText{values[input]}.text.data();
    return text;
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

// Adds header and trailer to a body: the common part of both messages.
class Envelope {
 public:
  static constexpr std::size_t kBytesMax = 512;

  std::array<char, kBytesMax> body{};

  std::string_view close(int body_bytes) {
    const int start = std::snprintf(message_.data(), message_.size(),
                                    "8=FIX.4.4\x01"
                                    "9=%d\x01%s",
                                    body_bytes, body.data());
    const unsigned sum = sum_of({message_.data(), static_cast<std::size_t>(start)});
    const int trailer =
        std::snprintf(message_.data() + start, message_.size() - static_cast<std::size_t>(start),
                      "10=%03u\x01", sum);
    return {message_.data(), static_cast<std::size_t>(start + trailer)};
  }

 private:
  std::array<char, kBytesMax + 64> message_{};
};

struct EncodeOrder {
  std::vector<Order> orders;
  Envelope envelope{};

  std::string_view encode(std::size_t input) {
    const Order& o = orders[input];
    return envelope.close(std::snprintf(envelope.body.data(), envelope.body.size(),
                                        "35=D\x01"
                                        "34=%" PRIu64 "\x01"
                                        "49=%s\x01"
                                        "52=%s\x01"
                                        "56=%s\x01"
                                        "11=%s\x01"
                                        "21=1\x01"
                                        "55=%s\x01"
                                        "54=%c\x01"
                                        "60=%s\x01"
                                        "38=%" PRId64 "\x01"
                                        "40=2\x01"
                                        "44=%" PRId64 ".%02" PRId64 "\x01"
                                        "59=0\x01",
                                        o.msg_seq_num, kSender,
                                        ClockText{o.sending_time_ms}.text.data(), kTarget,
                                        o.cl_ord_id.c_str(), o.symbol.c_str(), o.side,
                                        ClockText{o.transact_time_ms}.text.data(), o.order_qty,
                                        o.price_cents / 100, o.price_cents % 100));
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct EncodeExecution {
  std::vector<Execution> executions;
  Envelope envelope{};

  std::string_view encode(std::size_t input) {
    const Execution& e = executions[input];
    return envelope.close(
        std::snprintf(envelope.body.data(), envelope.body.size(),
                      "35=8\x01"
                      "34=%" PRIu64 "\x01"
                      "49=%s\x01"
                      "52=%s\x01"
                      "56=%s\x01"
                      "37=%s\x01"
                      "17=%s\x01"
                      "150=F\x01"
                      "39=2\x01"
                      "55=%s\x01"
                      "54=1\x01"
                      "38=%" PRId64 "\x01"
                      "44=%" PRId64 ".%02" PRId64 "\x01"
                      "32=%" PRId64 "\x01"
                      "31=%" PRId64 ".%02" PRId64 "\x01"
                      "151=%" PRId64 "\x01"
                      "14=%" PRId64 "\x01"
                      "6=%" PRId64 ".%02" PRId64 "\x01"
                      "60=%s\x01",
                      e.msg_seq_num, kSender, ClockText{e.sending_time_ms}.text.data(), kTarget,
                      e.order_id.c_str(), e.exec_id.c_str(), e.symbol.c_str(), e.order_qty,
                      e.price_cents / 100, e.price_cents % 100, e.last_qty, e.last_px_cents / 100,
                      e.last_px_cents % 100, e.leaves_qty, e.cum_qty, e.avg_px_cents / 100,
                      e.avg_px_cents % 100, ClockText{e.transact_time_ms}.text.data()));
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct StreamParse {
  std::string_view bytes;
  MapParser parser;

  std::uint64_t operator()(std::size_t) {
    std::uint64_t fields = 0;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = frame_size(bytes, at);
      if (size == 0 || !parser.parse(bytes.substr(at, size))) return 0;
      fields += parser.field_count();
      at += size;
    }
    return fields;
  }
};

class Reference final : public Subject {
 public:
  std::string name() const override { return "reference"; }
  ContestantPtr parse(const Messages& messages) override {
    return make_contestant(Parse{messages.texts, {}}, messages.field_counts);
  }
  ContestantPtr parse_and_read(const ReadJob& job) override {
    return make_contestant(ParseAndRead{job.messages.texts, {}}, job.answers);
  }
  ContestantPtr frame(const Stream& stream) override {
    return make_contestant(Frame{stream.bytes}, {stream.bytes.size()});
  }
  ContestantPtr lookup(const LookupJob& job) override {
    return make_contestant(Lookup{job.messages.texts}, job.answers);
  }
  ContestantPtr checksum(const ChecksumJob& job) override {
    return make_conversion(job.texts, sum_of, job.sums);
  }
  ContestantPtr integer(const IntegerJob& job) override {
    return make_conversion(job.values.texts, to_integer, job.answers);
  }
  ContestantPtr price(const PriceJob& job) override {
    Answers bits;
    for (const double value : job.doubles) bits.push_back(std::bit_cast<std::uint64_t>(value));
    return make_conversion(
        job.values.texts,
        [](std::string_view text) { return std::bit_cast<std::uint64_t>(to_double(text)); }, bits);
  }
  ContestantPtr timestamp(const TimestampJob& job) override {
    return make_conversion(job.values.texts, to_milliseconds, job.milliseconds);
  }
  ContestantPtr integer_text(const EncodeJob<std::int64_t>& job) override {
    return make_encoding_contestant(IntegerText{job.values}, job);
  }
  ContestantPtr price_text(const EncodeJob<PriceValue>& job) override {
    return make_encoding_contestant(PriceText{job.values}, job);
  }
  ContestantPtr timestamp_text(const EncodeJob<std::int64_t>& job) override {
    return make_encoding_contestant(TimestampText{job.values}, job);
  }
  ContestantPtr encode_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(EncodeOrder{job.values}, job);
  }
  ContestantPtr encode_execution(const EncodeJob<Execution>& job) override {
    return make_encoding_contestant(EncodeExecution{job.values}, job);
  }
  ContestantPtr stream_parse(const Stream& stream) override {
    return make_contestant(StreamParse{stream.bytes, {}}, {stream.field_count});
  }
};

}  // namespace

std::unique_ptr<Subject> make_reference_subject() { return std::make_unique<Reference>(); }

}  // namespace nexusfix::bench
