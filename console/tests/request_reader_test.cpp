#include "console/http/request_reader.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

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
  const auto status_of = [](std::size_t size, std::string_view begin) {
    RequestReader reader;
    reader.add("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n");
    reader.add(begin);
    return reader.parse() == Progress::Wrong ? reader.status() : 0;
  };
  for (const char* const begin : {"", "x"}) {
    EXPECT_EQ(status_of(RequestReader::kBodyBytesMax - 1, begin), 0U);
    EXPECT_EQ(status_of(RequestReader::kBodyBytesMax, begin), 0U);
    EXPECT_EQ(status_of(RequestReader::kBodyBytesMax + 1, begin), 413U) << begin;
    EXPECT_EQ(status_of(1'000'000'000'000, begin), 413U) << begin;
  }
}

constexpr std::string_view kChunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";

// The status of a request that comes in small pieces; 0: it is complete, 1: it needs more bytes.
unsigned status_of_pieces(std::string_view bytes) {
  RequestReader reader;
  for (std::size_t at = 0; at < bytes.size(); at += 1'000) {
    reader.add(bytes.substr(at, 1'000));
    const Progress progress = reader.parse();
    if (progress == Progress::Wrong) return reader.status();
    if (progress == Progress::Complete) return 0;
  }
  return 1;
}

// The part that repeats has no end in any of them.
TEST(RequestReader, every_part_of_a_request_is_bounded_although_its_end_never_comes) {
  const std::string chunked{kChunked};
  const std::pair<std::string, std::string> endless[] = {
      {"", "G"},
      {"GET /", "a"},
      {"GET / HTTP/1.1\r\nX: ", "x"},
      {"GET / HTTP/1.1\r\n", "a:\r\n"},
      {"POST / HTTP/1.1\r\nContent-Length: ", "0"},
      {chunked, "0"},                              // the size of a chunk
      {chunked + "1;", "e"},                       // the name of its extension
      {chunked + "1;e=\"", "v"},                   // the value of its extension
      {chunked + "1;e\r\nx\r\n", "1;e\r\nx\r\n"},  // chunks of a byte, with extensions
      {chunked + "0\r\nX: ", "x"},                 // a field after the last chunk
      {chunked + "0\r\n", "a:\r\n"},               // fields after the last chunk
      {chunked + "1\r\nx", "\r\n1\r\nx"},
  };
  for (const auto& [begin, repeated] : endless) {
    std::string bytes = begin;
    while (bytes.size() <= RequestReader::kRequestBytesMax + 1'000) bytes += repeated;
    EXPECT_GE(status_of_pieces(bytes), 400U) << begin << repeated;
  }
}

TEST(RequestReader, request_of_chunks_is_accepted_up_to_its_limit) {
  const auto status_of = [](std::string_view before, std::string_view after, std::size_t size) {
    std::string bytes = std::string{kChunked} + std::string{before};
    bytes += std::string(size - bytes.size() - after.size(), '0');
    bytes += after;
    return std::pair{status_of_pieces(bytes), [&] {
                       RequestReader reader;  // all in one piece
                       reader.add(bytes);
                       return reader.parse() == Progress::Wrong ? reader.status() : 0;
                     }()};
  };
  constexpr std::size_t kMax = RequestReader::kRequestBytesMax;
  for (const auto& [before, after] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "1\r\nx\r\n0\r\n\r\n"},            // the size of a chunk
           {"1;e=", "\r\nx\r\n0\r\n\r\n"},         // its extension
           {"1\r\nx\r\n0\r\nX: ", "\r\n\r\n"}}) {  // a field after the last chunk
    EXPECT_EQ(status_of(before, after, kMax - 1), (std::pair{0U, 0U})) << before;
    EXPECT_EQ(status_of(before, after, kMax), (std::pair{0U, 0U})) << before;
    EXPECT_EQ(status_of(before, after, kMax + 1), (std::pair{413U, 413U})) << before;
  }
}

TEST(RequestReader, more_fields_than_the_limit_are_431) {
  const auto status_of = [](std::size_t fields) {
    std::string bytes = "GET / HTTP/1.1\r\n";
    for (std::size_t i = 0; i < fields; ++i) bytes += "a:\r\n";
    return status_of_pieces(bytes + "\r\n");
  };
  EXPECT_EQ(status_of(RequestReader::kFieldsMax - 1), 0U);
  EXPECT_EQ(status_of(RequestReader::kFieldsMax), 0U);
  EXPECT_EQ(status_of(RequestReader::kFieldsMax + 1), 431U);
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
