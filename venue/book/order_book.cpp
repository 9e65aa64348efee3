#include "venue/book/order_book.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "venue/book/auction_price.hpp"

namespace nexusfix::venue {
namespace {

__extension__ typedef unsigned __int128 WideProduct;

Units level_key(BookSide side, Units price) noexcept {
  return side == BookSide::Buy ? -price : price;
}

// Whether a taker may trade at the price of a resting order.
bool crosses(const Order& taker, const Order& maker) noexcept {
  if (taker.kind == OrderKind::Market) return true;
  return taker.side == BookSide::Buy ? taker.price >= maker.price : taker.price <= maker.price;
}

bool may_rest(const Order& order) noexcept {
  return order.kind == OrderKind::Limit && order.lifetime == Lifetime::Day;
}

}  // namespace

std::string_view to_string(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::None:
      return "accepted";
    case Refusal::ClOrdIdTooLong:
      return "ClOrdID is longer than 64 bytes";
    case Refusal::DuplicateClOrdId:
      return "ClOrdID was used before";
    case Refusal::SymbolTooLong:
      return "Symbol is longer than 64 bytes";
    case Refusal::QuantityNotPositive:
      return "OrderQty must be above 0";
    case Refusal::UnknownOrder:
      return "no order of yours has this OrigClOrdID";
    case Refusal::OrderClosed:
      return "the order is filled or canceled already";
    case Refusal::QuantityNotAboveCum:
      return "OrderQty must be above CumQty";
    case Refusal::NotReplaceable:
      return "a market order cannot be replaced";
    case Refusal::NotTheSameOrder:
      return "Symbol and Side of an order cannot be replaced";
    case Refusal::BookFull:
      return "the venue accepts no more orders";
  }
  return "refused";
}

OrderBook::OrderBook(BookCapacity capacity)
    : former_max_{std::max<std::size_t>(capacity.former_ids, 1)},
      slots_(std::bit_ceil(std::max<std::size_t>(capacity.orders, 8) * 2)),
      hash_seed_{capacity.hash_seed} {
  orders_.reserve(capacity.orders);
  ids_.reserve(capacity.orders);
  // Fill and empty a map once, so that the pool has memory for the first price levels.
  Levels warm_up{&pool_};
  constexpr Units kLevelsAtStart = 1024;
  for (Units key = 0; key < kLevelsAtStart; ++key) warm_up.try_emplace(key);
}

std::string_view OrderBook::cl_ord_id(const Order& order) const noexcept {
  return ids_[order.cl_ord_id].text.view();
}

std::string_view OrderBook::symbol(const Order& order) const noexcept {
  return books_[order.symbol].symbol;
}

// Mixes eight bytes at a time by a multiplication, and folds the halves of the product together.
std::uint64_t OrderBook::hash(Owner owner, std::string_view text) const noexcept {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15U;
  const auto mix = [](std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<WideProduct>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  std::uint64_t state = hash_seed_ ^ (owner + kOdd);
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), size);
    state = mix(state ^ word, kOdd) + size;
    text.remove_prefix(size);
  }
  return mix(state, kOdd);
}

std::optional<OrderIndex> OrderBook::find(Owner owner, std::string_view text) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t slot = hash(owner, text) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const Id& id = ids_[slots_[slot] - 1];
    if (id.owner == owner && id.text.view() == text) return id.order;
  }
  return std::nullopt;
}

Refusal OrderBook::check_id(Owner owner, std::string_view text) const noexcept {
  if (text.size() > ClOrdIdText::kSizeMax) return Refusal::ClOrdIdTooLong;
  if (find(owner, text)) return Refusal::DuplicateClOrdId;
  return Refusal::None;
}

void OrderBook::grow_slots() {
  std::vector<IdIndex> ids(slots_.size() * 2, 0);
  ids.swap(slots_);
  for (const IdIndex id : ids) {
    if (id != 0) put_in_slot(id - 1);
  }
}

std::size_t OrderBook::home_slot(const Id& id) const noexcept {
  return hash(id.owner, id.text.view()) & (slots_.size() - 1);
}

void OrderBook::put_in_slot(IdIndex id) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = home_slot(ids_[id]);
  while (slots_[slot] != 0) slot = (slot + 1) & mask;
  slots_[slot] = id + 1;
}

