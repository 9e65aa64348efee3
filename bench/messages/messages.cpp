#include "bench/messages/messages.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <numeric>

#include "bench/traffic/random.hpp"

namespace nexusfix::bench {
namespace {

constexpr char kSoh = '\x01';
constexpr std::int64_t kDayStartMs = 1'705'276'800'000;  // 2024-01-15
constexpr std::int64_t kDayMs = 86'400'000;

std::int64_t random_cents(Random& random) {
  return random.number(3) * 100 + static_cast<std::int64_t>(random.below(100));
}

std::int64_t random_time_ms(Random& random) {
  return kDayStartMs + static_cast<std::int64_t>(random.below(kDayMs));
}

unsigned sum_of(std::string_view bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), 0U,
                         [](unsigned sum, char c) { return sum + static_cast<unsigned char>(c); }) %
         256;
}

Execution make_execution(Random& random) {
  Execution execution;
  execution.msg_seq_num = static_cast<std::uint64_t>(random.number(6));
  execution.sending_time_ms = random_time_ms(random);
  execution.order_id = fmt::format("ORDER{}", random.number(4));
  execution.exec_id = fmt::format("EXEC{}", random.number(4));
  execution.symbol = random.word(2, 5);
  execution.order_qty = random.number(4);
  execution.price_cents = random_cents(random);
  execution.last_qty = random.number(3);
  execution.last_px_cents = random_cents(random);
  execution.leaves_qty = random.number(2);
  execution.cum_qty = random.number(3);
  execution.avg_px_cents = random_cents(random);
  execution.transact_time_ms = execution.sending_time_ms - 23;
  return execution;
}

Order make_order(Random& random) {
  Order order;
  order.msg_seq_num = static_cast<std::uint64_t>(random.number(6));
  order.sending_time_ms = random_time_ms(random);
  order.cl_ord_id = fmt::format("ID{}", random.number(6));
  order.symbol = random.word(2, 5);
  order.side = random.below(2) == 0 ? '1' : '2';
  order.transact_time_ms = order.sending_time_ms - 23;
  order.order_qty = random.number(4);
  order.price_cents = random_cents(random);
  return order;
}

// The length of CompIDs differs between messages, as for an acceptor with many sessions.
std::string header(char msg_type, Random& random, std::uint64_t msg_seq_num, std::int64_t time) {
  return fmt::format("35={}|49={}|56={}|34={}|52={}|", msg_type, random.word(5, 7),
                     random.word(5, 7), msg_seq_num, timestamp_text(time));
}

std::string execution_body(Random& random, const Execution& e) {
  return header('8', random, e.msg_seq_num, e.sending_time_ms) +
         fmt::format(
             "37={}|17={}|150=F|39=2|55={}|54=1|38={}|44={}|32={}|31={}|151={}|14={}|6={}|60={}|",
             e.order_id, e.exec_id, e.symbol, e.order_qty, cents_text(e.price_cents), e.last_qty,
             cents_text(e.last_px_cents), e.leaves_qty, e.cum_qty, cents_text(e.avg_px_cents),
             timestamp_text(e.transact_time_ms));
}

std::string order_body(Random& random, const Order& o) {
  return header('D', random, o.msg_seq_num, o.sending_time_ms) +
         fmt::format("11={}|21=1|55={}|54={}|60={}|38={}|40=2|44={}|59=0|", o.cl_ord_id, o.symbol,
                     o.side, timestamp_text(o.transact_time_ms), o.order_qty,
                     cents_text(o.price_cents));
}

std::string heartbeat_body(Random& random) {
  return header('0', random, static_cast<std::uint64_t>(random.number(6)), random_time_ms(random));
}

void add_message(Stream& stream, const std::string& message) {
  stream.begins.push_back(stream.bytes.size());
  stream.sizes.push_back(message.size());
  stream.field_count += static_cast<std::size_t>(std::count(message.begin(), message.end(), kSoh));
  stream.bytes += message;
}

