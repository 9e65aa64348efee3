// Answers of a server, and of what only looks like one.
#include "http/http_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "http/tests/answering_server.hpp"

namespace nexusfix::http {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kAnswerBytesMax = 4U << 20U;
constexpr std::size_t kUnparsedBytesMax = 64U << 10U;
constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

Result ask(std::string answer) {
  const AnsweringServer server{std::move(answer)};
  Client client{{.host = "127.0.0.1", .port = server.port(), .path = "/"},
                {},
                {.time = std::chrono::minutes{5}, .answer_bytes = kAnswerBytesMax}};
  return client.post({.body = "{}"}, Body::Whole);
}

TEST(HttpClient, body_of_an_answer_is_read_up_to_its_limit) {
  const auto with_body = [](std::size_t size) {
    return ask("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
               std::string(size, 'x'));
  };
  for (const std::size_t size : {kAnswerBytesMax - 1, kAnswerBytesMax}) {
    const auto answer = with_body(size);
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->body.size(), size);
  }
  const auto answer = with_body(kAnswerBytesMax + 1);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("body limit exceeded"));
}

TEST(HttpClient, length_above_the_limit_takes_no_memory) {
  const auto answer = ask("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nx");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().text, HasSubstr("body limit exceeded"));
}

TEST(HttpClient, line_of_a_chunk_is_read_up_to_its_limit) {
  const auto with_line = [](std::size_t size) {
    return ask(std::string{kChunked} + std::string(size - 3, '0') + "1\r\n" + "x\r\n0\r\n\r\n");
  };
  for (const std::size_t size : {kUnparsedBytesMax - 1, kUnparsedBytesMax}) {
    const auto answer = with_line(size);
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_EQ(answer->body, "x");
  }
  EXPECT_FALSE(with_line(kUnparsedBytesMax + 1));
}

TEST(HttpClient, answer_without_an_end_is_refused) {
  constexpr std::size_t kMuch = 16U << 20U;
  const std::string chunked{kChunked};
  for (const std::string& begin : {"HTTP/1.1 200 OK\r\nX: " + std::string{}, chunked,
                                   chunked + "1;e=", chunked + "0\r\nX: "}) {
    const auto answer = ask(begin + std::string(kMuch, '0'));
    ASSERT_FALSE(answer) << begin;
    EXPECT_EQ(answer.error().text.find("no answer"), std::string::npos) << answer.error().text;
  }
}

}  // namespace
}  // namespace nexusfix::http
