package nexusfix

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The frames of docs/reference/gateway-protocol.md.
const (
	protocolVersion = 1
	headerBytes     = 40
	frameBytesMax   = 1<<20 + 4<<10
	bodyBytesMax    = frameBytesMax - headerBytes
)

type frameKind uint8

const (
	kindHello frameKind = iota + 1
	kindWelcome
	kindSend
	kindAccepted
	kindRefused
	kindMessage
	kindSessionState
	kindCaughtUp
	kindClosed
)

const (
	flagDuplicate   = 1 // of Accepted
	flagStored      = 2 // of Accepted
	flagFromJournal = 1 // of Message
	flagSent        = 2 // of Message
)

// frame is a header and its body. The length is that of the body and the header.
type frame struct {
	kind    frameKind
	flags   uint16
	session uint32
	code    uint32
	place   Place
	number  uint64
	body    []byte
}

func appendFrame(out []byte, f frame) []byte {
	le := binary.LittleEndian
	out = le.AppendUint32(out, uint32(headerBytes+len(f.body)))
	out = append(out, protocolVersion, byte(f.kind))
	out = le.AppendUint16(out, f.flags)
	out = le.AppendUint32(out, f.session)
	out = le.AppendUint32(out, f.code)
	out = le.AppendUint64(out, f.place.Epoch)
	out = le.AppendUint64(out, f.place.MsgSeqNum)
	out = le.AppendUint64(out, f.number)
	return append(out, f.body...)
}

// readFrame reads one whole frame. io.EOF: the connection ended between two frames;
// io.ErrUnexpectedEOF: it ended inside one. A *ClosedError: these bytes are no frame.
func readFrame(from io.Reader) (frame, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return frame{}, err
	}
	le := binary.LittleEndian
	length := le.Uint32(header[:])
	if length < headerBytes || length > frameBytesMax {
		return frame{}, badFrame("a frame of %d bytes: it has %d to %d", length, headerBytes,
			frameBytesMax)
	}
	if header[4] != protocolVersion {
		return frame{}, badFrame("the gateway speaks version %d of the protocol, this client %d",
			header[4], protocolVersion)
	}
	f := frame{
		kind:    frameKind(header[5]),
		flags:   le.Uint16(header[6:]),
		session: le.Uint32(header[8:]),
		code:    le.Uint32(header[12:]),
		place:   Place{Epoch: le.Uint64(header[16:]), MsgSeqNum: le.Uint64(header[24:])},
		number:  le.Uint64(header[32:]),
		body:    make([]byte, length-headerBytes),
	}
	if _, err := io.ReadFull(from, f.body); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return frame{}, err
	}
	return f, nil
}

func badFrame(format string, values ...any) error {
	return &ClosedError{Code: BadFrame, Reason: fmt.Sprintf(format, values...)}
}
