// Compares the book with a very simple model, and with a book rebuilt from its reports.
#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

#include "venue/book/order_book.hpp"

namespace nexusfix::venue {
namespace {

struct Report {
  ExecutionKind kind;
  OrderIndex order;
  Units last_quantity;
  Units last_price;
  std::string cl_ord_id;
  std::string orig_cl_ord_id;
  Units cum;
  Units leaves;
  friend bool operator==(const Report&, const Report&) = default;
};

std::ostream& operator<<(std::ostream& out, const Report& report) {
  return out << static_cast<int>(report.kind) << " order " << report.order << " "
             << report.last_quantity << "@" << report.last_price << " id " << report.cl_ord_id
             << " orig " << report.orig_cl_ord_id << " cum " << report.cum << " leaves "
             << report.leaves;
}

// Has every order in one list, and finds the best counterpart by a linear search.
class Model {
 public:
  struct Entry {
    Owner owner;
    std::string symbol;
    std::vector<std::string> ids;
    BookSide side;
    OrderKind kind;
    Lifetime lifetime;
    Units price;
    Units quantity;
    Units cum = 0;
    bool open = true;
    std::size_t arrival = 0;  // its place in time
  };

  bool submit(const NewOrder& order) {
    if (order.quantity <= 0 || find(order.owner, order.cl_ord_id) != nullptr) return false;
    entries.push_back({order.owner,
                       std::string{order.symbol},
                       {std::string{order.cl_ord_id}},
                       order.side,
                       order.kind,
                       order.lifetime,
                       order.price,
                       order.quantity});
    Entry& entry = entries.back();
    add(ExecutionKind::New, entry, 0, 0);
    arrive(entry);
    return true;
  }

  bool cancel(const CancelRequest& request) {
    Entry* entry = find(request.owner, request.orig_cl_ord_id);
    if (entry == nullptr || !entry->open || find(request.owner, request.cl_ord_id)) return false;
    entry->open = false;
    entry->ids.emplace_back(request.cl_ord_id);
    add(ExecutionKind::Canceled, *entry, 0, 0, request.orig_cl_ord_id);
    return true;
  }

  bool replace(const ReplaceRequest& request) {
    Entry* entry = find(request.owner, request.orig_cl_ord_id);
    if (entry == nullptr || !entry->open || request.quantity <= entry->cum ||
        find(request.owner, request.cl_ord_id)) {
      return false;
    }
    const bool loses = request.price != entry->price || request.quantity > entry->quantity;
    entry->price = request.price;
    entry->quantity = request.quantity;
    entry->ids.emplace_back(request.cl_ord_id);
    add(ExecutionKind::Replaced, *entry, 0, 0, request.orig_cl_ord_id);
    if (loses) arrive(*entry);
    return true;
  }

  std::vector<Entry> entries;
  std::vector<Report> reports;

 private:
  Entry* find(Owner owner, std::string_view id) {
    for (Entry& entry : entries) {
      if (entry.owner == owner && std::ranges::find(entry.ids, id) != entry.ids.end()) {
        return &entry;
      }
    }
    return nullptr;
  }

  static bool meets(const Entry& taker, const Entry& maker) {
    if (!maker.open || &taker == &maker || maker.symbol != taker.symbol ||
        maker.side == taker.side) {
      return false;
    }
    if (taker.kind == OrderKind::Market) return true;
    return taker.side == BookSide::Buy ? maker.price <= taker.price : maker.price >= taker.price;
  }

  static bool goes_before(const Entry& a, const Entry& b) {
    if (a.price != b.price) {
      return a.side == BookSide::Sell ? a.price < b.price : a.price > b.price;
    }
    return a.arrival < b.arrival;
  }

