import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram } from '../../cli/program.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { AUDIENCE } from './bench.ts'

/** A process that takes all descriptors and then reads the keys of a provider; it lets go of them and reads again when it is asked to. */
const SCRIPT = `
const { openSync, closeSync } = await import('node:fs')
const { openIdentity } = await import(process.env.DIST + '/adapters/identity/identity.js')
const say = (message, details) => console.log(JSON.stringify({ message, ...details }))
let again = () => {}
const after = (_, run) => {
  again = run
  return () => {}
}
const clock = { now: Date.now, elapsed: () => performance.now(), after }
process.stdin.resume()
const taken = []
try { for (;;) taken.push(openSync('/dev/null')) } catch {}
openIdentity({ issuer: process.env.ISSUER, audience: '${AUDIENCE}', clock, alarm: say })
process.stdin.once('data', () => {
  for (const each of taken) closeSync(each)
  again()
})
`

let oidc: OidcServer
beforeAll(async () => {
  oidc = await startOidc({ audience: AUDIENCE, users: {} })
})
afterAll(() => oidc.stop())

it.each([
  ['by its address', (issuer: string) => issuer, { message: 'the keys of the identity provider can be read again' }],
  [
    'by name, which is looked up',
    (issuer: string) => issuer.replace('127.0.0.1', 'localhost'),
    // So it was reached.
    { message: 'the keys of the identity provider cannot be read', cause: expect.stringContaining('another issuer') },
  ],
])('a process without descriptors blames itself and not the provider that it is to ask %s', async (_, named, then) => {
  const issuer = named(oidc.issuer)
  const child = spawn('bash', ['-c', `ulimit -n 64; exec "${process.execPath}" --input-type=module -e "$SCRIPT"`], {
    env: { ...process.env, SCRIPT, ISSUER: issuer, DIST: dirname(dirname(compileProgram().main)) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  try {
    expect(await next()).toEqual({
      message: 'this process has no file descriptors left, and cannot read the keys of the identity provider',
      issuer,
      cause: expect.stringMatching(/EMFILE|no file descriptor is left/),
      hint: expect.stringContaining('LimitNOFILE'),
    })
    child.stdin.write('free')
    expect(await next()).toEqual({ issuer, ...then })
  } finally {
    child.kill()
  }
})
