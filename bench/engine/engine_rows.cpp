// The engine alone: from the bytes of an order to the bytes of its report, without the kernel.
#include <memory>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/engine/engine_bench.hpp"
#include "bench/engine/inside.hpp"
#include "bench/engine/inside_engine.hpp"
#include "bench/messages/messages.hpp"
#include "bench/row.hpp"

namespace nexusfix::bench {
namespace {

constexpr std::string_view kTimeMark =
    "\x01"
    "52=";
constexpr std::string_view kNumberMark =
    "\x01"
    "34=";

std::string time_text(WallTime now) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return timestamp_text(since.count());
}

void put(std::string& text, std::string_view mark, std::string_view value) {
  text.replace(text.find(mark) + mark.size(), value.size(), value);
}

// Corrects the CheckSum after a change of digits: the last seven bytes are 10=nnn|.
void put_checksum(std::string& text) {
  constexpr std::size_t kTrailerBytes = 7;
  const std::size_t size = text.size() - kTrailerBytes;
  unsigned sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += static_cast<unsigned char>(text[i]);
  const std::string digits = fmt::format("{:03}", sum % 256);
  text.replace(size + 3, digits.size(), digits);
}

// With pauses for a log writer, whether there is one or not: after a pause the caches are colder.
struct PausingOperation {
  std::unique_ptr<BenchFolder> folder;  // of the logs of messages; null: none
  std::unique_ptr<InsideEngine> inside = std::make_unique<InsideEngine>(
      false, ReceivedTexts::orders(), nullptr,
      folder != nullptr ? "FileLogPath=" + folder->file("log") + "\n" : "");

  std::uint64_t operator()(std::size_t) { return inside->receive(); }
  void prepare() {
    inside->await_logs();
    inside->prepare();
  }
  void settle() {}
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = ReceivedTexts::kMessages}; }
};

struct InsideOperation {
  std::unique_ptr<InsideEngine> inside;

  std::uint64_t operator()(std::size_t) { return inside->receive(); }
  void prepare() { inside->prepare(); }
  void settle() {}
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = ReceivedTexts::kMessages}; }
};

constexpr const char* kOneShape = "one shape";

ContestantPtr make_inside_of(ReceivedTexts received, bool is_in_memory = false,
                             const std::string& more_keys = {}) {
  const Answers answers(ReceivedTexts::kMessages, 1);
  return make_prepared_contestant(InsideOperation{std::make_unique<InsideEngine>(
                                      is_in_memory, std::move(received), nullptr, more_keys)},
                                  ReceivedTexts::kMessages, AnswersCheck{answers});
}

Plan plan_inside(Subjects) {
  const WireSizes sizes = wire_sizes();
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + sizes.report),
            .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", make_inside(false));
  plan.contestants.emplace_back(kOneShape,
                                make_inside_of(ReceivedTexts::orders(Traffic::OneShape)));
  plan.contestants.emplace_back("NexusFIX, keeping nothing", make_inside(true));
  return plan;
}

Plan plan_inside_one_shape(Subjects) {
  const WireSizes sizes = wire_sizes(Traffic::OneShape);
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + sizes.report),
            .contestants = {}};
  plan.contestants.emplace_back("NexusFIX",
                                make_inside_of(ReceivedTexts::orders(Traffic::OneShape)));
  return plan;
}

Plan plan_inside_requests(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.contestants.emplace_back("NexusFIX", make_inside_of(ReceivedTexts::requests()));
  return plan;
}

// What an application builds for an order: eight fills, each with a text, and a draft.
void build_in(std::pmr::memory_resource& memory) {
  constexpr std::size_t kFills = 8;
  std::pmr::vector<std::pmr::string> fills{&memory};
  for (std::size_t i = 0; i < kFills; ++i)
    fills.emplace_back("a fill whose text is no short string");
  fix44::ExecutionReport::Draft report{memory};
  if (!report.set(fix44::Text{fills.back()}, fix44::Symbol{"AAPL"})) std::abort();
}

Plan plan_inside_scratch(Subjects) {
  Plan plan{.owner = nullptr, .contestants = {}};
  const auto add = [&](const char* name, void (*builds)(Session&)) {
    auto inside = std::make_unique<InsideEngine>(false);
    inside->application().before_report = builds;
    const Answers answers(ReceivedTexts::kMessages, 1);
    plan.contestants.emplace_back(
        name, make_prepared_contestant(InsideOperation{std::move(inside)}, ReceivedTexts::kMessages,
                                       AnswersCheck{answers}));
  };
  add("NexusFIX", [](Session& session) { build_in(session.scratch()); });
  add("NexusFIX, new", [](Session&) { build_in(*std::pmr::new_delete_resource()); });
  add("NexusFIX, builds nothing", nullptr);
  return plan;
}

Plan plan_inside_inbound(Subjects) {
  const WireSizes sizes = wire_sizes();
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + sizes.report),
            .contestants = {}};
  plan.contestants.emplace_back(
      "NexusFIX", make_inside_of(ReceivedTexts::orders(), false, "JournalInbound=Y\n"));
  plan.contestants.emplace_back("NexusFIX, reports only", make_inside(false));
  return plan;
}

