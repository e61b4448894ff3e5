// Admits and settles without end over the socket of a store, so many at a time, and names what it was acknowledged.
import { writeSync } from 'node:fs'

const [, , built, path, worker, inFlight, account] = process.argv
const { openRemoteStore } = await import(`${built}/adapters/remote/store.js`)
const { version } = await import(`${built}/server/version.js`)
const { windowOf } = await import(`${built}/policy/decision.js`)
const { limitsOf } = await import(`${built}/policy/limits/named-rules.js`)

const store = await openRemoteStore({ path, version, lost: () => process.exit(1), answerMs: 10_000 })
const claims = () => ({
  limits: limitsOf({ rpm: 1e9, tpm: 1e9, max_concurrent: 1e6 }),
  input: 10,
  spend: {
    limit: 1e12,
    allotment: 1e12,
    overageEnabled: false,
    window: windowOf(Date.now()),
    price: { input: 1000, output: 2000 },
    items: 0,
  },
  output: { want: 20, min: 20, choices: 1 },
})
const say = line => writeSync(1, `${line}\n`)

let count = 0
async function serve() {
  for (;;) {
    const requestId = `req_${Date.now().toString(36)}${worker}${String(count++).padStart(8, '0')}`
    const admitted = await store.holds.admit({ requestId, account, terms: { override: 'pro' }, claims: claims() })
    if (!('hold' in admitted)) throw new Error(JSON.stringify(admitted))
    const { hold } = admitted
    const settlement = tokens => ({
      hold,
      tokens,
      bill: {
        requestId,
        account,
        plan: 'pro',
        asked: 'snö 雪',
        model: 'svc-core',
        pool: 'onprem',
        inputTokens: 10,
        outputTokens: tokens - 10,
        cost: 1000 * tokens,
        estimated: false,
        admittedAt: hold.at,
        revision: 'sha256-0',
      },
    })
    // Some have a checkpoint when the worker is killed.
    if (count % 3 === 0) await store.holds.heartbeat([{ hold, soFar: settlement(12) }])
    if (count % 7 === 0) {
      await store.holds.refund(hold)
      say(`refunded ${requestId}`)
    } else {
      await store.holds.settle(settlement(30))
      say(`settled ${requestId}`)
    }
  }
}
say('begun')
await Promise.all(Array.from({ length: Number(inFlight) }, serve))