// A message as long as an order, with one additional field.
std::string message_with(Random& random, int tag, std::string_view value) {
  return message_of(
      header('D', random, static_cast<std::uint64_t>(random.number(6)), random_time_ms(random)) +
      fmt::format("11=ID{}|21=1|55={}|54=1|{}={}|40=2|59=0|", random.number(6), random.word(2, 5),
                  tag, value));
}

void put_into_messages(ValueTexts& values, Random& random) {
  for (const std::string& text : values.texts) {
    values.messages.push_back(message_with(random, values.tag, text));
  }
}

PriceValue make_price(Random& random) {
  constexpr unsigned kScaleMost = 4;
  PriceValue price;
  price.scale = static_cast<int>(1 + random.below(kScaleMost));
  const auto power = static_cast<std::int64_t>(std::llround(std::pow(10.0, price.scale)));
  const auto fraction = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(power)));
  price.mantissa = random.number(4) * power + fraction;
  price.value = static_cast<double>(price.mantissa) / static_cast<double>(power);
  return price;
}

std::int64_t make_time(Random& random) {
  const std::int64_t days = static_cast<std::int64_t>(random.below(3650)) * kDayMs;
  return random_time_ms(random) - days;
}

// Long messages have enough variety within themselves, and should fit into a core's own cache.
std::size_t rotation_of(std::size_t fields) {
  if (fields < 100) return kRotation;
  return fields < 1'000 ? 16 : 4;
}

// Add: appends two fields to a body with each call.
template <class Add>
Messages messages_of(std::size_t fields, std::uint64_t seed, Add add_two) {
  constexpr std::size_t kHeaderAndTrailer = 8;
  Random random{seed};
  Messages messages;
  const std::size_t count = rotation_of(fields);
  for (std::size_t i = 0; i < count; ++i) {
    std::string body =
        header('B', random, static_cast<std::uint64_t>(random.number(6)), random_time_ms(random));
    for (std::size_t at = kHeaderAndTrailer; at < fields; at += 2) add_two(body, random);
    messages.texts.push_back(message_of(body));
    messages.field_counts.push_back(fields);
    messages.mean_bytes +=
        static_cast<double>(messages.texts.back().size()) / static_cast<double>(count);
  }
  return messages;
}

template <class MakeBody>
Messages make_messages(std::uint64_t seed, std::size_t count, MakeBody make_body) {
  Random random{seed};
  Messages messages;
  for (std::size_t i = 0; i < count; ++i) {
    messages.texts.push_back(message_of(make_body(random)));
    const std::string& text = messages.texts.back();
    messages.field_counts.push_back(
        static_cast<std::uint64_t>(std::count(text.begin(), text.end(), kSoh)));
    messages.mean_bytes += static_cast<double>(text.size()) / static_cast<double>(count);
  }
  return messages;
}

}  // namespace

std::string message_of(std::string_view body_text) {
  std::string body{body_text};
  std::replace(body.begin(), body.end(), '|', kSoh);
  std::string message = fmt::format("8=FIX.4.4{}9={}{}{}", kSoh, body.size(), kSoh, body);
  return message + fmt::format("10={:03}{}", sum_of(message), kSoh);
}

