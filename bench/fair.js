// How long accounts wait for a full pool, and what they get of it: `node bench/fair.js`, after a build. A pool with 16 slots is
// simulated; the order is the code of dist/. Times are of the simulation. Exits 1 when a gate is not met; everything is by seed.
import { Slots } from '../dist/gateway/pools/slots.js'
import { StoreSlots } from '../dist/gateway/pools/store-slots.js'
import { StoreUnavailable } from '../dist/gateway/store/store.js'
import { SharedSlots } from '../dist/policy/queue/shared-slots.js'
import { guaranteedSlots } from '../dist/policy/queue/slot-shares.js'
import { QueueWithShares } from '../dist/policy/queue/with-shares.js'
import { AnswerLengths, workOf } from '../dist/policy/queue/work.js'
import { exponential, lognormal, random } from './fair/dice.js'
import { playOverGateways } from './fair/gateways.js'

const SLOTS = 16
const UNBOUNDED = { max: 1e9, ofAccount: 1e9, bytes: 1e15 }
const CAP = 4000
const PARTS = { Slots, StoreSlots, SharedSlots, StoreUnavailable }

/** Seconds that a request holds a slot: its prompt is computed, then its answer decoded. */
const serviceOf = ({ prompt, answer }) => 0.02 + 31e-6 * prompt + 0.014 * answer

const earliest = (...times) => Math.min(...times.filter(time => time !== undefined))

/** Requests through the queue. With `fifo` they are served as they came. `aging` is in seconds. */
function play(
  asked,
  { fifo = false, aging = Number.POSITIVE_INFINITY, until = Number.POSITIVE_INFINITY, guarantees } = {},
) {
  const queue = new QueueWithShares()
  if (guarantees) queue.guarantee(guarantees)
  const lengths = new AnswerLengths()
  const coming = asked.map(each => ({ ...each })).sort((a, b) => a.at - b.at)
  const [running, done] = [[], []]
  let [now, idle, held, next] = [0, 0, 0, 0]
  const ticket = request =>
    Object.assign(request, {
      ...{ bytes: 1, tokens: workOf(request.prompt, lengths.expected(request.account, CAP)) },
      ...(fifo && { account: 'all', owner: request.account }),
    })
  const begin = request => {
    request.start = now
    running.push({ until: now + serviceOf(request), request })
    running.sort((a, b) => a.until - b.until)
  }
  while ((next < coming.length || running.length > 0) && now < until) {
    const at = earliest(running[0]?.until, coming[next]?.at)
    if (queue.order.size > 0) idle += (SLOTS - running.length) * (at - now)
    held += running.length * (at - now)
    now = at
    if (running[0]?.until === now) {
      const { request } = running.shift()
      lengths.learn(request.account, request.answer)
      queue.end(request, workOf(request.prompt, request.answer))
      queue.release(request)
      done.push(request)
    } else {
      const request = ticket(coming[next++])
      if (running.length < SLOTS) {
        queue.start(request)
        begin(request)
      } else queue.enter(request, now, UNBOUNDED)
    }
    while (running.length < SLOTS && queue.order.size > 0) begin(queue.next(now, aging))
  }
  return { done, conserving: held / (held + idle) }
}

let failures = 0
function gate(name, value, isMet, unit) {
  if (!isMet) failures++
  console.log(`${isMet ? 'ok  ' : 'FAIL'} ${name}: ${value.toFixed(2)}${unit}`)
}

const request = (account, at, dice, more = {}) => ({
  ...{ account, at, priority: 1, weight: 1 },
  prompt: Math.round(lognormal(dice, 1500, 0.7, 100, 8000)),
  answer: Math.round(lognormal(dice, more.longer ?? 250, 0.6, 16, CAP)),
  ...more,
})

/** One account with 500 requests beside 20 with one: none of these waits more than a service time longer than alone. */
function isolation(seed) {
  const dice = random(seed)
  const twenty = Array.from({ length: 20 }, (_, n) => request(`small_${n}`, 1 + dice() * 10, dice))
  const flood = Array.from({ length: 500 }, () => request('hog', 0, dice))
  const { done, conserving } = play([...flood, ...twenty])
  const waits = done.filter(({ account }) => account !== 'hog').map(each => each.start - each.at)
  const service = Math.max(...done.map(serviceOf))
  const first = play([...flood, ...twenty], { fifo: true }).done.filter(({ owner }) => owner !== 'hog')
  gate(
    `seed ${seed}, 500 beside 20: longest wait of the twenty`,
    Math.max(...waits),
    Math.max(...waits) <= service,
    ' s',
  )
  console.log(`     first come, first served: ${Math.max(...first.map(each => each.start - each.at)).toFixed(1)} s`)
  gate('     work-conserving', 100 * conserving, conserving > 0.9999, ' %')
}

