// Replicas behind a gateway, by discrete events: the gateway chooses with the code of dist/, all else is simulated.
import { TableBudget } from '../../dist/gateway/balance/mark-table.js'
import { PoolBalance } from '../../dist/gateway/balance/pool-balance.js'
import { Replica as Known, lessBusy } from '../../dist/gateway/pools/replica.js'
import { Replica } from './replica.js'
import { random } from './workloads.js'

const BYTES_PER_TOKEN = 4
/** The gateway marks prompts at the end of each message, and after so many tokens within one. */
const CUT_TOKENS = 512
/** Chains of texts have so many places each: a key is a chain and a place in it. */
const PLACES = 65_536

class Agenda {
  #heap = []

  get isEmpty() {
    return this.#heap.length === 0
  }

  push(at, run) {
    const heap = this.#heap
    let i = heap.push({ at, run }) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (heap[parent].at <= heap[i].at) break
      this.#swap(parent, i)
      i = parent
    }
  }

  pop() {
    const heap = this.#heap
    const [top] = heap
    const last = heap.pop()
    if (heap.length === 0) return top
    heap[0] = last
    for (let i = 0; ; ) {
      const left = 2 * i + 1
      if (left >= heap.length) break
      const least = left + 1 < heap.length && heap[left + 1].at < heap[left].at ? left + 1 : left
      if (heap[i].at <= heap[least].at) break
      this.#swap(least, i)
      i = least
    }
    return top
  }

  #swap(a, b) {
    const heap = this.#heap
    const held = heap[a]
    heap[a] = heap[b]
    heap[b] = held
  }
}

/** Texts that dialogues are made of: equal beginnings are one chain. */
class Chains {
  #ids = new Map()

  after(parent, name) {
    const key = `${parent}/${name}`
    let id = this.#ids.get(key)
    if (id === undefined) {
      id = this.#ids.size + 1
      this.#ids.set(key, id)
    }
    return id
  }
}

const mixed = (a, b) => {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return h ^ (h >>> 12)
}

/** The sketch that the gateway would make of a prompt of these spans. */
function sketchOf(spans, tokens, anchor) {
  const marks = []
  let from = 0
  for (const [index, { end, joined }] of spans.entries()) {
    if (joined) continue
    for (let at = from + CUT_TOKENS; at < end; at += CUT_TOKENS) {
      const span = spans.slice(0, index + 1).find(each => each.end >= at)
      marks.push([span.chain, at, at])
    }
    marks.push([spans[index].chain, PLACES - 1, end])
    from = end
  }
  return {
    low: Array.from(marks, ([chain, place]) => mixed(chain, place)),
    high: Array.from(marks, ([chain, place]) => mixed(place, chain)),
    ends: Array.from(marks, ([, , end]) => end * BYTES_PER_TOKEN),
    bytes: tokens * BYTES_PER_TOKEN,
    anchor: mixed(anchor, 1),
  }
}

const DOMAIN = { low: 0x1234567, high: 0x89abcd, isPool: true }

/** A pool of the gateway, whose loads are kept as attempts keep them. */
class Pool {
  #declared
  #known
  #balance = new PoolBalance(new TableBudget())
  #chance

  constructor(count, balance, seed) {
    const replicas = Array.from({ length: count }, (_, i) => `http://replica-${i}:8000/v1`)
    this.#declared = { name: 'pool', model: 'm', replicas, balance, caches: 'pool' }
    this.#known = replicas.map(url => new Known(url, { changed: () => {} }))
    this.#chance = random(seed)
  }

  choose(request) {
    const ask = { sketch: () => request.sketch, domainIn: () => DOMAIN, session: () => request.sketch.anchor }
    const isBusy = this.#declared.balance === 'busy'
    const chosen = isBusy ? undefined : this.#balance.choose(this.#declared, this.#known, ask, BYTES_PER_TOKEN)
    const replica = chosen ? chosen.replica : lessBusy(this.#known, this.#chance)
    request.pick = chosen?.pick
    request.at = replica
    replica.inFlight++
    if (chosen) {
      replica.heldTokens += chosen.pick.heldTokens
      replica.owedTokens += chosen.pick.owedTokens
      this.#balance.sent(chosen.pick, replica)
    }
    return this.#known.indexOf(replica)
  }

  answers({ at, pick }) {
    at.owedTokens -= pick?.owedTokens ?? 0
  }

  ended({ at, pick }, cachedTokens) {
    at.inFlight--
    at.heldTokens -= pick?.heldTokens ?? 0
    if (pick) this.#balance.answered(pick, at, cachedTokens)
  }

  get isIdle() {
    return this.#known.every(({ inFlight, heldTokens, owedTokens }) => inFlight + heldTokens + owedTokens === 0)
  }
}

/** Plays dialogues. Only requests that come from `from` on are measured; `isolated` keeps accounts apart. */
export function simulate({
  balance,
  dialogues,
  replicas: count,
  blocks,
  block,
  from,
  until,
  isolated = false,
  seed = 1,
}) {
  return new Simulation({ balance, replicas: count, blocks, block, from, until, isolated, seed }).run(dialogues)
}

/** One cache of the size of all, least recently used blocks first out: what could be found at best. */
class Ideal {
  #blocks = new Map()
  #most

  constructor(most) {
    this.#most = most
  }

