// The keys that identify a session, and say which side connects.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;
using session::SessionId;

inline constexpr KeyRow kIdentity[] = {
    {"BeginString", OtherSession,
     ValueRule{
         is_begin_string, "word",
         "FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, FIX.4.4 or FIXT.1.1 (which FIX.5.0 is spoken over)"},
     sets<&SessionId::begin_string>, "", "FIX.4.4",
     "FIX.4.0 to FIX.4.4, or FIXT.1.1 for FIX 5.0, 5.0SP1 and 5.0SP2; required"},
    {"SenderCompID", OtherSession, kName, sets<&SessionId::sender_comp_id>, "", "TRADER",
     "our CompID; required"},
    {"TargetCompID", OtherSession, kName, sets<&SessionId::target_comp_id>, "", "VENUE",
     "the counterparty's CompID; required"},
    {"SessionQualifier", OtherSession, kShortText, sets<&SessionId::qualifier>, "", "backup",
     "distinguishes two initiators with the same CompIDs, on our side only"},
    {"SenderSubID", OtherSession, kName, sets<&SessionId::sender_sub_id>, "", "DESK7",
     "our SubID (50): in each message, and part of the identity"},
    {"SenderLocationID", OtherSession, kName, sets<&SessionId::sender_location_id>, "", "LONDON",
     "our LocationID (142): in each message, and part of the identity"},
    {"TargetSubID", OtherSession, kName, sets<&SessionId::target_sub_id>, "", "EQUITIES",
     "the counterparty's SubID (57): in each message, and part of the identity"},
    {"TargetLocationID", OtherSession, kName, sets<&SessionId::target_location_id>, "", "NEWYORK",
     "the counterparty's LocationID (143): in each message, and part of the identity"},
    {"DefaultApplVerID", NextLogon,
     read_by<read_appl_ver_id>("word",
                               "FIX.5.0, FIX.5.0SP1, FIX.5.0SP2 or another application version, or "
                               "its number from 2 to 9, or 10 for FIX Latest"),
     kReadByBuilder, "", "FIX.5.0SP2",
     "FIXT.1.1: the version of our messages, FIX.5.0SP2 or 9; required there"},
    {"ConnectionType", NextStart, one_of("initiator or acceptor"), kReadByBuilder, "", "initiator",
     "initiator or acceptor; if not given, by the keys of the address"},
};

}  // namespace nexusfix::config::keys
