// The keys of the logs, and of the file itself.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;
using observe::LogFileOptions;
using observe::ScreenLogOptions;

inline constexpr KeyRow kLog[] = {
    {"FileLogPath", AtOnce, kFolder, sets<&LogFileOptions::folder>, "", "log",
     "the folder of each session's message and event log; no files without it",
     "QuickFIX/J: other names of files"},
    {"FileLogBackupPath", AtOnce, kFolder, sets<&LogFileOptions::backup_folder>, "", "log/old",
     "the folder of full log files; FileLogPath if not given"},
    {"FileLogHeartbeats", AtOnce, kYesOrNo, sets<&LogFileOptions::has_heartbeats>, "Y", "N",
     "Heartbeats are in the message log", "QuickFIX/J: N"},
    {"FileIncludeTimeStampForMessages", AtOnce, kYesOrNo, sets<&LogFileOptions::has_message_times>,
     "Y", "N", "lines of the message log begin with the time", "QuickFIX/J: N"},
    {"FileIncludeMilliseconds", AtOnce, kYesOrNo, sets_to<&LogFileOptions::fraction_digits, 3U, 0U>,
     "", "Y", "Y: times in milliseconds, N: in seconds; 9 digits after the second if not given",
     "QuickFIX/J: N"},
    {"ScreenLogShowIncoming", AtOnce, kYesOrNo, sets<&ScreenLogOptions::has_incoming>, "N", "Y",
     "received messages on standard output", "QuickFIX: Y with its ScreenLog"},
    {"ScreenLogShowOutgoing", AtOnce, kYesOrNo, sets<&ScreenLogOptions::has_outgoing>, "N", "Y",
     "sent messages on standard output", "QuickFIX: Y with its ScreenLog"},
    {"ScreenLogShowEvents", AtOnce, kYesOrNo, sets<&ScreenLogOptions::has_events>, "", "Y",
     "Y: events on standard output, N: not on the screen; if not given, on standard error",
     "QuickFIX: Y with its ScreenLog"},
    {"ScreenLogShowHeartBeats", AtOnce, kYesOrNo, sets<&ScreenLogOptions::has_heartbeats>, "Y", "N",
     "Heartbeats are on the screen", "QuickFIX/J: N"},
    {"ScreenIncludeMilliseconds", AtOnce, kYesOrNo,
     sets_to<&ScreenLogOptions::fraction_digits, 3U, 0U>, "Y", "N",
     "times in milliseconds on the screen", "QuickFIX/J: N"},
    {"LogMessageWhenSessionNotFound", NextStart, kYesOrNo,
     shared(Shared::Logs, sets<&Settings::logs_unknown_sessions>), "Y", "N",
     "Y: a first message that belongs to no session is in GLOBAL.messages.current.log"},
    {"LogMaxBytes", AtOnce, bytes(0, 1'000'000'000'000'000), sets<&LogFileOptions::bytes_max>,
     "67108864", "1000000000", "a log file of this size becomes a backup; 0: never",
     "others: never"},
    {"LogKeepFiles", AtOnce, number(0, 1'000'000), sets<&LogFileOptions::backups_max>, "10", "30",
     "backups of each log file, at most", "others: all"},
    {"LogKeepDays", AtOnce, number(0, 36'500, "a whole number of days"),
     sets_in<std::chrono::days, &LogFileOptions::keep_for>, "0", "30",
     "backups of log files are removed this number of days after they were written; 0: never"},
    {"LogCompress", AtOnce, kYesOrNo, sets<&LogFileOptions::is_compressed>, "N", "Y",
     "Y: backups of log files are packed with zstd, in the background"},
    {"LogDaily", AtOnce, kYesOrNo, sets<&LogFileOptions::is_daily>, "N", "Y",
     "Y: a log file ends with the day, in UTC"},
    {"EventLogFormat", AtOnce, read_by<read_event_format>("word", "text or json"),
     sets<&LogFileOptions::event_format, read_event_format>, "text", "json",
     "json: the event files have one object a line"},
    {"LogFileMode", AtOnce,
     read_by<read_file_mode>("mode", "permission bits in octal from 0600 to 0666, such as 0640"),
     sets<&LogFileOptions::permissions, read_file_mode>, "0600", "0640",
     "who may read and write the log files, as octal bits: 0640"},
    {"LogMaskedTags", AtOnce,
     read_by<read_tags>(
         "list",
         "tags, such as 1,448, and not 8, 9, 10 or 35, without which no line could be read,"),
     kReadByBuilder, "", "1,448",
     "tags whose values are *** in the logs, besides those of passwords, such as 1,448"},
    {"StoreMaskedTags", AtOnce, kYesOrNo, sets<&LogSettings::stores_masked>, "N", "Y",
     "Y: messages with one of LogMaskedTags are stored and resent; N: gap-filled"},
};

inline constexpr KeyRow kFile[] = {
    {"ExpandVariables", AtOnce, kYesOrNo, kReadByBuilder, "N", "Y",
     "Y, in [DEFAULT]: ${NAME} in a value is replaced from the environment"},
    {"ApplicationKeys", AtOnce,
     read_by<read_application_keys>(
         "list",
         "names of the program's own keys, such as Account,Risk*, and none of the engine's,"),
     kReadByBuilder, "", "Account,Risk*",
     "the application's own keys, such as Account,Risk*: for Session::setting(), never shown"},
};

}  // namespace nexusfix::config::keys
