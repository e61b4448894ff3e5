import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { compileProgram } from '../../cli/program.ts'

/** Makes server and has it listen with begin: the listener of a gateway. */
const LISTENER = `
const { createListener } = await import(process.env.DIST + '/http/listener/listener.js')
const settings = { idleTimeout: 60000, headersTimeout: 10000, requestTimeout: 60000, connections: 1000 }
const events = { broken() {}, tunnel() {}, connected: () => true, idle: () => false, full() {} }
const { server } = createListener(() => settings, (request, response) => response.end('served'), events)
const listen = then => server.listen(0, '127.0.0.1', () => then(server.address().port))
`

/** The acceptor of main, whose worker is this process. */
const DOOR = `
const { Acceptor } = await import(process.env.DIST + '/server/workers/acceptor.js')
const { createServer } = await import('node:http')
const { Server } = await import('node:net')
const worker = createServer((request, response) => response.end('served'))
const next = () => ({ slot: 0, worker: { send: (_, socket) => worker.emit('connection', socket.resume()) } })
let server
const listens = Server.prototype.listen
Server.prototype.listen = function (...args) { server = this; return listens.apply(this, args) }
const addresses = () => ({ isProxy: () => false, ofSocket: () => '127.0.0.1' })
const acceptor = new Acceptor({ next, limits: () => ({ connections: 1000, connectionsPerAddress: 1000 }), addresses, alarm() {} })
const listen = then => acceptor.listen({ host: '127.0.0.1', port: 0 }).then(({ port }) => then(port))
`

/** A process that takes all descriptors that are left, and lets go of some when it is told. */
const FULL = `
const { openSync, closeSync } = await import('node:fs')
const { lookupHost, hasDescriptor } = await import(process.env.DIST + '/gateway/descriptors.js')
const say = told => console.log(JSON.stringify(told))
process.stdin.resume()
listen(port => {
  const taken = []
  try { for (;;) taken.push(openSync('/dev/null')) } catch {}
  const full = hasDescriptor()
  lookupHost('localhost', {}, error => {
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    let spare
    try { closeSync(openSync('/dev/null')); spare = true } catch { spare = false }
    say({ port, full, lookup: error?.code, spare })
  })
  process.stdin.once('data', () => {
    const lacks = hasDescriptor()
    for (const each of taken.splice(0, 20)) closeSync(each)
    say({ lacks })
  })
})
`

it.each([
  ['a process', LISTENER],
  ['main, before workers,', DOOR],
])(
  '%s without descriptors has one to close what comes, does not take names for unknown, and serves again when it has some',
  async (_, begin) => {
    const child = spawn('bash', ['-c', `ulimit -n 64; exec "${process.execPath}" --input-type=module -e "$SCRIPT"`], {
      env: { ...process.env, SCRIPT: begin + FULL, DIST: dirname(dirname(compileProgram().main)) },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const told = async () => JSON.parse((await lines.next()).value)
    try {
      const { port, full, lookup } = await told()
      expect({ full, lookup }).toEqual({ full: false, lookup: 'EMFILE' })
      for (let times = 0; times < 3; times++) {
        const client = connect(port, '127.0.0.1').on('error', () => {})
        await once(client, 'close')
      }
      child.stdin.write('free')
      expect(await told()).toEqual({ lacks: false })
      expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('served')
    } finally {
      child.kill()
    }
  },
)
