// The venue's orders, matched by price and then time. Pure: no session, clock, file or message. Its
// decisions are executions. After a restart, the same executions in the same order rebuild it
// exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

#include "venue/book/fixed_text.hpp"
#include "venue/book/units.hpp"

namespace nexusfix::venue {

enum class BookSide : std::uint8_t { Buy, Sell };
enum class OrderKind : std::uint8_t { Limit, Market };
enum class Lifetime : std::uint8_t { Day, ImmediateOrCancel };
enum class OrderState : std::uint8_t { New, PartiallyFilled, Filled, Canceled };

// The session that sent an order, by the venue's own count. ClOrdIDs are unique for each owner.
using Owner = std::uint32_t;

// 64 bytes hold any UUID with a prefix and a suffix of the desk.
using ClOrdIdText = FixedText<64>;
inline constexpr std::size_t kSymbolBytesMax = 64;

// Names an order that is open or was closed a short time ago. Another order may get it later.
using OrderIndex = std::uint32_t;
inline constexpr OrderIndex kNoOrder = 0xffff'ffff;
// The place of an order among all accepted orders, from 0. OrderID on the wire is the number + 1.
using OrderNumber = std::uint32_t;

struct Order {
  OrderNumber number = 0;
  Owner owner = 0;
  std::uint32_t symbol = 0;
  std::uint32_t cl_ord_id = 0;  // the current one: a replacement gives an order a new one
  BookSide side = BookSide::Buy;
  OrderKind kind = OrderKind::Limit;
  Lifetime lifetime = Lifetime::Day;
  OrderState state = OrderState::New;
  Units price = 0;
  Units quantity = 0;
  Units cum = 0;
  Notional notional = 0;           // sum of LastQty × LastPx
  OrderIndex previous = kNoOrder;  // within its price level
  OrderIndex next = kNoOrder;
  bool is_multileg = false;
  bool is_resting = false;  // it is in a price level, where others may trade with it

  [[nodiscard]] bool is_open() const noexcept {
    return state == OrderState::New || state == OrderState::PartiallyFilled;
  }
  [[nodiscard]] Units leaves() const noexcept { return is_open() ? quantity - cum : 0; }
};

struct NewOrder {
  Owner owner = 0;
  std::string_view cl_ord_id;
  std::string_view symbol;
  BookSide side = BookSide::Buy;
  OrderKind kind = OrderKind::Limit;
  Lifetime lifetime = Lifetime::Day;
  Units quantity = 0;
  Units price = 0;  // of a limit order; may be negative, as spreads are
  bool is_multileg = false;
};

struct CancelRequest {
  Owner owner = 0;
  std::string_view cl_ord_id;       // of the request
  std::string_view orig_cl_ord_id;  // of the order
};

struct ReplaceRequest {
  Owner owner = 0;
  std::string_view cl_ord_id;
  std::string_view orig_cl_ord_id;
  Units quantity = 0;  // of the whole order, including its fills
  Units price = 0;
};

// What happens when an order would trade with one of its own owner.
enum class SelfTrade : std::uint8_t { Allow, CancelNewest, CancelOldest, CancelBoth };

// How a new or changed order comes to the book.
struct Arrival {
  SelfTrade self_trade = SelfTrade::Allow;
  bool matches = true;   // false: it rests without a trade, as in the call phase of an auction
  bool is_held = false;  // it does not come to the book: fill_held() and cancel() end it
};

enum class ExecutionKind : std::uint8_t { New, Trade, Canceled, Replaced };

enum class CancelCause : std::uint8_t { Request, NothingToTrade, SelfTrade, Venue };

// One thing that happened to one order, already applied to it: one ExecutionReport.
struct Execution {
  ExecutionKind kind = ExecutionKind::New;
  OrderIndex order = kNoOrder;
  Units last_quantity = 0;  // Trade
  Units last_price = 0;
  std::string_view orig_cl_ord_id;  // Canceled on request, Replaced: the order's ClOrdID before
  CancelCause cause = CancelCause::Request;  // Canceled
  bool is_other_side = false;                // Trade: the second one of a pair
};

// Why a request changed nothing.
enum class Refusal : std::uint8_t {
  None,
  ClOrdIdTooLong,
  DuplicateClOrdId,
  SymbolTooLong,
  QuantityNotPositive,
  UnknownOrder,
  OrderClosed,          // filled or canceled
  QuantityNotAboveCum,  // a replacement with no more quantity than is filled
  NotReplaceable,       // a market order
  NotTheSameOrder,      // a replacement with another Symbol or Side
  BookFull,
};

[[nodiscard]] std::string_view to_string(Refusal refusal) noexcept;

struct BookCapacity {
  // The capacity that is allocated at the start. Up to this number of orders, only new symbols and
  // a new maximum of simultaneous price levels allocate.
  std::size_t orders = 1U << 18U;
  std::uint64_t hash_seed = 0;  // keeps a counterparty from choosing ClOrdIDs that collide
  // The ClOrdIDs that the book remembers after their order is closed or has another one, at least
  // 1. So its memory is bounded by the open orders: an older ClOrdID is unknown, and a closed order
  // is forgotten with its last one. 131,072 take 24 MiB.
  std::size_t former_ids = 1U << 17U;
};

// One thread at a time.
class OrderBook {
 public:
  using Sink = FunctionRef<void(const Execution&)>;

