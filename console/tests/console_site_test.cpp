// The console over HTTP: acts beside readers that block, callers that have gone, and guesses.
#include "console/site/console_site.hpp"

#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <optional>
#include <sys/stat.h>

#include <nexusfix/statistics.hpp>

#include "support/disks/temporary_folder.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"

namespace nexusfix::web {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using transport::SocketId;

const std::string kToken(32, 'a');

// A place where a thread waits until the test lets it go on.
class Gate {
 public:
  void pass() {
    entered_.set_value();
    opened_.get_future().wait();
  }
  void wait_until_entered() { entered_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> entered_;
  std::promise<void> opened_;
};

// Has one message whenever it is read.
class FakeSubscription final : public engine::MessageSubscription {
 public:
  void read(std::size_t, Visitor visit) override {
    visit({.time = {},
           .session = "FIX.4.4:VENUE->TRADER",
           .bytes = "8=FIX.4.4\x01"
                    "35=UX\x01"
                    "6001=7\x01"});
  }
  std::uint64_t consume_lost() override { return 0; }
};

class FakeEngine final : public engine::Operations {
 public:
  engine::EngineStatistics statistics() const override {
    engine::EngineStatistics figures;
    figures.sessions.emplace_back().name = "S";
    return figures;
  }
  std::vector<std::string> journal_folders() const override {
    reading.pass();
    return {};
  }
  std::expected<void, std::string> command(engine::OperatorCommand command,
                                           const std::string&) override {
    {
      const std::lock_guard lock{mutex_};
      reasons_.push_back(command.reason);
    }
    if (command.reason == "blocks") acting.pass();
    return {};
  }
  std::expected<void, std::string> set_numbers(engine::LiveNumbers, const std::string&) override {
    return {};
  }
  std::expected<std::unique_ptr<engine::MessageSubscription>, std::string> follow(
      const std::string&) override {
    return std::make_unique<FakeSubscription>();
  }
  void report(EventId, std::string text) override { events.push_back(std::move(text)); }

  std::vector<std::string> reasons() {
    const std::lock_guard lock{mutex_};
    return reasons_;
  }
  mutable Gate reading;
  Gate acting;
  std::vector<std::string> events;  // of the server's thread

 private:
  std::mutex mutex_;
  std::vector<std::string> reasons_;  // of the acts that were carried out
};

class ConsoleSiteTest : public ::testing::Test {
 protected:
  ConsoleSiteTest() {
    const std::string tokens = folder.path() + "/console.token";
    std::ofstream{tokens} << "anna:" << kToken << '\n';
    EXPECT_EQ(::chmod(tokens.c_str(), 0600), 0);
    write_dictionary("VenueSide");
    std::ofstream{file("venue.cfg")}
        << "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=memory\n[SESSION]\n"
           "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nDataDictionary="
        << file("venue.xml") << '\n';
    PosixDisk disk;
    const auto settings = config::load_settings(disk, file("venue.cfg"));
    EXPECT_TRUE(settings.has_value());
    site.emplace(ConsoleOptions{.allows_acts = true,
                                .configuration_file = file("venue.cfg"),
                                .token_file = tokens,
                                .names = SessionNames{disk, *settings}},
                 events, clock);
    server.emplace(network, clock);
    static_cast<void>(server->listen({.host = "", .port = 8080}, *site).value());
    site->listen_on("127.0.0.1", 8080, {});
    EXPECT_TRUE(site->begin(engine));
  }
  ~ConsoleSiteTest() override {
    server.reset();
    site->end();
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return folder.path() + '/' + name;
  }
  void write_dictionary(const std::string& name_of_6001) const {
    std::ofstream{file("venue.xml")}
        << "<fix major='4' minor='4'><header/><trailer/><messages><message name='VenueOrder' "
           "msgtype='UX' msgcat='app'><field name='"
        << name_of_6001
        << "' required='N'/></message></messages><fields><field number='6001' name='"
        << name_of_6001 << "' type='CHAR'/></fields></fix>";
  }

  SocketId ask(const std::string& first_line, const std::string& token = kToken,
               const std::string& body = {}) {
    const SocketId socket = clients.connect({.host = "server", .port = 8080}).value();
    turn();
    const std::string request =
        first_line + " HTTP/1.1\r\nHost: localhost:8080\r\n" + "Authorization: Bearer " + token +
        "\r\n" +
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n\r\n" + body;
    EXPECT_EQ(clients.send(socket, request).bytes, request.size());
    turn();
    return socket;
  }
  SocketId act(const std::string& reason) {
    return ask("POST /api/act", kToken,
               R"({"version":8,"request":"disable","session":"S","reason":")" + reason + "\"}");
  }
  void turn() {
    server->turn();
    std::array<transport::Ready, 64> ready;
    std::array<char, 65'536> buffer;
    const std::size_t count = clients.wait(ready, std::chrono::nanoseconds{0});
    for (const transport::Ready& one : std::span{ready}.first(count)) {
      const auto got = clients.receive(one.socket, buffer);
      if (got.status == transport::IoResult::Status::Ok) {
        received[one.socket].append(buffer.data(), got.bytes);
      }
    }
    server->turn();
  }
  const std::string& answer(SocketId socket) {
    while (received[socket].empty()) turn();
    return received[socket];
  }

