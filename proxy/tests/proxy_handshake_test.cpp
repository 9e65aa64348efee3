// Requests to proxies and their answers, complete and in pieces.
#include "proxy/proxy_handshake.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace nexusfix::transport {
namespace {

using namespace std::string_literals;
using Protocol = ConnectProxy::Protocol;

ConnectProxy tunnel_proxy(Protocol protocol, const std::string& user = "",
                          const std::string& password = "") {
  return {protocol, "proxy", 3128, user, password};
}

// A handshake, and all bytes that both sides have sent.
struct Talk {
  explicit Talk(const ConnectProxy& proxy, const std::string& host = "venue.example.com",
                std::uint16_t port = 5001)
      : handshake{proxy, {host, port}, literal_address({host, port})} {
    listen();
  }
  // Acts as a reader that has these bytes. Returns how many it takes. chunk: the most at a time.
  std::size_t answer(std::string_view bytes, std::size_t chunk = SIZE_MAX) {
    std::size_t taken = 0;
    while (taken < bytes.size() && handshake.wanted() > 0) {
      const std::size_t size = std::min({chunk, handshake.wanted(), bytes.size() - taken});
      handshake.take(bytes.substr(taken, size));
      taken += size;
      listen();
    }
    return taken;
  }
  void listen() {
    said += handshake.unsent();
    handshake.sent(handshake.unsent().size());
  }

