package nexusfix_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"nexusfix"
	"nexusfix/fix44"
)

func bytesOf(text string) []byte { return []byte(strings.ReplaceAll(text, "|", "\x01")) }

func parse(t *testing.T, text string) *nexusfix.Message {
	t.Helper()
	message, err := nexusfix.Parse(bytesOf(text))
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func TestTypedFieldsAreWrittenInTheirOrder(t *testing.T) {
	order := nexusfix.NewMessage(fix44.NewOrderSingle)
	fix44.ClOrdID.Set(order, "A1")
	fix44.Side.Set(order, fix44.SideSellShort)
	fix44.Price.Set(order, nexusfix.Decimal{Units: -5, Digits: 2})
	fix44.TransactTime.Set(order, time.Date(2026, 1, 15, 10, 30, 0, 5e6, time.UTC))
	fix44.SolicitedFlag.Set(order, true)
	fix44.MaxFloor.Set(order, nexusfix.Decimal{Units: 100})
	fix44.EncodedText.Set(order, []byte("a\x01b"))
	fix44.ClOrdID.Set(order, "A2")
	got, err := order.Bytes()
	want := "35=D|11=A2|54=5|44=-0.05|60=20260115-10:30:00.005|377=Y|111=100|354=3|355=a|b|"
	if err != nil || string(got) != string(bytesOf(want)) {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestValueThatCannotBeSentIsNamed(t *testing.T) {
	for _, value := range []string{"", "a\x01b"} {
		order := nexusfix.NewMessage(fix44.NewOrderSingle)
		fix44.ClOrdID.Set(order, value)
		var wrong *nexusfix.FieldError
		if _, err := order.Bytes(); !errors.As(err, &wrong) || wrong.Tag != 11 {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestMessageIsReadByType(t *testing.T) {
	report := parse(t, "8=FIX.4.4|9=5|35=8|34=7|14=100.50|377=X|354=3|355=a|b|60=20260115-10:30:00|10=0|")
	if report.Type != fix44.ExecutionReport {
		t.Errorf("MsgType %q", report.Type)
	}
	if filled, err := fix44.CumQty.Get(report); err != nil || filled.String() != "100.50" {
		t.Errorf("CumQty %v, %v", filled, err)
	}
	if text, err := fix44.EncodedText.Get(report); err != nil || string(text) != "a\x01b" {
		t.Errorf("EncodedText %q, %v", text, err)
	}
	if at, err := fix44.TransactTime.Get(report); err != nil || at.Hour() != 10 {
		t.Errorf("TransactTime %v, %v", at, err)
	}
	var wrong *nexusfix.FieldError
	if _, err := fix44.SolicitedFlag.Get(report); !errors.As(err, &wrong) {
		t.Errorf("SolicitedFlag: %v", err)
	}
	if _, err := fix44.Price.Get(report); !errors.Is(err, nexusfix.ErrMissing) {
		t.Errorf("Price: %v", err)
	}
}

func TestGroupIsWrittenInTheOrderOfTheDictionaryAndReadAgain(t *testing.T) {
	order := nexusfix.NewMessage(fix44.NewOrderSingle)
	for _, id := range []string{"DESK7", "FUND9"} {
		party := fix44.NoPartyIDs.Add(order)
		fix44.PartyRole.Set(party, fix44.PartyRoleClientId)
		sub := fix44.NoPartySubIDs.Add(party)
		fix44.PartySubID.Set(sub, "S"+id)
		fix44.PartyID.Set(party, id)
	}
	fix44.Symbol.Set(order, "AAPL")
	bytes, err := order.Bytes()
	want := "35=D|453=2|448=DESK7|452=3|802=1|523=SDESK7|448=FUND9|452=3|802=1|523=SFUND9|55=AAPL|"
	if err != nil || string(bytes) != string(bytesOf(want)) {
		t.Fatalf("%q, %v", bytes, err)
	}
	parties, err := fix44.NoPartyIDs.Entries(parse(t, want))
	if err != nil || len(parties) != 2 {
		t.Fatalf("%v, %v", parties, err)
	}
	subs, err := fix44.NoPartySubIDs.Entries(parties[1])
	if err != nil || len(subs) != 1 || fix44.PartySubID.Or(subs[0], "") != "SFUND9" {
		t.Fatalf("%v, %v", subs, err)
	}
	if _, err := fix44.NoPartyIDs.Entries(parse(t, "35=D|453=3|448=X|")); err == nil {
		t.Error("a count of 3 with one entry has no error")
	}
}

func TestBytesThatAreNoMessageAreRefused(t *testing.T) {
	for _, text := range []string{"", "55=A|", "35=D", "35=D|x=1|", "35=D|=1|", "35=D|354=9|355=a|",
		"35=D|354=-1|355=a|", "35=D|0=1|", "35=D|354=99999999999999999999|355=a|"} {
		if message, err := nexusfix.Parse(bytesOf(text)); err == nil {
			t.Errorf("%q: %v", text, message)
		}
	}
}

func TestDecimalIsExact(t *testing.T) {
	for _, text := range []string{"0", "-1", "150.25", "0.000000000000000001", "-0.05",
		"9223372036854775807", "1.50"} {
		if d, err := nexusfix.ParseDecimal(text); err != nil || d.String() != text {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "-", ".", "1e5", "+1", "1.2.3", "9223372036854775808", " 1",
		"0.0000000000000000001", "--1"} {
		if d, err := nexusfix.ParseDecimal(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}

func FuzzParseTakesAnyBytes(f *testing.F) {
	f.Add(bytesOf("35=D|453=1|448=X|354=3|355=a|b|"))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if message, err := nexusfix.Parse(bytes); err == nil {
			_, _ = fix44.NoPartyIDs.Entries(message)
			_, _ = message.Bytes()
		}
	})
}
