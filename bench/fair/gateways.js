// Several gateways whose pool has its slots over all of them: each has the queue and the leases that it is given as `parts`, and
// reports to one store that answers after a round trip. Times are of the simulation, in ms.
const ROUND_TRIP = 1
const FOREVER = { max: 1e9, ofAccount: 1e9, bytes: 1e15, timeout: 1e12, beforeNext: 0, aging: 1e12, comments: false }
const NOBODY = { gone: false, wasCut: false, onGone: () => () => {} }

/** Time that passes from one event to the next. */
class SimulatedClock {
  time = 0
  #events = []
  #count = 0
  now = () => this.time
  elapsed = () => this.time
  after = (time, run) => {
    const event = { at: this.time + time, order: this.#count++, run }
    let [low, high] = [0, this.#events.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#events[middle].at > event.at) low = middle + 1
      else high = middle
    }
    // The earliest is the last.
    this.#events.splice(low, 0, event)
    return () => {
      event.run = () => {}
    }
  }
  /** Runs what is due next; false where that is after `until`. */
  step(until, passed) {
    const event = this.#events.pop()
    if (!event || event.at > until) return false
    passed(event.at - this.time)
    this.time = event.at
    event.run()
    return true
  }
}

class Gateway {
  isDead = false
  constructor({ Slots, StoreSlots }, clock, store, holder, { slots, guarantees = [] }) {
    this.clock = clock
    this.slots = new Slots()
    this.most = slots
    this.slots.fair.guarantee(guarantees)
    if (store) this.leases = new StoreSlots({ store: store(this), clock, alarm: () => {}, holder }, 'pool', this.slots)
  }

  /** Serves a request once it has its turn, for so many seconds; then `ended` hears of it. */
  async ask(request, { expectedOf, realOf, serviceOf }, ended) {
    const { slots, clock, most } = this
    const tokens = expectedOf(request, slots.fair.lengths)
    const ticket = { priority: 1, weight: 1, ...request, bytes: 1, tokens, admit: () => {}, dismiss: () => {} }
    if (slots.takeNow({ maxConcurrent: most })) slots.fair.start(ticket)
    else await slots.takeInTurn(ticket, { maxConcurrent: most, queue: FOREVER, time: 1e12, clock, client: NOBODY })
    request.start = clock.time
    clock.after(1000 * serviceOf(request), () => {
      if (this.isDead) return
      if (request.answer !== undefined) slots.fair.lengths.learn(request.account, request.answer)
      slots.fair.end(ticket, realOf(request), clock)
      slots.free(ticket)
      ended(request)
    })
  }
}

/** The store of the gateways, which answers nobody from `away[0]` to `away[1]`, in seconds. */
function storeOf({ SharedSlots, StoreUnavailable }, clock, away, reported) {
  const shared = new SharedSlots()
  const isAway = () => clock.time >= 1000 * away[0] && clock.time < 1000 * away[1]
  return from => ({
    shareSlots: (_pool, report, lease) =>
      new Promise((resolve, reject) => {
        reported()
        clock.after(ROUND_TRIP / 2, () => {
          if (from.isDead) return
          const grant = isAway() ? undefined : shared.exchange(report, lease, clock.time)
          clock.after(ROUND_TRIP / 2, () => (grant && !isAway() ? resolve(grant) : reject(new StoreUnavailable())))
        })
      }),
  })
}

/**
 * Plays requests, each with its `gateway` and `at` in seconds, until a time in seconds; `again` returns the request that a
 * client sends after one that ended. `kill` is when the last gateway ends. With one gateway there is no store: its queue is the
 * order that several should have.
 *
 * Returns those that ended, the share of slots in use while any request waited, and the most that ran at once.
 */
export async function playOverGateways(parts, asked, options) {
  const { gateways, slots, until, kill = Number.POSITIVE_INFINITY, away = [0, 0], again = () => undefined } = options
  const clock = new SimulatedClock()
  let reports = 0
  const store = gateways > 1 && storeOf(parts, clock, away, () => reports++)
  const all = Array.from(
    { length: gateways },
    (_, n) => new Gateway(parts, clock, store || undefined, `gateway_${n}`, options),
  )
  const done = []
  const ask = request => {
    const gateway = all[request.gateway % gateways]
    if (gateway.isDead) return
    void gateway.ask({ ...request }, options, ended => {
      done.push({ ...ended, end: clock.time })
      const next = again(ended)
      if (next) ask(next)
    })
  }
  for (const request of asked) clock.after(1000 * request.at, () => ask(request))
  if (kill < until)
    clock.after(1000 * kill, () => {
      const last = all.at(-1)
      last.isDead = true
      void last.leases.close()
    })
  let [idle, held, most] = [0, 0, 0]
  const passed = time => {
    const living = all.filter(({ isDead }) => !isDead)
    const running = living.reduce((sum, each) => sum + each.slots.taken, 0)
    most = Math.max(most, running)
    held += running * time
    if (living.some(each => each.slots.waiting > 0)) idle += Math.max(0, slots - running) * time
  }
  while (clock.step(1000 * until, passed)) await new Promise(setImmediate)
  return { done, conserving: held / (held + idle), most, reportsPerSecond: reports / until / gateways }
}
