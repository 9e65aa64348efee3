"""Coinbase Exchange, market data: subscribes to the orders of BTC-USD, keeps its book, and prints
the best prices after each change.
Usage: book/example.py market-data.cfg market-data.xml [COUNT]; ends after COUNT changes."""
import asyncio
import sys

import nexusfix


def show(what, rpt_seq, orders):
    bids = [price for side, price in orders.values() if side == "0"]
    offers = [price for side, price in orders.values() if side == "1"]
    print(f"{what} {rpt_seq}: {len(orders)} orders, bid {max(bids, default='none')}, "
          f"offer {min(offers, default='none')}", flush=True)


async def keep_book(configuration, dictionary, wanted="0"):
    venue = nexusfix.load_dictionary(dictionary)
    orders, rpt_seq, count = {}, 0, 0
    async with nexusfix.Initiator(configuration) as session:
        await session.send(venue.MarketDataRequest(
            MDReqID="book-1", SubscriptionRequestType="1", NoRelatedSym=[{"Symbol": "BTC-USD"}]))
        async for message in session:
            if message.name == "MarketDataSnapshotFullRefresh":
                for entry in message["NoMDEntries"]:
                    orders[entry["MDEntryID"]] = (str(entry["MDEntryType"]), entry["MDEntryPx"])
                rpt_seq = message["RptSeq"]
                show("snapshot", rpt_seq, orders)
                continue
            if message.name not in ("MarketDataIncrementalRefresh", "SecurityStatus"):
                print(message.name, message.get("Text", ""))
                continue
            is_status = message.name == "SecurityStatus"  # it counts, too
            for entry in [message] if is_status else message["NoMDEntries"]:
                if entry["RptSeq"] <= rpt_seq:  # the snapshot has it
                    continue
                if entry["RptSeq"] != rpt_seq + 1:
                    sys.exit(f"updates are missing before RptSeq {entry['RptSeq']}")
                rpt_seq = entry["RptSeq"]
                if is_status:
                    continue
                # Without MDEntryID it acknowledges an order that is not in the book yet.
                order, side = entry.get("MDEntryID"), str(entry["MDEntryType"])
                if order is None or side == "2":  # 2: a trade
                    continue
                if str(entry["MDUpdateAction"]) == "2":
                    orders.pop(order, None)
                elif str(entry["MDUpdateAction"]) == "0" or order in orders:
                    orders[order] = (side, entry["MDEntryPx"])
            show("update", rpt_seq, orders)
            count += 1
            if count == int(wanted):
                return


asyncio.run(keep_book(*sys.argv[1:]))
