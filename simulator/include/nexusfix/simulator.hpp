// simulator: engines with a virtual clock, network and disk, in one thread, from a seed.
//
// What it is: a world that runs the production code and injects every fault: connections that tear,
// break and fall silent, disks that forget, fill up and fail, clocks that drift and jump, processes
// that die at any moment, operators. Invariants are checked all the time; a violation names the
// case, and its seed repeats it exactly.
//
// What it is not: a measurement. Time is virtual, and a turn of an engine takes 20 microseconds.
//
// Threads: none. A world and everything in it belong to the thread that made it; worlds of
// different threads are independent.
//
// Allocation: freely; the memory of the engines is checked.
//
//   simulator::World world{{.seed = 7, .faults = simulator::FaultSet::all()}};
//   world.add_process<Venue>("venue", venue_configuration);
//   const auto trader = world.add_process<Trader>("trader", trader_configuration);
//   world.after(1s, [&] { if (auto* t = world.application<Trader>(trader)) t->trade(); });
//   world.run(5min);
//   world.settle(3min);
//   if (world.violation()) std::puts(world.trace().c_str());
#pragma once

#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/scenario.hpp>
#include <nexusfix/simulator/totals.hpp>
#include <nexusfix/simulator/violation.hpp>
#include <nexusfix/simulator/world.hpp>
