// Answers of a member of etcd, and of what only looks like one.
#include "cluster/leases/etcd_http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "http/tests/answering_server.hpp"

namespace nexusfix::cluster {
namespace {

std::expected<http::Answer, std::string> ask(std::size_t answer_bytes) {
  const http::AnsweringServer member{
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(answer_bytes) + "\r\n\r\n" +
      std::string(answer_bytes, 'x')};
  config::ClusterSettings settings;
  settings.request_timeout = std::chrono::minutes{5};
  EtcdHttp etcd{settings};
  return etcd.post({.host = "127.0.0.1", .port = member.port()},
                   {.path = "/v3/kv/range", .token = {}, .body = "{}"});
}

TEST(EtcdHttp, answer_is_read_up_to_its_limit) {
  constexpr std::size_t kAnswerBytesMax = 4U << 20U;
  const auto answer = ask(kAnswerBytesMax);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->body.size(), kAnswerBytesMax);
  const auto longer = ask(kAnswerBytesMax + 1);
  ASSERT_FALSE(longer);
  EXPECT_THAT(longer.error(), ::testing::HasSubstr("body limit exceeded"));
}

}  // namespace
}  // namespace nexusfix::cluster