  void arrive(Entry& taker) {
    taker.arrival = ++arrivals_;
    while (taker.open) {
      Entry* best = nullptr;
      for (Entry& maker : entries) {
        if (meets(taker, maker) && (best == nullptr || goes_before(maker, *best))) best = &maker;
      }
      if (best == nullptr) break;
      const Units quantity = std::min(taker.quantity - taker.cum, best->quantity - best->cum);
      for (Entry* side : {best, &taker}) {
        side->cum += quantity;
        side->open = side->cum < side->quantity;
      }
      add(ExecutionKind::Trade, *best, quantity, best->price);
      add(ExecutionKind::Trade, taker, quantity, best->price);
    }
    if (taker.open &&
        (taker.kind == OrderKind::Market || taker.lifetime == Lifetime::ImmediateOrCancel)) {
      taker.open = false;
      add(ExecutionKind::Canceled, taker, 0, 0);
    }
  }

  void add(ExecutionKind kind, const Entry& entry, Units quantity, Units price,
           std::string_view orig = {}) {
    reports.push_back({kind, static_cast<OrderIndex>(&entry - entries.data()), quantity, price,
                       entry.ids.back(), std::string{orig}, entry.cum,
                       entry.open ? entry.quantity - entry.cum : 0});
  }

  std::size_t arrivals_ = 0;
};

struct Request {
  enum class Kind { Submit, Cancel, Replace } kind;
  Owner owner;
  std::string id;
  std::string orig_id;
  std::string symbol;
  BookSide side;
  OrderKind order_kind;
  Lifetime lifetime;
  Units quantity;
  Units price;

  [[nodiscard]] NewOrder new_order() const {
    return {owner, id, symbol, side, order_kind, lifetime, quantity, price};
  }
};

// Few values of each, so that orders match, collide and are canceled often.
rc::Gen<Request> any_request() {
  using rc::gen::element;
  using rc::gen::inRange;
  const auto id = rc::gen::map(inRange(0, 60), [](int n) { return "id" + std::to_string(n); });
  return rc::gen::build<Request>(
      rc::gen::set(&Request::kind,
                   rc::gen::weightedElement<Request::Kind>({{6, Request::Kind::Submit},
                                                            {1, Request::Kind::Cancel},
                                                            {2, Request::Kind::Replace}})),
      rc::gen::set(&Request::owner, inRange<Owner>(0, 2)), rc::gen::set(&Request::id, id),
      rc::gen::set(&Request::orig_id, id),
      rc::gen::set(&Request::symbol, element<std::string>("AAPL", "MSFT")),
      rc::gen::set(&Request::side, element(BookSide::Buy, BookSide::Sell)),
      rc::gen::set(&Request::order_kind, rc::gen::weightedElement<OrderKind>(
                                             {{5, OrderKind::Limit}, {1, OrderKind::Market}})),
      rc::gen::set(&Request::lifetime, rc::gen::weightedElement<Lifetime>(
                                           {{5, Lifetime::Day}, {1, Lifetime::ImmediateOrCancel}})),
      rc::gen::set(&Request::quantity, inRange<Units>(0, 6)),
      rc::gen::set(&Request::price, inRange<Units>(-2, 4)));
}

class Recorder {
 public:
  explicit Recorder(BookCapacity capacity) : book{capacity} {}

  bool perform(const Request& request) {
    const auto sink = [this](const Execution& execution) { add(execution); };
    switch (request.kind) {
      case Request::Kind::Submit:
        return book.submit(request.new_order(), sink) == Refusal::None;
      case Request::Kind::Cancel:
        return book.cancel({request.owner, request.id, request.orig_id}, sink) == Refusal::None;
      case Request::Kind::Replace:
        break;
    }
    return book.replace(
               {request.owner, request.id, request.orig_id, request.quantity, request.price},
               sink) == Refusal::None;
  }

  OrderBook book;
  std::vector<Report> reports;
  std::vector<OrderNumber> numbers;  // of each report's order
  std::vector<NewOrder> orders;      // as each report shows its order; views into requests

