// The identifiers of events: NXF-1042 in every log. docs/reference/events.md and the command
// `nexusfix explain` have the cause of each event and what an operator does.
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// The events that an engine logs, by number. An event keeps its number in every version, whatever
// its text is, and the number of a removed event is never used again. The thousands are the
// category: 1 session, 2 sequence numbers, 3 connection, 4 Logon, 5 store, 6 configuration, 7 event
// loop and machine, 8 logs.
enum class EventId : std::uint16_t {
  LoggedOn = 1001,                 // both sides have exchanged Logons
  LoggedOut = 1002,                // the session is no longer logged on
  LogoutReceived = 1003,           // the counterparty sent a Logout
  SessionStatusReceived = 1004,    // a SessionStatus (1409) other than session active arrived
  LogoutSent = 1005,               // we sent a Logout
  SessionOpenBySchedule = 1010,    // the schedule opens the session for Logons
  SessionClosedBySchedule = 1011,  // the schedule closes the session for Logons
  SessionEndedBySchedule = 1012,   // the scheduled session is over; a reset follows
  SessionTimeOver = 1013,          // the scheduled session ended before the Logon was answered
  SessionAdded = 1020,             // the engine serves a session that was added after the start
  SessionRemoved = 1021,           // a session was removed, and its connection has ended
  SessionMadeOfTemplate = 1022,    // a session was made from an AcceptorTemplate
  FormerNameAdopted = 1023,        // the store has the session under its name in an early version
  LogoutNotAnswered = 1030,        // our Logout got no answer within LogoutTimeout
  HeartbeatTimeout = 1031,         // the counterparty was silent, and did not answer a TestRequest
  ProtocolViolation = 1032,        // the counterparty broke a rule; the event before names it
  StreamUnusable = 1033,           // the end of a message cannot be found in the received bytes
  DisconnectedByOperator = 1034,   // the connection is closed on request, without an answer
  ConnectionNotClosed = 1035,      // the counterparty did not disconnect after our Logout
  MessageGarbled = 1040,           // received bytes that are no message were ignored
  MessageRejected = 1041,          // we sent a Reject for a message
  RejectReceived = 1042,           // the counterparty rejected one of our messages
  MessageInvalid = 1043,           // a message is invalid by the dictionary, and is delivered
  CompIdWrong = 1044,              // the CompIDs of a message are not those of the session
  SendingTimeWrong = 1045,         // a SendingTime differs too much from our clock, or is missing
  BeginStringWrong = 1046,         // the BeginString of a message is not that of the session
  TestRequestSent = 1047,          // the counterparty was silent, and we sent a TestRequest
  TestRequestNotAnswered = 1048,   // a TestRequest got no answer, and the connection stays
  CallbackThrew = 1060,            // a callback of the application threw an exception
  SendingCallbackThrew = 1061,     // on_sending() threw, and the message is withheld
  SentCallbackThrew = 1062,        // on_sent() threw; the message is sent anyway
  LogonCallbackThrew = 1063,       // write_logon() threw, and the Logon is not sent
  PostedTaskThrew = 1064,          // a task that was posted to the event loop threw
  ResentMessageNotEdited = 1065,   // on_sending() made a resent message invalid: it is gap-filled
  TimerRefused = 1066,             // a session has as many timers as it may have
  RemoteRefused = 1067,            // what another thread posted to a session was not carried out

  SequenceNumbersReset = 2001,       // both sequence numbers are 1 again
  SequenceNumbersSet = 2002,         // an operator or the application set the next MsgSeqNum
  SequenceGapDetected = 2003,        // messages are missing, and a ResendRequest is sent
  SequenceGapClosed = 2004,          // all missing messages arrived or were gap-filled
  SequenceResetReceived = 2005,      // the counterparty sent a SequenceReset-Reset
  MsgSeqNumTooLow = 2006,            // a MsgSeqNum is too low, and PossDupFlag is not set
  DisconnectedForMsgSeqNum = 2007,   // the connection is closed because of a low MsgSeqNum
  InitiatorHalted = 2008,            // sequence numbers are lost: we do not connect again
  AcceptorHalted = 2009,             // sequence numbers are lost: only 141=Y is accepted
  LogoutTextUntrue = 2010,           // a Logout's text contradicts what was sent
  EndedWithinGap = 2011,             // the session ends while messages are missing
  ResetNotAgreed = 2012,             // no reset within the session: TestRequests got no answer
  ResendServed = 2020,               // all messages of a ResendRequest were resent or gap-filled
  ResendLimited = 2021,              // a ResendRequest is above a limit; the rest is gap-filled
  ResendNotAnswered = 2022,          // our ResendRequest got no answer, and is sent again
  ResendIncomplete = 2023,           // the answer to our ResendRequest ended too early
  GapFillBeyondRequest = 2024,       // a gap fill goes beyond what we requested
  MessageNotResendable = 2025,       // a stored message is damaged, and is gap-filled
  LostMessagesRequested = 2026,      // messages are requested that our store has lost
  RetiredMessagesRequested = 2027,   // messages are requested whose journal segments are retired
  ResendDamaged = 2028,              // a part of the journal cannot be read: it is gap-filled
  ResendUnreadable = 2029,           // the store cannot be read now: the connection is closed
  EarlyMessageDropped = 2040,        // a message out of order is dropped, and requested later
  HeldAdministrativeDropped = 2041,  // administrative messages out of order are dropped
  HeldMessagesDiscarded = 2042,      // application messages out of order are never delivered
  QueuedMessagesDiscarded = 2043,    // messages that waited for the Logon are not sent
  InboundNotRecorded = 2044,         // a message is not delivered: the store did not record it
  SequenceNumbersSkipped = 2045,     // the session skips MsgSeqNums that it may have used
  InboundInDoubt = 2046,             // a message may not have reached the application
  WaitingMessagesNotSent = 2047,     // messages that waited for OutboundMessages are not sent

