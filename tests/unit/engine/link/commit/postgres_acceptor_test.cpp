// An acceptor with a PostgreSQL store: nothing leaves before the server has it, and the loop
// continues while the server is down.
#include <condition_variable>
#include <mutex>
#include <thread>

#include <nexusfix/store/postgres.hpp>

#include "cluster/open_postgres.hpp"
#include "support/postgres_server.hpp"
#include "unit/engine/session/sending/resend_work.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class PostgresAcceptor : public AcceptorTest {
 protected:
  void SetUp() override {
    server = PostgresServer::shared();
    if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
    extra = "Store=postgresql\nPostgreSQLStoreHost=" + server->host() +
            "\nPostgreSQLStoreUser=nexusfix\nPostgreSQLStoreDatabase=postgres\n"
            "PostgreSQLStoreSchema=engine_" +
            std::to_string(++count);
    open_here();
  }

  void open_here() {
    EngineUnderTest opening = under_test();
    // The server is frozen in these tests; a busy machine must not cause a timeout.
    opening.settings.postgres.connect_timeout = std::chrono::hours{1};
    opening.settings.postgres.answer_timeout = std::chrono::hours{1};
    opening.options.parts.postgres = store::postgres_part();
    opening.open(acceptor, venue);
  }

  PostgresServer* server = nullptr;
  inline static int count = 0;
};

TEST_F(ResendWorkTest, the_postgresql_store_is_asked_a_few_times_wherever_its_messages_are) {
  PostgresServer* const server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << PostgresServer::why();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    expect_few_calls(
        [&](const store::StoreOptions& options) {
          store::PostgresOptions database;
          database.connection = server->connection();
          database.schema = "resend_" + std::to_string(seed);
          database.record_bytes_max = options.record_bytes_max;
          database.on_durable = options.on_durable;
          return store::open_postgres(database);
        },
        seed);
  }
}

TEST_F(PostgresAcceptor, order_is_answered_and_recovered_after_a_restart) {
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(log.has("PostgreSQL store engine_")) << log.all();
  acceptor.reset();
  peers.clear();
  open_here();
  ASSERT_EQ(venue.recovered.size(), 1U);
  EXPECT_NE(venue.recovered.front().find("|11=A1|"), std::string::npos);
  RawPeer& again = log_on("TRADER", 3);
  again.send(from("TRADER", "2", 4, "7=2|16=2|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages().back(), "|11=A1|"));
  EXPECT_TRUE(contains(again.messages().back(), "|43=Y|"));
}

TEST_F(PostgresAcceptor, message_leaves_only_after_the_server_is_back) {
  RawPeer& peer = log_on("TRADER");
  server->stop();
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; })) << log.all();
  ASSERT_TRUE(run_until([&] { return log.has("ended and made again"); })) << log.all();
  turn(100);
  EXPECT_EQ(peer.messages().size(), 1U) << "only the Logon";
  server->start();
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|11=A1|"));
}

TEST_F(PostgresAcceptor, numbers_lost_by_the_database_are_not_reused) {
  const std::string schema = "SET search_path = engine_" + std::to_string(count) + "; ";
  RawPeer& peer = log_on("TRADER");
  server->sql(schema + "CREATE TABLE saved AS SELECT position FROM log_state");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|34=2|"));
  acceptor.reset();
  peers.clear();
  // The state of a standby that lagged.
  server->sql(schema +
              "DELETE FROM chunks; DELETE FROM message_places; UPDATE sessions SET next_inbound = "
              "2, next_outbound = 2; "
              "UPDATE log_state SET position = (SELECT position FROM saved)");
  open_here();
  RawPeer& again = connect();
  again.send(logon("TRADER", 3));
  // The Logon, and a ResendRequest for the inbound messages that the database has lost.
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(log.has("the database has lost what it had confirmed")) << log.all();
  EXPECT_TRUE(log.has("FIX.4.4:VENUE->TRADER: MsgSeqNum 2 to ")) << log.all();
  EXPECT_FALSE(contains(again.messages().front(), "|34=2|"))
      << "a Logon that was an order's report";
  again.send(from("TRADER", "2", 4, "7=2|16=0|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(again.messages().back(), "|123=Y|"));
  EXPECT_TRUE(contains(again.messages().back(), "|34=2|"));
}

TEST_F(PostgresAcceptor, resend_that_waits_for_the_database_does_not_stop_the_loop) {
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t number = 2; number < 400; ++number) {
    peer.send(order("TRADER", number, "A" + std::to_string(number)));
  }
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 399; })) << log.all();
  turn(20);  // The database has the change of the last message.
  server->freeze();
  peer.send(from("TRADER", "2", 400, "7=2|16=0|"));
  turn(200);
  // Another connection is served: accepted, read and refused.
  RawPeer& unknown = connect();
  unknown.send("not a Logon");
  unknown.send(from("UNKNOWN", "A", 1, "98=0|108=30|"));
  ASSERT_TRUE(run_until([&] { return unknown.closed(); })) << log.all();
  EXPECT_EQ(peer.messages().size(), 399U);
  EXPECT_FALSE(peer.closed()) << log.all();
  server->thaw();
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 797; })) << log.all();
  for (std::size_t at = 399; at < 797; ++at) {
    const std::string& message = peer.messages()[at];
    ASSERT_TRUE(contains(message, "|43=Y|")) << bar(message);
    ASSERT_TRUE(contains(message, "|34=" + std::to_string(at - 397) + "|")) << bar(message);
  }
}

