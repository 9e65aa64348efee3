// Deliberate bugs of the simulated cluster. Each one is on alone, and must be found.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace nexusfix::simulator::cluster {

enum class Bug : std::uint8_t {
  None,
  StaleOwnerSends,
  SendsBeforeCommit,
  LeaseCountsFromAnswer,
  LeaseOnWallClock,
  LeaseNotChecked,
  EpochNotChecked,
  UnknownIsFailure,
  UnknownIsSuccess,
  ClaimsDownwards,
  StandbyKeepsOldEnd,
  LaggingStandbyPromoted,
  NoteNotRead,
  FillsAgainAfterLoss,
};

struct BugFacts {
  Bug bug = Bug::None;
  std::string_view name;
  std::string_view what;        // for people
  std::uint64_t seeds_max = 0;  // it is found within the seeds from 1 to this one
};

inline constexpr std::array kBugs{
    BugFacts{Bug::StaleOwnerSends, "stale-owner-sends",
             "a COMMIT that the database refuses counts as confirmed", 400},
    BugFacts{Bug::SendsBeforeCommit, "sends-before-commit",
             "bytes leave before their COMMIT is confirmed", 100},
    BugFacts{Bug::LeaseCountsFromAnswer, "lease-counts-from-answer",
             "a lease is believed from the answer on, not from its request", 400},
    BugFacts{Bug::LeaseOnWallClock, "lease-on-wall-clock",
             "the end of a lease is read from the wall clock, which may be set", 400},
    BugFacts{Bug::LeaseNotChecked, "lease-not-checked",
             "an owner goes on serving without a check of its lease", 100},
    BugFacts{Bug::EpochNotChecked, "epoch-not-checked",
             "a COMMIT is not conditional on the owner epoch", 400},
    BugFacts{Bug::UnknownIsFailure, "unknown-is-failure",
             "a COMMIT without an answer counts as failed, and is made again", 100},
    BugFacts{Bug::UnknownIsSuccess, "unknown-is-success",
             "a COMMIT without an answer counts as done", 100},
    BugFacts{Bug::ClaimsDownwards, "claims-downwards", "a claim may lower the owner epoch", 1000},
    BugFacts{Bug::StandbyKeepsOldEnd, "standby-keeps-old-end",
             "a standby takes over with what it has followed, and does not read the rest", 100},
    BugFacts{Bug::LaggingStandbyPromoted, "lagging-standby-promoted",
             "the promoted database lacks what was confirmed last", 100},
    BugFacts{Bug::NoteNotRead, "note-not-read",
             "a node that takes over does not look at what it noted of the log", 100},
    BugFacts{Bug::FillsAgainAfterLoss, "fills-again-after-loss",
             "after a loss the application takes repeated orders", 100},
};

}  // namespace nexusfix::simulator::cluster
