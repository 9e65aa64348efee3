// The keys of a session's schedule; build/schedule_settings.cpp reads them.
#pragma once

#include "config/keys/key_row.hpp"

namespace nexusfix::config::keys {

using enum TakesEffect;

// An empty value takes a default of the whole file back.
inline constexpr ValueRule kTime = or_none(
    read_by<read_time_of_day>("time", "a time HH:MM:SS, with or without a time zone after it,"));
inline constexpr ValueRule kDay =
    or_none(read_by<read_day>("day", "a day of the week, such as Monday or Mon"));

inline constexpr KeyRow kSchedule[] = {
    {"NonStopSession", NextLogon, kYesOrNo, kReadByBuilder, "N", "Y",
     "Y: always open; so is a session without StartTime and EndTime",
     "QuickFIX wants one or the other"},
    {"StartTime", NextLogon, kTime, kReadByBuilder, "", "08:00:00",
     "HH:MM:SS, when the session opens"},
    {"EndTime", NextLogon, kTime, kReadByBuilder, "", "17:30:00",
     "HH:MM:SS, when the session closes and its sequence numbers are reset"},
    {"StartDay", NextLogon, kDay, kReadByBuilder, "", "Monday",
     "the day on which a weekly session opens"},
    {"EndDay", NextLogon, kDay, kReadByBuilder, "", "Friday",
     "the day on which a weekly session closes"},
    {"Weekdays", NextLogon,
     or_none(read_by<read_days>("list", "days of the week, such as Mon,Tue,Wed")), kReadByBuilder,
     "", "Mon,Tue,Wed,Thu,Fri", "the days on which a daily session opens: Mon,Tue,Wed"},
    {"LogonTime", NextLogon, kTime, kReadByBuilder, "", "08:30:00",
     "HH:MM:SS, from when a Logon is accepted within the session"},
    {"LogoutTime", NextLogon, kTime, kReadByBuilder, "", "16:45:00",
     "HH:MM:SS, until when a Logon is accepted within the session"},
    {"LogonDay", NextLogon, kDay, kReadByBuilder, "", "Monday",
     "the day of LogonTime, within a week"},
    {"LogoutDay", NextLogon, kDay, kReadByBuilder, "", "Friday",
     "the day of LogoutTime, within a week"},
    {"ResetSeqTime", NextLogon, kTime, kReadByBuilder, "", "12:00:00",
     "HH:MM:SS, when the sequence numbers are reset within a session, once a day"},
    {"UseLocalTime", NextLogon, kYesOrNo, kReadByBuilder, "N", "Y",
     "Y: times are in this machine's time zone"},
    {"TimeZone", NextLogon, text(1, 255, "a time zone of the tz database, such as Europe/London"),
     kReadByBuilder, "UTC", "Europe/London",
     "the zone of the times, by its name in the tz database"},
    {"Holidays", NextLogon,
     or_none(read_by<read_dates>("list", "dates, such as 2026-12-25,2027-01-01")), kReadByBuilder,
     "", "2026-12-25,2027-01-01", "dates without a session: 2026-12-25,2027-01-01"},
    {"HolidayFile", NextLogon, or_none(path("the path of a file of dates")), kReadByBuilder, "",
     "holidays.txt", "a file of dates without a session, one a line"},
};

}  // namespace nexusfix::config::keys