/** Three accounts that always wait, by weights 1, 2 and 4, the first with answers four times as long: shares of work. */
function shares(seed) {
  const dice = random(seed)
  const accounts = [
    ['a', 1, 1000],
    ['b', 2, 250],
    ['c', 4, 250],
  ]
  const asked = accounts.flatMap(([name, weight, longer]) =>
    Array.from({ length: 6000 }, () => request(name, 0, dice, { weight, longer })),
  )
  const { done } = play(asked, { until: 300 })
  const workBy = name =>
    done.filter(({ account }) => account === name).reduce((sum, each) => sum + workOf(each.prompt, each.answer), 0)
  const all = accounts.reduce((sum, [name]) => sum + workBy(name), 0)
  for (const [name, weight] of accounts) {
    const share = (100 * workBy(name)) / all
    gate(`seed ${seed}, weight ${weight}: share of the work`, share, Math.abs(share - (100 * weight) / 7) <= 2, ' %')
  }
}

/** Guests beside users at 1.3 times the capacity: users wait less, and each guest is served. */
function priorities(seed) {
  const dice = random(seed)
  const asked = []
  for (let at = 0; at < 120; at += exponential(dice, 1 / 5)) {
    const isGuest = dice() < 0.33
    const account = `${isGuest ? 'guest' : 'user'}_${Math.floor(dice() * 50)}`
    asked.push(request(account, at, dice, { priority: isGuest ? 0 : 1 }))
  }
  const p95 = (done, kind) => {
    const waits = done.filter(({ account }) => account.startsWith(kind)).map(each => each.start - each.at)
    return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? 0
  }
  const equal = play(asked.map(each => ({ ...each, priority: 1 })))
  const strict = play(asked)
  const aged = play(asked, { aging: 10 })
  const [users, before] = [p95(strict.done, 'user'), p95(equal.done, 'user')]
  gate(
    `seed ${seed}, guests last: p95 wait of users`,
    users,
    users <= before,
    ` s (without priorities ${before.toFixed(1)} s)`,
  )
  const [guests, strictly] = [p95(aged.done, 'guest'), p95(strict.done, 'guest')]
  gate('     p95 wait of guests, aging 10 s', guests, guests <= strictly, ` s (without aging ${strictly.toFixed(1)} s)`)
  gate('     guests served', aged.done.length, aged.done.length === asked.length, ` of ${asked.length}`)
}

/** 60 % and 40 % of the slots. */
const GUARANTEES = ['org:research', 'plan:product'].map((owner, at) => ({
  owner,
  slots: guaranteedSlots([600_000, 400_000], SLOTS)[at],
}))

/** Shares of 60 and 40 % of the slots: the owner of the second borrows all slots, until that of the first comes at 60 s. */
function guaranteed(seed) {
  const dice = random(seed)
  const [{ slots: first }] = GUARANTEES
  const asked = []
  for (let n = 0; n < 500; n++) asked.push(request(`product_${n % 3}`, 0, dice, { owner: 'plan:product', priority: 5 }))
  for (let n = 0; n < 400; n++) asked.push(request(`research_${n % 2}`, 60, dice, { owner: 'org:research' }))
  const { done, conserving } = play(asked, { guarantees: GUARANTEES })
  const held = (owner, at) =>
    done.filter(each => each.owner === owner && each.start <= at && each.start + serviceOf(each) > at).length
  // Those that ran when the owner came.
  const lent = done.filter(each => each.start < 60 && each.start + serviceOf(each) > 60)
  const service = Math.max(...lent.map(serviceOf))
  const own = done.filter(({ owner }) => owner === 'org:research').sort((a, b) => a.start - b.start)
  const whole = own.find(({ start }) => held('org:research', start) >= first)?.start ?? Number.POSITIVE_INFINITY
  const returned = whole - 60
  gate(
    `seed ${seed}, 60/40: slots of the borrower before`,
    held('plan:product', 59),
    held('plan:product', 59) === SLOTS,
    ` of ${SLOTS}`,
  )
  gate(
    '     the owner has its slots back',
    returned,
    returned <= service,
    ` s (a service time is ${service.toFixed(1)} s)`,
  )
  const both = Math.min(
    own.at(-1).start,
    Math.max(...done.filter(({ owner }) => owner !== 'org:research').map(each => each.start)),
  )
  let least = SLOTS
  for (let at = whole; at < both; at += 0.25) least = Math.min(least, held('org:research', at))
  gate('     the least that it has from then on', least, least >= first, ` of ${first}`)
  gate('     work-conserving', 100 * conserving, conserving > 0.9999, ' %')
}

/** Work that is expected of a request, and that which it is. */
const WORK = {
  expectedOf: ({ account, prompt }, lengths) => workOf(prompt, lengths.expected(account, CAP)),
  realOf: ({ prompt, answer }) => workOf(prompt, answer),
  serviceOf,
}

