package nexusfix

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"sort"
	"time"
)

// connect attaches once: Hello, Welcome, and the messages that wait for an answer.
func (c *Client) connect(ctx context.Context) (link, error) {
	hello, err := helloBody(c.options, c.cursors())
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", c.options.Socket)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	by, answer, err := c.greet(conn, hello)
	if !stop() {
		if err == nil {
			by.release()
		}
		conn.Close()
		return nil, ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	again, err := c.adopt(by, answer)
	if err != nil {
		conn.Close()
		by.release()
		return nil, err
	}
	if len(again) > 0 {
		_ = by.write(again) // after an error the reader sees the lost connection
	}
	return by, nil
}

// greet says Hello. It returns what all later frames go by.
func (c *Client) greet(conn net.Conn, hello []byte) (link, welcome, error) {
	bySocket := &socketLink{conn, bufio.NewReaderSize(conn, 1<<16)}
	err := bySocket.write(appendFrame(nil, frame{kind: kindHello, body: hello}))
	if err != nil {
		return nil, welcome{}, err
	}
	f, err := bySocket.next()
	switch {
	case err != nil:
		return nil, welcome{}, err
	case f.kind == kindClosed:
		return nil, welcome{}, &ClosedError{CloseCode(f.code), string(f.body)}
	case f.kind != kindWelcome:
		return nil, welcome{}, badFrame("a frame of kind %d instead of the Welcome", f.kind)
	}
	answer, err := readWelcome(f)
	if err != nil || !c.options.SharedMemory {
		return bySocket, answer, err
	}
	if answer.ring == "" {
		return nil, answer, &ClosedError{NoSharedMemory, "the gateway has no shared memory"}
	}
	byRing, err := openRing(conn, answer.ring, answer.ringKey)
	if err != nil {
		return nil, answer, err
	}
	return byRing, answer, nil
}

// cursors are the last messages that the program was given, or those of its own store.
func (c *Client) cursors() []Cursor {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var all []Cursor
	for of, place := range c.places {
		all = append(all, Cursor{Session: of.session, OfSent: of.ofSent, Place: place})
	}
	sort.Slice(all, func(a, b int) bool { return all[a].Session < all[b].Session })
	return all
}

// adopt makes a connection the client's own. It returns the frames to send again: those with a
// higher number than the last one that the gateway has accepted.
func (c *Client) adopt(by link, answer welcome) ([]byte, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.context.Err() != nil {
		return nil, context.Canceled
	}
	c.link, c.welcome, c.indexes = by, answer, map[string]uint32{}
	c.refused, c.again = nil, 0
	c.accepted, c.last = answer.lastAccepted, max(c.last, answer.lastAccepted)
	for index, session := range answer.sessions {
		c.indexes[session.Name] = uint32(index)
		c.begin(stream{session.Name, false}, session.Received)
		if answer.role == Observer {
			c.begin(stream{session.Name, true}, session.Sent)
		}
	}
	var again []byte
	var pending []*Sending
	for _, s := range c.pending {
		index, ok := c.indexes[s.session]
		switch {
		case s.Number <= answer.lastAccepted:
			s.finish(Accepted{Session: s.session, Number: s.Number, Duplicate: true}, nil)
		case c.options.NoResend:
			s.finish(Accepted{}, ErrNotSent)
		case !ok:
			s.finish(Accepted{}, fmt.Errorf("%w: the gateway has no session %q any more",
				ErrNotSent, s.session))
		default:
			again = append(again, s.frame(index)...)
			pending = append(pending, s)
		}
	}
	c.pending = pending
	return again, nil
}

// begin sets the place after which a stream without a cursor goes on after a lost connection.
func (c *Client) begin(of stream, place Place) {
	if _, ok := c.places[of]; !ok {
		c.places[of] = place
	}
}

// run reads until the client ends.
func (c *Client) run(by link) {
	defer close(c.ended)
	for {
		err := c.read(by)
		c.detach()
		by.release()
		if !c.isEnd(err) && !c.put(Detached{err}) {
			err = errQueueFull
		}
		if !c.isEnd(err) {
			by, err = c.reattach()
		}
		if err == nil && !c.put(Reattached{c.Sessions()}) {
			c.detach()
			by.release()
			err = errQueueFull
		}
		if c.isEnd(err) {
			c.end(err)
			return
		}
	}
}

func (c *Client) isEnd(err error) bool {
	var closed *ClosedError
	return c.context.Err() != nil || errors.Is(err, errQueueFull) ||
		(errors.As(err, &closed) && closed.isFinal())
}

var errQueueFull error = &ClosedError{TooSlow,
	"the program receives events too slowly: QueueMax wait"}

// put gives an event to Receive(). False: the queue is full.
func (c *Client) put(event Event) bool {
	select {
	case c.events <- event:
		return true
	default:
		return false
	}
}

func (c *Client) detach() {
	c.mutex.Lock()
	by := c.link
	c.link = nil
	c.mutex.Unlock()
	if by != nil {
		by.Close()
	}
}

func (c *Client) reattach() (link, error) {
	delay := c.options.RetryMin
	for {
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-c.context.Done():
			timer.Stop()
			return nil, c.context.Err()
		}
		by, err := c.connect(c.context)
		if err == nil || c.isEnd(err) {
			return by, err
		}
		delay = min(2*delay, c.options.RetryMax)
	}
}