// Entries after it move into the hole, as far as a search would no longer find them.
void OrderBook::remove_from_slot(IdIndex id) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = home_slot(ids_[id]);
  while (slots_[hole] != id + 1) hole = (hole + 1) & mask;
  for (std::size_t slot = (hole + 1) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t home = home_slot(ids_[slots_[slot] - 1]);
    if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
    slots_[hole] = slots_[slot];
    hole = slot;
  }
  slots_[hole] = 0;
}

OrderBook::IdIndex OrderBook::add_id(Owner owner, std::string_view text, OrderIndex order) {
  if ((id_count_ + 1) * 2 > slots_.size()) grow_slots();
  IdIndex id = free_ids_;
  if (id == kNoId) {
    id = static_cast<IdIndex>(ids_.size());
    ids_.emplace_back();
  } else {
    free_ids_ = ids_[id].next;
  }
  ids_[id] = {owner, order, kNoId, ClOrdIdText{text}};
  put_in_slot(id);
  ++id_count_;
  return id;
}

void OrderBook::retire_id(IdIndex id) noexcept {
  (oldest_former_ == kNoId ? oldest_former_ : ids_[newest_former_].next) = id;
  newest_former_ = id;
  if (++former_count_ > former_max_) forget_oldest_id();
}

// A closed order's last ClOrdID is retired when it is closed, after all its others.
void OrderBook::forget_oldest_id() noexcept {
  const IdIndex id = std::exchange(oldest_former_, ids_[oldest_former_].next);
  Order& order = orders_[ids_[id].order];
  if (order.cl_ord_id == id) order.next = std::exchange(free_orders_, ids_[id].order);
  remove_from_slot(id);
  ids_[id] = {.owner = 0, .order = kNoOrder, .next = std::exchange(free_ids_, id), .text = {}};
  --former_count_;
  --id_count_;
  has_forgotten_ = true;
}

