// What the tests of drafts share: the text of a draft as it is sent.
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::fix44 {

using PartyEntry = NewOrderSingle::NoPartyIDs;
using SubIdEntry = PartyEntry::NoPartySubIDs;

// Succeeds, or shows the error.
inline void done(const wire::DraftResult& result) {
  EXPECT_TRUE(result.has_value()) << result.error().what();
}

// The whole message as a session sends it.
template <class M>
std::string encoded(const wire::Draft<M>& draft) {
  static std::array<char, 1U << 16U> buffer;
  auto session = *wire::HeaderTemplate::make({M::kBeginString, "A", "B"});
  wire::Encoder encoder{buffer, session, {.msg_type = M::kMsgType, .msg_seq_num = 1}};
  const auto message = encoder.fields(draft.fields()).finish();
  EXPECT_TRUE(message.has_value());
  return std::string{message.value_or("")};
}

// An order to which nothing is missing.
inline NewOrderSingle::Draft order() {
  NewOrderSingle::Draft draft;
  done(draft.set(ClOrdID{"A1"}, Symbol{"AAPL"}, Side::Buy, TransactTime{WallTime{}},
                 OrdType::Limit));
  return draft;
}

}  // namespace nexusfix::fix44
