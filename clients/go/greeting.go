package nexusfix

import (
	"fmt"
	"strconv"
	"strings"
)

const helloBytesMax = 64 << 10

// helloBody writes the lines of a Hello.
func helloBody(options Options, cursors []Cursor) ([]byte, error) {
	name, token := options.Name, options.Token
	var out strings.Builder
	fmt.Fprintf(&out, "name=%s\nin-order=1\n", name)
	if token != "" {
		fmt.Fprintf(&out, "token=%s\n", token)
	}
	if options.SharedMemory {
		fmt.Fprintf(&out, "ring=%d\n", ringLayout)
	}
	for _, c := range cursors {
		key := "cursor"
		if c.OfSent {
			key = "sent"
		}
		fmt.Fprintf(&out, "%s=%d %d %s\n", key, c.Place.Epoch, c.Place.MsgSeqNum, c.Session)
		if strings.Contains(c.Session, "\n") {
			return nil, fmt.Errorf("nexusfix: the name of session %q has a line feed", c.Session)
		}
	}
	if strings.Contains(name, "\n") || strings.Contains(token, "\n") {
		return nil, fmt.Errorf("nexusfix: the client's name or its token has a line feed")
	}
	if out.Len() > helloBytesMax {
		return nil, fmt.Errorf("nexusfix: the cursors need %d bytes, %d at most", out.Len(),
			helloBytesMax)
	}
	return []byte(out.String()), nil
}

type welcome struct {
	gateway      string
	role         Role
	sessions     []Session
	lastAccepted uint64
	ring         string // the path of the shared memory; empty: there is none
	ringKey      uint64
}

// readWelcome reads the lines of a Welcome. It ignores lines of keys that it does not know.
func readWelcome(f frame) (welcome, error) {
	w := welcome{lastAccepted: f.number}
	for _, line := range strings.Split(strings.TrimSuffix(string(f.body), "\n"), "\n") {
		key, value, _ := strings.Cut(line, "=")
		switch key {
		case "gateway":
			w.gateway = value
		case "role":
			w.role = Role(value)
		case "ring":
			digits, path, _ := strings.Cut(value, " ")
			key, err := strconv.ParseUint(digits, 16, 64)
			if err != nil {
				return welcome{}, badFrame("the Welcome has the line %q", line)
			}
			w.ring, w.ringKey = path, key
		case "session":
			parts := strings.SplitN(value, " ", 6)
			var s Session
			var index int
			if len(parts) != 6 {
				return welcome{}, badFrame("the Welcome has the line %q", line)
			}
			_, err := fmt.Sscanf(strings.Join(parts[:4], " "), "%d %d %d %d", &index,
				&s.Received.Epoch, &s.Received.MsgSeqNum, &s.Sent.MsgSeqNum)
			if err != nil || index != len(w.sessions) {
				return welcome{}, badFrame("the Welcome has the line %q", line)
			}
			s.Sent.Epoch, s.LoggedOn, s.Name = s.Received.Epoch, parts[4] == "on", parts[5]
			w.sessions = append(w.sessions, s)
		}
	}
	return w, nil
}
