// The subcommands of the program nexusfix-demo, which `make run` builds: no log tools, products or
// parts, so that a first build takes less time.
#include <array>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"

namespace nexusfix::command {
namespace {

constexpr std::array kCommands{
    Command{"demo", "run a venue and a trader on this machine, and measure them", "demo", run_demo},
    Command{"serve", "run the example venue, an acceptor with an order book", "serve venue.cfg",
            run_serve},
    Command{"trade", "run the example trader, an initiator that sends orders",
            "trade trader.cfg --orders 1000", run_trade},
};

}  // namespace

std::span<const Command> commands() noexcept { return kCommands; }

engine::Parts linked_parts() noexcept { return {}; }

int run_serve_venue(Arguments) { return fail("serve", "--venue: nexusfix has it"); }

}  // namespace nexusfix::command