  Connected = 3001,                       // our connection is established, and the Logon follows
  ConnectionAccepted = 3002,              // the first message of a connection names this session
  ConnectFailed = 3003,                   // a connection could not be started
  ConnectTimedOut = 3004,                 // a connection was not established in time
  ConnectAborted = 3005,                  // a connection that was being established is dropped
  ConnectionClosedByCounterparty = 3010,  // the counterparty closed the connection
  ConnectionLost = 3011,                  // the operating system or TLS reports an error
  ConnectionClosed = 3012,                // we closed the connection; the text says why
  ConnectionClosedUnsent = 3013,          // it is closed, and its last bytes are not sent
  ConnectionClosedByStop = 3014,          // it is closed, because the engine stops
  ConnectionClosedStoreStalled = 3015,    // it is closed: its bytes wait for the store
  ConnectionClosedUnreadable = 3016,      // it is closed: requested messages cannot be read
  SlowConsumerTimedOut = 3020,            // no byte was taken for SlowConsumerTimeout
  SlowConsumerQueueFull = 3021,           // more than MaxQueuedBytes wait for the counterparty
  GarbledFlood = 3022,                    // more garbled messages than MaxAdminMessagesPerSecond
  MessageFlood = 3023,                    // too many administrative messages or Rejects in a second
  BufferLimitReached = 3024,              // all buffers together reached MaxBufferedBytes
  ReceiveTimestampsMissing = 3025,        // the kernel or the card gives no times of messages
  PortOpened = 3030,                      // the engine listens on a port
  PortClosed = 3031,                      // the engine no longer listens on a port
  PortNotReopened = 3032,                 // a port could not be opened again after a reload
  AddressRefused = 3040,                  // the address may not connect to this port
  HandshakeFailed = 3041,                 // TLS or the PROXY header failed before a Logon
  NotFix = 3042,                          // the first bytes of a connection are no FIX message
  DescriptorsExhausted = 3043,            // the process has no descriptor or no memory left
  PendingLogonsOfAddressFull = 3044,      // more than half of MaxPendingLogons wait
  PendingLogonsFull = 3045,               // more than MaxPendingLogons wait for a Logon
  PendingLogonDisplaced = 3046,           // a waiting connection was closed for another one
  ConnectionNotMigrated = 3050,           // the event loop of the session does not take it
  MigratedConnectionLost = 3051,          // it came from another event loop and was refused
  FrontDoorOpened = 3060,                 // `nexusfix front-door` listens for clients
  FrontDoorHandedOver = 3061,             // a connection goes to the engine that owns its session
  FrontDoorRefused = 3062,                // a connection to the front door cannot be handed over
  FrontDoorNoOwner = 3063,                // no engine accepted a connection in time
  FrontDoorEnded = 3064,                  // a connection through the front door is over