// end answers what waits.
func (c *Client) end(err error) {
	if c.context.Err() != nil {
		err = &ClosedError{ClientEnds, "the client has ended"}
	}
	c.cancel()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.err = err
	for _, s := range c.pending {
		s.finish(Accepted{}, err)
	}
	c.pending = nil
	close(c.events)
}

// read handles the frames of one connection, and returns why there are no more.
func (c *Client) read(by link) error {
	for {
		f, err := by.next()
		if err != nil {
			return err
		}
		event, err := c.handle(f)
		if err != nil {
			return err
		}
		if event != nil && !c.put(event) {
			return errQueueFull
		}
	}
}

func (c *Client) handle(f frame) (Event, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch f.kind {
	case kindCaughtUp:
		return CaughtUp{}, nil
	case kindClosed:
		return nil, &ClosedError{CloseCode(f.code), string(f.body)}
	}
	if int(f.session) >= len(c.welcome.sessions) {
		return nil, badFrame("a frame of session %d, of %d", f.session, len(c.welcome.sessions))
	}
	name := c.welcome.sessions[f.session].Name
	switch f.kind {
	case kindMessage:
		of := stream{name, f.flags&flagSent != 0}
		if before, ok := c.places[of]; ok && !before.Less(f.place) {
			return nil, nil // the program has it
		}
		c.places[of] = f.place
		return Received{Session: name, Place: f.place, FromJournal: f.flags&flagFromJournal != 0,
			OfSent: of.ofSent, Bytes: f.body}, nil
	case kindSessionState:
		return StateChanged{name, f.place.Epoch, f.code == 1, string(f.body)}, nil
	case kindAccepted:
		c.answer(f.number, Accepted{Session: name, Number: f.number, Place: f.place,
			Duplicate: f.flags&flagDuplicate != 0, Stored: f.flags&flagStored != 0}, nil)
	case kindRefused:
		return c.refuse(&RefusedError{Session: name, Number: f.number, Code: RefuseCode(f.code),
			Reason: string(f.body), WaitMs: f.place.MsgSeqNum}), nil
	default:
		return nil, badFrame("a frame of kind %d", f.kind)
	}
	return nil, nil
}

// refuse answers a message, and those that left after it: the gateway accepts none of them before
// the number is used again (in-order=1). Its own answers to them come after this one.
func (c *Client) refuse(why *RefusedError) Event {
	if why.Code == Reset {
		why.WaitMs = 0
		return Refused{why}
	}
	if why.Code == AfterRefused && len(c.refused) > 0 && c.refused[0] == why.Number {
		c.refused = c.refused[1:]
		return nil
	}
	c.answer(why.Number, Accepted{}, why)
	var pending []*Sending
	for _, s := range c.pending {
		if s.Number < why.Number {
			pending = append(pending, s)
			continue
		}
		s.finish(Accepted{}, &RefusedError{Session: s.session, Number: s.Number, Code: AfterRefused,
			Reason: fmt.Sprintf("message %d was refused before", why.Number)})
		c.refused = append(c.refused, s.Number)
	}
	c.pending, c.last, c.again = pending, why.Number-1, why.Number
	return nil
}

func (c *Client) answer(number uint64, accepted Accepted, err error) {
	for i, s := range c.pending {
		if s.Number == number {
			c.pending = append(c.pending[:i], c.pending[i+1:]...)
			s.finish(accepted, err)
			return
		}
	}
}
