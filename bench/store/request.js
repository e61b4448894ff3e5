// A request as a store sees it, with limits that are never reached.
import { windowOf } from '../../dist/policy/decision.js'
import { limitsOf } from '../../dist/policy/limits/named-rules.js'

const terms = { override: 'pro' }
let asked = 0

const hashOf = index => `hash-${String(index).padStart(8, '0')}`

/** Mints the key of the account with this index. */
export function mint(store, index) {
  const owner = { label: `label-${index}`, override: 'pro', newAccount: `acct_${index}` }
  return store.keys.mint({ key: { hash: hashOf(index), prefix: 'svc_…' }, owner, most: 1, by: 'bench' })
}

/** Runs one request of the account with this index; returns the milliseconds of admission and settlement. */
export async function request(store, index) {
  const requestId = `req_${String(asked++).padStart(12, '0')}`
  const account = `acct_${index}`
  const begun = performance.now()
  const { hold, outcome } = await store.holds.admit({
    requestId,
    keyHash: hashOf(index),
    account,
    terms,
    claims: claims(),
  })
  const admitted = performance.now()
  if (outcome !== 'admitted') throw new Error(`${requestId}: ${outcome}`)
  await settle(store, hold)
  return { admit: admitted - begun, settle: performance.now() - admitted }
}

/** Settles a request at a part of its hold. */
export function settle(store, hold) {
  const { requestId, account, at: admittedAt } = hold
  const counts = { inputTokens: 10, outputTokens: 5, cost: 20, estimated: false, admittedAt, revision: 'bench' }
  const bill = { requestId, account, plan: 'pro', asked: '', model: 'svc-core', pool: 'onprem', ...counts }
  return store.holds.settle({ hold, tokens: 15, bill })
}

const claims = () => ({
  limits: limitsOf({ rpm: 1e9, tpm: 1e12 }),
  input: 10,
  spend: {
    limit: 1e15,
    allotment: 1e15,
    overageEnabled: false,
    window: windowOf(Date.now()),
    items: 0,
    price: { input: 1000, output: 2000 },
  },
  output: { want: 20, min: 1, choices: 1 },
})
