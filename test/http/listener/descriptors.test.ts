import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { compileProgram } from '../../cli/program.ts'

/** A process with a listener of the gateway, that takes all descriptors that are left, and lets go of some when it is told. */
const SCRIPT = `
const { openSync, closeSync } = await import('node:fs')
const { createListener } = await import(process.env.DIST + '/http/listener/listener.js')
const { lookupHost, hasDescriptor } = await import(process.env.DIST + '/gateway/descriptors.js')
const settings = { idleTimeout: 60000, headersTimeout: 10000, requestTimeout: 60000, connections: 1000 }
const events = { broken() {}, tunnel() {}, connected: () => true, idle: () => false, full() {} }
const say = told => console.log(JSON.stringify(told))
const { server } = createListener(() => settings, (request, response) => response.end('served'), events)
process.stdin.resume()
server.listen(0, '127.0.0.1', () => {
  const taken = []
  try { for (;;) taken.push(openSync('/dev/null')) } catch {}
  const full = hasDescriptor()
  lookupHost('localhost', {}, error => {
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    say({ port: server.address().port, full, lookup: error?.code })
  })
  process.stdin.once('data', () => {
    const lacks = hasDescriptor()
    for (const each of taken.splice(0, 20)) closeSync(each)
    say({ lacks })
  })
})
`

it('a process without descriptors closes what comes, does not take names for unknown, and serves again when it has some', async () => {
  const child = spawn('bash', ['-c', `ulimit -n 64; exec "${process.execPath}" --input-type=module -e "$SCRIPT"`], {
    env: { ...process.env, SCRIPT, DIST: dirname(dirname(compileProgram().main)) },
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
})
