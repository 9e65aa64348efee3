package nexusfix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Options say how a client attaches.
type Options struct {
	Socket  string   // the path of the gateway's Unix socket
	Name    string   // as the gateway's file of clients has it
	Token   string   // of this name
	Cursors []Cursor // the last messages that the program has handled, from its own store
	// Messages without an answer are not sent again after a lost connection. Those that the gateway
	// has not accepted are answered with ErrNotSent.
	NoResend bool
	// Frames go by shared memory instead of the socket: no system call for a frame.
	SharedMemory bool
	// Events that wait for Receive(), at most; 0: 65,536. With more the client ends with the code
	// TooSlow: nothing is lost, the program attaches again with its cursor.
	QueueMax int
	// The delay after a lost connection, which doubles from RetryMin to RetryMax. 0: 100 ms and 5 s.
	RetryMin, RetryMax time.Duration
}

// ErrDetached says that there is no connection now, and that nothing was sent.
var ErrDetached = errors.New("nexusfix: not attached to the gateway; nothing was sent")

// ErrNotSent says that the gateway has not accepted a message before the connection was lost.
var ErrNotSent = errors.New("nexusfix: the connection was lost before the message was accepted")

// Client is attached to a gateway, and attaches again after a lost connection. Any goroutine may
// use it.
type Client struct {
	options Options
	context context.Context
	cancel  context.CancelFunc
	events  chan Event
	ended   chan struct{}

	writing sync.Mutex // held from the choice of a number to the write of its frame

	mutex    sync.Mutex // of all below; never held while frames are read or written
	link     link       // nil: detached
	welcome  welcome
	indexes  map[string]uint32
	last     uint64 // the highest number in use
	accepted uint64 // the highest one that was accepted when the client attached
	again    uint64 // was refused, and is the next number; 0: none was
	pending  []*Sending
	refused  []uint64 // finished with AfterRefused; the gateway's own answers come later
	places   map[stream]Place
	err      error // why the client has ended
}

// stream is a direction of a session.
type stream struct {
	session string
	ofSent  bool
}

// Attach connects and waits for the Welcome. The context bounds this call alone: Close() ends the
// client. A *ClosedError: the gateway refuses the client.
func Attach(ctx context.Context, options Options) (*Client, error) {
	if options.QueueMax <= 0 {
		options.QueueMax = 1 << 16
	}
	if options.RetryMin <= 0 {
		options.RetryMin = 100 * time.Millisecond
	}
	if options.RetryMax <= 0 {
		options.RetryMax = 5 * time.Second
	}
	c := &Client{options: options, events: make(chan Event, options.QueueMax),
		ended: make(chan struct{}), places: map[stream]Place{}}
	c.context, c.cancel = context.WithCancel(context.Background())
	for _, cursor := range options.Cursors {
		c.places[stream{cursor.Session, cursor.OfSent}] = cursor.Place
	}
	by, err := c.connect(ctx)
	if err != nil {
		c.cancel()
		return nil, err
	}
	go c.run(by)
	return c, nil
}

// Sessions are those that the client may see, as they were when it attached.
func (c *Client) Sessions() []Session {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]Session(nil), c.welcome.sessions...)
}

// Role is the client's own.
func (c *Client) Role() Role {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.welcome.role
}

// LastAccepted is the highest number whose message was in the gateway's journal when the client
// attached. After a crash, a program that keeps a number with each message sends those with a
// higher number again, by StartAs().
func (c *Client) LastAccepted() uint64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.accepted
}

// Receive waits for the next event. After the client has ended and all events are read, it returns
// why: a *ClosedError, with the code ClientEnds after Close().
func (c *Client) Receive(ctx context.Context) (Event, error) {
	select {
	case event, ok := <-c.events:
		if !ok {
			return nil, c.err
		}
		return event, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the connection and waits until the client's goroutine has ended. The sessions go on.
// Messages without an answer get the error of the client.
func (c *Client) Close() error {
	c.cancel()
	c.mutex.Lock()
	by := c.link
	c.mutex.Unlock()
	if by != nil {
		by.Close()
	}
	<-c.ended
	return nil
}

// Sending is a message that waits for its answer.
type Sending struct {
	Number  uint64
	session string
	body    []byte
	answer  Accepted
	err     error
	done    chan struct{}
}

// Done is closed when there is an answer.
func (s *Sending) Done() <-chan struct{} { return s.done }

// Wait waits for the answer. A *RefusedError: nothing was sent. All messages that left between a
// refused one and its answer have the code AfterRefused. The context's error: there is no
// answer yet, and the message may have been sent.
func (s *Sending) Wait(ctx context.Context) (Accepted, error) {
	select {
	case <-s.done:
		return s.answer, s.err
	case <-ctx.Done():
		return Accepted{}, ctx.Err()
	}
}

func (s *Sending) finish(answer Accepted, err error) {
	s.answer, s.err = answer, err
	close(s.done)
}

// Send sends a message and waits until it is in the gateway's journal, or refused.
func (c *Client) Send(ctx context.Context, session string, message *Message) (Accepted, error) {
	sending, err := c.Start(session, message)
	if err != nil {
		return Accepted{}, err
	}
	return sending.Wait(ctx)
}

// Start sends a message and does not wait. Messages leave in the order of these calls. On an error
// nothing was sent: ErrDetached, a value that cannot be sent, or an unknown session.
func (c *Client) Start(session string, message *Message) (*Sending, error) {
	return c.StartAs(0, session, message)
}

// StartAs is Start with a number of the program's own: higher than every one before, or one that
// was accepted before the client attached, which is answered as a Duplicate. 0: the next one.
// After a RefusedError the next message has the lowest number that was refused.
func (c *Client) StartAs(number uint64, session string, message *Message) (*Sending, error) {
	body, err := message.Bytes()
	if err != nil {
		return nil, err
	}
	if len(body) > bodyBytesMax {
		return nil, fmt.Errorf("nexusfix: a message of %d bytes, %d at most", len(body),
			bodyBytesMax)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	sending, by, index, err := c.enlist(number, session, body)
	if err != nil {
		return nil, err
	}
	// After an error the reader sees the lost connection, and the Welcome decides.
	_ = by.write(sending.frame(index))
	return sending, nil
}

func (s *Sending) frame(index uint32) []byte {
	return appendFrame(make([]byte, 0, headerBytes+len(s.body)),
		frame{kind: kindSend, session: index, number: s.Number, body: s.body})
}

func (c *Client) enlist(number uint64, session string, body []byte) (*Sending, link, uint32,
	error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.err != nil {
		return nil, nil, 0, c.err
	}
	if c.link == nil {
		return nil, nil, 0, ErrDetached
	}
	index, ok := c.indexes[session]
	if !ok {
		return nil, nil, 0, fmt.Errorf("nexusfix: the client sees no session %q", session)
	}
	if number == 0 {
		number = c.last + 1
	} else if number <= c.last && number > c.accepted {
		return nil, nil, 0, fmt.Errorf("nexusfix: number %d comes after number %d", number, c.last)
	} else if c.again != 0 && number > c.again {
		return nil, nil, 0, fmt.Errorf("nexusfix: number %d was refused, and comes before number %d",
			c.again, number)
	}
	if number > c.last {
		c.again = 0
	}
	c.last = max(c.last, number)
	s := &Sending{Number: number, session: session, body: body, done: make(chan struct{})}
	c.pending = append(c.pending, s)
	return s, c.link, index, nil
}