  testing::TemporaryFolder folder;
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  transport::FakeNetwork clients{internet, "10.0.0.2"};
  testing::ManualClock clock;
  EventRing events;
  FakeEngine engine;
  std::optional<ConsoleSite> site;
  std::optional<HttpServer> server;
  std::map<SocketId, std::string> received;
};

TEST_F(ConsoleSiteTest, act_does_not_wait_for_a_reader_of_stored_messages) {
  const SocketId reader = ask("GET /api/messages?session=S");
  engine.reading.wait_until_entered();
  EXPECT_THAT(answer(act("now")), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(received[reader], "");
  engine.reading.open();
  EXPECT_THAT(answer(reader), StartsWith("HTTP/1.1 404 "));
}

// An operator closes the page, because an act takes long, and orders the contrary.
TEST_F(ConsoleSiteTest, act_whose_page_was_closed_while_it_waited_is_not_carried_out) {
  const SocketId first = act("blocks");
  engine.acting.wait_until_entered();
  const SocketId closed = act("closed");
  clients.close(closed);
  turn();
  const SocketId last = act("last");
  engine.acting.open();
  EXPECT_THAT(answer(first), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(last), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(engine.reasons(), ElementsAre("blocks", "last"));
}

TEST_F(ConsoleSiteTest, act_that_has_waited_for_longer_than_ten_seconds_is_refused) {
  const SocketId first = act("blocks");
  engine.acting.wait_until_entered();
  const SocketId late = act("late");
  clock.advance(std::chrono::milliseconds{10'001});
  const SocketId next = act("next");
  engine.acting.open();
  EXPECT_THAT(answer(first), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(late), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(answer(late), HasSubstr("nothing was done"));
  EXPECT_THAT(answer(next), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(engine.reasons(), ElementsAre("blocks", "next"));
}

TEST_F(ConsoleSiteTest, job_whose_client_has_gone_leaves_its_place_in_the_queue) {
  const SocketId first = act("blocks");
  engine.acting.wait_until_entered();
  std::vector<SocketId> waiting;
  for (std::size_t i = 0; i < Worker::kJobsMax; ++i) waiting.push_back(act("waits"));
  EXPECT_THAT(answer(act("too many")), StartsWith("HTTP/1.1 503 "));
  for (const SocketId socket : waiting) clients.close(socket);
  for (std::size_t i = 0; i < waiting.size(); ++i) turn();
  const SocketId last = act("last");
  engine.acting.open();
  EXPECT_THAT(answer(last), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(first), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(engine.reasons(), ElementsAre("blocks", "last"));
}

TEST_F(ConsoleSiteTest, reload_gives_the_page_the_names_of_the_changed_dictionary) {
  const SocketId page = ask("GET /api/live?session=S");
  EXPECT_THAT(answer(page), HasSubstr("VenueSide"));
  write_dictionary("VenuePlace");
  received[page].clear();
  clock.advance(std::chrono::seconds{1});
  EXPECT_THAT(answer(page), HasSubstr("VenueSide"));  // nothing was reloaded
  events.write({.time = {}, .id = EventId::ConfigurationReloaded, .session = {}, .text = "read"});
  while (!received[page].contains("VenuePlace")) {
    received[page].clear();
    clock.advance(std::chrono::seconds{1});
    static_cast<void>(answer(page));
  }
}

TEST_F(ConsoleSiteTest, guesses_are_answered_late_and_a_right_token_at_once) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(answer(ask("GET /api/overview", "wrong")), StartsWith("HTTP/1.1 401 "));
  }
  const SocketId guess = ask("GET /api/overview", "wrong");
  const SocketId by_page = ask("POST /api/sign-in", "wrong", R"({"token":"wrong"})");
  const SocketId none = ask("GET /api/figures");
  EXPECT_THAT(answer(none), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer(ask("POST /api/sign-in", "x", R"({"token":")" + kToken + "\"}")),
              StartsWith("HTTP/1.1 200 "));
  clock.advance(std::chrono::milliseconds{1'900});
  turn();
  EXPECT_EQ(received[guess] + received[by_page], "");
  clock.advance(std::chrono::milliseconds{1'100});
  turn();
  EXPECT_THAT(answer(guess), StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(answer(by_page), StartsWith("HTTP/1.1 429 "));
  EXPECT_EQ(engine.events.size(), 6U) << "five wrong tokens, and a sign-in";
}

}  // namespace
}  // namespace nexusfix::web
