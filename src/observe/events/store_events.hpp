// Events of category store: 5000 to 5999.
#pragma once

#include <nexusfix/observe/event_table.hpp>

namespace nexusfix::observe {

inline constexpr EventRow kStoreEvents[] = {
    {EventId::JournalOpened, Severity::Info, "JournalOpened",
     "The journal is open. The text says what it contains.", "The engine started.",
     "No action is needed."},
    {EventId::JournalDamaged, Severity::Error, "JournalDamaged",
     "A part of the journal cannot be read. The intact part is used.",
     "The disk is damaged, or the file was changed or truncated.",
     "Run `nexusfix journal verify`, then docs/operations/journal-repair.md. Find out with the "
     "counterparties "
     "which messages are missing."},
    {EventId::CheckpointUnreadable, Severity::Warning, "CheckpointUnreadable",
     "A checkpoint in the journal is damaged. More of the log is read instead, and nothing is "
     "lost.",
     "The disk is damaged.", "`nexusfix journal repair` removes it. Check the disk."},
    {EventId::LastRecordCut, Severity::Warning, "LastRecordCut",
     "The last record of the journal was incomplete, and is removed.",
     "The process or the machine ended while it wrote.",
     "No action is needed after kill -9: an incomplete record was never sent. After a loss of "
     "power see NXF-5005."},
    {EventId::PowerLost, Severity::Error, "PowerLost",
     "The machine lost power, and bytes of the journal that had not reached the disk are gone.",
     "A loss of power, a reset, or a crash of the operating system.",
     "Read docs/operations/losses.md. Compare the sequence numbers that NXF-2045 names with the "
     "counterparties."},
    {EventId::JournalFilesDoubtful, Severity::Warning, "JournalFilesDoubtful",
     "The journal has a file that does not belong to it, or cannot be read: its owner file, or a "
     "segment that was never begun.",
     "A copy, a restore, or an interrupted start.",
     "Look at the file that the text names. The log itself is complete."},
    {EventId::SessionRefusedByStore, Severity::Error, "SessionRefusedByStore",
     "The store refuses a session of the configuration, and the engine does not serve it.",
     "Its records are damaged, or another session has its name.",
     "Run `nexusfix journal verify`, and act as the text says."},
    {EventId::StoreFailed, Severity::Error, "StoreFailed",
     "The store failed. Every session is disconnected, and the engine ends.",
     "The disk or the database returned an error that leaves the log in doubt, or another process "
     "took the journal.",
     "Correct the cause, then start the engine again. The journal recovers by itself."},
    {EventId::StoreStalled, Severity::Error, "StoreStalled",
     "The store does not answer. Connections whose bytes wait for it are closed.",
     "The disk or the database is stalled for longer than JournalStallTimeout.",
     "Check the disk or the database."},
    {EventId::StoreFull, Severity::Error, "StoreFull",
     "The store has no room, and application messages are refused. Session messages continue while "
     "room lasts.",
     "The disk is full, or the database does not keep up.",
     "Make room on the disk. The engine looks for it each second."},
    {EventId::StoreHasRoom, Severity::Warning, "StoreHasRoom",
     "The store has room again, and application messages are sent again.",
     "Room was made on the disk.",
     "No action is needed. The application may send the refused messages again."},
    {EventId::DiskStalled, Severity::Error, "DiskStalled",
     "The disk has written nothing of the log for some time. Sessions continue, but a loss of "
     "power would lose more.",
     "The disk is stalled or overloaded (JournalDurability=process).", "Check the disk."},
    {EventId::DiskResumed, Severity::Warning, "DiskResumed", "The disk writes the log again.",
     "The stall of NXF-5014 is over.", "Look for the cause, if it happens again."},
    {EventId::SegmentNotPrepared, Severity::Error, "SegmentNotPrepared",
     "The next segment of the journal cannot be prepared.",
     "The disk is full, or refuses to make a file.",
     "Make room before the present segment is full: then application messages are refused."},
    {EventId::SegmentsRetired, Severity::Info, "SegmentsRetired",
     "Old segments of the journal were deleted or moved.",
     "They are older than the configured retention.", "No action is needed."},
    {EventId::RetirementFailed, Severity::Error, "RetirementFailed",
     "Old segments of the journal cannot be deleted or moved.",
     "A permission, or an error of the disk.",
     "Correct the cause that the text names. The disk fills up otherwise."},
    {EventId::OwnerFileNotWritten, Severity::Warning, "OwnerFileNotWritten",
     "The owner file of the journal cannot be written. Nothing is lost, but the next start could "
     "not detect that the end of the log is missing.",
     "The disk is full or returned an error.", "Check the disk."},
    {EventId::SegmentCutOff, Severity::Error, "SegmentCutOff",
     "A segment of the journal is shorter than what was written to it.",
     "Another program truncated the file, or the file system lost a part.",
     "Run `nexusfix journal verify`, and check the disk. Sessions continue."},
    {EventId::SegmentUnreadable, Severity::Error, "SegmentUnreadable",
     "A segment of the journal cannot be read.", "The disk returned an error.",
     "Check the disk, and run `nexusfix journal verify`. Sessions continue."},
    {EventId::SegmentDamaged, Severity::Error, "SegmentDamaged",
     "A segment of the journal is damaged. The engine found it by reading the log in the "
     "background.",
     "The disk is damaged, or another program wrote to the file.",
     "Run `nexusfix journal verify`, then docs/operations/journal-repair.md. Sessions continue, "
     "and "
     "damaged "
     "messages are gap-filled."},
    {EventId::DatabaseOpened, Severity::Info, "DatabaseOpened",
     "The PostgreSQL store is open. The text says what it contains.", "The engine started.",
     "No action is needed."},
    {EventId::DatabaseConnected, Severity::Info, "DatabaseConnected",
     "The store is connected to the database, whose commits reach a disk or a standby.",
     "The engine started.", "No action is needed."},
    {EventId::DatabaseCommitsUnsafe, Severity::Warning, "DatabaseCommitsUnsafe",
     "The store is connected to the database, whose commits may be lost in a crash of the server.",
     "synchronous_commit or fsync of the server is off.",
     "Turn them on, unless the loss is accepted."},
    {EventId::DatabaseWarning, Severity::Warning, "DatabaseWarning", "The server sent a warning.",
     "The text has the warning.", "Act as the text says."},
    {EventId::DatabaseCommitsWeaker, Severity::Error, "DatabaseCommitsWeaker",
     "The server confirms commits earlier than before: a crash loses more.",
     "A setting of the server was changed while the engine runs.",
     "Restore the setting, unless the loss is accepted."},
    {EventId::DatabaseCommitsChanged, Severity::Warning, "DatabaseCommitsChanged",
     "The server confirms commits in another way than before. A crash loses no more.",
     "A setting of the server was changed while the engine runs.",
     "No action is needed, if the change was intended."},
    {EventId::DatabaseReconnecting, Severity::Warning, "DatabaseReconnecting",
     "The connection to the server is ended and made again.",
     "The server restarted, a standby is promoted, or the network failed.",
     "No action is needed, unless NXF-5047 does not follow."},
    {EventId::DatabaseReconnected, Severity::Warning, "DatabaseReconnected",
     "The store is connected to the server again.", "The failure of NXF-5046 is over.",
     "No action is needed."},
    {EventId::DatabasePositionNotNoted, Severity::Error, "DatabasePositionNotNoted",
     "The end of the confirmed log cannot be recorded on this machine. The next start could not "
     "detect a loss in the database.",
     "The disk of this record is full or returned an error.", "Check that disk."},
    {EventId::DatabaseLostCommits, Severity::Error, "DatabaseLostCommits",
     "The database has lost commits that it had confirmed. Each session skips sequence numbers.",
     "A standby was promoted that lacked them, or the database was restored from a backup.",
     "Compare the sequence numbers that NXF-2045 names with the counterparties."},
};

}  // namespace nexusfix::observe
