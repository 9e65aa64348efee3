// conformance attaches and prints all that happens, for clients/tests/conformance.py:
//
//	conformance SOCKET NAME TOKEN [EPOCH MSGSEQNUM SESSION]
//
// Each line of its input is "send SESSION CLORDID" or "end".
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"nexusfix"
	"nexusfix/fix44"
)

func number(text string) uint64 {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func code(err error) nexusfix.CloseCode {
	var closed *nexusfix.ClosedError
	if errors.As(err, &closed) {
		return closed.Code
	}
	return 0
}

func bit(value bool) int {
	if value {
		return 1
	}
	return 0
}

func main() {
	options := nexusfix.Options{Socket: os.Args[1], Name: os.Args[2], Token: os.Args[3],
		RetryMin: 10 * time.Millisecond}
	options.SharedMemory = os.Getenv("NEXUSFIX_DOOR") == "memory"
	if len(os.Args) > 6 {
		options.Cursors = []nexusfix.Cursor{{Session: os.Args[6],
			Place: nexusfix.Place{Epoch: number(os.Args[4]), MsgSeqNum: number(os.Args[5])}}}
	}
	client, err := nexusfix.Attach(context.Background(), options)
	if err != nil {
		fmt.Println("error", code(err))
		return
	}
	fmt.Println("attached", client.Role(), client.LastAccepted())
	go read(client)
	for {
		event, err := client.Receive(context.Background())
		if err != nil {
			fmt.Println("ended", code(err))
			return
		}
		print(event)
	}
}

func print(event nexusfix.Event) {
	switch e := event.(type) {
	case nexusfix.CaughtUp:
		fmt.Println("caughtup")
	case nexusfix.Detached:
		fmt.Println("detached")
	case nexusfix.Reattached:
		fmt.Println("reattached")
	case nexusfix.Refused:
		fmt.Println("refused", e.Number, uint32(e.Code))
	case nexusfix.StateChanged:
		fmt.Println("state", map[bool]string{true: "on", false: "off"}[e.LoggedOn], e.Epoch,
			e.Session)
	case nexusfix.Received:
		message, err := nexusfix.Parse(e.Bytes)
		if err != nil {
			fmt.Println("unreadable", err)
			return
		}
		fmt.Println("message", e.Place.Epoch, e.Place.MsgSeqNum, bit(e.FromJournal), bit(e.OfSent),
			message.Type, fix44.ClOrdID.Or(message, "-"), e.Session)
	}
}

func read(client *nexusfix.Client) {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		words := strings.Fields(input.Text())
		if words[0] == "end" {
			break
		}
		order := nexusfix.NewMessage(fix44.NewOrderSingle)
		fix44.ClOrdID.Set(order, words[2])
		fix44.Symbol.Set(order, "AAPL")
		fix44.Side.Set(order, fix44.SideBuy)
		fix44.TransactTime.Set(order, time.Now())
		fix44.OrderQty.Set(order, nexusfix.Decimal{Units: 100})
		fix44.OrdType.Set(order, fix44.OrdTypeLimit)
		fix44.Price.Set(order, nexusfix.Decimal{Units: 15025, Digits: 2})
		sending, err := client.Start(words[1], order)
		if err != nil {
			fmt.Println("notsent")
			continue
		}
		go wait(sending)
	}
	client.Close()
}

func wait(sending *nexusfix.Sending) {
	accepted, err := sending.Wait(context.Background())
	var refused *nexusfix.RefusedError
	switch {
	case errors.As(err, &refused):
		fmt.Println("refused", refused.Number, refused.Code)
	case err != nil:
		fmt.Println("failed", sending.Number)
	default:
		fmt.Println("accepted", accepted.Number, accepted.Place.Epoch, accepted.Place.MsgSeqNum,
			bit(accepted.Duplicate))
	}
}
