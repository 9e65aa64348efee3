// The cost of typed messages: finding the handler of a message, and reading it as its type.
#include <memory>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/market_data_snapshot_full_refresh.hpp>
#include <nexusfix/wire.hpp>
#include <nexusfix/wire/typed.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "bench/traffic/inputs.hpp"

namespace nexusfix::bench {
namespace {

// The parsers are not moved, because they own the messages' indexes.
struct Parsed {
  std::vector<wire::Parser> parsers;
  std::vector<wire::MessageView> messages;

  explicit Parsed(const std::vector<std::string>& texts) : parsers(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      messages.push_back(parsers[i].parse(texts[i]).value_or(wire::MessageView{}));
    }
  }
};

// A price in units of the answers, as from the peers.
std::uint64_t price_units(const Decimal& value) {
  std::uint64_t units = static_cast<std::uint64_t>(value.mantissa());
  for (auto scale = value.scale(); scale < kAnswerScale; ++scale) units *= 10;
  return units;
}

struct TypedRead {
  Parsed parsed;

  std::uint64_t operator()(std::size_t input) const {
    constexpr std::int64_t kNsPerMs = 1'000'000;
    const auto report = fix44::ExecutionReport::from(parsed.messages[input]);
    if (!report) return 0;
    const auto last_qty = report->last_qty();
    const auto last_px = report->last_px();
    const auto transact_time = report->transact_time();
    if (!last_qty || !last_px || !transact_time) return 0;
    const auto number = [](const auto& field) {
      return static_cast<std::uint64_t>(field.value.mantissa());
    };
    return report->order_id().value.size() + report->exec_id().value.size() +
           report->symbol().value.size() + static_cast<std::uint64_t>(report->exec_type()) +
           static_cast<std::uint64_t>(report->ord_status()) +
           static_cast<std::uint64_t>(report->side()) + number(report->leaves_qty()) +
           number(report->cum_qty()) + price_units(report->avg_px().value) + number(*last_qty) +
           price_units(last_px->value) +
           static_cast<std::uint64_t>(transact_time->value.time_since_epoch().count() / kNsPerMs %
                                      1000);
  }
};

// Row group/MarketDataSnapshot-100, by getters.
struct TypedGroupRead {
  Parsed parsed;

  std::uint64_t operator()(std::size_t input) const {
    const auto snapshot = fix44::MarketDataSnapshotFullRefresh::from(parsed.messages[input]);
    if (!snapshot) return 0;
    std::uint64_t sum = 0;
    for (const auto& entry : snapshot->no_md_entries()) {
      const auto type = entry.md_entry_type();
      const auto price = entry.md_entry_px();
      const auto size = entry.md_entry_size();
      if (!type || !price || !size) return 0;
      sum += static_cast<std::uint64_t>(*type) +
             static_cast<std::uint64_t>(price->value.mantissa() + size->value.mantissa());
    }
    return sum;
  }
};

// Eight types without required fields, so that only the search for the handler is measured.
template <char Type>
struct Plain : wire::TypedMessageView<Plain<Type>> {
  static constexpr char kText[] = {Type, '\0'};
  static constexpr std::string_view kMsgType{kText, 1};
  static constexpr std::string_view kBeginString = "FIX.4.4";
  static constexpr std::string_view kApplicationVersion = "FIX.4.4";
  using Required = wire::detail::TagList<>;

  static std::expected<Plain, wire::FieldError> from(const wire::MessageView& view) noexcept {
    return Plain{view};
  }
  using wire::TypedMessageView<Plain>::TypedMessageView;
};

template <template <class...> class List>
using EachPlain = List<Plain<'8'>, Plain<'D'>, Plain<'F'>, Plain<'9'>, Plain<'G'>, Plain<'V'>,
                       Plain<'W'>, Plain<'j'>>;

// The handlers: a different answer for each type.
struct Visitor {
  template <wire::TypedMessage Message>
  std::uint64_t operator()(const Message& message) const noexcept {
    return message.view().field_count() * static_cast<unsigned char>(Message::kMsgType[0]);
  }
  std::uint64_t operator()(const wire::MessageView& message) const noexcept {
    return message.field_count();
  }
  std::uint64_t operator()(const wire::MessageView&, const wire::FieldError&) const noexcept {
    return 0;
  }
};

struct DispatchStatic {
  Parsed parsed;

  explicit DispatchStatic(const std::vector<std::string>& texts) : parsed{texts} {}
  std::uint64_t operator()(std::size_t input) const {
    return wire::dispatch(EachPlain<wire::Messages>{}, "FIX.4.4", parsed.messages[input],
                          Visitor{});
  }
};

// A dispatch by a std::variant and std::visit.
template <class... Types>
using VariantOf = std::variant<wire::MessageView, Types...>;

struct ToVariant {
  using Variant = EachPlain<VariantOf>;

