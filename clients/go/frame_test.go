package nexusfix

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSendHasTheBytesOfTheDocument(t *testing.T) {
	body := strings.ReplaceAll("35=D|11=A1|55=AAPL|54=1|38=100|40=1|21=1|59=0|", "|", "\x01")
	got := appendFrame(nil, frame{kind: kindSend, number: 7, body: []byte(body)})
	want := "56000000" + "01030000" + strings.Repeat("00", 24) + "0700000000000000"
	if hex.EncodeToString(got[:headerBytes]) != want {
		t.Errorf("%x", got[:headerBytes])
	}
	if string(got[headerBytes:]) != body {
		t.Errorf("%q", got[headerBytes:])
	}
}

func TestFrameIsReadAgainAndATornOneIsNot(t *testing.T) {
	whole := appendFrame(nil, frame{kind: kindMessage, flags: 3, session: 2, code: 4,
		place: Place{5, 6}, number: 7, body: []byte("35=8\x01")})
	read, err := readFrame(bytes.NewReader(whole))
	if err != nil || !bytes.Equal(appendFrame(nil, read), whole) {
		t.Fatalf("%v, %v", read, err)
	}
	for size := 1; size < len(whole); size++ {
		if _, err := readFrame(bytes.NewReader(whole[:size])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestBytesThatAreNoFrameAreNamed(t *testing.T) {
	good := appendFrame(nil, frame{kind: kindCaughtUp})
	for _, wrong := range []struct{ at, value byte }{{0, 39}, {3, 1}, {4, 2}} {
		bad := bytes.Clone(good)
		bad[wrong.at] = wrong.value
		var closed *ClosedError
		if _, err := readFrame(bytes.NewReader(bad)); !errors.As(err, &closed) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

func TestWelcomeIsReadByLine(t *testing.T) {
	body := "gateway=1\nrole=observer\nlater=x\nsession=0 2 30 40 on FIX.4.4:A->B\n" +
		"session=1 1 0 0 off with a blank\n"
	w, err := readWelcome(frame{number: 9, body: []byte(body)})
	if err != nil || w.role != Observer || w.lastAccepted != 9 || len(w.sessions) != 2 {
		t.Fatalf("%v, %v", w, err)
	}
	if w.sessions[0] != (Session{"FIX.4.4:A->B", true, Place{2, 30}, Place{2, 40}}) ||
		w.sessions[1].Name != "with a blank" || w.sessions[1].LoggedOn {
		t.Errorf("%v", w.sessions)
	}
	for _, line := range []string{"session=1 1 0 0 on x\n", "session=0 x 0 0 on x\n", "session=0 1"} {
		if _, err := readWelcome(frame{body: []byte(line)}); err == nil {
			t.Errorf("%q is read", line)
		}
	}
}

func TestHelloRefusesLineFeedsAndTooManyCursors(t *testing.T) {
	long := make([]Cursor, 5000)
	for i := range long {
		long[i].Session = "FIX.4.4:SENDER->TARGET"
	}
	for _, wrong := range []struct {
		name    string
		cursors []Cursor
	}{{"a\nb", nil}, {"a", []Cursor{{Session: "a\nb"}}}, {"a", long}} {
		if _, err := helloBody(Options{Name: wrong.name}, wrong.cursors); err == nil {
			t.Errorf("%q with %d cursors is no error", wrong.name, len(wrong.cursors))
		}
	}
}