  FirstMessageNotLogon = 4001,      // the first message of a connection is not a Logon
  LogonTimedOut = 4002,             // no Logon arrived or was answered within LogonTimeout
  LogonTooLong = 4003,              // the first message is longer than MaxLogonSize
  LogonInvalid = 4004,              // a Logon breaks a rule of the session; the text names it
  LogonRefused = 4005,              // the connection is closed, because the Logon breaks a rule
  LogonNotSent = 4006,              // the connection is closed: our Logon cannot be encoded
  LogonNotAuthenticated = 4007,     // the application refused the Logon
  LogonNotDecided = 4008,           // the application did not decide in LogonTimeout
  SessionUnknown = 4009,            // no session has the CompIDs and BeginString of the Logon
  SessionAddressRefused = 4010,     // the session is not allowed from this address
  LogonOutsideSchedule = 4011,      // the session is closed by its schedule
  SessionAlreadyLoggedOn = 4012,    // the session has another connection
  SessionAwaitsOperator = 4013,     // the session waits for an operator to set its MsgSeqNums
  LogonTimedOutLoopLate = 4014,     // the event loop was too late to answer the Logon
  LogonSessionDisabled = 4015,      // an operator has disabled the session of the Logon
  LogonFailed = 4016,               // our Logon got no answer, or a refusal
  LogonFailedAgain = 4017,          // that has happened several times in a row
  HeartBtIntDiffers = 4018,         // the answer to our Logon has another HeartBtInt
  LogonNotSigned = 4019,            // our Logon cannot be signed, and is not sent
  PasswordRefused = 4020,           // Username or Password is wrong, or the address locked out
  PasswordNotChecked = 4021,        // the password of a Logon could not be checked
  PasswordCheckTimedOut = 4022,     // a password was not checked within LogonTimeout
  AddressLockedOut = 4023,          // an address is locked out after too many wrong passwords
  PasswordFileFailed = 4024,        // the password file cannot be read or written
  NewPasswordRefused = 4025,        // a NewPassword (925) breaks a rule for passwords
  PasswordChanged = 4026,           // a client changed its password
  PasswordNotChanged = 4027,        // a new password could not be written; the old one stays
  PasswordChangeUnanswered = 4028,  // the connection ended before the client got the result
  ClockDiffers = 4029,              // a refusal of our Logon shows that the clocks differ
  CertificateRefused = 4030,        // the session does not allow the certificate
  TemplateLimitReached = 4040,      // no session is made from an AcceptorTemplate
  SessionNotStored = 4041,          // the store did not take a session made from a template

  JournalOpened = 5001,             // the journal is open; the text says what it contains
  JournalDamaged = 5002,            // a part of the journal cannot be read
  CheckpointUnreadable = 5003,      // a checkpoint is damaged: more of the log is read
  LastRecordCut = 5004,             // the last record was incomplete, and is removed
  PowerLost = 5005,                 // the machine lost power, and the last bytes are gone
  JournalFilesDoubtful = 5006,      // a file does not belong to the journal, or is unreadable
  SessionRefusedByStore = 5007,     // the store refuses a session of the configuration
  StoreFailed = 5010,               // the store failed, and the engine ends
  StoreStalled = 5011,              // the store does not answer
  StoreFull = 5012,                 // the store has no room: application messages are refused
  StoreHasRoom = 5013,              // the store has room again
  DiskStalled = 5014,               // the disk has written nothing of the log for some time
  DiskResumed = 5015,               // the disk writes the log again
  SegmentNotPrepared = 5016,        // the next segment of the journal cannot be prepared
  SegmentsRetired = 5020,           // old segments were deleted or moved
  RetirementFailed = 5021,          // old segments cannot be deleted or moved
  OwnerFileNotWritten = 5022,       // the owner file of the journal cannot be written
  SegmentCutOff = 5023,             // a segment is shorter than what was written to it
  SegmentUnreadable = 5024,         // a segment cannot be read
  SegmentDamaged = 5025,            // a read in the background found a damaged segment
  SegmentsHeld = 5026,              // old segments stay until a reader's cursor has passed them
  DatabaseOpened = 5040,            // the PostgreSQL store is open
  DatabaseConnected = 5041,         // the commits of the database reach a disk or a standby
  DatabaseCommitsUnsafe = 5042,     // a crash of the server may lose commits
  DatabaseWarning = 5043,           // the server sent a warning
  DatabaseCommitsWeaker = 5044,     // the server confirms commits earlier than before
  DatabaseCommitsChanged = 5045,    // commits are confirmed differently; a crash loses no more
  DatabaseReconnecting = 5046,      // the connection to the server is made again
  DatabaseReconnected = 5047,       // the store is connected to the server again
  DatabasePositionNotNoted = 5048,  // the end of the confirmed log cannot be recorded
  DatabaseLostCommits = 5049,       // the database has lost commits that it had confirmed
  DatabaseStandbyWaits = 5050,      // another process owns the log; this engine waits
  DatabaseTakenOver = 5051,         // a standby has the log now
  ReplicaTakenOver = 5052,          // the log was the replica of a journal, and is the log now
  ReplicaIncomplete = 5053,         // the same, and messages that were sent may be missing
  StandbyNotRequired = 5058,        // a take-over may lose messages that were sent
  StandbyNotVisible = 5059,         // the role may not see what the database's standby has
  StoreOpened = 5060,               // the program's store is open
  StreamOpened = 5070,              // `nexusfix stream` sends a journal to the brokers
  StreamBrokerLost = 5071,          // no broker answers, and the cursor waits
  StreamBrokerBack = 5072,          // the brokers acknowledge messages again
  StreamGap = 5073,                 // the stream goes on after a part that the journal lacks
  StreamEnded = 5074,               // the stream has ended in order
  ClusterJoined = 5080,             // the engine is a member of a cluster
  ClusterShardOwned = 5081,         // the engine has the lease of its shard
  ClusterLeaseLost = 5082,          // the lease in etcd is lost, or cannot be renewed
  ClusterLeaseBack = 5083,          // the engine has a lease again
  ClusterHandsOver = 5084,          // the engine stops, and another node gets its shard
  ClusterCannotHandOver = 5085,     // the node is drained, and no other one can take its shard
  ClusterOpensAgain = 5086,         // after a hand-over the engine could not open, and tries again
  ClusterClockDiffers = 5087,       // the clock of this machine is not that of etcd

