#include "engine/service/operator/engine_operations.hpp"

#include <memory>
#include <unistd.h>
#include <utility>

#include "engine/service/floors.hpp"
#include "engine/service/operator/operator_desk.hpp"

namespace nexusfix::engine {
namespace {

class ReportTask final : public LoopTask {
 public:
  ReportTask(EventId id, std::string text) : id_{id}, text_{std::move(text)} {}
  void run(Floors& floors) override { floors.loop.report.engine(id_, text_); }

 private:
  EventId id_;
  std::string text_;
};

class TapFeed final : public MessageFeed {
 public:
  explicit TapFeed(TapReader reader) noexcept : reader_{std::move(reader)} {}
  void read(std::size_t bytes_max, Visitor visit) override { reader_.read(bytes_max, visit); }
  [[nodiscard]] std::uint64_t take_lost() override { return reader_.take_lost(); }

 private:
  TapReader reader_;
};

}  // namespace

EngineStatistics EngineOperations::statistics() const {
  const Now now = facts_.clock->now();
  EngineStatistics figures{.process = ::getpid(),
                           .started = facts_.started,
                           .taken_at = now.wall,
                           .is_stopping = loops_.front()->stop.is_asked(),
                           .standby = facts_.standby->read(),
                           .buffered_bytes = facts_.budget->used(),
                           .logs = log_stats()};
  if (facts_.cluster != nullptr) figures.cluster = facts_.cluster->statistics();
  for (LoopContext* const loop : loops_) loop->add_to(figures, now);
  return figures;
}

observe::SessionLogsStats EngineOperations::log_stats() const noexcept {
  observe::SessionLogsStats all;
  for (LoopContext* const loop : loops_) {
    const observe::SessionLogsStats one = loop->report.logs().stats();
    all.taken += one.taken;
    all.lost_in_queue += one.lost_in_queue;
    all.lost_on_disk += one.lost_on_disk;
    all.lost_on_screen += one.lost_on_screen;
  }
  return all;
}

std::expected<void, std::string> EngineOperations::command(OperatorCommand command,
                                                           const std::string& identity) {
  const auto done = facts_.desk->carry_out(std::move(command), {.identity = identity});
  if (!done) return std::unexpected{done.error()};
  return {};
}

std::expected<void, std::string> EngineOperations::set_numbers(LiveNumbers numbers,
                                                               const std::string& identity) {
  return facts_.desk->set_numbers(std::move(numbers), {.identity = identity});
}

std::expected<std::unique_ptr<MessageFeed>, std::string> EngineOperations::follow(
    const std::string& session) {
  auto reader = facts_.desk->tap(session);
  if (!reader) return std::unexpected{std::move(reader.error())};
  return std::make_unique<TapFeed>(std::move(*reader));
}

void EngineOperations::report(EventId id, std::string text) {
  facts_.inbox->add(std::make_unique<ReportTask>(id, std::move(text)));
}

}  // namespace nexusfix::engine
