// The components that a Session uses: the public class forwards each call to one of these.
#pragma once

namespace nexusfix::engine {

class CommitGate;
class Outbox;
class SessionActions;
class SessionControl;
class SessionRegistry;
class Transactor;
class LoopContext;

struct SessionServices {
  LoopContext& loop;
  CommitGate& commit;
  SessionRegistry& registry;
  Transactor& transactor;
  SessionActions& actions;
  Outbox& outbox;
  SessionControl& control;
};

}  // namespace nexusfix::engine
