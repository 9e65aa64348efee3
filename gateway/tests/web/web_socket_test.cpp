// The gateway's side of a WebSocket, with the bytes of a client in any pieces.
#include "gateway/door/web_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// RFC 6455, sec. 1.3.
constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";
constexpr std::string_view kAnswerToKey = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

std::string request(std::string_view more = "", std::string_view target = "/") {
  std::string text = "GET ";
  text += target;
  text +=
      " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ";
  text += kKey;
  text += "\r\n";
  text += more;
  return text + "\r\n";
}

// A frame of a client below 126 bytes. The mask 0 leaves the bytes as they are.
std::string frame(unsigned opcode, std::string_view data, bool is_last = true) {
  std::string bytes;
  bytes += static_cast<char>((is_last ? 0x80U : 0U) | opcode);
  bytes += static_cast<char>(0x80U | data.size());
  bytes.append(4, '\0');
  return bytes.append(data);
}

class GatewayWebSocketTest : public ::testing::Test {
 protected:
  void receive(std::string_view bytes, std::size_t piece = 1'000'000) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      web_.receive(bytes.substr(0, piece));
      loop_.poll();
    }
  }
  // What waits for the client.
  std::string sent() {
    std::string all;
    for (loop_.poll(); !web_.output().empty(); loop_.poll()) {
      all += web_.output();
      web_.consume(web_.output().size());
    }
    return all;
  }
  std::vector<std::string> messages() {
    std::vector<std::string> all;
    for (auto one = web_.read(); one; one = web_.read()) {
      all.push_back((one->is_text ? "text " : "binary ") + std::string{one->bytes});
      (void)web_.read();  // goes on
      loop_.poll();
    }
    return all;
  }
  void open() {
    receive(request());
    ASSERT_THAT(sent(), StartsWith("HTTP/1.1 101"));
  }

  const std::vector<std::string> origins_{"https://desk.example.com"};
  WebSocketLoop loop_;
  WebSocket web_{loop_, origins_, {.text_bytes_max = 100, .binary_bytes_max = 120}};
};

TEST_F(GatewayWebSocketTest, handshake_is_answered_by_the_rfcs_example) {
  receive(request("Origin: https://DESK.example.com\r\n"), 7);
  const std::string answer = sent();
  EXPECT_THAT(answer, HasSubstr("Sec-WebSocket-Accept: " + std::string{kAnswerToKey}));
  EXPECT_FALSE(answer.contains("Boost"));
  EXPECT_TRUE(web_.is_open());
}

TEST_F(GatewayWebSocketTest, other_origins_and_queries_are_refused_with_a_status) {
  for (const auto& [fields, target, status] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"Origin: null\r\n", "/", "403"},
           {"Origin: \r\n", "/", "403"},
           {"Origin: https://desk.example.com\r\nOrigin: https://desk.example.com\r\n", "/", "403"},
           {"", "/?token=secret", "400"},
           {"Content-Length: 3\r\n", "/", "400"}}) {
    WebSocket web{loop_, origins_, {}};
    web.receive(request(fields, target));
    EXPECT_THAT(std::string{web.output()}, StartsWith("HTTP/1.1 " + status)) << fields;
    EXPECT_TRUE(web.is_finished());
    EXPECT_TRUE(web.is_protocol_fault());
    EXPECT_FALSE(web.fault().contains("secret"));
  }
}

TEST_F(GatewayWebSocketTest, messages_are_the_same_however_the_bytes_are_split) {
  const std::string stream = frame(2, "one") + frame(1, "tw", false) + frame(9, "ping") +
                             frame(0, "o") + frame(2, "") + frame(1, "three");
  const std::vector<std::string> expected{"binary one", "text two", "binary ", "text three"};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, stream.size()}) {
    WebSocket web{loop_, origins_, {.text_bytes_max = 100, .binary_bytes_max = 120}};
    web.receive(request());
    loop_.poll();
    std::vector<std::string> seen;
    for (std::string_view rest = stream; !rest.empty();
         rest.remove_prefix(std::min(piece, rest.size()))) {
      web.receive(rest.substr(0, piece));
      loop_.poll();
      for (auto one = web.read(); one; one = web.read()) {
        seen.push_back((one->is_text ? "text " : "binary ") + std::string{one->bytes});
        EXPECT_FALSE(web.read());
        loop_.poll();
      }
    }
    EXPECT_EQ(seen, expected) << piece;
    EXPECT_TRUE(web.output().ends_with("\x8a\x04ping"));
  }
}

TEST_F(GatewayWebSocketTest, limit_of_each_kind_leaves_the_connection_open_for_the_reason) {
  open();
  receive(frame(1, std::string(60, 'x'), false) + frame(0, std::string(41, 'x')));
  EXPECT_THAT(web_.fault(), HasSubstr("a text message has at most 100 bytes"));
  EXPECT_TRUE(web_.is_protocol_fault());
  web_.write(true, "why");
  web_.close(4004, "why");
  EXPECT_EQ(sent(), "\x81\x03why\x88\x05\x0f\xa4why");
  EXPECT_FALSE(web_.is_finished());
  receive(frame(8, "\x0f\xa4"));
  EXPECT_TRUE(web_.is_finished());
}

TEST_F(GatewayWebSocketTest, messages_of_the_gateway_keep_their_order_before_the_end) {
  open();
  web_.write(false, "one");
  web_.write(true, std::string(200, 'x'));
  web_.close(4007, std::string(200, 'y') + "\xc3\xa9");
  web_.write(true, "never");
  const std::string size_of_200{'\0', '\xc8'};
  const std::string expected = "\x82\x03one\x81\x7e" + size_of_200 + std::string(200, 'x') +
                               "\x88\x7d\x0f\xa7" + std::string(123, 'y');
  EXPECT_EQ(sent(), expected);
}

TEST_F(GatewayWebSocketTest, frame_against_the_rfc_ends_it_with_a_status) {
  open();
  receive("\x82\x01x");  // without a mask
  EXPECT_THAT(web_.fault(), HasSubstr("no WebSocket of RFC 6455"));
  EXPECT_THAT(sent(), StartsWith("\x88\x02\x03\xea"));
  EXPECT_TRUE(web_.is_finished());
}

TEST_F(GatewayWebSocketTest, pings_of_a_client_that_reads_nothing_wait_at_its_side) {
  open();
  std::size_t received = 0;
  const std::string flood = frame(9, std::string(100, 'p'));
  while (!web_.is_full() && received < 10'000'000) {
    receive(flood);
    received += flood.size();
  }
  EXPECT_TRUE(web_.is_full());
  EXPECT_LT(web_.output().size(), 100'000U);
  // It goes on when the client reads.
  std::size_t answers = 0;
  for (std::string one = sent(); !one.empty(); one = sent()) answers += one.size();
  EXPECT_FALSE(web_.is_full());
  EXPECT_GT(answers, 100'000U);
}

TEST_F(GatewayWebSocketTest, what_is_destroyed_in_the_middle_leaves_nothing_in_the_loop) {
  for (const std::string& bytes :
       {request().substr(0, 40), request(), request() + frame(2, "x"),
        request() + frame(2, "x").substr(0, 3), request() + frame(8, "")}) {
    for (const bool polls : {false, true}) {
      WebSocket web{loop_, origins_, {.text_bytes_max = 100, .binary_bytes_max = 120}};
      web.receive(bytes);
      if (polls) loop_.poll();
      web.write(true, "x");
      web.close(4007, "");
    }
    loop_.poll();
  }
}

}  // namespace
}  // namespace nexusfix::gateway
