package nexusfix

import "fmt"

// Place is that of a message in the order of all messages of a session and direction: by Epoch,
// then by MsgSeqNum.
type Place struct {
	Epoch     uint64 // the session's number of resets, plus 1; 0: before all
	MsgSeqNum uint64 // 34
}

// Less reports whether p comes before other.
func (p Place) Less(other Place) bool {
	if p.Epoch != other.Epoch {
		return p.Epoch < other.Epoch
	}
	return p.MsgSeqNum < other.MsgSeqNum
}

// Cursor is the last message of a session that the program has handled. Keep it in your own store,
// written together with the effect of the message.
type Cursor struct {
	Session string
	OfSent  bool // an observer's: of the messages that the session has sent
	Place   Place
}

// Role is what a client may do.
type Role string

const (
	Trader   Role = "trader"
	Observer Role = "observer"
)

// Session is what the gateway says of a session when the client attaches.
type Session struct {
	Name     string
	LoggedOn bool
	Received Place // the last message from the counterparty
	Sent     Place // the last message to the counterparty
}

// Event is a Received, a StateChanged, a Refused, a CaughtUp, a Detached or a Reattached.
type Event interface{ event() }

// Received is an application message.
type Received struct {
	Session     string
	Place       Place
	FromJournal bool   // it arrived before the client attached
	OfSent      bool   // an observer's copy of a message that the session has sent
	Bytes       []byte // the message as it came; Parse() reads it
}

// Cursor is the one to keep after the message is handled.
func (r Received) Cursor() Cursor {
	return Cursor{Session: r.Session, OfSent: r.OfSent, Place: r.Place}
}

// StateChanged says that a session has logged on or out.
type StateChanged struct {
	Session  string
	Epoch    uint64
	LoggedOn bool
	Reason   string // for people
}

// Refused says that a message whose Accepted has Stored is never sent: the session was reset before
// its next Logon. Its Code is Reset, and its Number is that of the message.
type Refused struct{ *RefusedError }

// CaughtUp says that all messages of the journal have come: what follows arrives now.
type CaughtUp struct{}

// Detached says that the connection to the gateway is lost. The client attaches again by itself.
type Detached struct{ Err error }

// Reattached says that the client is attached again. Messages that were sent without an answer have
// been sent again, exactly those that the gateway has not accepted.
type Reattached struct{ Sessions []Session }

func (Received) event()     {}
func (StateChanged) event() {}
func (Refused) event()      {}
func (CaughtUp) event()     {}
func (Detached) event()     {}
func (Reattached) event()   {}

// Accepted says that a message and its number are in the gateway's journal.
type Accepted struct {
	Session string
	Number  uint64
	// The message's own; zero if the number was accepted before and the gateway does not know it.
	Place Place
	// The gateway has accepted the number before, such as before a lost connection. It has sent
	// the message once.
	Duplicate bool
	// The session is not logged on: a resend sends the message after its next Logon
	// (SendWhileLoggedOut).
	Stored bool
}

// RefuseCode says why a message was not sent.
type RefuseCode uint32

const (
	BadMessage    RefuseCode = iota + 1 // the body is no FIX message, or a value cannot be sent
	NotAllowed                          // an observer, another session, or another client owns it
	SessionClosed                       // not logged on, and it does not keep the message
	RateLimited                         // OutboundMessages: the session's limit is reached
	Unavailable                         // the engine stops, or its disk is full
	AfterRefused                        // sent before the Refused of an earlier message had come
	Reset                               // of a Refused: it was stored, and a reset came first
)

// RefusedError says that nothing was sent. The next message takes the number.
type RefusedError struct {
	Session string
	Number  uint64
	Code    RefuseCode
	Reason  string
	WaitMs  uint64 // of RateLimited: the milliseconds to wait
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("nexusfix: message %d to %s was refused: %s", e.Number, e.Session, e.Reason)
}

// CloseCode says why the connection ended.
type CloseCode uint32

const (
	Version         CloseCode = iota + 1 // another version of the protocol
	Denied                               // unknown name or token
	AlreadyAttached                      // another connection has this name
	BadFrame                             // a frame that breaks a rule of the protocol
	TooSlow                              // the client reads too slowly
	NoHello                              // no Hello in time, or too many connections
	Stopping                             // the gateway stops
	CursorInvalid                        // a cursor that the session never reached
	MessagesGone                         // the journal does not have the messages any more
	ClientEnds                           // the client ends
	NoSharedMemory                       // there is none for the client: Reason says why
)

// ClosedError says that the gateway, or the client, has ended the connection and why.
type ClosedError struct {
	Code   CloseCode
	Reason string
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("nexusfix: closed with code %d: %s", e.Code, e.Reason)
}

// isFinal reports whether another attempt to attach has the same end.
func (e *ClosedError) isFinal() bool {
	switch e.Code {
	case Version, Denied, BadFrame, CursorInvalid, MessagesGone, ClientEnds:
		return true
	}
	return false
}
