package nexusfix

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

const digitsMax = 18

// Decimal is an exact number: Units / 10^Digits. 150.25 has the Units 15025 and 2 Digits.
type Decimal struct {
	Units  int64
	Digits uint8 // 0 to 18
}

// ParseDecimal reads a number as FIX writes it: no exponent, at most 18 digits after the point, and
// Units that fit into 64 bits.
func ParseDecimal(text string) (Decimal, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	unsigned := strings.TrimPrefix(whole, "-")
	if unsigned+fraction == "" || strings.Trim(unsigned+fraction, "0123456789") != "" {
		return Decimal{}, errors.New("no decimal number")
	}
	if len(fraction) > digitsMax {
		return Decimal{}, errors.New("more than 18 digits after the point")
	}
	units, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || units == math.MinInt64 {
		return Decimal{}, errors.New("too many digits")
	}
	return Decimal{units, uint8(len(fraction))}, nil
}

// String writes the number as FIX does: 150.25.
func (d Decimal) String() string {
	text, sign := strconv.FormatInt(d.Units, 10), ""
	if d.Units < 0 {
		text, sign = text[1:], "-"
	}
	if d.Digits == 0 {
		return sign + text
	}
	if missing := int(d.Digits) + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	point := len(text) - int(d.Digits)
	return sign + text[:point] + "." + text[point:]
}

// Float is the nearest float64: for charts, not for money.
func (d Decimal) Float() float64 { return float64(d.Units) / math.Pow10(int(d.Digits)) }
