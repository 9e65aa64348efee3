"""CME Drop Copy: prints the messages of other sessions as they arrive.
Usage: example.py client.cfg drop-copy.xml [COUNT]; ends after COUNT copies."""
import asyncio
import sys

import nexusfix


async def receive(configuration, dictionary, wanted="0"):
    venue = nexusfix.load_dictionary(dictionary)
    count = 0
    async with nexusfix.Initiator(configuration) as session:
        async for message in session:
            if message.msg_type != "n":
                print(message.name, message.get("Text", ""))
                continue
            # XmlData is an element with a whole message.
            inner = message.raw("XmlData").removeprefix(b"<RTRF>").removesuffix(b"</RTRF>")
            copy = nexusfix.parse(inner, dictionary=venue)
            print(copy.name, copy["TargetCompID"], copy["OrderID"], copy["OrdStatus"])
            count += 1
            if count == int(wanted):
                return


asyncio.run(receive(*sys.argv[1:]))
