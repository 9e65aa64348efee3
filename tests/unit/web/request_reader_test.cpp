#include "web/http/request_reader.hpp"

#include <gtest/gtest.h>

namespace nexusfix::web {
namespace {

using Progress = RequestReader::Progress;

constexpr std::string_view kGet =
    "GET /api/messages?session=FIX.4.4%3AA-%3EB&text=11%3Da+b HTTP/1.1\r\n"
    "Host: localhost:8080\r\nCookie: a=b\r\n\r\n";

TEST(RequestReader, request_is_the_same_for_any_division_into_pieces) {
  for (std::size_t cut = 1; cut < kGet.size(); ++cut) {
    RequestReader reader;
    reader.add(kGet.substr(0, cut));
    ASSERT_EQ(reader.parse(), Progress::NeedsMore) << cut;
    reader.add(kGet.substr(cut));
    ASSERT_EQ(reader.parse(), Progress::Complete) << cut;
    const Request request = reader.take();
    EXPECT_EQ(request.method, "GET");
    EXPECT_EQ(request.path, "/api/messages");
    EXPECT_EQ(request.argument("session"), "FIX.4.4:A->B");
    EXPECT_EQ(request.argument("text"), "11=a b");
    EXPECT_EQ(request.field("host"), "localhost:8080");
    EXPECT_TRUE(reader.keeps_alive());
    EXPECT_FALSE(reader.has_begun());
  }
}

TEST(RequestReader, requests_in_one_piece_are_taken_one_after_the_other) {
  RequestReader reader;
  reader.add("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /b HTTP/1.0\r\n\r\n");
  ASSERT_EQ(reader.parse(), Progress::Complete);
  EXPECT_EQ(reader.take().body, "{}");
  EXPECT_TRUE(reader.has_begun());
  ASSERT_EQ(reader.parse(), Progress::Complete);
  EXPECT_EQ(reader.take().path, "/b");
  EXPECT_FALSE(reader.keeps_alive());
}

TEST(RequestReader, header_above_its_limit_is_431) {
  const auto status_of = [](std::size_t padding, std::string_view end) {
    RequestReader reader;
    reader.add("GET / HTTP/1.1\r\nX: " + std::string(padding, 'x') + std::string{end});
    return reader.parse() == Progress::Wrong ? reader.status() : 0;
  };
  EXPECT_EQ(status_of(RequestReader::kHeaderBytesMax - 200, "\r\n\r\n"), 0U);
  EXPECT_EQ(status_of(RequestReader::kHeaderBytesMax, "\r\n\r\n"), 431U);
  EXPECT_EQ(status_of(RequestReader::kHeaderBytesMax, ""), 431U) << "without an end";
}

TEST(RequestReader, body_above_its_limit_is_413) {
  const auto status_of = [](std::size_t size) {
    RequestReader reader;
    reader.add("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    return reader.parse() == Progress::Wrong ? reader.status() : 0;
  };
  EXPECT_EQ(status_of(RequestReader::kBodyBytesMax), 0U);
  EXPECT_EQ(status_of(RequestReader::kBodyBytesMax + 1), 413U);
}

TEST(RequestReader, wrong_requests_have_a_status_and_end_the_connection) {
  const auto status_of = [](std::string_view bytes) {
    RequestReader reader;
    reader.add(bytes);
    return reader.parse() == Progress::Wrong ? reader.status() : 0;
  };
  EXPECT_EQ(status_of("8=FIX.4.4\x01"
                      "9=5\x01\r\n\r\n"),
            400U);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400U);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n"),
            400U);
  EXPECT_EQ(status_of("DELETE / HTTP/1.1\r\n\r\n"), 405U);
}

TEST(RequestReader, target_that_is_no_path_has_no_route) {
  for (const char* const target : {"http://a/", "*", "/%zz", "/%0", "/a%00b"}) {
    RequestReader reader;
    reader.add("GET " + std::string{target} + " HTTP/1.1\r\n\r\n");
    if (reader.parse() == Progress::Wrong) continue;
    EXPECT_EQ(reader.take().path, "") << target;
  }
}

}  // namespace
}  // namespace nexusfix::web
