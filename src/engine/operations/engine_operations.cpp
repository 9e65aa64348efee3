#include "engine/operations/engine_operations.hpp"

#include <memory>
#include <utility>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

class ReportTask final : public LoopTask {
 public:
  ReportTask(EventId id, std::string text) : id_{id}, text_{std::move(text)} {}
  void run(EventLoop& event_loop) override { event_loop.report().engine(id_, text_); }

 private:
  EventId id_;
  std::string text_;
};

template <class Request>
std::expected<void, std::string> with_identity(Request& request, std::string_view identity) {
  request.reason = std::string{identity} + ": " + request.reason;
  if (request.reason.size() <= kLiveReasonBytesMax) return {};
  return std::unexpected{std::string{"the reason is too long"}};
}

std::expected<void, std::string> text_of(std::expected<void, LiveError> result) {
  if (result) return {};
  return std::unexpected{std::move(result.error().text)};
}

}  // namespace

std::expected<void, std::string> EngineOperations::command(OperatorCommand command,
                                                           std::string_view identity) {
  if (auto named = with_identity(command, identity); !named) return named;
  return text_of(command_running_engine(store_folder_, command));
}

std::expected<void, std::string> EngineOperations::set_numbers(LiveNumbers numbers,
                                                               std::string_view identity) {
  if (auto named = with_identity(numbers, identity); !named) return named;
  return text_of(set_live_numbers(store_folder_, numbers));
}

void EngineOperations::report(EventId id, std::string text) {
  loops_.front()->inbox()->add(std::make_unique<ReportTask>(id, std::move(text)));
}

}  // namespace nexusfix::engine
