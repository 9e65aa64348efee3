#include "console/site/console_acts.hpp"

#include <utility>

#include "base/api/printable_text.hpp"

namespace nexusfix::web {
namespace {

constexpr std::size_t kReasonBytesMax = 1'000;  // room for the operator's identity
constexpr std::size_t kTextBytesMax = 255;

}  // namespace

std::expected<engine::OperatorRequest, std::string> read_act(std::string_view body) {
  auto request = engine::read_operator_request(body);
  if (!request) return request;
  const auto& reason =
      std::visit([](const auto& one) -> const std::string& { return one.reason; }, *request);
  if (reason.empty() || reason.size() > kReasonBytesMax) {
    return std::unexpected{std::string{"a reason of 1 to 1000 printable bytes was expected"}};
  }
  const auto* const command = std::get_if<engine::OperatorCommand>(&*request);
  if (command != nullptr && command->text.size() > kTextBytesMax) {
    return std::unexpected{std::string{"a text of at most 255 printable bytes was expected"}};
  }
  return request;
}

}  // namespace nexusfix::web