  explicit OrderBook(BookCapacity capacity = {});
  OrderBook(const OrderBook&) = delete;
  OrderBook& operator=(const OrderBook&) = delete;

  // Each passes every execution to sink, in order: New for an order; then two trades for each order
  // that it matches, first the resting order's; then Canceled for the rest of an immediate or
  // market order. O(log price levels), and O(1) for each trade.
  Refusal submit(const NewOrder& order, Sink sink, Arrival arrival = {});
  Refusal cancel(const CancelRequest& request, Sink sink);
  Refusal replace(const ReplaceRequest& request, Sink sink, Arrival arrival = {});

  // Cancels an open order without a request of its owner.
  void cancel_open(OrderIndex index, CancelCause cause, Sink sink);
  // Fills an open order that was held, without an order of the other side. 0 < quantity ≤ leaves.
  void fill_held(OrderIndex index, Units quantity, Units price, Sink sink);
  // Trades at one price all that crosses in this symbol, as auction_price() finds it. Two trades
  // for each pair, the buyer's first. Orders of one owner trade with each other.
  void uncross(std::string_view symbol, Units reference, Sink sink);
  [[nodiscard]] bool is_crossed(std::string_view symbol) const noexcept;

  // Passes the resting orders with which an order would trade now, in their order. Of the order
  // only the symbol, side, kind, quantity and price count.
  void visit_matches(const NewOrder& order, FunctionRef<void(OrderIndex)> visit) const;

  // Restores the state from the reported executions, in their order, without matching. False: this
  // execution cannot follow those that were restored before.
  [[nodiscard]] bool restore_new(OrderNumber number, const NewOrder& order);
  [[nodiscard]] bool restore_trade(OrderIndex index, Units quantity, Units price);
  // cl_ord_id: of the request; empty if the venue canceled by itself.
  [[nodiscard]] bool restore_canceled(OrderIndex index, std::string_view cl_ord_id);
  [[nodiscard]] bool restore_replaced(OrderIndex index, const ReplaceRequest& request);

