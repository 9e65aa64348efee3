package nexusfix

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

const testRingBytes = 4096

func testMemory() []byte { return make([]byte, ringHeaderBytes+2*testRingBytes) }

func testRing(memory []byte) *ring {
	return &ring{memory: memory, headAt: 0x200, begin: ringHeaderBytes, bytes: testRingBytes,
		frameMax: testRingBytes/2 - wordBytes}
}

func TestRingKeepsFramesOfAnySizeInTheirOrder(t *testing.T) {
	memory := testMemory()
	producer, consumer := testRing(memory), testRing(memory)
	frameOf := func(number int) []byte {
		return bytes.Repeat([]byte{byte(number)}, 1+number*37%(testRingBytes/2-wordBytes))
	}
	written, read := 0, 0
	for turn := 0; turn < 5000; turn++ {
		done, err := producer.write(frameOf(written))
		if err != nil {
			t.Fatal(err)
		}
		if done {
			written++
		}
		for i := turn % 3; i > 0; i-- {
			got, err := consumer.read()
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				break
			}
			if !bytes.Equal(got, frameOf(read)) {
				t.Fatalf("frame %d has %d bytes", read, len(got))
			}
			read++
		}
	}
	if read < 1000 || written < read {
		t.Fatalf("%d frames written, %d read", written, read)
	}
	if _, err := producer.write(make([]byte, testRingBytes/2)); err == nil {
		t.Fatal("a frame that is too long was written")
	}
}

func TestRingWakesASleeperOnce(t *testing.T) {
	sleeper := testRing(testMemory())
	if !sleeper.beginSleep() || sleeper.takeSleeper() != wakeBySocket || sleeper.takeSleeper() != 0 {
		t.Fatal("it is not woken once by the socket")
	}
	memory := testMemory()
	if done, err := testRing(memory).write([]byte("x")); !done || err != nil {
		t.Fatal(done, err)
	}
	if testRing(memory).beginSleep() {
		t.Fatal("it sleeps although there is a frame")
	}
}

func TestRingThatNoGatewayWritesIsRefused(t *testing.T) {
	var closed *ClosedError
	for _, word := range []uint64{1<<32 | 40, jumpToStart, 3000, testRingBytes, 1 << 31} {
		memory := testMemory()
		binary.LittleEndian.PutUint64(memory[ringHeaderBytes:], word)
		if _, err := testRing(memory).read(); !errors.As(err, &closed) {
			t.Errorf("word %x: %v", word, err)
		}
	}
	memory := testMemory()
	binary.LittleEndian.PutUint64(memory[0x200:], 1<<20) // more than was ever written
	producer := testRing(memory)
	for done, err := true, error(nil); ; done, err = producer.write(make([]byte, 1000)) {
		if errors.As(err, &closed) {
			return
		}
		if !done {
			t.Fatal("an impossible head was accepted")
		}
	}
}

func testHeader() []byte {
	memory := testMemory()
	copy(memory, "NXFXRING")
	le := binary.LittleEndian
	le.PutUint32(memory[0x08:], ringLayout)
	le.PutUint32(memory[0x0C:], ringHeaderBytes)
	le.PutUint32(memory[0x18:], testRingBytes/2-wordBytes)
	le.PutUint32(memory[ringStateAt:], ringIsOpen)
	for at, value := range map[int]int{0x10: len(memory), 0x30: 7, 0x38: ringHeaderBytes,
		0x40: testRingBytes, 0x48: ringHeaderBytes + testRingBytes, 0x50: testRingBytes} {
		le.PutUint64(memory[at:], uint64(value))
	}
	return memory
}

func TestHeaderOfSharedMemoryIsChecked(t *testing.T) {
	if _, err := ringIn(testHeader(), 7); err != nil {
		t.Fatal(err)
	}
	if _, err := ringIn(testHeader(), 8); err == nil {
		t.Error("another key is accepted")
	}
	for _, at := range []int{0, 8, 0x0C, 0x10, 0x18, 0x38, 0x40, 0x48, 0x50} {
		memory := testHeader()
		memory[at]++
		if _, err := ringIn(memory, 7); err == nil {
			t.Errorf("another value at %x is accepted", at)
		}
	}
}
