// A contestant for contestant_test.cpp: it looks at one byte after the other.
#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/contestants/contestant_job.hpp"

namespace {

#ifdef NEXUSFIX_SAMPLE_newer
constexpr std::uint32_t kInterface = NEXUSFIX_CONTESTANT_INTERFACE + 1;
#else
constexpr std::uint32_t kInterface = NEXUSFIX_CONTESTANT_INTERFACE;
#endif
#ifdef NEXUSFIX_SAMPLE_wrong
constexpr std::uint64_t kError = 7;
#else
constexpr std::uint64_t kError = 0;
#endif
constexpr char kSoh = '\x01';

struct Parse {
  contestant::Texts messages;

  std::uint64_t operator()(std::size_t input) const {
    const nexusfix_text& text = messages[input];
    return kError +
           static_cast<std::uint64_t>(std::count(text.bytes, text.bytes + text.size, kSoh));
  }
};

// A CheckSum ends each message.
struct Frame {
  nexusfix_text stream;

  std::uint64_t operator()(std::size_t) const {
    const std::string bytes{stream.bytes, stream.size};
    const std::size_t last = bytes.rfind(
        "\x01"
        "10=");
    return last + sizeof("|10=123|") - 1 + kError;
  }
};

// The milliseconds of the row's day, 2024-01-15.
std::string time_text(std::int64_t time) {
  const auto rest = static_cast<int>(time % 86'400'000);
  char text[32];
  std::snprintf(text, sizeof text, "20240115-%02d:%02d:%02d.%03d", rest / 3'600'000,
                rest / 60'000 % 60, rest / 1'000 % 60, rest % 1'000);
  return text;
}

struct EncodeOrder {
  std::vector<nexusfix_order> orders;
  std::string text{};

  std::uint64_t operator()(std::size_t input) {
    const nexusfix_order& order = orders[input];
    char cents[32];
    std::snprintf(cents, sizeof cents, "%ld.%02ld", static_cast<long>(order.price / 100),
                  static_cast<long>(order.price % 100));
    std::string body = "35=D|49=SENDER|56=TARGET|34=" + std::to_string(order.msg_seq_num) +
                       "|52=" + time_text(order.sending_time) +
                       "|11=" + std::string(order.cl_ord_id.bytes, order.cl_ord_id.size) +
                       "|21=1|55=" + std::string(order.symbol.bytes, order.symbol.size) +
                       "|54=" + order.side + "|60=" + time_text(order.transact_time) +
                       "|38=" + std::to_string(order.order_qty + static_cast<int>(kError)) +
                       "|40=2|44=" + cents + "|59=0|";
    text = "8=FIX.4.4|9=" + std::to_string(body.size()) + "|" + body;
    std::replace(text.begin(), text.end(), '|', kSoh);
    unsigned sum = 0;
    for (const char one : text) sum += static_cast<unsigned char>(one);
    char trailer[16];
    std::snprintf(trailer, sizeof trailer, "10=%03u\x01", sum % 256);
    text += trailer;
    return text.size();
  }
  nexusfix_text message(std::size_t input) {
    (*this)(input);
    return {text.data(), text.size()};
  }
};

// A sum of the fields 269, 270 and 271, as texts.
struct ReadGroup {
  contestant::Texts messages;

  std::uint64_t operator()(std::size_t input) const {
    const std::string text{messages[input].bytes, messages[input].size};
    std::uint64_t sum = kError;
    for (std::size_t at = text.find(kSoh); at + 1 < text.size(); at = text.find(kSoh, at + 1)) {
      const std::string field = text.substr(at + 1, text.find(kSoh, at + 1) - at - 1);
      const std::string value = field.substr(field.find('=') + 1);
      if (field.rfind("269=", 0) == 0) sum += static_cast<unsigned char>(value[0]);
      if (field.rfind("270=", 0) == 0) {
        sum += static_cast<std::uint64_t>(std::stod(value) * 100 + 0.5);
      }
      if (field.rfind("271=", 0) == 0) sum += std::stoull(value);
    }
    return sum;
  }
};

nexusfix_job read_group(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(ReadGroup{{messages, messages + count}}, count);
}
nexusfix_job parse(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(Parse{{messages, messages + count}}, count);
}
nexusfix_job frame(nexusfix_text stream) { return contestant::make_job(Frame{stream}, 1); }
nexusfix_job encode_order(const nexusfix_order* orders, std::size_t count) {
  return contestant::make_encoding_job(EncodeOrder{{orders, orders + count}}, count);
}
// A job that the library finds that it cannot do.
nexusfix_job no_execution(const nexusfix_execution*, std::size_t) { return {}; }

const nexusfix_contestant_functions kFunctions = {
    kInterface, "sample", parse, nullptr, frame, encode_order, no_execution, read_group};

}  // namespace

const nexusfix_contestant_functions* nexusfix_contestant() { return &kFunctions; }
