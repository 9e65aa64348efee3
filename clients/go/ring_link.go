package nexusfix

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	ringLayout      = 1
	ringHeaderBytes = 4096
	ringBytesMin    = 4096
	ringBytesMax    = 1 << 30
	ringStateAt     = 0x80
	ringIsOpen      = 1
	// A reader polls so long before it sleeps.
	ringSpin     = 20 * time.Microsecond
	ringFullWait = 20 * time.Microsecond
	ringFullMax  = 10 * time.Second
)

// ringLink is the shared memory of docs/reference/gateway-memory.md. The socket stays open: a byte
// on it wakes the side that sleeps, and its end is the end of the other process.
type ringLink struct {
	net.Conn
	inbound  ring
	outbound ring
	hasEnded atomic.Bool
	state    *uint32

	mutex  sync.Mutex // of memory, for write() and release()
	memory []byte     // nil: released
}

// openRing maps the file that the Welcome names.
func openRing(conn net.Conn, path string, key uint64) (*ringLink, error) {
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < ringHeaderBytes {
		return nil, fmt.Errorf("nexusfix: %s: is no shared memory of a gateway", path)
	}
	memory, err := syscall.Mmap(int(file.Fd()), 0, int(info.Size()),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("nexusfix: %s: cannot be mapped: %w", path, err)
	}
	l, err := ringIn(memory, key)
	if err != nil {
		_ = syscall.Munmap(memory)
		return nil, fmt.Errorf("nexusfix: %s: %w", path, err)
	}
	l.Conn = conn
	return l, nil
}

// ringIn checks the header of the memory.
func ringIn(memory []byte, key uint64) (*ringLink, error) {
	long := func(at int) uint64 { return binary.LittleEndian.Uint64(memory[at:]) }
	word := func(at int) uint64 { return uint64(binary.LittleEndian.Uint32(memory[at:])) }
	isRing := func(bytes uint64) bool {
		return bytes >= ringBytesMin && bytes <= ringBytesMax && bytes&(bytes-1) == 0
	}
	toGateway, toClient, frameMax := long(0x40), long(0x50), word(0x18)
	switch {
	case !bytes.Equal(memory[:8], []byte("NXFXRING")):
		return nil, errors.New("is no shared memory of a gateway")
	case word(0x08) != ringLayout:
		return nil, fmt.Errorf("has layout version %d, and this client knows %d", word(0x08),
			ringLayout)
	case long(0x30) != key:
		return nil, errors.New("is the shared memory of another client")
	case word(0x0C) != ringHeaderBytes || long(0x10) != uint64(len(memory)) ||
		!isRing(toGateway) || !isRing(toClient) || long(0x38) != ringHeaderBytes ||
		long(0x48) != ringHeaderBytes+toGateway ||
		ringHeaderBytes+toGateway+toClient != uint64(len(memory)) ||
		frameMax < headerBytes || frameMax > min(toGateway, toClient)/2-wordBytes:
		return nil, errors.New("its sizes are impossible")
	}
	return &ringLink{memory: memory, state: (*uint32)(unsafe.Pointer(&memory[ringStateAt])),
		inbound: ring{memory: memory, headAt: 0x200, begin: ringHeaderBytes + toGateway,
			bytes: toClient, frameMax: frameMax},
		outbound: ring{memory: memory, headAt: 0x100, begin: ringHeaderBytes, bytes: toGateway,
			frameMax: frameMax}}, nil
}

// catchFault makes an error of a page that the file has lost.
func catchFault(err *error) {
	switch fault := recover().(type) {
	case nil:
	case interface {
		error
		Addr() uintptr
	}:
		*err = fmt.Errorf("nexusfix: the file of the shared memory was truncated: %w", fault)
	default:
		panic(fault)
	}
}

func (l *ringLink) isClosed() bool { return atomic.LoadUint32(l.state) != ringIsOpen }

func (l *ringLink) next() (f frame, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchFault(&err)
	for {
		// Before the look into the ring: what the gateway wrote before its end is read.
		isOver := l.hasEnded.Load() || l.isClosed()
		data, err := l.inbound.read()
		if data == nil && err == nil && !isOver {
			for begin := time.Now(); l.inbound.isEmpty() && time.Since(begin) < ringSpin; {
			}
			data, err = l.inbound.read()
		}
		switch {
		case err != nil:
			return frame{}, err
		case data != nil:
			return wholeFrame(data)
		case isOver:
			return frame{}, io.EOF
		}
		if err := l.sleep(); err != nil {
			return frame{}, err
		}
	}
}

func wholeFrame(data []byte) (frame, error) {
	from := bytes.NewReader(data)
	f, err := readFrame(from)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || (err == nil && from.Len() > 0) {
		return frame{}, badFrame("a frame whose length is not that of its record")
	}
	return f, err
}

func (l *ringLink) sleep() error {
	if !l.inbound.beginSleep() {
		return nil
	}
	defer l.inbound.endSleep()
	// After beginSleep(): a gateway that closes the ring wakes only what sleeps by then.
	if l.isClosed() {
		return nil
	}
	var wakes [256]byte
	_, err := l.Conn.Read(wakes[:])
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
		l.hasEnded.Store(true)
		return nil
	}
	return err
}

func (l *ringLink) write(frames []byte) (err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.memory == nil {
		return net.ErrClosed
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catchFault(&err)
	for len(frames) > 0 {
		var first []byte
		first, frames = firstFrame(frames)
		if err := l.writeOne(first); err != nil {
			l.Conn.Close()
			return err
		}
	}
	if l.outbound.takeSleeper() != 0 {
		_, err = l.Conn.Write([]byte{0})
	}
	return err
}

func (l *ringLink) writeOne(frame []byte) error {
	begin := time.Now()
	for {
		done, err := l.outbound.write(frame)
		if done || err != nil {
			return err
		}
		if l.outbound.takeSleeper() != 0 {
			_, _ = l.Conn.Write([]byte{0})
		}
		if l.hasEnded.Load() || l.isClosed() || time.Since(begin) > ringFullMax {
			return errors.New("nexusfix: the gateway does not read")
		}
		time.Sleep(ringFullWait)
	}
}

func (l *ringLink) release() {
	l.Conn.Close()
	l.hasEnded.Store(true) // a write that waits ends
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.memory != nil {
		_ = syscall.Munmap(l.memory)
		l.memory = nil
	}
}