  ConfigurationWarning = 6001,     // a key has no effect, or not the one that it seems to have
  DictionaryWarning = 6002,        // a dictionary has a fault, but is used
  DictionaryNote = 6003,           // a note on a dictionary without a fault
  ConfigurationReloaded = 6010,    // the configuration was read again
  ReloadRefused = 6011,            // the configuration was read again, and is not used
  ReloadError = 6012,              // an error of the configuration that was read again
  ReloadResultUnknown = 6013,      // there was no memory to report the result of a reload
  KeysTakenOver = 6014,            // new values of keys apply from now on
  KeysPending = 6015,              // new values of keys apply after the next Logon or start
  PendingKeysTakenOver = 6016,     // keys that waited for a Logon apply from now on
  SessionTakenOut = 6017,          // the configuration has a session no more: it is removed
  SessionTakenBack = 6018,         // a removed session is in the configuration again
  CertificatesReloaded = 6020,     // certificates and keys were read again
  CertificatesNotReloaded = 6021,  // new certificates or keys cannot be used
  CertificateExpires = 6022,       // a certificate expires within 30 days
  CertificateExpiresSoon = 6023,   // a certificate expires within 7 days, or has expired

  ThreadSetupFailed = 7001,    // the event loop cannot run on its CPU, and does not run
  LoopStalled = 7002,          // the event loop was stalled, and its work is late
  LogonsDelayed = 7003,        // the event loop is late, and Logons wait
  LogonsResumed = 7004,        // the event loop is in time again
  OutOfMemory = 7005,          // work was undone for lack of memory
  SessionCutForMemory = 7006,  // a session is disconnected for lack of memory
  EventsSuppressed = 7007,     // more events occurred than are logged in a second
  CommandsUnavailable = 7008,  // nexusfix ctl cannot reach this engine
  EndedWithoutMemory = 7009,   // the engine ends in order for lack of memory
  OperatorCommand = 7010,      // an operator's command to the running engine
  DrainEnded = 7011,           // the engine has finished its work, or its time to do so, and stops
  LoopCostly = 7012,           // one session or address takes most of an event loop's time
  MetricsOpened = 7030,        // MetricsPort is open
  ConsoleOpened = 7031,        // the web console is open
  ConsoleSignedIn = 7032,      // an operator has signed in to the web console
  ConsoleRefused = 7033,       // a wrong token was sent to the web console
  GatewayOpened = 7040,        // clients may attach to `nexusfix gateway`
  GatewayAttached = 7041,      // a client has attached
  GatewayEnded = 7042,         // a client has ended its connection
  GatewayCut = 7043,           // a connection of a client was refused or cut
  GatewayUnowned = 7044,       // no client owns a message of the counterparty

  LogQueueFull = 8001,       // messages and events are not logged: the disk is too slow
  LogQueueDrained = 8002,    // the logs keep up again
  LogFileFailed = 8003,      // a log file cannot be written
  LogFileResumed = 8004,     // a log file is written again
  SessionLogNotMade = 8005,  // the log files of a session cannot be created
  LogDiskNearlyFull = 8006,  // less than 4 x LogMaxBytes is free: messages are not logged
  LogDiskHasRoom = 8007,     // messages are logged again
  LogEventsDropped = 8008,   // more events about the logs occurred than are reported
  LogLinesLost = 8009,       // lines of this log are missing; the text has their number
  MessageLogFailed = 8010,   // EngineOptions::message_log threw: it lacks messages
  LogNotPacked = 8011,       // the backup of a log cannot be packed (LogCompress)
};

}  // namespace nexusfix
