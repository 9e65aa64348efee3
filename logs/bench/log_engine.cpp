#include "logs/bench/log_engine.hpp"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/utc_text.hpp"
#include "bench/engine/memory_network.hpp"
#include "bench/measure/background.hpp"
#include "bench/store/bench_folder.hpp"
#include "config/api/settings.hpp"

namespace nexusfix::logs {
namespace {

// High, so that a MsgSeqNum has as many digits in each message.
constexpr std::uint64_t kFirstNumber = 10'000'000;
constexpr unsigned kMilliseconds = 3;  // digits

void append_framed(std::string& to, std::string_view begin_string, std::string_view body) {
  to = fmt::format("8={}\x01{}={}\x01{}", begin_string, static_cast<unsigned>(tag::BodyLength),
                   body.size(), body);
  unsigned sum = 0;
  for (const char c : to) sum += static_cast<unsigned char>(c);
  constexpr unsigned kModulus = 256;
  fmt::format_to(std::back_inserter(to), "10={:03}\x01", sum % kModulus);
}

// The application of a session whose messages are of any type.
struct Application {
  MessageReply on_message(Session& session, const wire::MessageView& message) {
    if (answers == Answers::Same && !send_back(session, message)) return accept();
    ++handled;
    return accept();
  }

  Answers answers = Answers::None;
  std::uint64_t handled = 0;

 private:
  static bool send_back(Session& session, const wire::MessageView& message) {
    wire::Encoder encoder = session.begin(message.msg_type());
    const std::size_t count = message.field_count();
    for (std::size_t i = 0; i < count; ++i) {
      const wire::FieldView field = message.field(i);
      if (wire::belongs_to_session(field.tag)) continue;
      const wire::Tag data = wire::standard_data_tag(field.tag);
      if (data != 0 && i + 1 < count && message.field(i + 1).tag == data) {
        encoder.data(field.tag, data, message.field(++i).value);
      } else {
        encoder.field(field.tag, field.value);
      }
    }
    return session.finish(encoder).has_value();
  }
};

class OpenLogEngine final : public LogEngine {
 public:
  explicit OpenLogEngine(const LogEngineSettings& settings)
      : begin_string_{settings.begin_string}, engine_{opened(text_of(settings))} {
    const auto set = session().set_next_numbers(
        {.next_inbound = kFirstNumber - 1, .next_outbound = kFirstNumber - 1}, "benchmark");
    if (!set) throw std::runtime_error{set.error()};
    turn();
    log_on(settings.application_version);
  }

  void set_answers(Answers answers) override { application_.answers = answers; }
  bool number(std::span<const ReceivedMessage> messages) override {
    if (network_.is_closed() || !session().is_logged_on()) return false;
    std::uint64_t next = session().numbers().next_inbound;
    const std::string time = time_text();
    texts_.resize(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
      body_ = header(messages[i].msg_type, next++, time);
      body_ += messages[i].fields;
      append_framed(texts_[i], begin_string_, body_);
    }
    return true;
  }
  std::uint64_t receive(std::size_t position) override {
    const std::uint64_t before = application_.handled;
    network_.deliver(texts_[position]);
    turn();
    return application_.handled - before;
  }

 private:
  static std::string header(std::string_view msg_type, std::uint64_t number,
                            std::string_view time) {
    return fmt::format("35={}\x01{}=LOG\x01{}=ENGINE\x01{}={}\x01{}={}\x01", msg_type,
                       static_cast<unsigned>(tag::SenderCompID),
                       static_cast<unsigned>(tag::TargetCompID),
                       static_cast<unsigned>(tag::MsgSeqNum), number,
                       static_cast<unsigned>(tag::SendingTime), time);
  }
  static std::string time_text() {
    std::string text;
    append_utc(text, SystemClock{}.now().wall, UtcForm::Fix, kMilliseconds);
    return text;
  }
  [[nodiscard]] std::string text_of(const LogEngineSettings& settings) const {
    const bool is_fixt = !settings.application_version.empty();
    std::string text = fmt::format(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptAddress=127.0.0.1\nSocketAcceptPort=1\n"
        "NonStopSession=Y\nHeartBtInt=30\nJournalStallTimeout=600\nBeginString={}\n"
        "SenderCompID=ENGINE\nFileStorePath={}\n",
        settings.begin_string, folder_.file("journal"));
    if (is_fixt) text += "DefaultApplVerID=" + settings.application_version + "\n";
    if (!settings.dictionary.empty()) {
      text += (is_fixt ? "AppDataDictionary=" : "DataDictionary=") + settings.dictionary + "\n";
    }
    return text + "[SESSION]\nTargetCompID=LOG\n";
  }
  Engine opened(const std::string& text) {
    auto settings = config::parse_settings(text, "bench");
    if (!settings) throw std::runtime_error{settings.error().front().what()};
    const bench::StartElsewhere elsewhere;  // the journal's threads
    auto engine = Engine::open(std::move(*settings), application_,
                               {.network = &network_, .log = &log_, .busy_spin = true});
    if (!engine) throw std::runtime_error{engine.error().what()};
    return std::move(*engine);
  }
  void log_on(std::string_view application_version) {
    std::string body = header("A", kFirstNumber - 1, time_text()) + "98=0\x01" + "108=30\x01";
    if (!application_version.empty()) {
      body += fmt::format("{}={}\x01", static_cast<unsigned>(tag::DefaultApplVerID),
                          application_version);
    }
    std::string logon;
    append_framed(logon, begin_string_, body);
    network_.deliver(logon);
    while (network_.sends() == 0 && !network_.is_closed()) turn();  // the disk may be busy
    if (!session().is_logged_on()) throw std::runtime_error{"the engine refused the Logon"};
  }
  [[nodiscard]] Session& session() { return engine_.session(0); }
  void turn() {
    if (!engine_.poll(std::chrono::nanoseconds{0})) throw std::runtime_error{"the engine stopped"};
  }

  std::string begin_string_;
  bench::BenchFolder folder_;
  bench::MemoryNetwork network_;
  observe::NullEventLog log_;
  Application application_;
  Engine engine_;
  std::vector<std::string> texts_;  // of number()
  std::string body_;
};

}  // namespace

ReceivedMessage received_message(std::string_view bytes, const wire::DataFieldTable& data_fields) {
  wire::Parser parser{data_fields};
  ReceivedMessage received;
  const auto message = parser.parse(bytes);
  if (!message) return received;
  received.msg_type = message->msg_type();
  for (const wire::FieldView field : *message) {
    if (wire::belongs_to_session(field.tag)) continue;
    fmt::format_to(std::back_inserter(received.fields), "{}={}\x01",
                   static_cast<unsigned>(field.tag), field.value);
  }
  return received;
}

std::expected<std::unique_ptr<LogEngine>, std::string> LogEngine::open(
    const LogEngineSettings& settings) {
  try {
    return std::make_unique<OpenLogEngine>(settings);
  } catch (const std::runtime_error& error) {
    return std::unexpected{std::string{error.what()}};
  }
}

}  // namespace nexusfix::logs