  template <wire::TypedMessage Message>
  Variant operator()(const Message& message) const noexcept {
    return message;
  }
  Variant operator()(const wire::MessageView& message) const noexcept { return message; }
  Variant operator()(const wire::MessageView& message, const wire::FieldError&) const noexcept {
    return message;
  }
};

struct DispatchVariant {
  Parsed parsed;

  explicit DispatchVariant(const std::vector<std::string>& texts) : parsed{texts} {}
  std::uint64_t operator()(std::size_t input) const {
    return std::visit(Visitor{}, wire::dispatch(EachPlain<wire::Messages>{}, "FIX.4.4",
                                                parsed.messages[input], ToVariant{}));
  }
};

// A handler object for each type in a hash map, and a virtual call.
struct Handler {
  virtual ~Handler() = default;
  virtual std::uint64_t handle(const wire::MessageView& message) const = 0;
};

template <class Message>
struct HandlerOf final : Handler {
  std::uint64_t handle(const wire::MessageView& message) const override {
    const auto typed = Message::from(message);
    return typed ? Visitor{}(*typed) : 0;
  }
};

struct DispatchVirtual {
  Parsed parsed;
  std::unordered_map<std::string_view, std::unique_ptr<const Handler>> handlers;

  explicit DispatchVirtual(const std::vector<std::string>& texts) : parsed{texts} {
    add(EachPlain<wire::Messages>{});
  }
  template <class... Types>
  void add(wire::Messages<Types...>) {
    (handlers.emplace(Types::kMsgType, std::make_unique<HandlerOf<Types>>()), ...);
  }
  std::uint64_t operator()(std::size_t input) const {
    const wire::MessageView& message = parsed.messages[input];
    const auto handler = handlers.find(message.msg_type());
    return handler == handlers.end() ? Visitor{}(message) : handler->second->handle(message);
  }
};

Row typed_read_row(RowSpec spec, ReadJob (*make_job)()) {
  return {std::move(spec), [make_job](Subjects subjects) {
            const auto job = std::make_shared<ReadJob>(make_job());
            Plan plan{.owner = job, .contestants = {}};
            plan.contestants.emplace_back(
                subjects.front()->name(),
                make_contestant(TypedRead{Parsed{job->messages.texts}}, job->answers));
            add_contestants(plan, subjects,
                            [&](Subject& subject) { return subject.typed_read(*job); });
            return plan;
          }};
}

template <class Operation>
Row dispatch_row(RowSpec spec) {
  return {std::move(spec), [](Subjects subjects) {
            const auto job = std::make_shared<ReadJob>(dispatch_job());
            Plan plan{.owner = job, .contestants = {}};
            plan.contestants.emplace_back(
                subjects.front()->name(),
                make_contestant(Operation{job->messages.texts}, job->answers));
            return plan;
          }};
}

}  // namespace

void add_typed_rows(std::vector<Row>& rows) {
  rows.push_back(typed_read_row({.name = "typed-read/ExecutionReport",
                                 .purpose = "a parsed fill of the flow as its type, twelve fields "
                                            "of it as values",
                                 .published = {},
                                 .budget = 40},
                                flow_typed_read_job));
  rows.push_back(typed_read_row({.name = "typed-read/one-sequence",
                                 .purpose = "the same for reports that all have the same tags",
                                 .published = {},
                                 .budget = 40},
                                typed_read_job));
  rows.push_back({{.name = "group-typed/MarketDataSnapshot-100",
                   .purpose = "row group/MarketDataSnapshot-100 by the getters of typed messages",
                   .published = {},
                   .budget = {}},
                  [](Subjects subjects) {
                    const auto job = std::make_shared<ReadJob>(group_job(100));
                    Plan plan{.owner = job, .bytes = job->messages.mean_bytes, .contestants = {}};
                    plan.contestants.emplace_back(
                        subjects.front()->name(),
                        make_contestant(TypedGroupRead{Parsed{job->messages.texts}}, job->answers));
                    return plan;
                  }});
  rows.push_back(dispatch_row<DispatchStatic>(
      {.name = "dispatch/static",
       .purpose = "a parsed message to its handler: eight types of nine are listed",
       .published = {},
       .budget = {}}));
  rows.push_back(dispatch_row<DispatchVariant>(
      {.name = "dispatch/variant",
       .purpose = "the same by a std::variant of the types, and std::visit",
       .published = {},
       .budget = {}}));
  rows.push_back(dispatch_row<DispatchVirtual>(
      {.name = "dispatch/virtual",
       .purpose = "the same by a hash map of handlers, and a virtual call",
       .published = {},
       .budget = {}}));
}

}  // namespace nexusfix::bench
