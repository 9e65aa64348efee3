#include "engine_host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace nexusfix::simulator::cluster {
namespace {

// The time that a turn of an engine takes.
constexpr WorldTime kTurn = std::chrono::microseconds{20};

}  // namespace

bool EngineHost::is_all_logged_on() noexcept {
  if (image_ == nullptr) return false;
  return std::ranges::all_of(image_->engine().sessions(), &engine::Session::is_logged_on);
}

void EngineHost::end_engine(bool is_silent) {
  life_.end();
  network_.end_process(is_silent);
  disk_.end_process();
  image_.reset();
  turns_.end();
}

bool EngineHost::poll() {
  const ClockOfThread clock{clock_};
  const bool has_work = image_->engine().poll(std::chrono::nanoseconds{0});
  if (has_work && life_.alive()) schedule_turn();
  return has_work;
}

void EngineHost::schedule_turn() {
  const WorldTime busy_until = context_.agenda.now() + kTurn;
  const MonoTime deadline = image_->engine().next_deadline();
  WorldTime next = WorldTime::max();
  if (deadline == MonoTime::min() || network_.is_ready()) {
    next = busy_until;
  } else if (deadline != kNever) {
    next = clock_.world_time(deadline);
  }
  turns_.end_turn(busy_until, next);
}

// A dead process runs no code.
bool EngineHost::runs() noexcept { return life_.step(SeamCall::Callback) == CallFate::Done; }

void EngineHost::on_logon(const engine::Callbacks& inner, engine::Session& session) {
  if (runs() && inner.on_logon != nullptr) inner.on_logon(inner.application, session);
}

void EngineHost::on_logout(const engine::Callbacks& inner, engine::Session& session) {
  if (runs() && inner.on_logout != nullptr) inner.on_logout(inner.application, session);
}

engine::MessageReply EngineHost::on_message(const engine::Callbacks& inner,
                                            engine::Session& session,
                                            const wire::MessageView& message) {
  if (!runs()) return engine::accept();
  return inner.on_message(inner.application, session, message);
}

void EngineHost::write(const observe::Event& event) {
  if (!life_.alive() || !context_.trace.is_on()) return;
  context_.trace.line(name_, "# " + observe::identifier_of(event.id) + ' ' +
                                 std::string{event.session} + ' ' + std::string{event.text});
}

}  // namespace nexusfix::simulator::cluster
