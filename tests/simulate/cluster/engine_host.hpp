// A machine with a process that runs a real engine: a node of the cluster, or a counterparty.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <nexusfix/observe/logs.hpp>
#include <nexusfix/simulator/hosted.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_disk.hpp>
#include <nexusfix/simulator/simulated_network.hpp>

#include "context.hpp"
#include "simulator/machine/turn_schedule.hpp"

namespace nexusfix::simulator::cluster {

class EngineHost : public CallbackWatch, public observe::EventLog {
 public:
  // index: of the process, for the internet.
  EngineHost(Context& context, SimulatedInternet& internet, FaultCounts& counts, std::size_t index,
             std::string name)
      : context_{context},
        name_{std::move(name)},
        clock_{context.agenda.now()},
        disk_{life_, context.random, counts},
        network_{internet, life_, index} {}
  EngineHost(const EngineHost&) = delete;
  EngineHost& operator=(const EngineHost&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] SimulatedClock& clock() noexcept { return clock_; }
  [[nodiscard]] TurnSchedule& turns() noexcept { return turns_; }
  [[nodiscard]] ProcessLife& life() noexcept { return life_; }
  // Null: no engine runs.
  [[nodiscard]] engine::Engine* engine() noexcept {
    return image_ == nullptr ? nullptr : &image_->engine();
  }
  [[nodiscard]] bool is_all_logged_on() noexcept;
  // It has something to do.
  void wake() noexcept {
    if (image_ != nullptr) turns_.wake(context_.agenda.now());
  }
  // One turn of the engine.
  virtual void run_turn() = 0;
  // The process dies without a word to its peers, or its kernel closes what it had open.
  void end_engine(bool is_silent);

  // CallbackWatch, observe::EventLog.
  [[nodiscard]] bool runs() noexcept override;
  void on_logon(const engine::Callbacks& inner, engine::Session& session) override;
  void on_logout(const engine::Callbacks& inner, engine::Session& session) override;
  engine::MessageReply on_message(const engine::Callbacks& inner, engine::Session& session,
                                  const wire::MessageView& message) override;
  void write(const observe::Event& event) override;

 protected:
  // Opens an engine with this application. The process lives.
  template <class Application>
  [[nodiscard]] std::expected<void, engine::EngineError> open(const config::Settings& settings,
                                                              store::StoreFactory* factory,
                                                              Application& application) {
    engine::EngineOptions options;
    options.clock = &clock_;
    options.disk = &disk_;
    options.network = &network_;
    options.log = this;
    options.store_factory = factory;
    const ClockOfThread clock{clock_};
    auto image = std::make_unique<HostedApplication<Forwarding<Application>>>(*this, application);
    auto opened = image->open(settings, options);
    if (!opened) return opened;
    image_ = std::move(image);
    turns_.unpause(context_.agenda.now());
    turns_.begin(context_.agenda.now());
    return {};
  }
  // False: the engine has no work left.
  [[nodiscard]] bool poll();

  Context& context_;

 private:
  // The application outlives the process, for the checker; the engine gets one that does not.
  template <class Application>
  class Forwarding {
   public:
    explicit Forwarding(Application& application) : application_{application} {}
    engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
      return application_.on_message(session, message);
    }
    void on_recovered(const engine::RecoveredMessage& message) {
      application_.on_recovered(message);
    }

   private:
    Application& application_;
  };

  void schedule_turn();

  std::string name_;
  ProcessLife life_;
  SimulatedClock clock_;
  SimulatedDisk disk_;
  SimulatedNetwork network_;
  TurnSchedule turns_;
  std::unique_ptr<ProcessImage> image_;
};

}  // namespace nexusfix::simulator::cluster
