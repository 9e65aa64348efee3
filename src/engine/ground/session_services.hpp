// What a Session uses: the public class forwards each call to a component of these.
#pragma once

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::engine {

class LoopContext;
class SessionEntry;
struct Io;
struct Sessions;

struct SessionServices {
  LoopContext& loop;
  Io& io;
  Sessions& sessions;
  // Lets the application write its fields into a Logon of this session.
  void (*write_logon)(SessionEntry& entry, wire::Encoder& encoder,
                      const wire::MessageHeader& header) noexcept;
};

}  // namespace nexusfix::engine
