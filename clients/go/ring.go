package nexusfix

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

const (
	wordBytes       = 8
	sleepsAfterHead = 0x80
	wakeBySocket    = 2
	lowHalf         = 1<<32 - 1
	jumpToStart     = lowHalf
)

// ring is one ring of docs/reference/gateway-memory.md, as its producer or its consumer. One
// goroutine at a time. The atomic loads and stores of Go are sequentially consistent.
type ring struct {
	memory   []byte
	headAt   uint64
	begin    uint64 // in the memory
	bytes    uint64 // a power of two
	frameMax uint64
	position uint64 // of the next record
	seen     uint64 // head: as the producer last read it, or the consumer last wrote it
}

func (r *ring) long(at uint64) *uint64 { return (*uint64)(unsafe.Pointer(&r.memory[at])) }
func (r *ring) head() *uint64          { return r.long(r.headAt) }
func (r *ring) at(position uint64) uint64 {
	return r.begin + position&(r.bytes-1)
}
func (r *ring) word(position uint64) *uint64 { return r.long(r.at(position)) }
func (r *ring) sleeps() *uint32 {
	return (*uint32)(unsafe.Pointer(&r.memory[r.headAt+sleepsAfterHead]))
}

func recordBytes(frameBytes uint64) uint64 {
	return wordBytes + (frameBytes+wordBytes-1)&^(wordBytes-1)
}

func wordOf(position, size uint64) uint64 { return position<<32 | size }

// write copies a frame into the ring. False: it is full.
func (r *ring) write(frame []byte) (bool, error) {
	size := uint64(len(frame))
	if size == 0 || size > r.frameMax {
		return false, fmt.Errorf("nexusfix: a frame of %d bytes, %d at most", size, r.frameMax)
	}
	record := recordBytes(size)
	begin := r.position
	if untilEnd := r.bytes - begin&(r.bytes-1); untilEnd < record {
		begin += untilEnd
	}
	end := begin + record
	if end+wordBytes-r.seen > r.bytes {
		head := atomic.LoadUint64(r.head())
		if head < r.seen || head > r.position {
			return false, badFrame("a read position in the shared memory that is impossible")
		}
		r.seen = head
		if end+wordBytes-head > r.bytes {
			return false, nil
		}
	}
	// The consumer finds no word of an earlier lap there.
	atomic.StoreUint64(r.word(end), 0)
	copy(r.memory[r.at(begin)+wordBytes:], frame)
	word := wordOf(begin, size)
	if begin != r.position {
		atomic.StoreUint64(r.word(begin), word)
		word = wordOf(r.position, jumpToStart)
	}
	atomic.SwapUint64(r.word(r.position), word) // from here on the consumer sees the frame
	r.position = end
	return true, nil
}

// takeSleeper says after write() how the consumer wants to be woken; 0: it does not sleep. It is
// asked once.
func (r *ring) takeSleeper() uint32 {
	if atomic.LoadUint32(r.sleeps()) == 0 {
		return 0
	}
	return atomic.SwapUint32(r.sleeps(), 0)
}

func (r *ring) isEmpty() bool { return atomic.LoadUint64(r.word(r.position)) == 0 }

// read copies the next frame; nil: there is none.
func (r *ring) read() ([]byte, error) {
	word := atomic.LoadUint64(r.word(r.position))
	if word&lowHalf == jumpToStart {
		at := r.position & (r.bytes - 1)
		if err := r.check(word); err != nil {
			return nil, err
		}
		if at == 0 {
			return nil, badFrame("a jump in the shared memory that leads nowhere")
		}
		r.position += r.bytes - at
		word = atomic.LoadUint64(r.word(r.position))
	}
	if word == 0 {
		r.release()
		return nil, nil
	}
	if err := r.check(word); err != nil {
		return nil, err
	}
	size := word & lowHalf
	if size == 0 || size > r.frameMax || recordBytes(size) > r.bytes-r.position&(r.bytes-1) {
		return nil, badFrame("a record in the shared memory with an impossible size")
	}
	frame := make([]byte, size)
	copy(frame, r.memory[r.at(r.position)+wordBytes:])
	r.position += recordBytes(size)
	if r.position-r.seen >= r.bytes/8 {
		r.release()
	}
	return frame, nil
}

func (r *ring) check(word uint64) error {
	if word>>32 != r.position&lowHalf {
		return badFrame("a torn record in the shared memory")
	}
	return nil
}

// release gives the producer the room of what was read.
func (r *ring) release() {
	if r.position != r.seen {
		r.seen = r.position
		atomic.StoreUint64(r.head(), r.seen)
	}
}

// beginSleep asks the producer for a byte on the socket. False: there is a frame.
func (r *ring) beginSleep() bool {
	atomic.StoreUint32(r.sleeps(), wakeBySocket)
	if r.isEmpty() {
		return true
	}
	r.endSleep()
	return false
}

func (r *ring) endSleep() { atomic.StoreUint32(r.sleeps(), 0) }
