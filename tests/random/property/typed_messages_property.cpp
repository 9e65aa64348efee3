// Whatever fields and nested groups a typed message is written with: after parsing, it has the same
// values.
#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/fix44/new_order_list.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed_write.hpp>

#include "support/fix_text.hpp"

namespace nexusfix {
namespace {

using wire::entry;
using wire::group;

// RapidCheck prints the seed of a failure.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}

  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(engine_);
  }
  bool coin() { return below(2) == 0; }
  std::string text() {
    std::string text(1 + below(70), ' ');  // longer than the limit of an encoder's fast path
    for (char& c : text) c = static_cast<char>(' ' + below(95));
    return text;
  }
  Decimal decimal() {
    const auto mantissa = static_cast<std::int64_t>(below(2'000'000'000));
    return Decimal{coin() ? mantissa : -mantissa, static_cast<std::uint8_t>(below(9))};
  }
  template <class T>
  std::vector<T> list(std::size_t most, T (*make)(Random&)) {
    std::vector<T> list;
    for (std::size_t left = below(most + 1); left > 0; --left) list.push_back(make(*this));
    return list;
  }
  template <class T, class Make>
  std::optional<T> maybe(Make make) {
    return coin() ? std::optional<T>{make()} : std::nullopt;
  }

 private:
  std::mt19937_64 engine_;
};

// The value of a typed field that may be missing.
template <class Result>
auto value_of(const Result& result) -> std::optional<decltype(result->value)> {
  if (result) return result->value;
  RC_ASSERT(result.error().code == wire::FieldErrorCode::Missing);
  return std::nullopt;
}

template <class Field, class Value>
std::optional<Field> field(const std::optional<Value>& value) {
  return value ? std::optional{Field{*value}} : std::nullopt;
}

struct Party {
  std::string id;
  std::vector<std::string> subs;
  bool operator==(const Party&) const = default;
};
struct Order {
  std::string id;
  std::string symbol;
  bool buys = false;
  std::optional<Decimal> price;
  std::vector<Party> parties;
  bool operator==(const Order&) const = default;
};

std::string make_sub(Random& random) { return random.text(); }
Party make_party(Random& random) { return {random.text(), random.list(3, make_sub)}; }
Order make_order(Random& random) {
  return {random.text(), random.text(), random.coin(),
          random.maybe<Decimal>([&] { return random.decimal(); }), random.list(4, make_party)};
}

template <class Group>
auto parties_of(const std::vector<Party>& parties) {
  return group<Group>(parties, [](const Party& party) {
    return entry(fix44::PartyID{party.id},
                 group<typename Group::NoPartySubIDs>(party.subs, [](const std::string& sub) {
                   return entry(fix44::PartySubID{sub});
                 }));
  });
}

template <class Holder>
std::vector<Party> read_parties(const Holder& holder) {
  std::vector<Party> parties;
  RC_ASSERT(holder.no_party_ids().view().count_is_valid());
  for (const auto party : holder.no_party_ids()) {
    Party& read = parties.emplace_back(Party{std::string{party.party_id().value}, {}});
    for (const auto sub : party.no_party_sub_ids()) {
      read.subs.emplace_back(sub.party_sub_id().value);
    }
  }
  return parties;
}

struct Wire {
  std::array<char, 65'536> buffer;
  wire::Parser parser;

  template <class Message, class... Parts>
  Message round_trip(std::string_view begin_string, const Parts&... parts) {
    auto session = wire::HeaderTemplate::make({begin_string, "S", "T"});
    const auto bytes = wire::encode<Message>(buffer, *session, {.msg_seq_num = 1}, parts...);
    RC_ASSERT(bytes.has_value());
    const auto view = parser.parse(*bytes);
    RC_ASSERT(view.has_value());
    auto message = Message::from(*view);
    RC_ASSERT(message.has_value());
    return std::move(*message);
  }
};

void order_list_reads_as_it_was_written(Random random) {
  using namespace fix44;
  std::vector<Order> orders = random.list(6, make_order);
  if (orders.empty()) orders.push_back(make_order(random));
  Wire wire;
  const auto list = wire.round_trip<NewOrderList>(
      "FIX.4.4", ListID{"L"}, BidType::NoBiddingProcess,
      TotNoOrders{static_cast<std::int64_t>(orders.size())},
      group<NewOrderList::NoOrders>(orders, [](const Order& order) {
        return entry(order.buys ? Side::Buy : Side::Sell, Symbol{order.symbol},
                     field<Price>(order.price), ListSeqNo{1}, ClOrdID{order.id},
                     parties_of<NewOrderList::NoOrders::NoPartyIDs>(order.parties));
      }));
  RC_ASSERT(list.no_orders().view().count_is_valid());
  std::vector<Order> read;
  for (const auto order : list.no_orders()) {
    read.push_back({std::string{order.cl_ord_id().value}, std::string{order.symbol()->value},
                    order.side() == Side::Buy, value_of(order.price()), read_parties(order)});
  }
  RC_ASSERT(read == orders);
}

TEST(TypedMessagesProperty, an_order_list_reads_as_it_was_written) {
  EXPECT_TRUE(
      rc::check([](std::uint64_t seed) { order_list_reads_as_it_was_written(Random{seed}); }));
}

struct Level {
  char type = '0';
  std::optional<Decimal> price;
  std::optional<Decimal> size;
  std::optional<std::string> id;
  bool operator==(const Level&) const = default;
};

Level make_level(Random& random) {
  return {static_cast<char>('0' + random.below(6)),
          random.maybe<Decimal>([&] { return random.decimal(); }),
          random.maybe<Decimal>([&] { return random.decimal(); }),
          random.maybe<std::string>([&] { return random.text(); })};
}

void snapshot_reads_as_it_was_written(Random random) {
  using namespace fix44;
  const std::vector<Level> levels = random.list(200, make_level);
  Wire wire;
  const auto snapshot = wire.round_trip<MarketDataSnapshotFullRefresh>(
      "FIX.4.4", Symbol{"IBM"},
      group<MarketDataSnapshotFullRefresh::NoMDEntries>(levels, [](const Level& level) {
        return entry(field<MDEntrySize>(level.size), field<MDEntryPx>(level.price),
                     MDEntryType{level.type}, field<QuoteEntryID>(level.id));
      }));
  std::vector<Level> read;
  for (const auto level : snapshot.no_md_entries()) {
    const auto id = value_of(level.quote_entry_id());
    read.push_back({static_cast<char>(level.md_entry_type().value()), value_of(level.md_entry_px()),
                    value_of(level.md_entry_size()),
                    id ? std::optional{std::string{*id}} : std::nullopt});
  }
  RC_ASSERT(read == levels);
}

TEST(TypedMessagesProperty, a_snapshot_of_a_market_reads_as_it_was_written) {
  EXPECT_TRUE(
      rc::check([](std::uint64_t seed) { snapshot_reads_as_it_was_written(Random{seed}); }));
}

using FieldTexts = std::vector<std::pair<wire::Tag, std::string>>;

// Reads the fields one by one, each by a search, and compares the message that from() makes.
template <class... Fields>
void require_same_as_searched(const wire::MessageView& view, wire::detail::FieldList<Fields...>) {
  const auto report = fix44::ExecutionReport::from(view);
  std::optional<wire::FieldError> fault;
  const auto note = [&](const auto& field) {
    if (!field && !fault) fault = field.error();
  };
  (note(wire::read_field<Fields>(view)), ...);
  RC_ASSERT(report.has_value() == !fault.has_value());
  if (!report) {
    RC_ASSERT(report.error().code == fault->code);
    RC_ASSERT(report.error().tag == fault->tag);
    RC_ASSERT(report.error().offset == fault->offset);
    return;
  }
  const fix44::ExecutionReport& copy = *report;
  RC_ASSERT((copy.order_id() == *wire::read_field<fix44::OrderID>(view)));
  RC_ASSERT((copy.exec_id() == *wire::read_field<fix44::ExecID>(view)));
  RC_ASSERT((copy.exec_type() == *wire::read_field<fix44::ExecType>(view)));
  RC_ASSERT((copy.ord_status() == *wire::read_field<fix44::OrdStatus>(view)));
  RC_ASSERT((copy.symbol() == *wire::read_field<fix44::Symbol>(view)));
  RC_ASSERT((copy.side() == *wire::read_field<fix44::Side>(view)));
  RC_ASSERT((copy.leaves_qty() == *wire::read_field<fix44::LeavesQty>(view)));
  RC_ASSERT((copy.cum_qty() == *wire::read_field<fix44::CumQty>(view)));
  RC_ASSERT((copy.avg_px() == *wire::read_field<fix44::AvgPx>(view)));
}

// One change of a message: of a value, of the order, or of the number of fields. A tag that is
// there twice has to be found at its first place.
void change(FieldTexts& fields, Random& random) {
  const std::size_t at = random.below(fields.size());
  switch (random.below(6)) {
    case 0:
      fields[at].second = std::vector<std::string>{
          "", "1", "-2.50", "1.2.3", "F", "AB", "12345678901234567890", "0.1234567890123456789",
          "."}[random.below(9)];
      break;
    case 1:
      std::swap(fields[at], fields[random.below(fields.size())]);
      break;
    case 2:
      if (fields.size() > 1) fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 3: {
      const auto twice = fields[random.below(fields.size())];
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at), twice);
      break;
    }
    case 4:
      fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(at), {70'000, "large"});
      break;
    default:
      fields.insert(fields.begin(), random.below(40), {58, random.text()});
  }
}

TEST(TypedMessagesProperty, required_fields_are_those_that_a_search_finds) {
  EXPECT_TRUE(rc::check([](std::uint64_t seed) {
    Random random{seed};
    const FieldTexts usual{{37, "O1"},
                           {17, "E1"},
                           {150, "F"},
                           {39, "1"},
                           {55, "IBM"},
                           {54, "1"},
                           {38, "100"},
                           {32, "50"},
                           {31, "10.5"},
                           {151, "50"},
                           {14, "50"},
                           {6, "10.5"},
                           {60, "20240115-10:30:00.123"},
                           {58, "text"}};
    wire::Parser parser;
    FieldTexts fields = usual;
    for (int i = 0; i < 40; ++i) {
      // Messages with the same tags, a few other ones, and the usual ones again.
      if (random.below(4) == 0) fields = usual;
      if (random.below(3) == 0) change(fields, random);
      std::string body = "35=8|";
      for (const auto& [tag, value] : fields) body += std::to_string(tag) + "=" + value + "|";
      const std::string bytes = testing::fix("FIX.4.4", body);
      const auto view = parser.parse(bytes);
      RC_ASSERT(view.has_value());
      require_same_as_searched(*view, fix44::ExecutionReport::RequiredFields{});
    }
  }));
}

// Keys after the last field are those of an earlier message.
TEST(TypedMessagesProperty, keys_after_the_last_field_are_no_fields) {
  const std::string bytes = testing::fix(
      "FIX.4.4", "35=8|37=O|17=E|150=F|39=1|55=A|54=1|38=1|32=1|31=1|151=1|14=1|58=a|44=1|6=1|");
  wire::Parser parser;
  const auto view = parser.parse(bytes);
  ASSERT_TRUE(view.has_value());
  ASSERT_TRUE(fix44::ExecutionReport::from(*view).has_value());
  // The number of fields, modulo 8, chooses what is compared.
  wire::detail::FieldIndex index = view->index();
  index.count -= 8;
  if (index.narrow_count != 0) index.narrow_count = index.count;
  const auto shorter = fix44::ExecutionReport::from(wire::MessageView{bytes, index});
  ASSERT_FALSE(shorter.has_value());
  EXPECT_EQ(shorter.error().code, wire::FieldErrorCode::Missing);
  EXPECT_EQ(shorter.error().tag, 151U);
}

}  // namespace
}  // namespace nexusfix
