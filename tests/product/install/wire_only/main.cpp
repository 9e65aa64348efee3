// Encodes a message, finds it in a stream after rubbish, and reads it.
#include <array>
#include <chrono>
#include <cstdio>
#include <string>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

int main() {
  using namespace nexusfix;
  std::array<char, 256> buffer;
  wire::MessageHeader header;
  header.msg_type = "D";
  header.msg_seq_num = 7;
  header.sending_time = WallTime{std::chrono::sys_days{std::chrono::year{2024} / 1 / 15}};
  wire::Encoder encoder{buffer, {"FIX.4.4", "US", "THEM"}, header};
  const auto message =
      encoder.field(55, std::string_view{"AAPL"}).field(44, Decimal{15025, 2}).finish();
  if (!message) return 1;

  const std::string stream = "rubbish" + std::string{*message};
  wire::Framer framer{stream};
  wire::Parser parser;
  while (const auto frame = framer.next()) {
    const auto view = parser.parse(*frame);
    if (!view) return 2;
    const auto price = view->get<Decimal>(44);
    const std::string symbol{(*view)[55].value_or("none")};
    std::printf("35=%c symbol %s mantissa %lld\n", view->msg_type()[0], symbol.c_str(),
                price ? static_cast<long long>(price->mantissa()) : -1LL);
  }
  std::printf("skipped %zu bytes\n", framer.garbled_bytes());
  return 0;
}
