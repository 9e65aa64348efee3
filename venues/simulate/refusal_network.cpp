#include "venues/simulate/refusal_network.hpp"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>

#include <nexusfix/wire/field.hpp>

#include "tester/script/received_fields.hpp"

namespace nexusfix::venues {
namespace {

std::string with_frame(std::string_view begin_string, const std::string& body) {
  std::string bytes =
      fmt::format("8={}{}9={}{}{}", begin_string, wire::kSoh, body.size(), wire::kSoh, body);
  unsigned sum = 0;
  for (const char one : bytes) sum += static_cast<unsigned char>(one);
  constexpr unsigned kSums = 256;
  return bytes + fmt::format("10={:03}{}", sum % kSums, wire::kSoh);
}

}  // namespace

std::string RefusalNetwork::replacement_of(std::string_view bytes) {
  const auto fields = tester::fields_of(bytes);
  const auto value = [&](std::string_view tag) {
    return tester::value_of(fields, tag).value_or("");
  };
  if (value("35") != "5") return {};
  const auto found =
      std::ranges::find_if(replaced_, [&](const auto& one) { return one.first == value("58"); });
  if (found == replaced_.end()) return {};
  std::string head;
  std::string rest;
  for (const TemplateField& field : found->second) {
    std::string& part = field.tag == tag::MsgType ? head : rest;
    part += fmt::format("{}={}{}", field.tag, field.value, wire::kSoh);
  }
  replaced_.erase(found);
  for (const std::string_view tag : {"34", "49", "52", "56"}) {
    head += fmt::format("{}={}{}", tag, value(tag), wire::kSoh);
  }
  return with_frame(value("8"), head + rest);
}

std::expected<std::vector<std::uint16_t>, std::string> RefusalNetwork::open_ports(
    const std::string& host, std::size_t count) {
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    const auto socket = inner_.listen({.host = host});
    if (!socket) return std::unexpected{socket.error().text};
    ports.push_back(inner_.local_port(*socket));
    open_.emplace(ports.back(), *socket);
  }
  return ports;
}

std::expected<transport::SocketId, transport::NetworkError> RefusalNetwork::listen(
    const Endpoint& endpoint) {
  const auto open = open_.extract(endpoint.port);
  if (!open) return inner_.listen(endpoint);
  inner_.change_listener(open.mapped(), endpoint);
  return open.mapped();
}

std::expected<void, transport::NetworkError> RefusalNetwork::could_listen(
    const Endpoint& endpoint) {
  if (open_.contains(endpoint.port)) return {};
  return inner_.could_listen(endpoint);
}

RefusalNetwork::IoResult RefusalNetwork::send(SocketId socket,
                                              std::span<const char> bytes) noexcept {
  const std::string other = replaced_.empty() ? "" : replacement_of({bytes.data(), bytes.size()});
  if (other.empty()) return inner_.send(socket, bytes);
  const IoResult sent = inner_.send(socket, other);
  // A connection that has had no message takes this one whole.
  if (sent.status != transport::IoResult::Status::Ok || sent.bytes != other.size()) {
    return {transport::IoResult::Status::Failed, 0, EIO};
  }
  return {transport::IoResult::Status::Ok, bytes.size(), 0};
}

}  // namespace nexusfix::venues