 private:
  void add(const Execution& execution) {
    const Order& order = book.order(execution.order);
    reports.push_back({execution.kind, execution.order, execution.last_quantity,
                       execution.last_price, std::string{book.cl_ord_id(order)},
                       std::string{execution.orig_cl_ord_id}, order.cum, order.leaves()});
    numbers.push_back(order.number);
    orders.push_back({order.owner,
                      {},
                      book.symbol(order),
                      order.side,
                      order.kind,
                      order.lifetime,
                      order.quantity,
                      order.price});
  }
};

bool restore(OrderBook& book, const Report& report, NewOrder order, OrderNumber number) {
  order.cl_ord_id = report.cl_ord_id;
  switch (report.kind) {
    case ExecutionKind::New:
      return book.restore_new(number, order);
    case ExecutionKind::Trade:
      return book.restore_trade(report.order, report.last_quantity, report.last_price);
    case ExecutionKind::Canceled:
      return book.restore_canceled(report.order, report.orig_cl_ord_id.empty()
                                                     ? std::string_view{}
                                                     : std::string_view{report.cl_ord_id});
    case ExecutionKind::Replaced:
      break;
  }
  return book.restore_replaced(report.order, {order.owner, order.cl_ord_id, report.orig_cl_ord_id,
                                              order.quantity, order.price});
}

std::vector<OrderIndex> all_orders(const OrderBook& book) {
  std::vector<OrderIndex> found;
  book.visit_orders([&](OrderIndex index) { found.push_back(index); });
  return found;
}

std::vector<OrderIndex> queue(const OrderBook& book, std::string_view symbol, BookSide side) {
  std::vector<OrderIndex> found;
  book.visit_resting(symbol, side, [&](OrderIndex index) { found.push_back(index); });
  return found;
}

RC_GTEST_PROP(OrderBookProperty, every_report_is_what_a_naive_model_reports, ()) {
  const auto requests = *rc::gen::container<std::vector<Request>>(any_request());
  Recorder recorder{{.orders = 4, .hash_seed = 1}};
  Model model;
  model.entries.reserve(requests.size());
  for (const Request& request : requests) {
    bool expected = false;
    switch (request.kind) {
      case Request::Kind::Submit:
        expected = model.submit(request.new_order());
        break;
      case Request::Kind::Cancel:
        expected = model.cancel({request.owner, request.id, request.orig_id});
        break;
      case Request::Kind::Replace:
        expected = model.replace(
            {request.owner, request.id, request.orig_id, request.quantity, request.price});
        break;
    }
    RC_ASSERT(recorder.perform(request) == expected);
    RC_ASSERT(recorder.reports == model.reports);
  }
}

// Also if both forget closed orders.
RC_GTEST_PROP(OrderBookProperty, reports_rebuild_the_same_book, ()) {
  const auto requests = *rc::gen::container<std::vector<Request>>(any_request());
  const auto former_ids = *rc::gen::element<std::size_t>(1, 2, 5, 1'000);
  Recorder recorder{{.orders = 4, .hash_seed = 1, .former_ids = former_ids}};
  for (const Request& request : requests) recorder.perform(request);
  OrderBook rebuilt{{.orders = 4, .hash_seed = 2, .former_ids = former_ids}};
  for (std::size_t i = 0; i < recorder.reports.size(); ++i) {
    RC_ASSERT(restore(rebuilt, recorder.reports[i], recorder.orders[i], recorder.numbers[i]));
  }
  RC_ASSERT(rebuilt.order_count() == recorder.book.order_count());
  RC_ASSERT(all_orders(rebuilt) == all_orders(recorder.book));
  for (const OrderIndex index : all_orders(rebuilt)) {
    const Order& a = rebuilt.order(index);
    const Order& b = recorder.book.order(index);
    RC_ASSERT(a.number == b.number);
    RC_ASSERT(a.state == b.state);
    RC_ASSERT(a.cum == b.cum);
    RC_ASSERT(a.leaves() == b.leaves());
    RC_ASSERT(a.notional == b.notional);
    RC_ASSERT(rebuilt.cl_ord_id(a) == recorder.book.cl_ord_id(b));
  }
  for (const char* symbol : {"AAPL", "MSFT"}) {
    for (const BookSide side : {BookSide::Buy, BookSide::Sell}) {
      RC_ASSERT(queue(rebuilt, symbol, side) == queue(recorder.book, symbol, side));
    }
  }
}

}  // namespace
}  // namespace nexusfix::venue
