#include "console/http/request.hpp"

#include <algorithm>

namespace nexusfix::web {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string_view value_of(const Pairs& pairs, std::string_view name) noexcept {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::string_view{} : std::string_view{found->second};
}

std::string_view reason_of(unsigned status) noexcept {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 303:
      return "See Other";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

// Every answer has them: no other site may embed, sniff or store it, and the page runs only the
// scripts of this server.
constexpr std::string_view kProtection =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

}  // namespace

std::string_view Request::argument(std::string_view name) const noexcept {
  return value_of(query, name);
}
std::string_view Request::field(std::string_view name) const noexcept {
  return value_of(fields, name);
}
bool Request::repeats(std::string_view name) const noexcept {
  return std::ranges::count(fields, name, &Pairs::value_type::first) > 1;
}

Response text_response(unsigned status, std::string_view line) {
  return {.status = status, .body = std::string{line} + '\n'};
}
Response json_response(unsigned status, std::string body) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

std::string response_head(const Response& response, bool keeps_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  head += reason_of(response.status);
  head += "\r\nServer: NexusFIX\r\nContent-Type: ";
  head += response.content_type;
  head += "\r\n";
  if (!response.stream) {
    head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  head += keeps_alive ? "" : "Connection: close\r\n";
  head += kProtection;
  for (const auto& [name, value] : response.fields) {
    head += name;
    head += ": " + value + "\r\n";
  }
  return head += "\r\n";
}

}  // namespace nexusfix::web