std::uint32_t OrderBook::symbol_index(std::string_view symbol) {
  if (const auto found = symbols_.find(symbol); found != symbols_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(books_.size());
  books_.emplace_back(symbol, &pool_);
  symbols_.emplace(symbol, index);
  return index;
}

OrderIndex OrderBook::add_order(const NewOrder& request) {
  OrderIndex index = free_orders_;
  if (index == kNoOrder) {
    index = static_cast<OrderIndex>(orders_.size());
    orders_.emplace_back();
  } else {
    free_orders_ = orders_[index].next;
  }
  Order order;
  order.number = accepted_++;
  order.owner = request.owner;
  order.symbol = symbol_index(request.symbol);
  order.cl_ord_id = add_id(request.owner, request.cl_ord_id, index);
  order.side = request.side;
  order.kind = request.kind;
  order.lifetime = request.lifetime;
  order.price = request.kind == OrderKind::Market ? 0 : request.price;
  order.quantity = request.quantity;
  order.is_multileg = request.is_multileg;
  orders_[index] = order;
  return index;
}

OrderBook::Levels& OrderBook::levels(const Order& order) {
  SymbolBook& book = books_[order.symbol];
  return order.side == BookSide::Buy ? book.bids : book.asks;
}

void OrderBook::rest(OrderIndex index) {
  Order& order = orders_[index];
  Level& level = levels(order).try_emplace(level_key(order.side, order.price)).first->second;
  order.previous = level.last;
  order.next = kNoOrder;
  (level.last == kNoOrder ? level.first : orders_[level.last].next) = index;
  level.last = index;
  order.is_resting = true;
}

void OrderBook::unrest(OrderIndex index) {
  Order& order = orders_[index];
  if (!order.is_resting) return;
  order.is_resting = false;
  Levels& side = levels(order);
  const auto level = side.find(level_key(order.side, order.price));
  NEXUSFIX_ASSERT(level != side.end());
  (order.previous == kNoOrder ? level->second.first : orders_[order.previous].next) = order.next;
  (order.next == kNoOrder ? level->second.last : orders_[order.next].previous) = order.previous;
  order.previous = order.next = kNoOrder;
  if (level->second.first == kNoOrder) side.erase(level);
}

void OrderBook::fill(OrderIndex index, Units quantity, Units price) {
  Order& order = orders_[index];
  NEXUSFIX_ASSERT(quantity > 0 && quantity <= order.leaves());
  order.cum += quantity;
  order.notional += static_cast<Notional>(quantity) * price;
  order.state = order.cum == order.quantity ? OrderState::Filled : OrderState::PartiallyFilled;
}

void OrderBook::trade(OrderIndex first, OrderIndex second, Units price, Sink sink) {
  const Units quantity = std::min(orders_[first].leaves(), orders_[second].leaves());
  for (const OrderIndex index : {first, second}) {
    fill(index, quantity, price);
    if (!orders_[index].is_open()) unrest(index);
  }
  sink({.kind = ExecutionKind::Trade,
        .order = first,
        .last_quantity = quantity,
        .last_price = price,
        .orig_cl_ord_id = {}});
  sink({.kind = ExecutionKind::Trade,
        .order = second,
        .last_quantity = quantity,
        .last_price = price,
        .orig_cl_ord_id = {},
        .is_other_side = true});
}

void OrderBook::close(OrderIndex index, CancelCause cause, Sink sink) {
  unrest(index);
  orders_[index].state = OrderState::Canceled;
  sink({.kind = ExecutionKind::Canceled, .order = index, .orig_cl_ord_id = {}, .cause = cause});
}

void OrderBook::match(OrderIndex index, SelfTrade self_trade, Sink sink) {
  Order& taker = orders_[index];
  SymbolBook& book = books_[taker.symbol];
  Levels& opposite = taker.side == BookSide::Buy ? book.asks : book.bids;
  while (taker.leaves() > 0 && !opposite.empty()) {
    const OrderIndex maker_index = opposite.begin()->second.first;
    Order& maker = orders_[maker_index];
    if (!crosses(taker, maker)) return;
    if (maker.owner != taker.owner || self_trade == SelfTrade::Allow) {
      trade(maker_index, index, maker.price, sink);
      if (!maker.is_open()) retire_id(maker.cl_ord_id);
      continue;
    }
    if (self_trade != SelfTrade::CancelNewest) {
      cancel_open(maker_index, CancelCause::SelfTrade, sink);
    }
    if (self_trade != SelfTrade::CancelOldest) {
      return close(index, CancelCause::SelfTrade, sink);
    }
  }
}

// The rest of the order after matching rests on the book, or is canceled if it may not.
void OrderBook::arrive(OrderIndex index, const Arrival& arrival, Sink sink) {
  if (arrival.is_held) return;
  if (arrival.matches) match(index, arrival.self_trade, sink);
  Order& order = orders_[index];
  if (order.is_open() && may_rest(order)) return rest(index);
  if (order.is_open()) close(index, CancelCause::NothingToTrade, sink);
  retire_id(order.cl_ord_id);
}

void OrderBook::cancel_open(OrderIndex index, CancelCause cause, Sink sink) {
  NEXUSFIX_ASSERT(orders_[index].is_open());
  close(index, cause, sink);
  retire_id(orders_[index].cl_ord_id);
}

void OrderBook::fill_held(OrderIndex index, Units quantity, Units price, Sink sink) {
  fill(index, quantity, price);
  sink({.kind = ExecutionKind::Trade,
        .order = index,
        .last_quantity = quantity,
        .last_price = price,
        .orig_cl_ord_id = {}});
  if (orders_[index].is_open()) return;
  unrest(index);
  retire_id(orders_[index].cl_ord_id);
}

const OrderBook::SymbolBook* OrderBook::find_book(std::string_view symbol) const noexcept {
  const auto found = symbols_.find(symbol);
  return found == symbols_.end() ? nullptr : &books_[found->second];
}

bool OrderBook::is_crossed(std::string_view symbol) const noexcept {
  const SymbolBook* const book = find_book(symbol);
  return book != nullptr && !book->bids.empty() && !book->asks.empty() &&
         -book->bids.begin()->first >= book->asks.begin()->first;
}

void OrderBook::uncross(std::string_view symbol, Units reference, Sink sink) {
  if (!is_crossed(symbol)) return;
  std::vector<AuctionLevel> bids;
  std::vector<AuctionLevel> asks;
  for (const BookSide side : {BookSide::Buy, BookSide::Sell}) {
    visit_levels(symbol, side, [&](Units price, Units quantity, std::size_t) {
      (side == BookSide::Buy ? bids : asks).push_back({price, quantity});
      return true;
    });
  }
  const Units price = *auction_price(bids, asks, reference);
  SymbolBook& book = books_[symbols_.find(symbol)->second];
  while (!book.bids.empty() && !book.asks.empty() && -book.bids.begin()->first >= price &&
         book.asks.begin()->first <= price) {
    const OrderIndex buy = book.bids.begin()->second.first;
    const OrderIndex sell = book.asks.begin()->second.first;
    trade(buy, sell, price, sink);
    for (const OrderIndex index : {buy, sell}) {
      if (!orders_[index].is_open()) retire_id(orders_[index].cl_ord_id);
    }
  }
}

Refusal OrderBook::submit(const NewOrder& order, Sink sink, Arrival arrival) {
  if (const Refusal refusal = check_id(order.owner, order.cl_ord_id); refusal != Refusal::None) {
    return refusal;
  }
  if (order.symbol.size() > kSymbolBytesMax) return Refusal::SymbolTooLong;
  if (order.quantity <= 0) return Refusal::QuantityNotPositive;
  if (accepted_ == kNoOrder) return Refusal::BookFull;
  const OrderIndex index = add_order(order);
  sink({ExecutionKind::New, index, 0, 0, {}});
  arrive(index, arrival, sink);
  return Refusal::None;
}

Refusal OrderBook::cancel(const CancelRequest& request, Sink sink) {
  const std::optional<OrderIndex> index = find(request.owner, request.orig_cl_ord_id);
  if (!index) return Refusal::UnknownOrder;
  if (!orders_[*index].is_open()) return Refusal::OrderClosed;
  if (const Refusal refusal = check_id(request.owner, request.cl_ord_id);
      refusal != Refusal::None) {
    return refusal;
  }
  unrest(*index);
  Order& order = orders_[*index];
  order.state = OrderState::Canceled;
  const IdIndex former =
      std::exchange(order.cl_ord_id, add_id(request.owner, request.cl_ord_id, *index));
  sink({ExecutionKind::Canceled, *index, 0, 0, request.orig_cl_ord_id});
  retire_id(former);
  retire_id(order.cl_ord_id);
  return Refusal::None;
}

bool OrderBook::change(OrderIndex index, const ReplaceRequest& request) {
  Order& order = orders_[index];
  // The order keeps its priority only if no later order loses by it: same price, no more quantity.
  const bool loses_priority =
      order.is_resting && (request.price != order.price || request.quantity > order.quantity);
  if (loses_priority) unrest(index);
  order.price = request.price;
  order.quantity = request.quantity;
  retire_id(std::exchange(order.cl_ord_id, add_id(request.owner, request.cl_ord_id, index)));
  return loses_priority;
}

Refusal OrderBook::replace(const ReplaceRequest& request, Sink sink, Arrival arrival) {
  const std::optional<OrderIndex> index = find(request.owner, request.orig_cl_ord_id);
  if (!index) return Refusal::UnknownOrder;
  const Order& order = orders_[*index];
  if (!order.is_open()) return Refusal::OrderClosed;
  if (order.kind == OrderKind::Market) return Refusal::NotReplaceable;
  if (request.quantity <= order.cum) return Refusal::QuantityNotAboveCum;
  if (const Refusal refusal = check_id(request.owner, request.cl_ord_id);
      refusal != Refusal::None) {
    return refusal;
  }
  const bool arrives_again = change(*index, request);
  sink({ExecutionKind::Replaced, *index, 0, 0, request.orig_cl_ord_id});
  if (arrives_again) arrive(*index, arrival, sink);
  return Refusal::None;
}

bool OrderBook::restore_new(OrderNumber number, const NewOrder& order) {
  if (number != accepted_ || accepted_ == kNoOrder || order.quantity <= 0 ||
      order.symbol.size() > kSymbolBytesMax ||
      check_id(order.owner, order.cl_ord_id) != Refusal::None) {
    return false;
  }
  const OrderIndex index = add_order(order);
  // The order goes to the end of its level, with or without trades. This is also the place of the
  // unfilled rest of a crossing order.
  if (may_rest(orders_[index])) rest(index);
  return true;
}

bool OrderBook::restore_trade(OrderIndex index, Units quantity, Units price) {
  if (index >= orders_.size() || quantity <= 0 || quantity > orders_[index].leaves()) return false;
  fill(index, quantity, price);
  const Order& order = orders_[index];
  if (order.is_open()) return true;
  unrest(index);
  retire_id(order.cl_ord_id);
  return true;
}

bool OrderBook::restore_canceled(OrderIndex index, std::string_view cl_ord_id) {
  if (index >= orders_.size() || !orders_[index].is_open()) return false;
  Order& order = orders_[index];
  if (!cl_ord_id.empty() && check_id(order.owner, cl_ord_id) != Refusal::None) return false;
  unrest(index);
  order.state = OrderState::Canceled;
  if (!cl_ord_id.empty()) {
    retire_id(std::exchange(order.cl_ord_id, add_id(order.owner, cl_ord_id, index)));
  }
  retire_id(order.cl_ord_id);
  return true;
}

bool OrderBook::restore_replaced(OrderIndex index, const ReplaceRequest& request) {
  if (index >= orders_.size() || !orders_[index].is_open() || !may_rest(orders_[index]) ||
      request.quantity <= orders_[index].cum ||
      check_id(orders_[index].owner, request.cl_ord_id) != Refusal::None) {
    return false;
  }
  ReplaceRequest of_owner = request;
  of_owner.owner = orders_[index].owner;
  if (change(index, of_owner)) rest(index);
  return true;
}

void OrderBook::visit_orders(FunctionRef<void(OrderIndex)> visit) const {
  std::vector<bool> is_free(orders_.size());
  for (OrderIndex index = free_orders_; index != kNoOrder; index = orders_[index].next) {
    is_free[index] = true;
  }
  std::vector<OrderIndex> all;
  for (OrderIndex index = 0; index < orders_.size(); ++index) {
    if (!is_free[index]) all.push_back(index);
  }
  std::ranges::sort(all, {}, [this](OrderIndex index) { return orders_[index].number; });
  for (const OrderIndex index : all) visit(index);
}

void OrderBook::visit_matches(const NewOrder& order, FunctionRef<void(OrderIndex)> visit) const {
  const SymbolBook* const book = find_book(order.symbol);
  if (book == nullptr) return;
  Order taker;
  taker.side = order.side;
  taker.kind = order.kind;
  taker.price = order.price;
  Units left = order.quantity;
  for (const auto& [key, level] : order.side == BookSide::Buy ? book->asks : book->bids) {
    for (OrderIndex index = level.first; index != kNoOrder; index = orders_[index].next) {
      if (left <= 0 || !crosses(taker, orders_[index])) return;
      left -= std::min(left, orders_[index].leaves());
      visit(index);
    }
  }
}

void OrderBook::visit_resting(std::string_view symbol, BookSide side,
                              FunctionRef<void(OrderIndex)> visit) const {
  const SymbolBook* const book = find_book(symbol);
  if (book == nullptr) return;
  for (const auto& [key, level] : side == BookSide::Buy ? book->bids : book->asks) {
    for (OrderIndex index = level.first; index != kNoOrder; index = orders_[index].next) {
      visit(index);
    }
  }
}

void OrderBook::visit_levels(std::string_view symbol, BookSide side, LevelVisit visit) const {
  const SymbolBook* const book = find_book(symbol);
  if (book == nullptr) return;
  for (const auto& [key, level] : side == BookSide::Buy ? book->bids : book->asks) {
    Units quantity = 0;
    std::size_t orders = 0;
    for (OrderIndex index = level.first; index != kNoOrder; index = orders_[index].next) {
      quantity += orders_[index].leaves();
      ++orders;
    }
    if (!visit(side == BookSide::Buy ? -key : key, quantity, orders)) return;
  }
}

void OrderBook::visit_symbols(FunctionRef<void(std::string_view)> visit) const {
  for (const SymbolBook& book : books_) visit(book.symbol);
}

}  // namespace nexusfix::venue