std::string timestamp_text(std::int64_t milliseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}{:02}{:02}-{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string cents_text(std::int64_t cents) {
  return fmt::format("{}.{:02}", cents / 100, cents % 100);
}

std::string price_text(const PriceValue& price) {
  if (price.scale == 0) return std::to_string(price.mantissa);
  const auto power = static_cast<std::int64_t>(std::llround(std::pow(10.0, price.scale)));
  return fmt::format("{}.{:0{}}", price.mantissa / power, price.mantissa % power, price.scale);
}

Messages execution_reports() {
  return make_messages(
      1, kRotation, [](Random& random) { return execution_body(random, make_execution(random)); });
}

Messages published_execution_report() {
  return make_messages(1, 1, [](Random&) {
    return "35=8|49=SENDER|56=TARGET|34=12345|52=20240115-10:30:00.123|37=ORDER123|17=EXEC456|"
           "150=F|39=2|55=AAPL|54=1|38=100|44=150.50|32=100|31=150.45|151=0|14=100|6=150.45|"
           "60=20240115-10:30:00.100|";
  });
}

Messages unusual_execution_reports() {
  return make_messages(2, kRotation, [](Random& random) {
    return execution_body(random, make_execution(random)) +
           fmt::format("58={}={}|10011={}|20022={}|30033={}|", random.word(2, 6), random.number(3),
                       random.number(5), random.word(1, 4), random.number(2));
  });
}

Messages heartbeats() { return make_messages(3, kRotation, heartbeat_body); }

Messages new_order_singles() {
  return make_messages(4, kRotation,
                       [](Random& random) { return order_body(random, make_order(random)); });
}

Messages market_data_snapshots(std::size_t entries) { return group_job(entries).messages; }

ReadJob group_job(std::size_t entries) {
  // Long messages have enough variety within themselves. Four messages of 5,000 entries fit into a
  // 1 MiB second-level cache.
  constexpr std::size_t kEntriesOfLong = 1'000;
  ReadJob job;
  job.messages = make_messages(5, entries < kEntriesOfLong ? kRotation : 4, [&](Random& random) {
    std::uint64_t answer = 0;
    std::string body =
        header('W', random, static_cast<std::uint64_t>(random.number(6)), random_time_ms(random));
    body += fmt::format("262={}|55={}|268={}|", random.word(4, 8), random.word(2, 5), entries);
    for (std::size_t i = 0; i < entries; ++i) {
      const auto type = random.below(2);
      const std::int64_t cents = random_cents(random);
      const std::int64_t size = random.number(4);
      body += fmt::format("269={}|270={}|271={}|", type, cents_text(cents), size);
      answer += static_cast<std::uint64_t>('0' + static_cast<std::int64_t>(type) + cents + size);
    }
    job.answers.push_back(answer);
    return body;
  });
  return job;
}

Messages many_fields(std::size_t fields) {
  return messages_of(fields, 15, [](std::string& body, Random& random) {
    body += fmt::format("270={}|271={}|", cents_text(random_cents(random)), random.number(4));
  });
}

Messages many_data_fields(std::size_t fields) {
  return messages_of(fields, 16, [](std::string& body, Random& random) {
    const std::string data = random.word(1, 4) + "=" + random.word(1, 3) + "|" + random.word(1, 4);
    body += fmt::format("95={}|96={}|", data.size(), data);
  });
}

Messages many_long_values(std::size_t fields) {
  return messages_of(fields, 17, [](std::string& body, Random& random) {
    body += fmt::format("58={}|", random.word(60, 120));
    body += fmt::format("58={}|", random.word(60, 120));
  });
}

ReadJob typed_read_job() {
  ReadJob job;
  job.messages = make_messages(8, kRotation, [&](Random& random) {
    const Execution e = make_execution(random);
    const std::size_t bytes = e.order_id.size() + e.exec_id.size() + e.symbol.size();
    constexpr std::int64_t kUnitsPerCent = 1'000;  // see kAnswerScale
    const std::int64_t sum = 'F' + '2' + '1' + e.leaves_qty + e.cum_qty + e.last_qty +
                             (e.avg_px_cents + e.last_px_cents) * kUnitsPerCent +
                             e.transact_time_ms % 1000;
    job.answers.push_back(bytes + static_cast<std::uint64_t>(sum));
    return execution_body(random, e);
  });
  return job;
}

ReadJob dispatch_job() {
  constexpr std::string_view kTypes = "8DF9GVWj0";
  constexpr std::uint64_t kFields = 9;  // of the header, CheckSum, and one
  ReadJob job;
  job.messages = make_messages(9, kRotation, [&](Random& random) {
    const char type = kTypes[random.below(kTypes.size())];
    job.answers.push_back(type == '0' ? kFields : kFields * static_cast<std::uint64_t>(type));
    return header(type, random, static_cast<std::uint64_t>(random.number(6)),
                  random_time_ms(random)) +
           fmt::format("58={}|", random.word(2, 20));
  });
  return job;
}

LookupJob lookup_job(std::size_t messages) {
  LookupJob job;
  job.messages = make_messages(7, messages, [&](Random& random) {
    const Execution e = make_execution(random);
    // The tags 37, 150, 55, 54, 44 and 6. The message does not have 11 and 58.
    job.answers.push_back(e.order_id.size() + 1 + e.symbol.size() + 1 +
                          cents_text(e.price_cents).size() + cents_text(e.avg_px_cents).size());
    return execution_body(random, e);
  });
  return job;
}

IntegerJob integers() {
  Random random{8};
  IntegerJob job;
  job.values.tag = 38;
  for (const std::int64_t value : integer_values().values) {
    job.values.texts.push_back(std::to_string(value));
    job.answers.push_back(static_cast<std::uint64_t>(value));
  }
  put_into_messages(job.values, random);
  return job;
}

PriceJob prices() {
  constexpr int kFixedScale = 8;
  Random random{9};
  PriceJob job;
  job.values.tag = 44;
  for (const PriceValue& price : price_values().values) {
    job.values.texts.push_back(price_text(price));
    job.mantissas.push_back(static_cast<std::uint64_t>(price.mantissa));
    const double factor = std::pow(10.0, kFixedScale - price.scale);
    job.units.push_back(static_cast<std::uint64_t>(price.mantissa) *
                        static_cast<std::uint64_t>(std::llround(factor)));
    job.doubles.push_back(price.value);
  }
  put_into_messages(job.values, random);
  return job;
}

TimestampJob timestamps() {
  Random random{10};
  TimestampJob job;
  job.values.tag = 60;
  for (const std::int64_t time : timestamp_values().values) {
    job.values.texts.push_back(timestamp_text(time));
    job.milliseconds.push_back(static_cast<std::uint64_t>(time));
  }
  put_into_messages(job.values, random);
  return job;
}

EncodeJob<std::int64_t> integer_values() {
  Random random{18};
  EncodeJob<std::int64_t> job;
  for (std::size_t i = 0; i < kRotation; ++i) job.values.push_back(random.number(9));
  return job;
}

EncodeJob<PriceValue> price_values() {
  Random random{19};
  EncodeJob<PriceValue> job;
  for (std::size_t i = 0; i < kRotation; ++i) job.values.push_back(make_price(random));
  return job;
}

EncodeJob<std::int64_t> timestamp_values() {
  Random random{20};
  EncodeJob<std::int64_t> job;
  for (std::size_t i = 0; i < kRotation; ++i) job.values.push_back(make_time(random));
  return job;
}

ChecksumJob checksum_texts(std::size_t bytes) {
  Random random{11};
  ChecksumJob job;
  for (std::size_t i = 0; i < kRotation; ++i) {
    job.texts.push_back(random.word(bytes, bytes));
    job.sums.push_back(sum_of(job.texts.back()));
  }
  return job;
}

EncodeJob<Order> orders() {
  Random random{12};
  EncodeJob<Order> job;
  for (std::size_t i = 0; i < kRotation; ++i) job.values.push_back(make_order(random));
  return job;
}

EncodeJob<Order> amended_orders() {
  EncodeJob<Order> job = orders();
  for (Order& order : job.values) {
    order.symbol = job.values.front().symbol;
    order.side = job.values.front().side;
  }
  return job;
}

EncodeJob<Execution> executions() {
  Random random{13};
  EncodeJob<Execution> job;
  for (std::size_t i = 0; i < kRotation; ++i) job.values.push_back(make_execution(random));
  return job;
}

Stream mixed_stream(std::size_t bytes) {
  Random random{14};
  Stream stream;
  stream.bytes.reserve(bytes + 1024);
  while (stream.bytes.size() < bytes) {
    const std::uint64_t kind = random.below(8);
    const std::string message =
        message_of(kind == 0  ? heartbeat_body(random)
                   : kind < 4 ? order_body(random, make_order(random))
                              : execution_body(random, make_execution(random)));
    add_message(stream, message);
  }
  return stream;
}

Stream stream_of(const Messages& messages) {
  Stream stream;
  for (const std::string& message : messages.texts) add_message(stream, message);
  return stream;
}

}  // namespace nexusfix::bench
