// Which of the servers that are named is used: each has a time of its own, a standby is passed
// over, and what lacks messages is not read.
#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "postgres_fixture.hpp"
#include "support/network/cutting_proxy.hpp"

namespace nexusfix::store {
namespace {

using std::chrono::milliseconds;
using testing::CuttingProxy;
using testing::PostgresServer;

// A port that accepts connections and says nothing.
class SilentPort {
 public:
  SilentPort() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    number_ = ::ntohs(address.sin_port);
  }
  ~SilentPort() { ::close(socket_); }
  SilentPort(const SilentPort&) = delete;
  SilentPort& operator=(const SilentPort&) = delete;
  [[nodiscard]] std::string number() const { return std::to_string(number_); }

 private:
  int socket_ = -1;
  std::uint16_t number_ = 0;
};

class PostgresServers : public ::testing::Test {
 protected:
  void SetUp() override {
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
    options_.on_durable = settler_.wake();
    options_.connect_timeout = milliseconds{100};
  }
  void TearDown() override { store_.reset(); }

  // Where the store says that it is. On a busy machine the right server may be late, too.
  std::string opened() {
    for (;;) {
      auto opened = open_postgres(options_);
      if (opened) {
        store_ = std::move(*opened);
        return store_->next_event().value_or(StoreEvent{}).text;
      }
      const std::string& why = opened.error().text;
      const bool is_late = why.find("did not accept the connection") != std::string::npos ||
                           why.find("did not answer within") != std::string::npos;
      if (!is_late) return why;
    }
  }
  std::string refusal() {
    const auto opened = open_postgres(options_);
    return opened ? "it was opened" : opened.error().text;
  }
  std::string here() const { return "connected to socket " + server_->host() + "/"; }

