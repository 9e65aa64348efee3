#include "console/http/request_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <iterator>
#include <optional>
#include <utility>

#include "base/api/ascii.hpp"

namespace nexusfix::web {
namespace {

namespace http = boost::beast::http;

std::optional<unsigned> hex_digit(char digit) noexcept {
  if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
  return std::nullopt;
}

// Unset: a `%` without two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[at] != '%') {
      decoded += text[at];
    } else {
      const auto high = at + 2 < text.size() ? hex_digit(text[at + 1]) : std::nullopt;
      const auto low = at + 2 < text.size() ? hex_digit(text[at + 2]) : std::nullopt;
      if (!high || !low) return std::nullopt;
      decoded += static_cast<char>(*high << 4U | *low);
      at += 2;
    }
  }
  return decoded;
}

// False: the target is wrong.
bool read_target(std::string_view target, Request& request) {
  if (!target.starts_with('/')) return false;
  const std::size_t mark = target.find('?');
  auto path = percent_decoded(target.substr(0, mark), false);
  if (!path || path->find('\0') != std::string::npos) return false;
  request.path = std::move(*path);
  if (mark == std::string_view::npos) return true;
  for (std::string_view rest = target.substr(mark + 1); !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const std::size_t equals = one.find('=');
    auto name = percent_decoded(one.substr(0, equals), true);
    auto value = percent_decoded(
        equals == std::string_view::npos ? std::string_view{} : one.substr(equals + 1), true);
    if (!name || !value) return false;
    request.query.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

std::string_view view_of(boost::beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

}  // namespace

struct RequestReader::Parser {
  http::request_parser<http::string_body> parser;

  Parser() {
    parser.header_limit(kHeaderBytesMax);
    parser.body_limit(kBodyBytesMax);
  }
};

RequestReader::RequestReader() : parser_{std::make_unique<Parser>()} {}
RequestReader::~RequestReader() = default;

void RequestReader::add(std::string_view bytes) {
  pending_ += bytes;
  has_begun_ |= !pending_.empty();
}

RequestReader::Progress RequestReader::refuse(unsigned status) noexcept {
  status_ = status;
  return Progress::Wrong;
}

// Beast limits the header and the body, but not the line of a chunk, and not the fields after the
// last chunk: it waits for the end of a line, however long it becomes. Its limit of the header also
// depends on how the bytes are divided.
RequestReader::Progress RequestReader::parse() {
  auto& parser = parser_->parser;
  std::string_view rest{pending_};
  boost::beast::error_code error;
  while (!rest.empty() && !parser.is_done() && !error) {
    const bool is_header = !parser.is_header_done();
    const std::size_t used = parser.put(boost::asio::buffer(rest.data(), rest.size()), error);
    rest.remove_prefix(used);
    parsed_ += used;
    const std::size_t size = parsed_ + (parser.is_header_done() ? 0 : rest.size());
    if (is_header && size > kHeaderBytesMax) return refuse(431);
  }
  pending_.erase(0, pending_.size() - rest.size());
  if (error == http::error::header_limit) return refuse(431);
  if (error == http::error::body_limit) return refuse(413);
  if (error && error != http::error::need_more) return refuse(400);
  const auto& message = parser.get();
  const auto fields = std::distance(message.begin(), message.end());
  if (static_cast<std::size_t>(fields) > kFieldsMax) return refuse(431);
  const bool is_done = parser.is_done();
  if (parsed_ + (is_done ? 0 : pending_.size()) > kRequestBytesMax) return refuse(413);
  if (!is_done) return Progress::NeedsMore;
  const http::verb method = message.method();
  const bool is_known =
      method == http::verb::get || method == http::verb::head || method == http::verb::post;
  return is_known ? Progress::Complete : refuse(405);
}

Request RequestReader::take() {
  Request request;
  auto message = parser_->parser.release();
  request.method = view_of(message.method_string());
  // A wrong target has an empty path, which no route has.
  if (!read_target(view_of(message.target()), request)) request.path.clear();
  for (const auto& field : message) {
    auto& added = request.fields.emplace_back(field.name_string(), view_of(field.value()));
    std::ranges::transform(added.first, added.first.begin(), to_lower);
  }
  request.body = std::move(message.body());
  keeps_alive_ = message.keep_alive();
  parser_ = std::make_unique<Parser>();
  parsed_ = 0;
  has_begun_ = !pending_.empty();
  return request;
}

}  // namespace nexusfix::web
