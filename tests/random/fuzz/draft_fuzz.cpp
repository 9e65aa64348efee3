// Drafts of hostile messages, under any edits: an edit with an error changes nothing, and what is
// sent is a message of which the same draft is made. The input: the fields of a received message
// with `|` for SOH, a zero byte, and the edits.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/fix_text.hpp"

namespace {

using namespace nexusfix;
using testing::require;
using Order = fix44::NewOrderSingle::Draft;
using Party = fix44::NewOrderSingle::NoPartyIDs;
using SubId = Party::NoPartySubIDs;

constexpr std::size_t kTextBytesMax = 40;

wire::DraftResult edit(Order& draft, const wire::MessageView& received, testing::Input& input) {
  const std::size_t kind = input.byte();
  const auto tag = static_cast<wire::Tag>(input.word());
  const std::size_t number = input.byte();
  const std::string text = input.text(input.byte() % kTextBytesMax);
  auto parties = draft.group<Party>();
  switch (kind % 12) {
    case 0:
      return draft.set(tag, text);
    case 1:
      return draft.set(fix44::ClOrdID{text}, fix44::OrderQty{static_cast<std::int64_t>(number)},
                       fix44::EncodedText{text});
    case 2:
      return parties.add(fix44::PartyID{text}, fix44::PartyRole::ClientId);
    case 3:
      return parties[number].set(tag, text);
    case 4:
      return parties[number].group<SubId>().add(fix44::PartySubID{text});
    case 5:
      return parties.erase(number);
    case 6:
      return parties[number].group<SubId>()[tag].set(fix44::PartySubID{text});
    case 7:
      return draft.set(draft.account(), draft.price(), fix44::Text{draft.symbol_or(text)});
    case 8:
      return draft.assign(received);
    case 9:
      draft.erase(tag);
      break;
    case 10:
      draft = Order::with_fields_of(
          fix44::OrderCancelReplaceRequest::Draft::with_fields_of(Order{draft}));
      break;
    default:
      draft = Order{draft};
  }
  return {};
}

// Leaves out what a received message says about the session, as Draft::from() does.
void leave_out_session(Order& draft) {
  for (const wire::Tag tag : {50U, 57U, 97U, 142U, 143U}) draft.erase(tag);
}

void require_same_when_received(Order draft) {
  leave_out_session(draft);
  static std::array<char, 1U << 20U> buffer;
  auto session = *wire::HeaderTemplate::make({"FIX.4.4", "A", "B"});
  wire::Encoder encoder{buffer, session, {.msg_type = "D", .msg_seq_num = 1}};
  const auto sent = encoder.fields(draft.fields()).finish();
  require(sent.has_value());
  wire::Parser parser;
  const auto message = parser.parse(*sent);
  require(message && !message->fault());
  const auto again = Order::from(*message);
  require(again && *again == draft);
  require(!draft.validate() || draft.typed());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  testing::Input input{data, size};
  std::string body;
  while (const std::size_t byte = input.byte()) body.push_back(static_cast<char>(byte));
  const std::string bytes = testing::fix("FIX.4.4", body);
  wire::Parser parser;
  const auto received = parser.parse(bytes);
  if (!received) return 0;

  Order draft = Order::from(*received).value_or(Order{});
  while (!input.empty()) {
    const Order before = draft;
    if (!edit(draft, *received, input)) {
      require(draft == before && draft.field_count() == before.field_count());
    }
    require(draft.empty() || draft.view().field_count() == draft.field_count() + 3);
    require(to_string(draft).find('\x01') == std::string::npos);
  }
  require_same_when_received(std::move(draft));
  return 0;
}
