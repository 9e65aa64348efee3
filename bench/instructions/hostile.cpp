// Receives hostile streams, for callgrind: tools/cost_per_byte.py counts the instructions of each
// within nexusfix_counted().
//
//   nexusfix_hostile               prints one line a case: stream, bytes, pieces, nanoseconds
//   nexusfix_hostile STREAM...     only the named streams
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

#include "bench/engine/inside_engine.hpp"
#include "bench/messages/messages.hpp"

extern "C" [[gnu::noinline]] void nexusfix_counted(nexusfix::FunctionRef<void()> work) {
  work();
  asm volatile("" ::: "memory");  // no tail call: callgrind sees the return
}

namespace nexusfix::bench {
namespace {

// A millisecond passes with each reading, so that no limit of events a second ends an attack early.
class SlowClock final : public Clock {
 public:
  Now now() noexcept override {
    constexpr std::chrono::milliseconds kStep{1};
    passed_ += kStep;
    return {WallTime{std::chrono::hours{480'000}} + passed_,
            MonoTime{std::chrono::hours{1}} + passed_};
  }

 private:
  std::chrono::nanoseconds passed_{};
};

std::string repeated(std::string_view text, std::size_t bytes) {
  std::string result;
  while (result.size() < bytes) result += text;
  std::ranges::replace(result, '|', '\x01');
  return result;
}

// number: MsgSeqNum minus that of the first message.
std::string message(std::string_view type, std::string_view body, std::uint64_t number = 0) {
  return message_of(fmt::format("35={}|49=T1|56=VENUE|34={}|52=20241004-00:00:01.000|{}", type,
                                ReceivedTexts::kFirstNumber + number, body));
}

std::string with_bars(std::string text) {
  std::ranges::replace(text, '\x01', '|');
  return text;
}
// One message whose body repeats an item up to a size. head: has {} for the number of items.
std::string bomb(std::string_view type, std::string_view head, std::string_view item,
                 std::size_t bytes) {
  const std::size_t count = bytes / item.size();
  std::string body{head};
  if (const std::size_t mark = body.find("{}"); mark != std::string::npos) {
    body.replace(mark, 2, std::to_string(count));
  }
  for (std::size_t i = 0; i < count; ++i) body += item;
  return message(type, body);
}

std::string many(std::string_view type, std::string_view body, std::size_t bytes,
                 std::uint64_t first = 0) {
  std::string result;
  for (std::uint64_t i = first; result.size() < bytes; ++i) result += message(type, body, i);
  return result;
}

// Messages whose BodyLength is far beyond their end.
std::string overlong(std::size_t bytes) {
  std::string result;
  for (std::uint64_t i = 0; result.size() < bytes; ++i) {
    result += fmt::format(
        "8=FIX.4.4\x01"
        "9={}\x01",
        bytes / 2);
    const std::string whole = message("0", "", i);
    result += whole.substr(whole.find("\x01"
                                      "35=") +
                           1);
  }
  return result;
}

struct Stream {
  std::string_view name;
  std::function<std::string(std::size_t bytes)> text;
  std::string keys{};
};

constexpr std::string_view kHead = "8=FIX.4.4|9=5|35=D|";
constexpr std::string_view kOrder =
    "11=A|21=1|55=AAPL|54=1|60=20240115-10:30:00.100|38=100|40=2|44=150.25|";

std::vector<Stream> streams() {
  using Size = std::size_t;
  const auto text = [](std::string_view item) {
    return [item](Size bytes) { return repeated(item, bytes); };
  };
  const auto filled = [](std::string_view type, std::string_view head, std::string_view item) {
    return [=](Size bytes) { return bomb(type, head, item, bytes); };
  };
  return {
      {"orders", [](Size bytes) { return many("D", kOrder, bytes); }},
      {"endless-message", [](Size bytes) { return repeated(kHead, 1) + std::string(bytes, 'x'); }},
      {"endless-fields", [](Size bytes) { return repeated(kHead, 1) + repeated("58=x|", bytes); }},
      {"heads", text(kHead)},
      {"heads-with-an-end",
       [](Size bytes) { return repeated(kHead, bytes) + repeated("10=000|", 1); }},
      {"beginnings", text("8=FIX")},
      {"eights", text("8=8=")},
      {"garbage", text("x")},
      {"soh", text("|")},
      {"checksums-without-digits", text("8=FIX.4.4|9=5|35=D|10=")},
      {"checksum-without-soh",
       [](Size bytes) { return repeated("8=FIX.4.4|9=5|35=D|10=", 1) + std::string(bytes, '0'); }},
      {"claimed-length",
       [](Size bytes) {
         return fmt::format(
                    "8=FIX.4.4\x01"
                    "9={}\x01"
                    "35=D\x01",
                    bytes) +
                repeated("58=x|", bytes - bytes / 16);
       }},
      {"overlong", overlong, "ValidateLengthAndChecksum=N\n"},
      {"overlong-refused", overlong},
      {"throttled", [](Size bytes) { return many("D", kOrder, bytes); },
       "ThrottleMessages=1\nThrottleInterval=1\n"},
      {"early", [](Size bytes) { return many("D", kOrder, bytes, 2); }},
      {"unknown-fields", filled("D", kOrder, "1=1|")},
      {"user-fields", filled("D", kOrder, "5001=1|")},
      {"large-tags", filled("D", kOrder, "70001=1|")},
      {"empty-values", filled("D", kOrder, "58=|")},
      {"malformed-tags", filled("D", kOrder, "x=1|")},
      {"parties", filled("D", std::string_view{"11=A|453={}|"}, "448=P|447=D|452=1|")},
      {"repeated-in-a-group", filled("D", "11=A|453=9{}|448=P|", "447=D|")},
      {"groups-in-groups", filled("D", "11=A|453={}|", "448=P|802=2|523=a|803=1|523=b|803=2|")},
      {"counts-of-nothing", filled("D", "11=A|453={}|", "448=P|802=99|")},
      {"lengths-without-data", filled("B", "148=x|33={}|", "58=x|354=0|")},
      {"data-without-lengths", filled("B", "148=x|33={}|", "58=x|355=y|")},
      {"lengths-that-lie", filled("B", "148=x|33={}|", "58=x|354=9|")},
      {"data", filled("B", "148=x|33={}|",
                      "58=x|354=3|355=a\x01"
                      "b|")},
      {"long-data",
       [](Size bytes) {
         return message("B", fmt::format("148=x|33=1|58=x|354={}|355={}|", bytes,
                                         with_bars(repeated("10=000|", bytes)).substr(0, bytes)));
       }},
  };
}

void receive(const Stream& stream, std::size_t bytes, std::size_t piece) {
  SlowClock clock;
  InsideEngine engine{true, ReceivedTexts::orders(), &clock,
                      "MaxAdminMessagesPerSecond=1000000\n" + stream.keys};
  const std::string text = stream.text(bytes);
  const auto begun = std::chrono::steady_clock::now();
  std::size_t received = 0;
  nexusfix_counted([&] {
    while (received < text.size() && !engine.is_closed()) {
      const std::size_t size = std::min(piece, text.size() - received);
      engine.receive(std::string_view{text}.substr(received, size));
      received += size;
    }
  });
  const auto took = std::chrono::steady_clock::now() - begun;
  std::printf("%s %zu %zu %lld\n", std::string{stream.name}.c_str(), received,
              (received + piece - 1) / piece,
              static_cast<long long>(std::chrono::nanoseconds{took}.count()));
  std::fflush(stdout);
}

struct Division {
  std::size_t bytes;
  std::size_t piece;
};

void run(std::span<char*> names) {
  // Each piece with two sizes: linear work costs the same a byte in both.
  constexpr Division kDivisions[]{{250'000, 16'384}, {1'000'000, 16'384}, {60'000, 97},
                                  {240'000, 97},     {5'000, 1},          {20'000, 1}};
  for (const Stream& stream : streams()) {
    const bool is_wanted =
        std::ranges::any_of(names, [&](const char* name) { return stream.name == name; });
    if (!names.empty() && !is_wanted) continue;
    for (const Division division : kDivisions) receive(stream, division.bytes, division.piece);
  }
}

}  // namespace
}  // namespace nexusfix::bench

int main(int count, char** words) {
  try {
    nexusfix::bench::run(std::span{words, static_cast<std::size_t>(count)}.subspan(1));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "nexusfix_hostile: %s\n", error.what());
    return 1;
  }
}
