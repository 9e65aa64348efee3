#include "engine/operations/engine_operations.hpp"

#include <memory>
#include <unistd.h>
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

EngineStatistics EngineOperations::statistics() const {
  const Now now = facts_.clock->now();
  EngineStatistics figures{.process = ::getpid(),
                           .started = facts_.started,
                           .taken_at = now.wall,
                           .is_stopping = loops_.front()->is_stopping(),
                           .buffered_bytes = facts_.budget->used(),
                           .logs = log_stats()};
  for (EventLoop* const loop : loops_) loop->add_to(figures, now);
  return figures;
}

observe::SessionLogsStats EngineOperations::log_stats() const noexcept {
  observe::SessionLogsStats all;
  for (EventLoop* const loop : loops_) {
    const observe::SessionLogsStats one = loop->logs().stats();
    all.taken += one.taken;
    all.lost_in_queue += one.lost_in_queue;
    all.lost_on_disk += one.lost_on_disk;
    all.lost_on_screen += one.lost_on_screen;
  }
  return all;
}

std::expected<void, std::string> EngineOperations::command(OperatorCommand command,
                                                           std::string_view identity) {
  if (auto named = with_identity(command, identity); !named) return named;
  return text_of(command_running_engine(facts_.store_folder, command));
}

std::expected<void, std::string> EngineOperations::set_numbers(LiveNumbers numbers,
                                                               std::string_view identity) {
  if (auto named = with_identity(numbers, identity); !named) return named;
  return text_of(set_live_numbers(facts_.store_folder, numbers));
}

void EngineOperations::report(EventId id, std::string text) {
  loops_.front()->inbox()->add(std::make_unique<ReportTask>(id, std::move(text)));
}

}  // namespace nexusfix::engine
