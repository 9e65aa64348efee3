package nexusfix

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
)

// MsgType is a MsgType (35). The generated package has those of a dictionary.
type MsgType string

// Fields are the fields of a message, or of an entry of a repeating group, in their order.
type Fields struct {
	list []field
	err  error // the first value that cannot be sent
}

type field struct {
	tag     int
	value   []byte
	group   *Group    // of a count field of entries that Add() made
	entries []*Fields // of group
}

// Message is a FIX message. The zero value is not usable: call NewMessage() or Parse(). One
// goroutine at a time uses it.
type Message struct {
	Fields
	Type MsgType
}

// Holder is a *Message, or the *Fields of an entry.
type Holder interface{ fields() *Fields }

func (f *Fields) fields() *Fields { return f }

// NewMessage makes a message without fields. The gateway writes the header.
func NewMessage(t MsgType) *Message { return &Message{Type: t} }

// A data field comes after a field with its length, and may have SOH. Those of FIX 4.0 to 5.0 SP2.
var dataOf = map[int]int{
	90: 91, 93: 89, 95: 96, 212: 213, 348: 349, 350: 351, 352: 353, 354: 355, 356: 357, 358: 359,
	360: 361, 362: 363, 364: 365, 445: 446, 618: 619, 621: 622, 1184: 1185, 1277: 1278,
	1280: 1281, 1282: 1283, 1397: 1398, 1401: 1402, 1403: 1404, 1468: 1469,
}

// Parse reads a whole message, such as the Bytes of a Received. Its fields are views of the bytes.
func Parse(message []byte) (*Message, error) {
	m := &Message{}
	length := -1 // of the next field, which is a data field
	for at := 0; at < len(message); {
		equals := bytes.IndexByte(message[at:], '=')
		if equals <= 0 {
			return nil, fmt.Errorf("nexusfix: byte %d of the message begins no field", at)
		}
		tag, err := strconv.Atoi(string(message[at : at+equals]))
		if err != nil || tag <= 0 {
			return nil, fmt.Errorf("nexusfix: %q is no tag", message[at:at+equals])
		}
		begin := at + equals + 1
		size := bytes.IndexByte(message[begin:], 1)
		if length >= 0 && len(m.list) > 0 && dataOf[m.list[len(m.list)-1].tag] == tag {
			size = length
		}
		if size < 0 || begin+size >= len(message) || message[begin+size] != 1 {
			return nil, fmt.Errorf("nexusfix: field %d does not end with SOH", tag)
		}
		value := message[begin : begin+size]
		length = -1
		if dataOf[tag] != 0 {
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 ||
				length > len(message) {
				return nil, fmt.Errorf("nexusfix: %q is no length of field %d", value, dataOf[tag])
			}
		}
		if tag == 35 && m.Type == "" {
			m.Type = MsgType(value)
		}
		m.list = append(m.list, field{tag: tag, value: value})
		at = begin + size + 1
	}
	if m.Type == "" {
		return nil, fmt.Errorf("nexusfix: the message has no MsgType (35)")
	}
	return m, nil
}

// Bytes writes the message as the body of a Send: 35= and its fields, SOH after each. The error
// names the first value that cannot be sent.
func (m *Message) Bytes() ([]byte, error) {
	out := append([]byte("35="), m.Type...)
	out = append(out, 1)
	return m.Fields.append(out, nil)
}

func (f *Fields) append(out []byte, order []int) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	list := f.list
	if order != nil {
		place := make(map[int]int, len(order))
		for i, tag := range order {
			place[tag] = i - len(order) // below 0: the others come after them
		}
		list = append([]field(nil), list...)
		sort.SliceStable(list, func(a, b int) bool { return place[list[a].tag] < place[list[b].tag] })
	}
	for _, one := range list {
		if one.tag == 35 {
			continue
		}
		value := one.value
		if one.group != nil {
			value = strconv.AppendInt(nil, int64(len(one.entries)), 10)
		}
		out = strconv.AppendInt(out, int64(one.tag), 10)
		out = append(append(append(out, '='), value...), 1)
		for _, entry := range one.entries {
			var err error
			if out, err = entry.append(out, one.group.members); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (f *Fields) find(tag int) int {
	for i := range f.list {
		if f.list[i].tag == tag {
			return i
		}
	}
	return -1
}

// Text is the value of the first field with this tag, and whether there is one. For the fields of a
// venue that the dictionary does not have.
func (f *Fields) Text(tag int) (string, bool) {
	if at := f.find(tag); at >= 0 {
		return string(f.list[at].value), true
	}
	return "", false
}

// SetText sets a field by its tag. A value without bytes, or with SOH, is the error of Bytes().
func (f *Fields) SetText(tag int, value string) {
	if value == "" || bytes.IndexByte([]byte(value), 1) >= 0 {
		f.fail(tag, value, "a value has at least one byte and no SOH")
		return
	}
	f.set(tag, []byte(value))
}

func (f *Fields) set(tag int, value []byte) {
	if at := f.find(tag); at >= 0 {
		f.list[at] = field{tag: tag, value: value}
		return
	}
	f.list = append(f.list, field{tag: tag, value: value})
}

func (f *Fields) fail(tag int, value, reason string) {
	if f.err == nil {
		f.err = &FieldError{Tag: tag, Value: value, Reason: reason}
	}
}

// Group is a repeating group. The generated package has those of a dictionary.
type Group struct {
	count   int
	members []int
	within  map[int]bool // members, and those of the groups in it
}

// NewGroup describes a group: the tag of its count field, the tags of an entry in their order, and
// the groups inside an entry.
func NewGroup(count int, members []int, groups ...*Group) *Group {
	g := &Group{count: count, members: members, within: map[int]bool{}}
	for _, tag := range members {
		g.within[tag] = true
	}
	for _, inner := range groups {
		for tag := range inner.within {
			g.within[tag] = true
		}
	}
	return g
}

// Add adds an entry, whose fields may be set in any order.
func (g *Group) Add(to Holder) *Fields {
	f, entry := to.fields(), &Fields{}
	at := f.find(g.count)
	if at < 0 || f.list[at].group == nil {
		f.set(g.count, nil)
		at = f.find(g.count)
		f.list[at].group = g
	}
	f.list[at].entries = append(f.list[at].entries, entry)
	return entry
}

// Entries returns the entries of a group; none if the message does not have it. An error: there
// are more or fewer than the count field says.
func (g *Group) Entries(of Holder) ([]*Fields, error) {
	f := of.fields()
	at := f.find(g.count)
	if at < 0 || f.list[at].group != nil {
		if at < 0 {
			return nil, nil
		}
		return f.list[at].entries, nil
	}
	var entries []*Fields
	rest := f.list[at+1:]
	for i := 0; i < len(rest) && g.within[rest[i].tag]; i++ {
		if rest[i].tag == rest[0].tag {
			entries = append(entries, &Fields{})
		}
		last := entries[len(entries)-1]
		last.list = append(last.list, rest[i])
	}
	if count, err := strconv.Atoi(string(f.list[at].value)); err != nil || count != len(entries) {
		return entries, &FieldError{Tag: g.count, Value: string(f.list[at].value),
			Reason: fmt.Sprintf("the group has %d entries", len(entries))}
	}
	return entries, nil
}