/** The twenty ask at four gateways, of which one account with 500 requests uses all. */
async function isolationOverGateways(seed) {
  const dice = random(seed)
  const asked = Array.from({ length: 20 }, (_, n) => ({
    ...request(`small_${n}`, 1 + dice() * 10, dice),
    gateway: n % 4,
  }))
  for (let n = 0; n < 500; n++) asked.push({ ...request('hog', 0, dice), gateway: n % 3 })
  const { done } = await playOverGateways(PARTS, asked, { ...WORK, gateways: 4, slots: SLOTS, until: 60 })
  const waits = done.filter(({ account }) => account !== 'hog').map(each => each.start / 1000 - each.at)
  const longest = waits.length < 20 ? Number.POSITIVE_INFINITY : Math.max(...waits)
  const service = Math.max(...done.map(serviceOf))
  gate(`seed ${seed}, 500 beside 20 at four gateways: longest wait of the twenty`, longest, longest <= service, ' s')
}

/** Four gateways share the slots: one account asks at all of them, another at one; then one gateway is killed. */
async function gateways(seed) {
  const dice = random(seed)
  const asked = []
  for (let gateway = 0; gateway < 4; gateway++)
    for (let n = 0; n < 600; n++) asked.push({ ...request('hog', 0, dice), gateway })
  for (let n = 0; n < 1200; n++) asked.push({ ...request('modest', 0, dice), gateway: 0 })
  const options = { ...WORK, gateways: 4, slots: SLOTS, until: 200 }
  const { done, conserving, most, reportsPerSecond } = await playOverGateways(PARTS, asked, options)
  const workBy = (name, list) =>
    list.filter(({ account }) => account === name).reduce((sum, each) => sum + workOf(each.prompt, each.answer), 0)
  const shareOf = list => (100 * workBy('modest', list)) / (workBy('modest', list) + workBy('hog', list))
  const share = shareOf(done)
  gate(`seed ${seed}, four gateways: share of the account at one of them`, share, Math.abs(share - 50) <= 2, ' %')
  gate('     work-conserving', 100 * conserving, conserving >= 0.98, ' %')
  gate('     most at once', most, most <= SLOTS, ` of ${SLOTS}`)
  console.log(`     reports of a gateway: ${reportsPerSecond.toFixed(0)} a second`)
  const killed = await playOverGateways(PARTS, asked, { ...options, kill: 60 })
  const after = killed.done.filter(each => each.start > 70_000)
  const shareAfter = shareOf(after)
  gate('     after one of them was killed: share', shareAfter, Math.abs(shareAfter - 50) <= 2, ' %')
  gate('     work-conserving, with the 5 s of its lease', 100 * killed.conserving, killed.conserving >= 0.98, ' %')
  gate('     most at once', killed.most, killed.most <= SLOTS, ` of ${SLOTS}`)
}

/** Shares of 60 and 40 % over four gateways: the owner comes to two of them, and one of the others is killed. */
async function guaranteedOverGateways(seed) {
  const dice = random(seed)
  const [{ slots: first }] = GUARANTEES
  const asked = []
  for (let n = 0; n < 2400; n++)
    asked.push({ ...request(`product_${n % 3}`, 0, dice, { owner: 'plan:product', priority: 5 }), gateway: n % 4 })
  for (let n = 0; n < 1200; n++)
    asked.push({ ...request(`research_${n % 2}`, 60, dice, { owner: 'org:research' }), gateway: n % 2 })
  const options = { ...WORK, gateways: 4, slots: SLOTS, guarantees: GUARANTEES, until: 200, kill: 120 }
  const { done, conserving, most } = await playOverGateways(PARTS, asked, options)
  const own = done.filter(({ owner }) => owner === 'org:research').sort((a, b) => a.start - b.start)
  const service = Math.max(...done.filter(each => each.start < 60_000 && each.end > 60_000).map(serviceOf))
  const held = at => own.filter(({ start, end }) => start <= at && end > at).length
  const whole = own.find(({ start }) => held(start) >= first)?.start ?? Number.POSITIVE_INFINITY
  const returned = whole / 1000 - 60
  gate(`seed ${seed}, 60/40 over four gateways: the owner has its slots back`, returned, returned <= service, ' s')
  const mean = (from, to) =>
    own.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0) / (to - from)
  for (const [name, from, to] of [
    ['before one is killed', 60_000 + 1000 * service, 120_000],
    ['after it', 130_000, 180_000],
  ])
    gate(`     its mean slots ${name}`, mean(from, to), mean(from, to) >= 0.98 * first, ` of ${first}`)
  gate('     work-conserving', 100 * conserving, conserving >= 0.98, ' %')
  gate('     most at once', most, most <= SLOTS, ` of ${SLOTS}`)
}

for (const seed of [1, 2, 3]) {
  isolation(seed)
  shares(seed)
  priorities(seed)
  guaranteed(seed)
  await isolationOverGateways(seed)
  await gateways(seed)
  await guaranteedOverGateways(seed)
}
process.exitCode = failures > 0 ? 1 : 0
