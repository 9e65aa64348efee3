// Fix8 as a contestant: the library of PREFIX/lib, and the classes that PREFIX/bin/f8c makes from
// its dictionary of FIX 4.4. It checks the message against the dictionary while it decodes.
#include <fix8/f8includes.hpp>
#include <memory>
#include <string>

// clang-format off: each of these headers of Fix8 1.4.3 uses what the one before it declares, and
// includes none of them.
#include "FIX44_types.hpp"
#include "FIX44_router.hpp"
#include "FIX44_classes.hpp"
// clang-format on
#include "bench/contestants/contestant_job.hpp"

namespace {

struct Decode {
  std::vector<std::string> messages;

  Decode(const nexusfix_text* texts, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) messages.emplace_back(texts[i].bytes, texts[i].size);
  }
  std::unique_ptr<FIX8::Message> decoded(std::size_t input) const {
    try {
      return std::unique_ptr<FIX8::Message>(
          FIX8::Message::factory(FIX8::FIX44::ctx(), messages[input]));
    } catch (const std::exception&) {
      return nullptr;
    }
  }
};

struct Parse : Decode {
  using Decode::Decode;
  std::uint64_t operator()(std::size_t input) const { return decoded(input) ? 1 : 0; }
};

struct ParseAndRead : Decode {
  using Decode::Decode;
  std::uint64_t operator()(std::size_t input) const {
    constexpr double kUnits = 100000;
    const std::unique_ptr<FIX8::Message> message = decoded(input);
    if (!message) return 0;
    const auto* const order_id = message->get<FIX8::FIX44::OrderID>();
    const auto* const last_qty = message->get<FIX8::FIX44::LastQty>();
    const auto* const last_px = message->get<FIX8::FIX44::LastPx>();
    const auto* const transact_time = message->get<FIX8::FIX44::TransactTime>();
    if (!order_id || !last_qty || !last_px || !transact_time) return 0;
    return order_id->get().size() + static_cast<std::uint64_t>(last_qty->get()) +
           static_cast<std::uint64_t>(last_px->get() * kUnits + 0.5) + transact_time->get().msecs();
  }
};

nexusfix_job parse(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(Parse(messages, count), count);
}
nexusfix_job parse_and_read(const nexusfix_text* messages, std::size_t count) {
  return contestant::make_job(ParseAndRead(messages, count), count);
}

const nexusfix_contestant_functions kFunctions = {NEXUSFIX_CONTESTANT_INTERFACE,
                                                  "Fix8",
                                                  parse,
                                                  parse_and_read,
                                                  nullptr,
                                                  nullptr,
                                                  nullptr,
                                                  nullptr};

}  // namespace

const nexusfix_contestant_functions* nexusfix_contestant() { return &kFunctions; }
