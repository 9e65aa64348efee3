// The parts of examine(), one for each area.
#pragma once

#include "nexusfix/doctor/doctor.hpp"

namespace nexusfix::command {

void examine_cpus(const Machine& machine, const Plan& plan, Findings& findings);
void examine_isolation(const Machine& machine, const Plan& plan, Findings& findings);
void examine_memory(const Machine& machine, const Plan& plan, Findings& findings);
void examine_limits(const Machine& machine, const Plan& plan, Findings& findings);
void examine_network(const Machine& machine, const Plan& plan, Findings& findings);
void examine_journal(const Machine& machine, const Plan& plan, Findings& findings);

}  // namespace nexusfix::command
