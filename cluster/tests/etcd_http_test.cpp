// Answers of a member of etcd, and of what only looks like one.
#include "cluster/leases/etcd_http.hpp"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace nexusfix::cluster {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kAnswerBytesMax = 4U << 20U;
constexpr std::size_t kUnparsedBytesMax = 64U << 10U;
constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// Accepts one connection, and answers its request with these bytes, as far as the client takes
// them.
class Member {
 public:
  explicit Member(std::string answer) : answer_{std::move(answer)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this] { serve(); }};
  }
  ~Member() {
    thread_.join();
    ::close(listener_);
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void serve() {
    const int client = ::accept(listener_, nullptr, nullptr);
    std::array<char, 1'024> request;
    if (::recv(client, request.data(), request.size(), 0) > 0) {
      for (std::string_view rest{answer_}; !rest.empty();) {
        const ssize_t sent = ::send(client, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    ::close(client);
  }

  std::string answer_;
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  std::thread thread_;
};

std::expected<http::Answer, std::string> ask(std::string answer) {
  const Member member{std::move(answer)};
  config::ClusterSettings settings;
  settings.request_timeout = std::chrono::minutes{5};
  EtcdHttp etcd{settings};
  const std::string body = "{}";
  auto got = etcd.post({.host = "127.0.0.1", .port = member.port()},
                       {.path = "/v3/kv/range", .token = {}, .body = body});
  etcd.close();
  return got;
}

TEST(EtcdHttp, body_of_an_answer_is_read_up_to_its_limit) {
  const auto with_body = [](std::size_t size) {
    return ask("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
               std::string(size, 'x'));
  };
  for (const std::size_t size : {kAnswerBytesMax - 1, kAnswerBytesMax}) {
    const auto answer = with_body(size);
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->body.size(), size);
  }
  const auto answer = with_body(kAnswerBytesMax + 1);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr("body limit exceeded"));
}

TEST(EtcdHttp, length_above_the_limit_takes_no_memory) {
  const auto answer = ask("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\nx");
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error(), HasSubstr("body limit exceeded"));
}

TEST(EtcdHttp, line_of_a_chunk_is_read_up_to_its_limit) {
  const auto with_line = [](std::size_t size) {
    return ask(std::string{kChunked} + std::string(size - 3, '0') + "1\r\n" + "x\r\n0\r\n\r\n");
  };
  for (const std::size_t size : {kUnparsedBytesMax - 1, kUnparsedBytesMax}) {
    const auto answer = with_line(size);
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->body, "x");
  }
  EXPECT_FALSE(with_line(kUnparsedBytesMax + 1));
}

TEST(EtcdHttp, answer_without_an_end_is_refused) {
  constexpr std::size_t kMuch = 16U << 20U;
  const std::string chunked{kChunked};
  for (const std::string& begin : {"HTTP/1.1 200 OK\r\nX: " + std::string{}, chunked,
                                   chunked + "1;e=", chunked + "0\r\nX: "}) {
    const auto answer = ask(begin + std::string(kMuch, '0'));
    ASSERT_FALSE(answer) << begin;
    EXPECT_EQ(answer.error().find("no answer"), std::string::npos) << answer.error();
  }
}

}  // namespace
}  // namespace nexusfix::cluster
