package nexusfix

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// ErrMissing says that a message does not have a field.
var ErrMissing = errors.New("nexusfix: the message does not have the field")

// FieldError says which value cannot be read or sent.
type FieldError struct {
	Tag    int
	Value  string
	Reason string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("nexusfix: field %d with the value %q: %s", e.Tag, e.Value, e.Reason)
}

// Field knows a tag and the type of its values. The generated package has those of a dictionary.
type Field[T any] struct {
	tag   int
	read  func([]byte) (T, error)
	write func(T) string
}

// Tag is the field's number.
func (f Field[T]) Tag() int { return f.tag }

// Get reads the first field with the tag. ErrMissing: there is none. A *FieldError: its value is of
// another type.
func (f Field[T]) Get(from Holder) (T, error) {
	var none T
	fields := from.fields()
	at := fields.find(f.tag)
	if at < 0 {
		return none, fmt.Errorf("%w: %d", ErrMissing, f.tag)
	}
	value, err := f.read(fields.list[at].value)
	if err != nil {
		return none, &FieldError{Tag: f.tag, Value: string(fields.list[at].value),
			Reason: err.Error()}
	}
	return value, nil
}

// Or reads the field, or returns the default if it is missing or cannot be read.
func (f Field[T]) Or(from Holder, otherwise T) T {
	if value, err := f.Get(from); err == nil {
		return value
	}
	return otherwise
}

// Set sets the field. Message.Bytes() returns the error of a value that cannot be sent.
func (f Field[T]) Set(to Holder, value T) { to.fields().SetText(f.tag, f.write(value)) }

// TextField is a field of any text.
func TextField(tag int) Field[string] {
	return Field[string]{tag, func(b []byte) (string, error) { return string(b), nil },
		func(s string) string { return s }}
}

// EnumField is a field of a type with named values. It reads other values, too.
func EnumField[T ~string](tag int) Field[T] {
	return Field[T]{tag, func(b []byte) (T, error) { return T(b), nil },
		func(v T) string { return string(v) }}
}

// IntField is a field of integers.
func IntField(tag int) Field[int64] {
	return Field[int64]{tag, func(b []byte) (int64, error) {
		return strconv.ParseInt(string(b), 10, 64)
	}, func(v int64) string { return strconv.FormatInt(v, 10) }}
}

// DecimalField is a field of prices, quantities and amounts.
func DecimalField(tag int) Field[Decimal] {
	return Field[Decimal]{tag, func(b []byte) (Decimal, error) { return ParseDecimal(string(b)) },
		Decimal.String}
}

// BoolField is a field of Y and N.
func BoolField(tag int) Field[bool] {
	return Field[bool]{tag, func(b []byte) (bool, error) {
		if string(b) != "Y" && string(b) != "N" {
			return false, errors.New("neither Y nor N")
		}
		return string(b) == "Y", nil
	}, func(v bool) string {
		if v {
			return "Y"
		}
		return "N"
	}}
}

const timeForm = "20060102-15:04:05"

// TimeField is a field of UTCTimestamp. It writes milliseconds.
func TimeField(tag int) Field[time.Time] {
	return Field[time.Time]{tag, func(b []byte) (time.Time, error) {
		return time.Parse(timeForm, string(b)) // a fraction may follow
	}, func(t time.Time) string { return t.UTC().Format(timeForm + ".000") }}
}

// DataField is a field of any bytes, after a field with their number.
type DataField struct{ tag, length int }

// BytesField is a data field and its Length field.
func BytesField(tag, length int) DataField { return DataField{tag, length} }

// Tag is the field's number.
func (f DataField) Tag() int { return f.tag }

// Get reads the bytes. ErrMissing: there are none.
func (f DataField) Get(from Holder) ([]byte, error) {
	fields := from.fields()
	at := fields.find(f.tag)
	if at < 0 {
		return nil, fmt.Errorf("%w: %d", ErrMissing, f.tag)
	}
	return fields.list[at].value, nil
}

// Set sets the Length field and the bytes, of which there is at least one.
func (f DataField) Set(to Holder, value []byte) {
	fields := to.fields()
	if len(value) == 0 {
		fields.fail(f.tag, "", "data has at least one byte")
		return
	}
	fields.set(f.length, []byte(strconv.Itoa(len(value))))
	fields.set(f.tag, bytes.Clone(value))
}
