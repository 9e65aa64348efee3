// hffix as a contestant: headers only, of PREFIX/include. It checks neither BodyLength nor CheckSum
// of a message beyond its frame, and looks for a field from the first one on.
#include <hffix.hpp>

#include "bench/contestants/contestant_job.hpp"

namespace {

constexpr int kMilliseconds = 1000;
constexpr std::int64_t kDayMilliseconds = 86400000;

struct Parse {
  contestant::Texts messages;

  std::uint64_t operator()(std::size_t input) const {
    constexpr std::uint64_t kFrameFields = 3;  // its iterator leaves out 8, 9 and 10
    const hffix::message_reader reader(messages[input].bytes, messages[input].size);
    if (!reader.is_complete() || !reader.is_valid()) return 0;
    std::uint64_t fields = kFrameFields;
    for (hffix::message_reader::const_iterator at = reader.begin(); at != reader.end(); ++at) {
      contestant::keep(static_cast<std::uint64_t>(at->tag()));
      ++fields;
    }
    return fields;
  }
};

struct ParseAndRead {
  contestant::Texts messages;

  static std::uint64_t units(const hffix::field_value& value) {
    long mantissa = 0;
    long exponent = 0;
    value.as_decimal(mantissa, exponent);
    for (; exponent > -5; --exponent) mantissa *= 10;
    return static_cast<std::uint64_t>(mantissa);
  }
  // One pass, because the order of the four fields is known neither to it nor to its peers.
  std::uint64_t operator()(std::size_t input) const {
    const hffix::message_reader reader(messages[input].bytes, messages[input].size);
    if (!reader.is_complete() || !reader.is_valid()) return 0;
    std::uint64_t answer = 0;
    for (hffix::message_reader::const_iterator at = reader.begin(); at != reader.end(); ++at) {
      switch (at->tag()) {
        case 37:
          answer += at->value().size();
          break;
        case 32:
          answer += at->value().as_int<std::uint64_t>();
          break;
        case 31:
          answer += units(at->value());
          break;
        case 60: {
          int year = 0;
          int month = 0;
          int day = 0;
          int hour = 0;
          int minute = 0;
          int second = 0;
          int millisecond = 0;
          at->value().as_timestamp(year, month, day, hour, minute, second, millisecond);
          answer += static_cast<std::uint64_t>(millisecond);
          break;
        }
        default:
          break;
      }
    }
    return answer;
  }
};

// It has no view of a group: each pass over the fields begins with those before it.
struct ReadGroup {
  contestant::Texts messages;

  static std::uint64_t cents(const hffix::field_value& value) {
    long mantissa = 0;
    long exponent = 0;
    value.as_decimal(mantissa, exponent);
    for (; exponent > -2; --exponent) mantissa *= 10;
    return static_cast<std::uint64_t>(mantissa);
  }
  std::uint64_t operator()(std::size_t input) const {
    const hffix::message_reader reader(messages[input].bytes, messages[input].size);
    if (!reader.is_complete() || !reader.is_valid()) return 0;
    std::uint64_t answer = 0;
    for (hffix::message_reader::const_iterator at = reader.begin(); at != reader.end(); ++at) {
      switch (at->tag()) {
        case 269:
          answer += static_cast<unsigned char>(*at->value().begin());
          break;
        case 270:
          answer += cents(at->value());
          break;
        case 271:
          answer += at->value().as_int<std::uint64_t>();
          break;
        default:
          break;
      }
    }
    return answer;
  }
};

struct Frame {
  nexusfix_text stream;

