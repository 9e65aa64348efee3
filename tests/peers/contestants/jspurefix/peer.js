// jspurefix as a counterparty of `nexusfix test`: acceptor or initiator, by a JSON session
// description. It answers each order with an ExecutionReport (New), and ends when its standard
// input ends. NODE_PATH names the folder with jspurefix.
'use strict'
require('reflect-metadata')
const fs = require('fs')
const { AsciiSession, SessionLauncher, EmptyLogFactory, JsFixWinstonLogFactory, WinstonLogger } =
  require('jspurefix')

class Orders extends AsciiSession {
  constructor (config) {
    super(config)
    this.reports = 0
  }

  onApplicationMsg (msgType, view) {
    if (msgType !== 'D') return
    const number = ++this.reports
    this.send('8', {
      OrderID: `O${number}`,
      ExecID: `E${number}`,
      ClOrdID: view.getString('ClOrdID'),
      ExecType: '0',
      OrdStatus: '0',
      Instrument: { Symbol: view.getString('Symbol') },
      Side: view.getString('Side'),
      LeavesQty: view.getTyped('OrderQty'),
      CumQty: 0,
      AvgPx: 0
    })
  }

  onDecoded () {}
  onEncoded () {}
  onLogon () { return true }
  onReady () {}
  onStopped () {}
}

class Launcher extends SessionLauncher {
  makeFactory () {
    return { makeSession: config => new Orders(config) }
  }
}

const [kind, path] = process.argv.slice(2)
const description = JSON.parse(fs.readFileSync(path, 'utf8'))
const logs = process.env.PEER_LOG
  ? new JsFixWinstonLogFactory(WinstonLogger.consoleOptions('debug'))
  : new EmptyLogFactory()
const start = () => {
  const launcher = kind === 'acceptor'
    ? new Launcher(null, description, logs)
    : new Launcher(description, null, logs)
  // An initiator ends with its session: another one takes its place.
  launcher.run().catch(error => console.error(error)).then(() => {
    if (kind === 'acceptor') process.exit(1)
    setTimeout(start, 500)
  })
}
start()
// The listener has no event of its own here: `nexusfix test` connects again until it is there.
console.log('ready')
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
