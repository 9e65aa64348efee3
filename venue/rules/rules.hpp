// The rules of a venue: what a tester has written in a file. Plain data, and which rule a message
// meets. docs/guide/venue.md is their reference.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {

using Milliseconds = std::chrono::milliseconds;

enum class Test : std::uint8_t {
  Equal,
  NotEqual,  // also if the message does not have the field
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  Like,  // values have * for any text
  Has,
  HasNot,
  Chance,  // permille
};

struct Condition {
  Test test = Test::Equal;
  wire::Tag tag = 0;
  std::vector<std::string> values{};  // of Equal and Like: one of these
  unsigned permille = 0;

  // random is used by Chance alone.
  [[nodiscard]] bool holds(const wire::MessageView& message, Random& random) const;
};

enum class ActionKind : std::uint8_t {
  Accept,
  Reject,
  StaySilent,
  Delay,
  Fill,
  Hold,
  Cancel,
  Disconnect,
  LogOut,
};

// The message that rejects another one.
enum class RejectBy : std::uint8_t {
  Own,       // that of the message's type, such as ExecutionReport; or else as Business
  Business,  // BusinessMessageReject
  Session,   // Reject
};

struct Action {
  ActionKind kind = ActionKind::Accept;
  std::string text{};                // Reject, LogOut
  std::optional<unsigned> reason{};  // Reject: of the field that the answer has
  RejectBy reject_by = RejectBy::Own;
  Milliseconds time{0};             // Delay; Fill: before each part; Cancel
  Milliseconds time_max{0};         // Delay: by chance up to this; 0: exactly time
  unsigned parts = 1;               // Fill, 1 to 1,000
  std::optional<Units> quantity{};  // Fill; nothing: all
  unsigned permille = 1'000;        // Fill: of the order, if there is no quantity
  std::optional<Units> price{};     // Fill; nothing: that of the order, or the last one
};

// if CONDITIONS then ACTIONS
struct Rule {
  std::vector<Condition> conditions{};
  std::vector<Action> actions{};
  unsigned line = 0;
  bool names_msg_type = false;  // otherwise it is for new orders alone

  [[nodiscard]] const Action* action(ActionKind kind) const noexcept;
};

struct Instrument {
  std::string symbol{};
  Units tick = 0;                // 0: any price
  Units lot = 0;                 // 0: any quantity
  std::optional<Units> price{};  // before the first trade
  std::string type{};            // SecurityType (167); empty: not sent
  std::string currency{};        // empty: not sent

  // Why an order may not have these; empty: it may.
  [[nodiscard]] std::string fault(Units price_of_order, Units quantity, bool has_price) const;
};

struct Auction {
  std::string symbol{};
  std::optional<Milliseconds> time{};  // of the call phase; nothing: until the rules change
};

struct SelfTradeRule {
  SelfTrade policy = SelfTrade::Allow;
  std::string symbol{};   // empty: each
  std::string session{};  // empty: each
};

struct DropCopy {
  std::string to{};               // a session
  std::vector<std::string> of{};  // sessions; empty: all others
};

struct QuotePolicy {
  Units spread = 0;  // around the price of the instrument
  Units size = 0;
};

struct Rules {
  std::vector<Rule> rules{};
  std::vector<Instrument> instruments{};
  bool only_instruments = false;  // an order for another symbol is rejected
  std::vector<std::string> halted{};
  std::vector<Auction> auctions{};
  std::vector<SelfTradeRule> self_trade{};  // the last one that fits counts
  std::vector<DropCopy> drop_copies{};
  bool cancels_on_disconnect = false;
  std::vector<std::string> cancels_on_disconnect_of{};
  Milliseconds market_data_interval{0};  // 0: an update for each change
  std::optional<QuotePolicy> quotes{};
  bool reports_allocations = false;  // each accepted allocation gets an AllocationReport

  // The first rule whose conditions all hold. Null: none.
  [[nodiscard]] const Rule* first(const wire::MessageView& message, Random& random) const;
  [[nodiscard]] const Instrument* instrument(std::string_view symbol) const noexcept;
  [[nodiscard]] bool is_halted(std::string_view symbol) const noexcept;
  [[nodiscard]] const Auction* auction(std::string_view symbol) const noexcept;
  // comp_id: of the counterparty.
  [[nodiscard]] SelfTrade self_trade_policy(std::string_view symbol,
                                            std::string_view comp_id) const noexcept;
  [[nodiscard]] bool cancels_on_disconnect_for(std::string_view comp_id) const noexcept;
  // The sessions that the lines name, each once.
  [[nodiscard]] std::vector<std::string> sessions() const;
};

// A fault of a file of rules, for people.
struct RulesError {
  unsigned line = 0;  // from 1
  unsigned column = 0;
  std::string text{};
};

}  // namespace nexusfix::venue
