// Beats and settles without end and names each request once its settlement resolved, until it is killed or the disk is full.
import { writeSync } from 'node:fs'

const [, , built, path] = process.argv
const { openEmbeddedStore } = await import(`${built}/adapters/embedded/store.js`)
const { windowOf } = await import(`${built}/policy/decision.js`)
const { limitsOf } = await import(`${built}/policy/limits/named-rules.js`)

const store = await openEmbeddedStore({ path, now: () => Date.now() })
const { key } = await store.keys.mint({
  key: { hash: 'hash', prefix: 'svc_7Hq2…' },
  owner: { label: 'ada', override: 'pro', newAccount: 'acct_a' },
  most: 1,
  by: 'operator',
})

const claims = () => ({
  limits: limitsOf({ rpm: 1e9, tpm: 1e9 }),
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
  rules: ['usd', 'requests', 'concurrent'].map(measure => ({
    rule: { measure, most: 1e12, of: 'user', ...(measure !== 'concurrent' && { per: '90d' }) },
    group: 'user:ada',
    field: measure === 'concurrent' ? 'concurrent///' : `${measure}/90d//`,
  })),
})

const settlementOf = (hold, tokens, cost) => ({
  hold,
  tokens,
  bill: {
    requestId: hold.requestId,
    account: key.account,
    plan: 'pro',
    asked: '',
    model: 'svc-core',
    pool: 'onprem',
    inputTokens: 10,
    outputTokens: tokens - 10,
    cost,
    estimated: false,
    admittedAt: hold.at,
    revision: 'r1',
  },
})

let count = 0
async function admit() {
  const requestId = `req_${process.pid}_${String(count++).padStart(8, '0')}`
  const { hold } = await store.holds.admit({
    requestId,
    keyHash: 'hash',
    account: key.account,
    terms: key.terms,
    claims: claims(),
  })
  return hold
}

async function work() {
  for (let turn = 0; ; turn++) {
    const hold = await admit()
    await store.holds.heartbeat([{ hold, soFar: settlementOf(hold, 12, 14) }])
    // Some are on disk as holds before they are settled.
    if (turn % 8 === 0) await store.flush()
    await store.holds.settle(settlementOf(hold, 30, 50))
    writeSync(1, `${hold.requestId}\n`)
  }
}

// Some are never settled.
for (let open = 0; open < 4; open++) {
  const hold = await admit()
  await store.holds.heartbeat([{ hold, soFar: settlementOf(hold, 12, 14) }])
}
const ends = await Promise.allSettled(Array.from({ length: 16 }, work))
// A rejection nobody took would end the process now, before it can say how it ended.
await new Promise(resolve => setTimeout(resolve, 100))
for (const name of new Set(ends.map(({ reason }) => reason.name))) writeSync(1, `${name}\n`)