  ProxyHandshake handshake;
  std::string said;
};

struct Dialogue {
  ConnectProxy proxy;
  std::string host;
  std::string said;
  std::string answer;
};

const std::string kNameIn5 = "\x03\x11venue.example.com\x13\x89"s;
const std::string kBound4 = "\x05\x00\x00\x01\x0A\x00\x00\x01\x9C\xB0"s;

std::vector<Dialogue> tunnels() {
  const std::string connect = "CONNECT venue.example.com:5001 HTTP/1.";
  const std::string host = "1\r\nHost: venue.example.com:5001\r\n";
  return {
      {tunnel_proxy(Protocol::Http11), "venue.example.com", connect + host + "\r\n",
       "HTTP/1.1 200 Connection established\r\n\r\n"},
      {tunnel_proxy(Protocol::Http10), "venue.example.com", connect + "0\r\n\r\n",
       "HTTP/1.0 200 OK\r\nProxy-agent: x/1.0\r\nContent-Length: 5\r\n\r\n"},
      {tunnel_proxy(Protocol::Http11, "user", "pass:word"), "venue.example.com",
       connect + host + "Proxy-Authorization: Basic dXNlcjpwYXNzOndvcmQ=\r\n\r\n",
       "HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 102\r\n\r\nHTTP/1.1 204\nA: b\n\n"},
      {tunnel_proxy(Protocol::Http11, "a", ""), "venue.example.com",
       connect + host + "Proxy-Authorization: Basic YTo=\r\n\r\n", "HTTP/1.1 299 \r\n\r\n"},
      {tunnel_proxy(Protocol::Http11), "2001:db8::1",
       "CONNECT [2001:db8::1]:5001 HTTP/1.1\r\nHost: [2001:db8::1]:5001\r\n\r\n",
       "HTTP/1.1 200 OK\r\n" + ("A: "s + std::string(8'000, 'x')) + "\r\n\r\n"},
      {tunnel_proxy(Protocol::Socks4, "me"), "10.0.0.1", "\x04\x01\x13\x89\x0A\x00\x00\x01me\x00"s,
       "\x00\x5A\x00\x00\x00\x00\x00\x00"s},
      {tunnel_proxy(Protocol::Socks4a), "venue.example.com",
       "\x04\x01\x13\x89\x00\x00\x00\x01\x00venue.example.com\x00"s,
       "\x00\x5A\xFF\xFF\xFF\xFF\xFF\xFF"s},
      {tunnel_proxy(Protocol::Socks4a, "me"), "10.0.0.1", "\x04\x01\x13\x89\x0A\x00\x00\x01me\x00"s,
       "\x00\x5A\x00\x00\x00\x00\x00\x00"s},
      {tunnel_proxy(Protocol::Socks5), "venue.example.com", "\x05\x01\x00\x05\x01\x00"s + kNameIn5,
       "\x05\x00"s + kBound4},
      {tunnel_proxy(Protocol::Socks5, "me", "secret"), "venue.example.com",
       "\x05\x02\x00\x02\x01\x02me\x06secret\x05\x01\x00"s + kNameIn5,
       "\x05\x02\x01\x00"s + kBound4},
      {tunnel_proxy(Protocol::Socks5, "me", "secret"), "10.0.0.1",
       "\x05\x02\x00\x02\x05\x01\x00\x01\x0A\x00\x00\x01\x13\x89"s,
       "\x05\x00\x05\x00\x00\x03\x05proxy\x00\x50"s},
      {tunnel_proxy(Protocol::Socks5), "2001:db8::1",
       "\x05\x01\x00\x05\x01\x00\x04\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x01\x13\x89"s,
       "\x05\x00\x05\x00\x00\x04"s + std::string(18, 'a')},
      {tunnel_proxy(Protocol::Socks5), "venue.example.com", "\x05\x01\x00\x05\x01\x00"s + kNameIn5,
       "\x05\x00\x05\x00\x00\x03\x00\x00\x00"s},
  };
}

TEST(ProxyHandshakes, each_protocol_follows_its_rfc_and_is_done_at_the_last_byte_of_the_answer) {
  for (const Dialogue& one : tunnels()) {
    Talk talk{one.proxy, one.host};
    const std::string rest = one.answer + "8=FIX.4.4";
    EXPECT_EQ(talk.answer(rest), one.answer.size()) << one.answer;
    EXPECT_TRUE(talk.handshake.is_done()) << one.answer << talk.handshake.failure();
    EXPECT_EQ(talk.said, one.said);
  }
}

// In any pieces the request and the result are the same, and no byte after the answer is wanted.
TEST(ProxyHandshakes, answer_in_any_pieces_has_the_same_result_and_what_follows_is_not_wanted) {
  std::mt19937 random{20'261'122};
  for (const Dialogue& one : tunnels()) {
    for (std::size_t chunk = 1; chunk <= 5; ++chunk) {
      Talk talk{one.proxy, one.host};
      EXPECT_EQ(talk.answer(one.answer + one.answer, chunk), one.answer.size());
      EXPECT_TRUE(talk.handshake.is_done());
      EXPECT_EQ(talk.said, one.said);
    }
    for (int round = 0; round < 100; ++round) {
      Talk talk{one.proxy, one.host};
      std::size_t at = 0;
      while (at < one.answer.size()) {
        ASSERT_FALSE(talk.handshake.is_done()) << at;
        ASSERT_GT(talk.handshake.wanted(), 0U);
        ASSERT_LE(talk.handshake.wanted(), one.answer.size() - at) << one.answer;
        at += talk.answer(std::string_view{one.answer}.substr(at, 1 + random() % 9));
      }
      EXPECT_TRUE(talk.handshake.is_done());
    }
  }
}

TEST(ProxyHandshakes, proxy_that_closes_at_any_byte_of_its_answer_has_failed) {
  for (const Dialogue& one : tunnels()) {
    for (std::size_t size = 0; size < std::min<std::size_t>(one.answer.size(), 200); ++size) {
      Talk talk{one.proxy, one.host};
      talk.answer(one.answer.substr(0, size));
      ASSERT_FALSE(talk.handshake.is_done());
      talk.handshake.end();
      EXPECT_EQ(talk.handshake.failure(),
                size == 0 ? "it closed the connection without an answer"
                          : "it closed the connection in the middle of its answer");
      EXPECT_EQ(talk.handshake.wanted(), 0U);
    }
  }
}

std::string failure_of(const ConnectProxy& proxy, const std::string& answer) {
  Talk talk{proxy, proxy.protocol == Protocol::Socks4 ? "10.0.0.1" : "venue.example.com"};
  talk.answer(answer);
  EXPECT_FALSE(talk.handshake.is_done()) << answer;
  EXPECT_TRUE(talk.handshake.has_failed()) << answer;
  return talk.handshake.failure();
}

TEST(ProxyHandshakes, http_refusal_has_its_status_and_reason) {
  const auto http = tunnel_proxy(Protocol::Http11, "user", "TopSecret");
  EXPECT_EQ(failure_of(http, "HTTP/1.1 407 Proxy Authentication Required\r\n"),
            "it refuses: 407 Proxy Authentication Required");
  for (int code = 100; code < 600; ++code) {
    if (code / 100 == 2 || (code / 100 == 1 && code != 101)) continue;
    EXPECT_EQ(failure_of(http, "HTTP/1.0 " + std::to_string(code) + "\n"),
              "it refuses: " + std::to_string(code));
  }
  EXPECT_EQ(failure_of(http, "HTTP/1.1 502 " + std::string(4'000, 'x') + "\r\n"),
            "it refuses: 502 " + std::string(120, 'x'));
}

TEST(ProxyHandshakes, refusal_with_a_password_in_it_is_not_repeated) {
  const auto http = tunnel_proxy(Protocol::Http11, "user", "TopSecret");
  EXPECT_EQ(failure_of(http, "HTTP/1.1 407 not TopSecret\r\n"), "it refuses: 407");
  EXPECT_EQ(failure_of(http, "HTTP/1.1 407 not dXNlcjpUb3BTZWNyZXQ=\r\n"), "it refuses: 407");
  EXPECT_EQ(failure_of(http, "HTTP/1.1 407 not " + std::string(110, 'x') + "TopSecret\r\n"),
            "it refuses: 407");
}

TEST(ProxyHandshakes, answer_that_is_not_http_fails_at_the_first_wrong_byte) {
  const auto http = tunnel_proxy(Protocol::Http11);
  for (const std::string& none : {"8"s, "\x05"s, "\r"s, "HTTP/2"s, "ICY"s, "http"s, "\0"s}) {
    EXPECT_EQ(failure_of(http, none), "its answer is not HTTP/1.0 or HTTP/1.1") << none;
  }
  for (const std::string& wrong :
       {"HTTP/1.1\r\n"s, "HTTP/1.1 20\r\n"s, "HTTP/1.1 2000\r\n"s, "HTTP/1.1  200\r\n"s,
        "HTTP/1.1 600 x\r\n"s, "HTTP/1.1 000 x\r\n"s, "HTTP/1.1 2x0 x\r\n"s, "HTTP/1.1 20x x\r\n"s,
        "HTTP/1.10 200\r\n"s, "HTTP/1.x 200 OK\r\n"s, "HTTP/1.1 200OK\r\n"s}) {
    EXPECT_EQ(failure_of(http, wrong), "its status line is not HTTP/1.0 or HTTP/1.1 and a status")
        << wrong;
  }
}

TEST(ProxyHandshakes, answer_has_at_most_8_kib) {
  const auto http = tunnel_proxy(Protocol::Http11);
  const std::string line = "HTTP/1.1 200 OK\r\n";
  const std::string end = "\r\n\r\n";
  const std::string field(kProxyAnswerBytesMax - line.size() - end.size(), 'x');
  Talk longest{http};
  EXPECT_EQ(longest.answer(line + field + end), kProxyAnswerBytesMax);
  EXPECT_TRUE(longest.handshake.is_done()) << longest.handshake.failure();
  for (const std::string& answer : {line + field + "x" + end, line + std::string(100'000, 'x'),
                                    "HTTP/1.1 200 " + std::string(100'000, 'x')}) {
    EXPECT_EQ(failure_of(http, answer), "its answer has more than 8,192 bytes");
  }
  std::string many;
  while (many.size() < 100'000) many += "HTTP/1.1 100\n\n";
  EXPECT_EQ(failure_of(http, many), "its answer has more than 8,192 bytes");
  std::string lines = line;
  while (lines.size() < 100'000) lines += "a\n";
  EXPECT_EQ(failure_of(http, lines), "its answer has more than 8,192 bytes");
}

TEST(ProxyHandshakes, every_socks_code_is_reported) {
  const auto socks_4 = tunnel_proxy(Protocol::Socks4);
  const auto socks_5 = tunnel_proxy(Protocol::Socks5);
  for (unsigned code = 0; code < 256; ++code) {
    const std::string expected = "it refuses: " + std::to_string(code) + " (";
    if (code != 90) {
      const std::string answer = "\0"s + static_cast<char>(code);
      EXPECT_TRUE(failure_of(socks_4, answer).starts_with(expected));
    }
    if (code != 0) {
      const std::string answer = "\x05\x00\x05"s + static_cast<char>(code);
      EXPECT_TRUE(failure_of(socks_5, answer).starts_with(expected));
    }
  }
  EXPECT_EQ(failure_of(socks_4, "\x00\x5B"s), "it refuses: 91 (rejected or failed)");
  EXPECT_EQ(failure_of(socks_5, "\x05\x00\x05\x05"s), "it refuses: 5 (connection refused)");
  EXPECT_EQ(failure_of(socks_5, "\x05\x00\x05\x09"s),
            "it refuses: 9 (a reason that is not assigned)");
}

TEST(ProxyHandshakes, socks_answer_of_another_version_or_outside_the_protocol_fails) {
  const auto socks_5 = tunnel_proxy(Protocol::Socks5);
  const auto with_user = tunnel_proxy(Protocol::Socks5, "me", "TopSecret");
  for (unsigned version = 0; version < 256; ++version) {
    const std::string byte(1, static_cast<char>(version));
    if (version != 0) {
      EXPECT_EQ(failure_of(tunnel_proxy(Protocol::Socks4a), byte), "its answer is not SOCKS 4");
    }
    if (version == 5) continue;
    EXPECT_EQ(failure_of(socks_5, byte), "its answer is not SOCKS 5");
    EXPECT_EQ(failure_of(socks_5, "\x05\x00"s + byte), "its answer is not SOCKS 5");
    if (version == 1) continue;
    EXPECT_EQ(failure_of(with_user, "\x05\x02"s + byte),
              "its answer to the user and password does not follow RFC 1929");
  }
  EXPECT_EQ(failure_of(socks_5, "\x05\xFF"s), "it requires a user and a password");
  EXPECT_EQ(failure_of(with_user, "\x05\xFF"s),
            "it accepts no authentication method that was offered");
  EXPECT_EQ(failure_of(socks_5, "\x05\x02"s),
            "it chose an authentication method that was not offered");
  EXPECT_EQ(failure_of(with_user, "\x05\x01"s),
            "it chose an authentication method that was not offered");
  EXPECT_EQ(failure_of(with_user, "\x05\x02\x01\x01"s), "it refuses this user and password");
  EXPECT_EQ(failure_of(socks_5, "\x05\x00\x05\x00\x00\x02"s),
            "its answer has an address type that SOCKS 5 does not define");
}

// Any answer ends within the limit, and no more bytes are wanted than were announced.
TEST(ProxyHandshakes, damaged_answers_are_done_or_fail_within_the_limit) {
  std::mt19937 random{20'261'123};
  const std::vector<Dialogue> all = tunnels();
  for (int round = 0; round < 3'000; ++round) {
    const Dialogue& one = all[random() % all.size()];
    std::string bytes = one.answer;
    for (auto changes = random() % 4; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    if (random() % 2 == 0) bytes += std::string(2 * kProxyAnswerBytesMax, '\n');
    Talk talk{one.proxy, one.host};
    const std::size_t taken = talk.answer(bytes, 1 + random() % 50);
    EXPECT_LE(taken, kProxyAnswerBytesMax + 1);
    talk.handshake.end();
    EXPECT_NE(talk.handshake.is_done(), talk.handshake.has_failed()) << "round " << round;
    EXPECT_EQ(talk.handshake.has_failed(), !talk.handshake.failure().empty());
  }
}

TEST(ProxyHandshakes, settings_that_the_protocol_cannot_carry_are_refused) {
  EXPECT_EQ(validate(tunnel_proxy(Protocol::Http11, "user", "a:b")), "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Http11, "us:er", "x")), "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Http11, "", "x")), "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Socks4, "u\0x"s)), "");
  EXPECT_EQ(validate(tunnel_proxy(Protocol::Socks5, std::string(255, 'u'), std::string(255, 'p'))),
            "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Socks5, std::string(256, 'u'), "p")), "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Socks5, "u", std::string(256, 'p'))), "");
  EXPECT_NE(validate(tunnel_proxy(Protocol::Socks5, "u", "")), "");
  EXPECT_NE(validate(ConnectProxy{Protocol::Http11, "", 1}), "");
  EXPECT_NE(validate(ConnectProxy{Protocol::Http11, "proxy", 0}), "");
  for (const Protocol any : {Protocol::Http10, Protocol::Http11, Protocol::Socks4,
                             Protocol::Socks4a, Protocol::Socks5}) {
    for (const std::string& host :
         {"venue.example.com"s, "10.0.0.1"s, "a_b-c"s, std::string(255, 'a')}) {
      EXPECT_EQ(validate(any, host), "") << host;
    }
    for (const std::string& host : {""s, "a b"s, "a\r\nX: y"s, "a\0b"s, "a/b"s, "a@b"s, "[::1]"s,
                                    "fe80::1%lo"s, std::string(256, 'a'), "v\xC3\xA9nue"s}) {
      EXPECT_NE(validate(any, host), "") << host;
    }
    const bool is_4 = any == Protocol::Socks4 || any == Protocol::Socks4a;
    EXPECT_EQ(validate(any, "::1").empty(), !is_4);
  }
}

}  // namespace
}  // namespace nexusfix::transport
