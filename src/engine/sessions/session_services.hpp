// What a Session uses: the public class forwards each call to a component of these.
#pragma once

namespace nexusfix::engine {

class LoopContext;
struct Io;
struct Sessions;

struct SessionServices {
  LoopContext& loop;
  Io& io;
  Sessions& sessions;
};

}  // namespace nexusfix::engine
