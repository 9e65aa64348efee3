#include "logs/bench/log_rows.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/parser.hpp>

#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kTurnsMin = 1024;

// A short log is repeated as a whole, so that a pass is long enough for the clock.
template <class Message>
std::vector<Message> repeated(const std::vector<Message>& messages) {
  std::vector<Message> turns = messages;
  while (!messages.empty() && turns.size() < kTurnsMin) {
    turns.insert(turns.end(), messages.begin(), messages.end());
  }
  return turns;
}

// Delivers each message once. The result has those that the application got.
std::vector<ReceivedMessage> accepted(LogEngine& engine, std::vector<ReceivedMessage> messages) {
  std::erase_if(messages, [&](const ReceivedMessage& message) {
    return !engine.number({&message, 1}) || engine.receive(0) != 1;
  });
  return messages;
}

void measure_engine(LogEngine& engine, const std::vector<ReceivedMessage>& messages,
                    const LogRowSettings& settings, LogRow& row) {
  const std::vector<ReceivedMessage> turns = repeated(messages);
  std::uint64_t expected = 0;
  std::uint64_t handled = 0;
  bool is_alive = true;
  row.figures = time_blocks(
      turns.size(), settings.engine_passes, settings.ns_per_tick,
      [&](std::size_t first, std::size_t count) {
        is_alive = is_alive && engine.number({turns.data() + first, count});
        expected += count;
      },
      [&](std::size_t i) {
        const std::uint64_t one = engine.receive(i);
        handled += one;
        return one;
      });
  row.figures->messages = messages.size();
  if (is_alive && handled == expected) return;
  row.figures.reset();
  row.missing = "the session did not pass all messages to the application";
}

}  // namespace

LogInputs inputs_of(std::vector<std::string> messages, command::MessageChecker& checker) {
  LogInputs inputs{.messages = std::move(messages)};
  for (const std::string& bytes : inputs.messages) {
    if (const auto wrong = checker.check(bytes)) {
      if (++inputs.invalid == 1) inputs.first_violation = wrong->problem;
      continue;
    }
    inputs.valid.push_back(bytes);
    if (session::is_administrative(msg_type_of(bytes))) {
      ++inputs.of_session;
    } else {
      inputs.engines.push_back(bytes);
    }
  }
  return inputs;
}

LogRow parse_row(const LogInputs& inputs, const wire::DataFieldTable& data_fields,
                 const LogRowSettings& settings) {
  LogRow row{.name = "parse",
             .purpose = "the form of every field, BodyLength and CheckSum of a message"};
  wire::Parser parser{data_fields};
  const std::vector<std::string> turns = repeated(inputs.messages);
  std::size_t first = 0;
  row.figures = time_blocks(
      turns.size(), settings.passes, settings.ns_per_tick,
      [&](std::size_t begin, std::size_t) { first = begin; },
      [&](std::size_t i) -> std::uint64_t {
        const auto message = parser.parse(turns[first + i]);
        return message ? message->field_count() : 0;
      });
  row.figures->messages = inputs.messages.size();
  return row;
}

LogRow validate_row(const LogInputs& inputs, const command::MessageChecker& checker,
                    const LogRowSettings& settings) {
  LogRow row{.name = "validate", .purpose = "a parsed message against the dictionary"};
  if (inputs.valid.empty()) {
    row.missing = "no message is valid";
    return row;
  }
  const std::vector<std::string> turns = repeated(inputs.valid);
  // A view needs the index of its own parser.
  std::vector<wire::Parser> parsers;
  std::vector<wire::MessageView> views;
  const wire::DataFieldTable data_fields = checker.data_fields();
  const dictionary::Validator& validator = checker.validator();
  dictionary::ValidationMemory memory;
  row.figures = time_blocks(
      turns.size(), settings.passes, settings.ns_per_tick,
      [&](std::size_t first, std::size_t count) {
        while (parsers.size() < count) parsers.emplace_back(data_fields);
        views.clear();
        for (std::size_t i = 0; i < count; ++i) {
          views.push_back(parsers[i].parse(turns[first + i]).value_or(wire::MessageView{}));
        }
      },
      [&](std::size_t i) -> std::uint64_t {
        return validator.validate(views[i], memory).has_value() ? 0 : 1;
      });
  row.figures->messages = inputs.valid.size();
  return row;
}

std::vector<LogRow> engine_rows(const LogInputs& inputs, const wire::DataFieldTable& data_fields,
                                const LogEngineSettings& settings_of_engine,
                                const LogRowSettings& settings, std::uint64_t& refused) {
  std::vector<LogRow> rows{
      {.name = "inside/receive",
       .purpose = "its bytes to the application, by an engine with a journal"},
      {.name = "inside",
       .purpose = "its bytes to those of the same message, which the application sends back: "
                  "received, encoded and journaled by an engine"}};
  const auto none = [&](const std::string& reason) {
    for (LogRow& row : rows) row.missing = reason;
    return std::move(rows);
  };
  if (inputs.engines.empty()) return none("no valid message is the application's");
  const auto engine = LogEngine::open(settings_of_engine);
  if (!engine) return none(engine.error());
  std::vector<ReceivedMessage> messages;
  messages.reserve(inputs.engines.size());
  for (const std::string& bytes : inputs.engines) {
    messages.push_back(received_message(bytes, data_fields));
  }
  (*engine)->set_answers(Answers::Same);
  messages = accepted(**engine, std::move(messages));
  refused = inputs.engines.size() - messages.size();
  if (messages.empty()) return none("the engine accepts no message");
  for (LogRow& row : rows) {
    (*engine)->set_answers(&row == &rows.front() ? Answers::None : Answers::Same);
    measure_engine(**engine, messages, settings, row);
  }
  return rows;
}

}  // namespace nexusfix::logs