  PostgresServer* server_ = nullptr;
  PostgresOptions options_;
  Settler settler_;
  std::unique_ptr<Store> store_;
};

TEST_F(PostgresServers, a_host_that_hangs_is_passed_over) {
  std::string why;
  const auto frozen = PostgresServer::make(PostgresServer::Syncs::No, why);
  frozen->freeze();
  options_.host = frozen->host() + "," + server_->host();
  EXPECT_NE(opened().find(here()), std::string::npos);
  store_.reset();
  options_.host = "/nowhere," + frozen->host() + "," + server_->host() + "," + frozen->host();
  EXPECT_NE(opened().find(here()), std::string::npos);
}

TEST_F(PostgresServers, the_time_of_the_connection_string_is_that_of_each_host) {
  const SilentPort silent;
  options_.connect_timeout = milliseconds{0};
  options_.connection = "host=127.0.0.1," + server_->host() + " port=" + silent.number() +
                        ",5432 connect_timeout=1 user=nexusfix dbname=postgres";
  EXPECT_NE(opened().find(here()), std::string::npos);
}

TEST_F(PostgresServers, an_address_that_hangs_is_passed_over) {
  const SilentPort silent;
  options_.connection = "hostaddr=127.0.0.1,127.0.0.1 port=" + silent.number() + "," +
                        silent.number() + " user=nexusfix dbname=postgres";
  const std::string text = refusal();
  const std::string each = "127.0.0.1, port " + silent.number() +
                           ": the server did not accept the connection within 100 ms";
  EXPECT_NE(text.find(each + "; " + each), std::string::npos) << text;
}

TEST_F(PostgresServers, each_server_says_why_not) {
  const SilentPort silent;
  options_.connection = "host=127.0.0.1," + server_->host() + ",/nowhere port=" + silent.number() +
                        ",5432,5432 user=nobody_there dbname=postgres";
  std::string text;
  do {  // On a busy machine the server itself may be late, too.
    text = refusal();
  } while (text.find(server_->host() + ", port 5432: the server did not accept") !=
           std::string::npos);
  EXPECT_NE(text.find("127.0.0.1, port " + silent.number() + ": the server did not accept"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("role \"nobody_there\" does not exist"), std::string::npos) << text;
  EXPECT_NE(text.find("/nowhere, port 5432: connection to server"), std::string::npos) << text;
}

TEST_F(PostgresServers, lists_of_different_lengths_are_refused_as_by_libpq) {
  options_.connection = "host=/a,/b,/c port=1,2 user=nexusfix dbname=postgres";
  const std::string text = refusal();
  EXPECT_NE(text.find("could not match 2 port numbers to 3 hosts"), std::string::npos) << text;
}

TEST_F(PostgresServers, a_standby_is_passed_over) {
  std::string why;
  const auto primary = PostgresServer::make(PostgresServer::Syncs::No, why);
  const auto standby = primary->make_standby("s1");
  options_.connect_timeout = std::chrono::hours{1};
  options_.host = standby->host() + "," + primary->host();
  EXPECT_NE(opened().find("connected to socket " + primary->host()), std::string::npos);
  store_.reset();
  options_.host = standby->host();
  EXPECT_NE(refusal().find("is a standby (in recovery)"), std::string::npos);
}

TEST_F(PostgresServers, the_server_that_was_good_last_is_asked_first) {
  CuttingProxy first{server_->socket_file()};
  CuttingProxy second{server_->socket_file()};
  options_.connect_timeout = std::chrono::hours{1};
  options_.host = first.host() + "," + second.host();
  first.refuse(true);
  EXPECT_NE(opened().find("connected to socket " + second.host()), std::string::npos);
  const SessionKey key = open_session(*store_, "A");
  first.refuse(false);
  second.cut_now();
  second.wait_for_cuts(1);
  ASSERT_TRUE(append_message(*store_, key, 1, "x"));
  const std::string back = wait_for_event(*store_, settler_, "connected again");
  EXPECT_NE(back.find("to socket " + second.host()), std::string::npos) << back;
  ASSERT_TRUE(settler_.settle(*store_));
  EXPECT_EQ(read_all(*store_, key).size(), 1U);
}

TEST_F(PostgresServers, a_primary_that_hangs_is_left_for_the_standby_that_was_promoted) {
  std::string why;
  const auto primary = PostgresServer::make(PostgresServer::Syncs::No, why);
  const auto standby = primary->make_standby("s1");
  primary->set("synchronous_standby_names", "s1");
  while (primary->sql("SELECT sync_state FROM pg_stat_replication") != "sync") {
  }
  options_.host = primary->host() + "," + standby->host();
  options_.connect_timeout = std::chrono::hours{1};
  options_.outage_max = std::chrono::hours{1};
  opened();
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(settler_.settle(*store_));
  store_.reset();
  options_.connect_timeout = milliseconds{100};
  options_.answer_timeout = milliseconds{2'000};
  opened();
  primary->freeze();
  standby->promote();
  ASSERT_TRUE(append_message(*store_, key, 2, "two"));
  const std::string back = wait_for_event(*store_, settler_, "connected again");
  EXPECT_NE(back.find("to socket " + standby->host()), std::string::npos) << back;
  ASSERT_TRUE(settler_.settle(*store_));
  store_.reset();
  options_.host = standby->host();
  options_.connect_timeout = std::chrono::hours{1};
  options_.answer_timeout = std::chrono::hours{1};
  opened();
  EXPECT_EQ(read_all(*store_, key), (std::vector<KeptMessage>{{1, "one"}, {2, "two"}}));
}

TEST_F(PostgresServers, what_lacks_messages_is_not_read_as_if_it_had_none) {
  opened();
  const SessionKey key = open_session(*store_, "A");
  ASSERT_TRUE(append_message(*store_, key, 1, "one"));
  ASSERT_TRUE(settler_.settle(*store_));
  const std::string state = options_.schema + ".log_state";
  server_->sql("UPDATE " + state + " SET position = position - 10");
  const auto read = store_->read(key, 1, 9, [](std::uint64_t, std::string_view) { return true; });
  server_->sql("UPDATE " + state + " SET position = position + 10");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("only, and up to"), std::string::npos) << read.error().text;
  EXPECT_EQ(read_all(*store_, key).size(), 1U);
}

TEST_F(PostgresServers, each_session_has_the_server_watch_for_a_client_that_is_gone) {
  std::string why;
  const auto server = PostgresServer::make(PostgresServer::Syncs::No, why);
  server->set("log_statement", "all");
  options_.host = server->host();
  options_.connect_timeout = std::chrono::hours{1};
  options_.peer_timeout = milliseconds{9'000};
  opened();
  const std::string log = server->log();
  for (const std::string setting :
       {"tcp_user_timeout = 9000", "client_connection_check_interval = 9000",
        "tcp_keepalives_idle = 3", "tcp_keepalives_interval = 3", "tcp_keepalives_count = 2"}) {
    EXPECT_NE(log.find("SET " + setting), std::string::npos) << setting;
    // Before the lock is taken: from then on it is in the way of others.
    EXPECT_LT(log.find("SET " + setting), log.find("pg_advisory_lock")) << setting;
  }
}

}  // namespace
}  // namespace nexusfix::store