  std::uint64_t operator()(std::size_t) const {
    std::uint64_t total = 0;
    hffix::message_reader reader(stream.bytes, stream.size);
    while (reader.is_complete() && reader.is_valid()) {
      total += reader.message_size();
      reader = hffix::message_reader(reader.message_end(), stream.bytes + stream.size);
    }
    return total;
  }
};

// Howard Hinnant's conversion of days to a civil date.
void push_time(hffix::message_writer& writer, int tag, std::int64_t time) {
  const std::int64_t days = time / kDayMilliseconds;
  const int rest = static_cast<int>(time % kDayMilliseconds);
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = shifted / 146097;
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year_of_era =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted_month = (5 * of_year + 2) / 153;
  const int day = static_cast<int>(of_year - (153 * shifted_month + 2) / 5 + 1);
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  const int year = static_cast<int>(year_of_era + era * 400 + (month <= 2 ? 1 : 0));
  const int second = rest / kMilliseconds;
  writer.push_back_timestamp(tag, year, month, day, second / 3600, second / 60 % 60, second % 60,
                             rest % kMilliseconds);
}

void push_text(hffix::message_writer& writer, int tag, nexusfix_text text) {
  writer.push_back_string(tag, text.bytes, text.bytes + text.size);
}

void push_cents(hffix::message_writer& writer, int tag, std::int64_t cents) {
  writer.push_back_decimal<std::int64_t>(tag, cents, -2);
}

void push_header(hffix::message_writer& writer, char msg_type, std::uint64_t msg_seq_num,
                 std::int64_t sending_time) {
  writer.push_back_header("FIX.4.4");
  writer.push_back_char(35, msg_type);
  writer.push_back_string(49, "SENDER");
  writer.push_back_string(56, "TARGET");
  writer.push_back_int(34, static_cast<std::int64_t>(msg_seq_num));
  push_time(writer, 52, sending_time);
}

struct Buffer {
  static constexpr std::size_t kBytes = 1024;
  char bytes[kBytes];
};

struct EncodeOrder {
  std::vector<nexusfix_order> orders;
  Buffer buffer{};

  std::uint64_t operator()(std::size_t input) {
    const nexusfix_order& order = orders[input];
    hffix::message_writer writer(buffer.bytes, Buffer::kBytes);
    push_header(writer, 'D', order.msg_seq_num, order.sending_time);
    push_text(writer, 11, order.cl_ord_id);
    writer.push_back_char(21, '1');
    push_text(writer, 55, order.symbol);
    writer.push_back_char(54, order.side);
    push_time(writer, 60, order.transact_time);
    writer.push_back_int(38, order.order_qty);
    writer.push_back_char(40, '2');
    push_cents(writer, 44, order.price);
    writer.push_back_char(59, '0');
    writer.push_back_trailer();
    return writer.message_size();
  }
  nexusfix_text message(std::size_t input) {
    const std::uint64_t size = (*this)(input);
    return {buffer.bytes, size};
  }
};

struct EncodeExecution {
  std::vector<nexusfix_execution> executions;
  Buffer buffer{};

  std::uint64_t operator()(std::size_t input) {
    const nexusfix_execution& execution = executions[input];
    hffix::message_writer writer(buffer.bytes, Buffer::kBytes);
    push_header(writer, '8', execution.msg_seq_num, execution.sending_time);
    push_text(writer, 37, execution.order_id);
    push_text(writer, 17, execution.exec_id);
    writer.push_back_char(150, 'F');
    writer.push_back_char(39, '2');
    push_text(writer, 55, execution.symbol);
    writer.push_back_char(54, '1');
    writer.push_back_int(38, execution.order_qty);
    push_cents(writer, 44, execution.price);
    writer.push_back_int(32, execution.last_qty);
    push_cents(writer, 31, execution.last_px);
    writer.push_back_int(151, execution.leaves_qty);
    writer.push_back_int(14, execution.cum_qty);
    push_cents(writer, 6, execution.avg_px);
    push_time(writer, 60, execution.transact_time);
    writer.push_back_trailer();
    return writer.message_size();
  }
  nexusfix_text message(std::size_t input) {
    const std::uint64_t size = (*this)(input);
    return {buffer.bytes, size};
  }
};

nexusfix_job parse(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(Parse{{messages, messages + count}}, count);
}
nexusfix_job parse_and_read(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(ParseAndRead{{messages, messages + count}}, count);
}
nexusfix_job read_group(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(ReadGroup{{messages, messages + count}}, count);
}
nexusfix_job frame(nexusfix_text stream) { return contestant::make_job(Frame{stream}, 1); }
nexusfix_job encode_order(const nexusfix_order* orders, std::size_t count) {
  return contestant::make_encoding_job(EncodeOrder{{orders, orders + count}}, count);
}
nexusfix_job encode_execution(const nexusfix_execution* executions, std::size_t count) {
  return contestant::make_encoding_job(EncodeExecution{{executions, executions + count}}, count);
}

const nexusfix_contestant_functions kFunctions = {NEXUSFIX_CONTESTANT_INTERFACE,
                                                  "hffix",
                                                  parse,
                                                  parse_and_read,
                                                  frame,
                                                  encode_order,
                                                  encode_execution,
                                                  read_group};

}  // namespace

const nexusfix_contestant_functions* nexusfix_contestant() { return &kFunctions; }
