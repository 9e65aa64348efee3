// Package nexusfix is the client of `nexusfix gateway`: a program attaches to an engine that holds
// the FIX sessions, sends messages and receives them. It uses the gateway's Unix socket or
// its shared memory, and the standard library alone.
//
//	client, err := nexusfix.Attach(ctx, nexusfix.Options{Socket: "gateway.sock", Name: "desk1"})
//	accepted, err := client.Send(ctx, "FIX.4.4:DESK->VENUE", order)
//	for {
//		event, err := client.Receive(ctx)
//	}
//
// `nexusfix codegen --language go` makes a package with the fields of a dictionary.
package nexusfix
