// What cannot be opened says why, what to look at, and never a password.
#include <gtest/gtest.h>
#include <string>

#include "postgres_fixture.hpp"

namespace nexusfix::store {
namespace {

using testing::PostgresServer;

class PostgresRefusal : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PostgresServer::shared() == nullptr) GTEST_SKIP() << PostgresServer::why();
    options_ = postgres_options(fresh_schema());
  }

  void expect_refusal(StoreErrorCode code, const std::string& text) {
    const auto opened = open_postgres(options_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code) << opened.error().text;
    EXPECT_NE(opened.error().text.find(text), std::string::npos) << opened.error().text;
    EXPECT_EQ(opened.error().text.find("s3cret"), std::string::npos) << opened.error().text;
    EXPECT_EQ(opened.error().text.find('\n'), std::string::npos);
  }

  PostgresOptions options_;
};

TEST_F(PostgresRefusal, a_second_process_is_refused_with_the_name_of_the_first) {
  options_.lock_wait = std::chrono::milliseconds{20};
  const auto first = open_or_fail(options_);
  expect_refusal(StoreErrorCode::Locked, "in use by process " + std::to_string(::getpid()));
  expect_refusal(StoreErrorCode::Locked, ", server process ");
  options_.schema = fresh_schema();  // another log of the same database
  EXPECT_NE(open_or_fail(options_), nullptr);
}

TEST_F(PostgresRefusal, a_process_that_ends_in_time_is_waited_for) {
  auto first = open_or_fail(options_);
  open_session(*first, "A");
  ASSERT_TRUE(first->close());
  EXPECT_FALSE(append_message(*first, 0, 1, "x"));
  EXPECT_NE(open_or_fail(options_), nullptr);
}

TEST_F(PostgresRefusal, a_wrong_password) {
  options_.user = "guarded";
  options_.password = "s3cret";
  expect_refusal(StoreErrorCode::Server, "password authentication failed for user \"guarded\"");
}

TEST_F(PostgresRefusal, a_missing_password) {
  options_.user = "guarded";
  expect_refusal(StoreErrorCode::Server, "no password supplied");
}

TEST_F(PostgresRefusal, the_right_password_of_a_user_without_the_right_to_create_schemas) {
  options_.user = "guarded";
  options_.password = "pa55word";
  expect_refusal(StoreErrorCode::Server, "permission denied for database");
  PostgresServer::shared()->sql("CREATE SCHEMA " + options_.schema + " AUTHORIZATION guarded");
  EXPECT_NE(open_or_fail(options_), nullptr);
}

TEST_F(PostgresRefusal, a_missing_database) {
  options_.database = "nowhere";
  expect_refusal(StoreErrorCode::Server, "database \"nowhere\" does not exist");
}

TEST_F(PostgresRefusal, a_server_that_is_not_there) {
  options_.host = PostgresServer::shared()->host() + "/data";
  expect_refusal(StoreErrorCode::Server, "Is the server running locally");
}

TEST_F(PostgresRefusal, a_malformed_connection_string_is_not_shown) {
  options_.connection = "password = 's3cret";
  expect_refusal(StoreErrorCode::Server, "not of the form key=value");
  options_.connection = "pasword=s3cret";
  expect_refusal(StoreErrorCode::Server, "unknown key");
  options_.connection = "postgresql://user:s3cret@[host";
  expect_refusal(StoreErrorCode::Server, "not of the form key=value");
}

TEST_F(PostgresRefusal, a_name_of_a_schema_that_would_need_quotes) {
  for (const std::string name : {"", "Log", "a;b", "1st", "pg_log", "a'b"}) {
    options_.schema = name;
    expect_refusal(StoreErrorCode::Server, "small letters, digits and '_'");
  }
  options_.schema = std::string(64, 'a');
  expect_refusal(StoreErrorCode::Server, "1 to 63");
}

TEST_F(PostgresRefusal, a_schema_of_a_later_program) {
  EXPECT_NE(open_or_fail(options_), nullptr);
  PostgresServer::shared()->sql("INSERT INTO " + options_.schema + ".schema_version VALUES (1000)");
  expect_refusal(StoreErrorCode::Corrupt, "version 1000, and this program knows versions up to");
}

TEST_F(PostgresRefusal, a_schema_that_holds_something_else) {
  PostgresServer::shared()->sql("CREATE SCHEMA " + options_.schema + "; CREATE TABLE " +
                                options_.schema + ".messages (x int)");
  expect_refusal(StoreErrorCode::Server, "relation \"messages\" already exists");
}

TEST_F(PostgresRefusal, sessions_that_were_changed_from_outside) {
  const auto store = open_or_fail(options_);
  open_session(*store, "A");
  ASSERT_TRUE(store->close());
  PostgresServer::shared()->sql("UPDATE " + options_.schema + ".sessions SET session_key = 7");
  expect_refusal(StoreErrorCode::Corrupt, "row 1 of table sessions");
}

}  // namespace
}  // namespace nexusfix::store
