// An acceptor over TCP whose engine has one of the deliberate bugs.
#pragma once

namespace nexusfix::test {

// Listens on a free port of the loopback address, and prints it. Answers each order with an
// ExecutionReport. Returns the exit status when a signal has ended it.
int run_mutated_acceptor();

}  // namespace nexusfix::test
