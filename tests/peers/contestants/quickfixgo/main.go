// QuickFIX/Go as a counterparty of `nexusfix test`: acceptor or initiator, by a configuration file.
// It answers each order with an ExecutionReport (New), and ends when its standard input ends.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/quickfixgo/quickfix"
)

type application struct {
	reports atomic.Int64
}

func (a *application) OnCreate(quickfix.SessionID)                       {}
func (a *application) OnLogon(quickfix.SessionID)                        {}
func (a *application) OnLogout(quickfix.SessionID)                       {}
func (a *application) ToAdmin(*quickfix.Message, quickfix.SessionID)     {}
func (a *application) ToApp(*quickfix.Message, quickfix.SessionID) error { return nil }

func (a *application) FromAdmin(*quickfix.Message,
	quickfix.SessionID) quickfix.MessageRejectError {
	return nil
}

func (a *application) FromApp(order *quickfix.Message,
	id quickfix.SessionID) quickfix.MessageRejectError {
	if !order.IsMsgTypeOf("D") {
		return nil
	}
	number := strconv.FormatInt(a.reports.Add(1), 10)
	report := quickfix.NewMessage()
	report.Header.SetString(35, "8")
	for tag, value := range map[quickfix.Tag]string{
		6: "0", 14: "0", 17: "E" + number, 37: "O" + number, 39: "0", 150: "0", 151: "0"} {
		report.Body.SetString(tag, value)
	}
	for _, tag := range []quickfix.Tag{11, 38, 54, 55} {
		if value, err := order.Body.GetString(tag); err == nil {
			report.Body.SetString(tag, value)
			if tag == 38 {
				report.Body.SetString(151, value)
			}
		}
	}
	if id.BeginString == "FIX.4.2" {
		report.Body.SetString(20, "0")
	}
	_ = quickfix.SendToTarget(report, id)
	return nil
}

func run(kind string, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	settings, err := quickfix.ParseSettings(file)
	if err != nil {
		return err
	}
	app := &application{}
	store := quickfix.NewMemoryStoreFactory()
	log := quickfix.NewNullLogFactory()
	if kind == "acceptor" {
		acceptor, err := quickfix.NewAcceptor(app, store, settings, log)
		if err != nil {
			return err
		}
		if err := acceptor.Start(); err != nil {
			return err
		}
	} else {
		initiator, err := quickfix.NewInitiator(app, store, settings, log)
		if err != nil {
			return err
		}
		if err := initiator.Start(); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
