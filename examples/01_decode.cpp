// Finds the messages in a stream of bytes and reads their fields, without an engine. The views of
// a message refer to the stream, so no field is copied.
//
// Usage: example_01_decode
#include <cstdio>
#include <string>
#include <string_view>

#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

namespace wire = nexusfix::wire;
namespace fix44 = nexusfix::fix44;

namespace {

// A log shows SOH as `|`. The first message is an ExecutionReport, the second one a Heartbeat with
// a wrong CheckSum.
constexpr std::string_view kLog =
    "8=FIX.4.4|9=125|35=8|49=VENUE|56=TRADER|34=2|52=20240115-10:30:00|37=O1|17=E1|150=F|39=2|"
    "55=AAPL|54=1|32=100|31=150.25|151=0|14=100|6=150.25|10=040|"
    "8=FIX.4.4|9=5|35=0|10=000|";

std::string stream_from_log() {
  std::string stream{kLog};
  for (char& byte : stream) byte = byte == '|' ? wire::kSoh : byte;
  return stream;
}

}  // namespace

int main() {
  const std::string stream = stream_from_log();
  // [decode]
  wire::Framer framer{stream};
  wire::Parser parser;
  while (auto frame = framer.next()) {  // empty: the rest is no complete message
    auto message = parser.parse(*frame);
    if (!message) {
      std::printf("not a message: %s\n", std::string{to_string(message.error().reason)}.c_str());
      continue;
    }
    for (std::size_t i = 0; i < message->field_count(); ++i) {
      const wire::FieldView field = message->field(i);
      std::printf("%u=%s ", field.tag, std::string{field.value}.c_str());
    }
    std::printf("\n");
    if (auto report = fix44::ExecutionReport::from(*message)) {  // checks the required fields
      std::printf("order %s filled at %s\n", std::string{report->order_id().value}.c_str(),
                  std::string{(*message)[31].value_or("?")}.c_str());
    }
  }
  // [end]
  return 0;
}