  /** Blocks at the beginning that are there. */
  found(keys) {
    let found = 0
    while (found < keys.length && this.#blocks.has(keys[found])) found++
    return found
  }

  keep(keys) {
    for (let i = keys.length - 1; i >= 0; i--) {
      this.#blocks.delete(keys[i])
      this.#blocks.set(keys[i], true)
    }
    for (const key of this.#blocks.keys()) {
      if (this.#blocks.size <= this.#most) break
      this.#blocks.delete(key)
    }
  }
}

class Simulation {
  #options
  #agenda = new Agenda()
  #chains = new Chains()
  #replicas
  #pool
  #rows = []
  #best
  #ideal = 0
  #now = 0

  constructor(options) {
    this.#options = options
    const { replicas, blocks, block, balance, seed } = options
    this.#replicas = Array.from({ length: replicas }, () => new Replica({ blocks, block }))
    this.#pool = new Pool(replicas, balance, seed)
    this.#best = new Ideal(blocks * replicas)
  }

  run(dialogues) {
    const { isolated, until } = this.#options
    for (const each of dialogues) {
      const root = isolated ? this.#chains.after(-1, each.account) : 0
      const dialogue = { ...each, root, spans: [], keys: [] }
      for (const [name, tokens, joined] of each.segments) this.#extend(dialogue, name, tokens, joined)
      this.#agenda.push(each.start, () => this.#arrive(dialogue, 0))
    }
    while (!this.#agenda.isEmpty) {
      const { at, run } = this.#agenda.pop()
      if (at > until + 60) break
      this.#now = at
      run()
    }
    return this.#result()
  }

  #extend(dialogue, name, tokens, joined) {
    const last = dialogue.spans.at(-1)
    const chain = this.#chains.after(last?.chain ?? dialogue.root, name)
    dialogue.spans.push({ chain, end: (last?.end ?? 0) + tokens, joined: joined !== undefined })
  }

  /** Keys of the whole blocks of a dialogue so far. */
  #blocksOf({ spans, keys }) {
    const { block } = this.#options
    let span = 0
    for (let i = keys.length; i < Math.floor(spans.at(-1).end / block); i++) {
      while (spans[span].end < (i + 1) * block) span++
      keys.push(spans[span].chain * PLACES + i)
    }
    return keys
  }

  #arrive(dialogue, turn) {
    const { block, from, until } = this.#options
    const { in: asked, out } = dialogue.turns[turn]
    this.#extend(dialogue, `${dialogue.id}.asked${turn}`, asked)
    const { chain, end: tokens } = dialogue.spans.at(-1)
    dialogue.anchor ??= chain
    const keys = this.#blocksOf(dialogue).slice(0, Math.floor((tokens - 1) / block))
    const known = this.#best.found(keys)
    const isMeasured = this.#now >= from && this.#now < until
    if (isMeasured) this.#ideal += known * block
    const sketch = sketchOf(dialogue.spans, tokens, dialogue.anchor)
    this.#send({ t: this.#now, dialogue, turn, tokens, out, keys, sketch, computed: 0, made: 0, isMeasured })
  }

  #send(request) {
    const replica = this.#replicas[this.#pool.choose(request)]
    replica.waiting.push(request)
    if (!replica.isStepping) this.#begin(replica)
  }

  #begin(replica) {
    const seconds = replica.beginStep()
    if (seconds === undefined) return
    this.#agenda.push(this.#now + seconds, () => {
      replica.endStep({
        first: request => this.#first(request),
        done: request => this.#done(request),
        answerKeys: request => this.#answered(request),
      })
      this.#begin(replica)
    })
  }

  #first(request) {
    this.#pool.answers(request)
    this.#best.keep(request.keys)
    request.firstAt = this.#now
    request.cached = request.hit * this.#options.block
  }

  #answered({ dialogue, turn, out, keys }) {
    this.#extend(dialogue, `${dialogue.id}.answer${turn}`, out)
    const more = this.#blocksOf(dialogue).slice(keys.length)
    this.#best.keep(more)
    return more
  }

  #done(request) {
    const { t, dialogue, turn, tokens, out, cached, firstAt, isMeasured } = request
    this.#pool.ended(request, cached)
    const perToken = (this.#now - firstAt) / Math.max(1, out - 1)
    if (isMeasured) this.#rows.push({ tokens, cached, first: firstAt - t, perToken })
    const next = dialogue.turns[turn + 1]
    if (next) this.#agenda.push(this.#now + next.think, () => this.#arrive(dialogue, turn + 1))
  }

  #result() {
    const rows = this.#rows
    const sum = of => rows.reduce((total, row) => total + of(row), 0)
    const at = (share, of) => {
      const all = rows.map(of).sort((a, b) => a - b)
      return all[Math.min(all.length - 1, Math.floor(all.length * share))]
    }
    const busy = this.#replicas.map(({ busySeconds }) => busySeconds)
    return {
      requests: rows.length,
      hit: sum(row => row.cached) / sum(row => row.tokens),
      ofIdeal: sum(row => row.cached) / this.#ideal,
      first50: at(0.5, row => row.first),
      first95: at(0.95, row => row.first),
      perToken95: at(0.95, row => row.perToken),
      busiest: (Math.max(...busy) * busy.length) / busy.reduce((a, b) => a + b),
    }
  }
}
