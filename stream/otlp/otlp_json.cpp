#include "stream/otlp/otlp_json.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/api/printable_text.hpp"

namespace nexusfix::stream {
namespace {

std::string host_name() {
  constexpr std::size_t kHostBytesMax = 256;
  std::array<char, kHostBytesMax> host{};
  return ::gethostname(host.data(), host.size() - 1) == 0 ? host.data() : std::string{};
}

}  // namespace

std::expected<std::string, std::string> signal_path(std::string_view base,
                                                    std::string_view signal) {
  if (base.contains('?')) {
    return std::unexpected{"the address of a collector was expected, without a query"};
  }
  if (base.ends_with('/')) base.remove_suffix(1);
  return fmt::format("{}/v1/{}", base, signal);
}

std::string otlp_head(const OtlpResource& resource, std::string_view signal,
                      std::string_view items) {
  std::string head = fmt::format(R"({{"resource{}":[{{"resource":{{"attributes":[)", signal);
  append_attribute(head, "service.name", resource.service);
  append_attribute(head, "service.version", NEXUSFIX_VERSION);
  if (!resource.instance.empty()) {
    append_attribute(head, "service.instance.id", resource.instance);
  }
  if (const std::string host = host_name(); !host.empty()) {
    append_attribute(head, "host.name", host);
  }
  fmt::format_to(std::back_inserter(head),
                 R"(]}},"scope{}":[{{"scope":{{"name":"nexusfix","version":"{}"}},"{}":[)", signal,
                 NEXUSFIX_VERSION, items);
  return head;
}

void append_attribute(std::string& to, std::string_view name, std::string_view value) {
  if (to.back() != '[') to += ',';
  fmt::format_to(std::back_inserter(to), R"({{"key":"{}","value":{{"stringValue":)", name);
  append_json_text(to, value);
  to += "}}";
}

void append_attribute(std::string& to, std::string_view name, std::uint64_t value) {
  if (to.back() != '[') to += ',';
  fmt::format_to(std::back_inserter(to), R"({{"key":"{}","value":{{"intValue":"{}"}}}})", name,
                 value);
}

PartialSuccess read_partial_success(std::string_view body) {
  const auto answer = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return {};
  const auto partial = answer.find("partialSuccess");
  if (partial == answer.end() || !partial->is_object()) return {};
  PartialSuccess found;
  for (const auto& [name, value] : partial->items()) {
    if (name == "errorMessage" && value.is_string()) found.message = value.get<std::string>();
    if (!name.starts_with("rejected")) continue;
    // A 64-bit number is a text in the JSON of protobuf; some collectors write it as a number.
    if (value.is_number_unsigned()) found.rejected = value.get<std::uint64_t>();
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      std::from_chars(text.data(), text.data() + text.size(), found.rejected);
    }
  }
  return found;
}

}  // namespace nexusfix::stream
