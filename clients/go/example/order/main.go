// order sends an order by a gateway and prints the report: order SOCKET NAME TOKEN
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"nexusfix"
	"nexusfix/fix44"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: order SOCKET NAME TOKEN")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := nexusfix.Attach(ctx,
		nexusfix.Options{Socket: os.Args[1], Name: os.Args[2], Token: os.Args[3]})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	session := client.Sessions()[0]
	for loggedOn := session.LoggedOn; ; {
		if loggedOn {
			order := nexusfix.NewMessage(fix44.NewOrderSingle)
			fix44.ClOrdID.Set(order, fmt.Sprintf("GO%d", time.Now().UnixNano()))
			fix44.Symbol.Set(order, "AAPL")
			fix44.Side.Set(order, fix44.SideBuy)
			fix44.TransactTime.Set(order, time.Now())
			fix44.OrderQty.Set(order, nexusfix.Decimal{Units: 100})
			fix44.OrdType.Set(order, fix44.OrdTypeLimit)
			fix44.Price.Set(order, nexusfix.Decimal{Units: 15025, Digits: 2})
			if _, err := client.Send(ctx, session.Name, order); err != nil {
				log.Fatal(err)
			}
			loggedOn = false
		}
		event, err := client.Receive(ctx)
		if err != nil {
			log.Fatal(err)
		}
		switch event := event.(type) {
		case nexusfix.StateChanged:
			loggedOn = event.LoggedOn
		case nexusfix.Received:
			if report, err := nexusfix.Parse(event.Bytes); err == nil {
				fmt.Printf("OrderID %s, OrdStatus %s\n", fix44.OrderID.Or(report, "none"),
					fix44.OrdStatus.Or(report, "none"))
				return // a real program stores event.Cursor() with the report
			}
		}
	}
}