  // The accepted orders, with those that are forgotten.
  [[nodiscard]] OrderNumber order_count() const noexcept { return accepted_; }
  // Passes the orders that are not forgotten, in the order in which they were accepted. Allocates.
  void visit_orders(FunctionRef<void(OrderIndex)> visit) const;
  // Whether ClOrdIDs are forgotten.
  [[nodiscard]] bool has_forgotten() const noexcept { return has_forgotten_; }
  [[nodiscard]] const Order& order(OrderIndex index) const noexcept { return orders_[index]; }
  [[nodiscard]] std::string_view cl_ord_id(const Order& order) const noexcept;
  [[nodiscard]] std::string_view symbol(const Order& order) const noexcept;
  // The order with this ClOrdID of this owner: its first one, or that of a replacement or a cancel.
  // Nothing: there is none, or the ClOrdID is forgotten.
  [[nodiscard]] std::optional<OrderIndex> find(Owner owner,
                                               std::string_view cl_ord_id) const noexcept;
  // Passes the prices of one side, the best first, with the open quantity and number of orders,
  // until visit returns false.
  using LevelVisit = FunctionRef<bool(Units price, Units quantity, std::size_t orders)>;
  void visit_levels(std::string_view symbol, BookSide side, LevelVisit visit) const;
  // Passes the symbols that have or had an order, in the order of their first one.
  void visit_symbols(FunctionRef<void(std::string_view)> visit) const;
  // Passes the resting orders of one side, best price first, then oldest first.
  void visit_resting(std::string_view symbol, BookSide side,
                     FunctionRef<void(OrderIndex)> visit) const;

 private:
  struct Level {
    OrderIndex first = kNoOrder;
    OrderIndex last = kNoOrder;
  };
  // The key puts the best price first on both sides: it is minus the price for bids.
  using Levels = std::pmr::map<Units, Level>;
  struct SymbolBook {
    SymbolBook(std::string_view name, std::pmr::memory_resource* pool)
        : symbol{name}, bids{pool}, asks{pool} {}
    std::string symbol;
    Levels bids;
    Levels asks;
  };
  using IdIndex = std::uint32_t;
  static constexpr IdIndex kNoId = 0xffff'ffff;
  struct Id {
    Owner owner = 0;
    OrderIndex order = kNoOrder;
    IdIndex next = kNoId;  // among the former or the free ones
    ClOrdIdText text;
  };

  [[nodiscard]] Refusal check_id(Owner owner, std::string_view cl_ord_id) const noexcept;
  [[nodiscard]] std::uint64_t hash(Owner owner, std::string_view cl_ord_id) const noexcept;
  [[nodiscard]] std::size_t home_slot(const Id& id) const noexcept;
  IdIndex add_id(Owner owner, std::string_view cl_ord_id, OrderIndex order);
  void put_in_slot(IdIndex id) noexcept;
  void remove_from_slot(IdIndex id) noexcept;
  void grow_slots();
  // The ClOrdID is no longer that of an open order. May forget the oldest such one.
  void retire_id(IdIndex id) noexcept;
  void forget_oldest_id() noexcept;
  OrderIndex add_order(const NewOrder& order);
  std::uint32_t symbol_index(std::string_view symbol);

  [[nodiscard]] Levels& levels(const Order& order);
  void rest(OrderIndex index);
  void unrest(OrderIndex index);
  void fill(OrderIndex index, Units quantity, Units price);
  // The price of the trade; both orders are open.
  void trade(OrderIndex first, OrderIndex second, Units price, Sink sink);
  void match(OrderIndex index, SelfTrade self_trade, Sink sink);
  void arrive(OrderIndex index, const Arrival& arrival, Sink sink);
  // Without retire_id(), for an order that is still used.
  void close(OrderIndex index, CancelCause cause, Sink sink);
  [[nodiscard]] const SymbolBook* find_book(std::string_view symbol) const noexcept;
  // True: the order has lost its time priority, and is not on the book until rest() puts it there.
  bool change(OrderIndex index, const ReplaceRequest& request);

  std::pmr::unsynchronized_pool_resource pool_;
  std::vector<Order> orders_;
  OrderIndex free_orders_ = kNoOrder;  // a list by Order::next
  OrderNumber accepted_ = 0;
  std::vector<Id> ids_;
  IdIndex free_ids_ = kNoId;
  IdIndex oldest_former_ = kNoId;
  IdIndex newest_former_ = kNoId;
  std::size_t former_count_ = 0;
  std::size_t former_max_;
  std::size_t id_count_ = 0;  // without the free ones
  bool has_forgotten_ = false;
  std::vector<std::uint32_t> slots_;  // open addressing: index into ids_ + 1, 0 is free
  std::deque<SymbolBook> books_;
  std::map<std::string, std::uint32_t, std::less<>> symbols_;
  std::uint64_t hash_seed_;
};

}  // namespace nexusfix::venue