Plan plan_inside_logs(Subjects) {
  const WireSizes sizes = wire_sizes();
  Plan plan{.owner = nullptr,
            .bytes = static_cast<double>(sizes.order + sizes.report),
            .contestants = {}};
  const auto add = [&](const char* name, std::unique_ptr<BenchFolder> folder) {
    const Answers answers(ReceivedTexts::kMessages, 1);
    plan.contestants.emplace_back(
        name, make_prepared_contestant(PausingOperation{std::move(folder)},
                                       ReceivedTexts::kMessages, AnswersCheck{answers}));
  };
  add("NexusFIX", std::make_unique<BenchFolder>());
  add("NexusFIX, no logs", nullptr);
  return plan;
}

}  // namespace

ContestantPtr make_inside(bool is_in_memory) {
  return make_inside_of(ReceivedTexts::orders(), is_in_memory);
}

ReceivedTexts ReceivedTexts::from(std::initializer_list<FlowKind> kinds) {
  ReceivedTexts texts;
  for (const FlowMessage& one : flow_of(kinds, kFlowInputs)) {
    texts.add(std::string_view{&one.msg_type, 1}, one.body);
  }
  return texts;
}

ReceivedTexts ReceivedTexts::requests() {
  return from({FlowKind::Order, FlowKind::Replace, FlowKind::Cancel});
}

ReceivedTexts ReceivedTexts::fills() { return from({FlowKind::Fill}); }

ReceivedTexts ReceivedTexts::orders(Traffic traffic) {
  if (traffic == Traffic::Flow) return from({FlowKind::Order});
  ReceivedTexts orders;
  for (std::size_t i = 0; i < kMessages; ++i) {
    orders.add("D", fmt::format("11={}|21=1|55=AAPL|54={}|60=20240115-10:30:00.100|38=100|40=2|"
                                "44=150.25|59=0|",
                                kFirstNumber + i, 1 + i % 2));
  }
  return orders;
}

ReceivedTexts ReceivedTexts::heartbeats() {
  ReceivedTexts heartbeats;
  for (std::size_t i = 0; i < kMessages; ++i) heartbeats.add("0", "");
  return heartbeats;
}

void ReceivedTexts::add(std::string_view msg_type, std::string_view body) {
  texts_.push_back(message_of(fmt::format("35={}|49=T1|56=VENUE|34={}|52=20240115-10:30:00.000|{}",
                                          msg_type, kFirstNumber, body)));
}

void ReceivedTexts::number_from(std::uint64_t first, WallTime now) {
  const std::string time = time_text(now);
  next_ = (first - kFirstNumber) % size();
  for (std::uint64_t number = first; number < first + kMessages; ++number) {
    std::string& text = texts_[(number - kFirstNumber) % size()];
    put(text, kNumberMark, std::to_string(number));
    put(text, kTimeMark, time);
    put_checksum(text);
  }
}

std::string ReceivedTexts::logon(WallTime now) {
  return message_of(fmt::format("35=A|49=T1|56=VENUE|34={}|52={}|98=0|108=30|", kFirstNumber - 1,
                                time_text(now)));
}

WireSizes wire_sizes(Traffic traffic) {
  static const auto measured = [](Traffic of) {
    InsideEngine inside{true, ReceivedTexts::orders(of)};
    if (inside.receive() != 1) throw std::runtime_error{"an order was not answered"};
    return inside.sizes();
  };
  static const WireSizes flow = measured(Traffic::Flow);
  static const WireSizes one_shape = measured(Traffic::OneShape);
  return traffic == Traffic::Flow ? flow : one_shape;
}

void add_engine_rows(std::vector<Row>& rows) {
  constexpr double kInsideBudgetNs = 200;
  constexpr double kInboundBudgetNs = 25;
  constexpr double kLogsBudgetNs = 30;
  rows.push_back({{.name = "inside",
                   .purpose = "an order's bytes to its report's, journaled, over a network in "
                              "memory; the application's part included",
                   .published = {},
                   .budget = kInsideBudgetNs,
                   .ratios = {{kOneShape, 1.15}}},
                  plan_inside});
  rows.push_back({{.name = "inside/one-shape",
                   .purpose = "the same for orders of one shape: their values have one length",
                   .published = {},
                   .budget = kInsideBudgetNs},
                  plan_inside_one_shape});
  rows.push_back({{.name = "inside/requests",
                   .purpose = "the same for orders, replaces and cancels",
                   .published = {},
                   .budget = {}},
                  plan_inside_requests});
  rows.push_back({{.name = "inside/scratch",
                   .purpose = "the same for an application that builds eight texts in a vector and "
                              "a draft for each order, in Session::scratch()",
                   .published = {},
                   .budget = {}},
                  plan_inside_scratch});
  rows.push_back({{.name = "inside/inbound",
                   .purpose = "the same with JournalInbound=Y: the order is in the record, too",
                   .published = {},
                   .budget = kInsideBudgetNs + kInboundBudgetNs},
                  plan_inside_inbound});
  rows.push_back({{.name = "inside/logs",
                   .purpose = "the same as inside with FileLogPath: both messages are in a log",
                   .published = {},
                   .budget = kInsideBudgetNs + kLogsBudgetNs},
                  plan_inside_logs});
}

}  // namespace nexusfix::bench
