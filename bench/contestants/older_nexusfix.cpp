// The older open-source NexusFIX as a contestant: headers only, of PREFIX/include.
#include <span>
#include <string_view>

#include <nexusfix/nexusfix.hpp>

#include "bench/contestants/contestant_job.hpp"

namespace {

std::span<const char> span_of(const nexusfix_text& text) { return {text.bytes, text.size}; }

struct Parse {
  contestant::Texts messages;

  std::uint64_t operator()(std::size_t input) const {
    const auto message = nfx::ParsedMessage::parse(span_of(messages[input]));
    return message ? message->field_count() : 0;
  }
};

// With its table of tags, which its own benchmark reads from.
struct ParseAndRead {
  contestant::Texts messages;

  std::uint64_t operator()(std::size_t input) const {
    constexpr std::int64_t kPerUnit = nfx::FixedPrice::SCALE / 100000;
    const auto message = nfx::IndexedParser::parse(span_of(messages[input]));
    if (!message) return 0;
    const std::string_view time = message->get_string(60);
    std::uint64_t millisecond = 0;
    for (const char digit : time.substr(time.size() - 3)) {
      millisecond = millisecond * 10 + static_cast<std::uint64_t>(digit - '0');
    }
    return message->get_string(37).size() +
           static_cast<std::uint64_t>(message->get_int(32).value_or(0)) +
           static_cast<std::uint64_t>(message->get_field(31).as_price().raw / kPerUnit) +
           millisecond;
  }
};

struct Frame {
  nexusfix_text stream;

  std::uint64_t operator()(std::size_t) const {
    std::uint64_t total = 0;
    std::span<const char> rest = span_of(stream);
    while (!rest.empty()) {
      const auto boundary = nfx::simd::find_message_boundary(rest);
      if (!boundary.complete) break;
      total += boundary.end - boundary.start;
      rest = rest.subspan(boundary.end);
    }
    return total;
  }
};

nexusfix_job parse(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(Parse{{messages, messages + count}}, count);
}
nexusfix_job parse_and_read(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(ParseAndRead{{messages, messages + count}}, count);
}
nexusfix_job frame(nexusfix_text stream) { return contestant::make_job(Frame{stream}, 1); }

const nexusfix_contestant_functions kFunctions = {NEXUSFIX_CONTESTANT_INTERFACE,
                                                  "older NexusFIX",
                                                  parse,
                                                  parse_and_read,
                                                  frame,
                                                  nullptr,
                                                  nullptr,
                                                  nullptr};

}  // namespace

const nexusfix_contestant_functions* nexusfix_contestant() { return &kFunctions; }
