package nexusfix

import (
	"bufio"
	"encoding/binary"
	"net"
)

// link is what the frames of one connection go by. One goroutine reads, and one at a time writes.
type link interface {
	// next waits for the next frame.
	next() (frame, error)
	// write writes whole frames, and waits while the gateway does not read.
	write(frames []byte) error
	// Close ends the connection, and wakes next(). Any goroutine.
	Close() error
	// release gives memory back, by the goroutine that reads, after its last next().
	release()
}

// socketLink is the gateway's Unix socket.
type socketLink struct {
	net.Conn
	reader *bufio.Reader
}

func (l *socketLink) next() (frame, error) { return readFrame(l.reader) }

func (l *socketLink) write(frames []byte) error {
	_, err := l.Conn.Write(frames)
	return err
}

func (l *socketLink) release() {}

// firstFrame divides frames, which are whole.
func firstFrame(frames []byte) (first, rest []byte) {
	size := binary.LittleEndian.Uint32(frames)
	return frames[:size], frames[size:]
}