TEST_F(PostgresAcceptor, resend_ended_while_the_database_hangs_can_begin_again) {
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  turn(20);
  server->freeze();
  peer.send(from("TRADER", "2", 3, "7=2|16=0|"));
  turn(50);
  peer.close();
  turn(50);
  server->thaw();
  RawPeer& again = log_on("TRADER", 4);
  again.send(from("TRADER", "2", 5, "7=2|16=2|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages().back(), "|11=A1|"));
}

// Says when the engine waits for the log of another one.
class StandbyLog final : public observe::EventLog {
 public:
  void write(const observe::Event& event) override {
    if (event.id == EventId::DatabaseStandbyWaits) set_waiting();
  }
  // Also when it has ended with an error, so that the test does not hang.
  void set_waiting() {
    const std::lock_guard lock{mutex_};
    is_waiting_ = true;
    waits_.notify_all();
  }
  void await_wait() {
    std::unique_lock lock{mutex_};
    waits_.wait(lock, [this] { return is_waiting_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable waits_;
  bool is_waiting_ = false;
};

// The engine sends its Logon that resets, and ends without an answer while a standby waits.
class PostgresStandby : public PostgresAcceptor {
 protected:
  [[nodiscard]] bool is_reset_logon(const std::string& message) const {
    return contains(message, "|35=A|34=1|") && contains(message, "|141=Y|");
  }
  void ask_for_reset() {
    RawPeer& peer = log_on("TRADER");
    ASSERT_TRUE(acceptor->session(0).reset_in_session().has_value());
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
    peer.send(from("TRADER", "0", 2, "112=RESET|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
    ASSERT_TRUE(is_reset_logon(peer.messages().back())) << bar(peer.messages().back());
  }
  // text: the configuration of the standby, which takes the log over as another machine does.
  void take_over(std::string text) {
    const std::string own = folder.path() + "/store";
    text.replace(text.find(own), own.size(), folder.path() + "/standby");
    auto settings = config::parse_settings(std::move(text), "standby.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    EngineOptions all = options();
    all.log = &standby_log;
    all.parts.postgres = store::postgres_part();
    std::optional<std::expected<Engine, EngineError>> opened;
    std::thread standby{[&] {
      opened.emplace(Engine::open(std::move(*settings), standby_venue, all));
      standby_log.set_waiting();
    }};
    standby_log.await_wait();
    acceptor.reset();
    peers.clear();
    standby.join();
    ASSERT_TRUE(opened->has_value()) << opened->error().what();
    acceptor.emplace(std::move(**opened));
  }
  void expect_reset_is_repeated() {
    RawPeer& again = connect();
    again.send(logon("TRADER", 3));  // with its old numbers
    ASSERT_TRUE(run_until([&] { return !again.messages().empty(); }));
    EXPECT_TRUE(is_reset_logon(again.messages()[0])) << bar(again.messages()[0]);
    again.send(logon("TRADER", 1, "141=Y|") + order("TRADER", 2, "NEW"));
    ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; }));
    EXPECT_TRUE(contains(again.messages()[1], "|35=8|34=2|")) << bar(again.messages()[1]);
    EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{3, 3}));
  }

  static constexpr std::string_view kWaits =
      "\nPostgreSQLStoreIfOwned=wait\nPostgreSQLStoreStandby=available";
  StandbyLog standby_log;
  EchoVenue standby_venue;
};

TEST_F(PostgresStandby, repeats_a_logon_that_resets_and_was_not_answered) {
  ask_for_reset();
  extra += kWaits;
  ASSERT_NO_FATAL_FAILURE(take_over(config()));
  expect_reset_is_repeated();
}

TEST_F(PostgresAcceptor, program_without_the_postgresql_store_does_not_open) {
  acceptor.reset();
  const auto opened = under_test().try_open(venue);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().what(),
            "Store=postgresql: this program was built without the PostgreSQL store. Link "
            "nexusfix::postgres, include <nexusfix/store/postgres.hpp>, and open the engine with "
            "EngineOptions that have: "
            "options.parts.postgres = nexusfix::store::postgres_part();");
}

}  // namespace
}  // namespace nexusfix::testing
