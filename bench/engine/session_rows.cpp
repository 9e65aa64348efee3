// The session layer alone: the time of the state machine for a message in sequence, and for a
// resend. The messages are already parsed, and there is no dictionary.
#include <fmt/format.h>
#include <memory>
#include <span>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire.hpp>

#include "bench/messages/messages.hpp"
#include "bench/row.hpp"
#include "session/api/actions.hpp"
#include "session/api/config.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::bench {
namespace {

using session::StateMachine;

constexpr std::int64_t kNowMs = 1'705'314'600'000;  // 2024-01-15 10:30:00 UTC
constexpr std::size_t kSeqNumDigits = 9;
constexpr std::uint64_t kFirstSeqNum = 100'000'000;

Now bench_now() {
  return {.wall = WallTime{std::chrono::milliseconds{kNowMs}},
          .mono = MonoTime{std::chrono::hours{1}}};
}

session::SessionConfig acceptor() {
  session::SessionConfig config;
  config.id = {.begin_string = "FIX.4.4", .sender_comp_id = "US", .target_comp_id = "THEM"};
  config.role = session::Role::Acceptor;
  return config;
}

std::string message(std::string_view msg_type, std::uint64_t msg_seq_num, std::string_view body) {
  return message_of(fmt::format("35={}|49=THEM|56=US|34={}|52=20240115-10:30:00.000|{}", msg_type,
                                msg_seq_num, body));
}

constexpr std::size_t kMessages = 64;

// Different ExecutionReports. The session reads their headers only.
std::vector<std::string> numbered_executions() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kMessages; ++i) {
    texts.push_back(message("8", kFirstSeqNum + i,
                            fmt::format("37=ORDER{}|17=EXEC{}|150=F|39=2|55=AAPL|54=1|38=100|"
                                        "44=150.50|32=100|31=150.45|151=0|14=100|6=150.45|"
                                        "60=20240115-10:30:00.100|",
                                        i, i)));
  }
  return texts;
}

// A state machine that is logged on and expects first_inbound.
struct LoggedOn {
  std::array<char, 2 * StateMachine::kScratchBytes> scratch{};
  std::unique_ptr<StateMachine> machine;

  LoggedOn(std::uint64_t first_inbound, std::uint64_t next_outbound)
      : machine{std::make_unique<StateMachine>(
            acceptor(), session::Numbers{first_inbound - 1, next_outbound})} {
    machine->on_connected(bench_now());
    const std::string logon = message("A", first_inbound - 1, "98=0|108=30|");
    wire::Parser parser;
    const auto parsed = parser.parse(logon).value();
    machine->on_message(parsed, bench_now());
    while (machine->next_action(scratch)) {
    }
  }
};

// Each message is delivered and accepted. The MsgSeqNums in the texts are increased between two
// runs, so that they are always the expected ones.
struct InSequence {
  std::vector<std::string> texts;
  std::vector<std::size_t> number_places;
  std::vector<wire::Parser> parsers;  // not moved, because they own the messages' indexes
  std::vector<wire::MessageView> messages;
  LoggedOn side{kFirstSeqNum, 1};

  explicit InSequence(std::vector<std::string> from)
      : texts{std::move(from)}, parsers(texts.size()) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      messages.push_back(parsers[i].parse(texts[i]).value());
      const std::string_view number = messages[i][34].value();
      number_places.push_back(static_cast<std::size_t>(number.data() - texts[i].data()));
    }
  }
  std::uint64_t operator()(std::size_t input) {
    StateMachine& machine = *side.machine;
    machine.on_message(messages[input], bench_now());
    std::uint64_t delivered = 0;
    while (const auto action = machine.next_action(side.scratch)) {
      if (!std::holds_alternative<session::Deliver>(*action)) return 0;
      machine.on_delivered({}, bench_now());
      ++delivered;
    }
    return delivered;
  }
  void prepare() {
    const std::uint64_t next = side.machine->sequence_numbers().next_inbound;
    for (std::uint64_t i = 0; i < texts.size(); ++i) {
      const std::uint64_t number = next + i;
      const std::size_t at = (number - kFirstSeqNum) % texts.size();
      fmt::format_to_n(texts[at].begin() + static_cast<std::ptrdiff_t>(number_places[at]),
                       kSeqNumDigits, "{}", number);
    }
  }
  void settle() {}
  [[nodiscard]] CallLimits limits() const { return {.least = 1, .most = texts.size()}; }
};

struct DeliversEach {
  std::string operator()(InSequence& operation) const {
    for (std::size_t i = 0; i < operation.texts.size(); ++i) {
      if (operation(i) != 1) return "message " + std::to_string(i) + " was not delivered";
    }
    return {};
  }
};

Plan plan_in_sequence(Subjects) {
  InSequence operation{numbered_executions()};
  Plan plan{.owner = nullptr, .contestants = {}};
  plan.bytes = static_cast<double>(operation.texts.front().size());
  plan.contestants.emplace_back(
      "NexusFIX", make_prepared_contestant(std::move(operation), kMessages, DeliversEach{}));
  return plan;
}

constexpr std::uint64_t kResent = 1'000'000;

// One call is one ResendRequest for all messages, served from the store as by an engine.
struct Resend {
  std::vector<std::string> stored;
  std::uint64_t request_number = kFirstSeqNum;
  LoggedOn side{kFirstSeqNum, kResent + 1};

  std::uint64_t operator()(std::size_t) {
    const std::string text = message("2", request_number++, "7=1|16=0|");
    wire::Parser parser;
    const auto request = parser.parse(text).value();
    StateMachine& machine = *side.machine;
    machine.on_message(request, bench_now());
    std::uint64_t resent = 0;
    const auto perform = [&] {
      while (const auto action = machine.next_action(side.scratch)) {
        const auto* const again = std::get_if<session::Retransmit>(&*action);
        if (again != nullptr) resent += again->bytes.size() > kSeqNumDigits ? 1 : 0;
      }
    };
    perform();
    const std::size_t mask = stored.size() - 1;
    for (std::uint64_t number = 2; number <= kResent + 1; ++number) {
      machine.on_replay_message(number, stored[number & mask], bench_now());
      perform();
    }
    machine.on_replay_done(bench_now());
    perform();
    return resent;
  }
};

Plan plan_resend(Subjects) {
  std::vector<std::string> stored = numbered_executions();
  Plan plan{.owner = nullptr, .operations_per_call = kResent, .contestants = {}};
  plan.bytes = static_cast<double>(stored.front().size());
  // All messages, and a gap fill for the Logon, number 1.
  plan.contestants.emplace_back("NexusFIX",
                                make_contestant(Resend{std::move(stored)}, {kResent + 1}));
  return plan;
}

}  // namespace

void add_session_rows(std::vector<Row>& rows) {
  rows.push_back({{.name = "session/in-sequence",
                   .purpose = "the session's checks of an application message whose turn it is",
                   .published = {},
                   .budget = 15},
                  plan_in_sequence});
  constexpr double kNsOfAMillionASecond = 1'000;
  rows.push_back({{.name = "session/resend-1M",
                   .purpose = "a message of a resend of 1,000,000",
                   .published = {},
                   .budget = kNsOfAMillionASecond},
                  plan_resend});
}

}  // namespace nexusfix::bench
