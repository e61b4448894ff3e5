// A replica as vLLM runs it: blocks of KV cache by prefix, least recently used first out, chunked prefill and continuous
// batching. The times of a step were measured on one H200 with the shape of an 8B model.

const CARD = { floor: 0.006, perToken: 27e-6, perDecode: 16e-6, perPair: 1.0e-9, perContext: 33e-9, overhead: 0.001 }
/** Tokens of prefill in one step, and sequences at once. */
const BUDGET = 8192
const SEQUENCES = 256

const stepTime = (prefilled, pairs, decoding, context) =>
  CARD.overhead +
  Math.max(CARD.floor + CARD.perDecode * decoding, CARD.perToken * (prefilled + decoding)) +
  CARD.perPair * pairs +
  CARD.perContext * context

export class Replica {
  waiting = []
  busySeconds = 0
  #running = []
  #cached = new Map() // block → holders
  #idle = new Map() // blocks that nobody holds, least recently used first
  #free
  #block
  #step

  constructor({ blocks, block }) {
    this.#free = blocks
    this.#block = block
  }

  get isStepping() {
    return this.#step !== undefined
  }

  /** Plans a step and returns its seconds; undefined when there is nothing to do. */
  beginStep() {
    let budget = BUDGET
    let [pairs, context] = [0, 0]
    const chunks = []
    const decoding = []
    const prefill = request => {
      const tokens = Math.min(budget, request.tokens - request.computed)
      budget -= tokens
      pairs += tokens * (request.computed + tokens / 2)
      chunks.push({ request, tokens })
    }
    for (const request of this.#running) {
      if (request.computed >= request.tokens) {
        decoding.push(request)
        context += request.tokens + request.made
      } else if (budget > 0) prefill(request)
    }
    while (this.waiting.length > 0 && budget > 0 && this.#running.length < SEQUENCES) {
      const [request] = this.waiting
      request.extra = Math.ceil((request.tokens - request.keys.length * this.#block + request.out) / this.#block)
      const hit = this.#take(request.keys, request.extra)
      if (hit < 0) break
      this.waiting.shift()
      request.hit = hit
      request.computed = hit * this.#block
      this.#running.push(request)
      prefill(request)
    }
    if (chunks.length === 0 && decoding.length === 0) return undefined
    this.#step = { chunks, decoding }
    const seconds = stepTime(BUDGET - budget, pairs, decoding.length, context)
    this.busySeconds += seconds
    return seconds
  }

  /** Runs `first` for requests that have their first token, and `done` for those that are complete. */
  endStep({ first, done, answerKeys }) {
    const { chunks, decoding } = this.#step
    this.#step = undefined
    for (const { request, tokens } of chunks) {
      request.computed += tokens
      if (request.computed < request.tokens) continue
      request.made = 1
      this.#publish(request.keys, request.hit)
      first(request)
    }
    for (const request of decoding) request.made++
    const isOver = request => request.computed >= request.tokens && request.made >= request.out
    const over = this.#running.filter(isOver)
    this.#running = this.#running.filter(request => !isOver(request))
    for (const request of over) {
      this.#release(request.keys)
      this.#free += request.extra
      this.#keep(answerKeys(request))
      done(request)
    }
  }

  /** Holds the blocks of a request. Returns how many were cached; -1 when there is no room. */
  #take(keys, extra) {
    let [hit, idle] = [0, 0]
    while (hit < keys.length && this.#cached.has(keys[hit])) if (this.#idle.has(keys[hit++])) idle++
    const fresh = keys.length - hit + extra
    if (this.#free + this.#idle.size - idle < fresh) return -1
    for (let i = 0; i < hit; i++) {
      this.#cached.set(keys[i], this.#cached.get(keys[i]) + 1)
      this.#idle.delete(keys[i])
    }
    this.#evict(fresh)
    this.#free -= fresh
    return hit
  }

  #evict(wanted) {
    for (const key of this.#idle.keys()) {
      if (this.#free >= wanted) return
      this.#idle.delete(key)
      this.#cached.delete(key)
      this.#free++
    }
  }

  /** Others find computed blocks from now on. */
  #publish(keys, from) {
    for (let i = from; i < keys.length; i++) {
      const holders = this.#cached.get(keys[i])
      if (holders === undefined) this.#cached.set(keys[i], 1)
      else {
        this.#free++
        this.#cached.set(keys[i], holders + 1)
        this.#idle.delete(keys[i])
      }
    }
  }

  #release(keys) {
    for (let i = keys.length - 1; i >= 0; i--) {
      const holders = this.#cached.get(keys[i]) - 1
      this.#cached.set(keys[i], holders)
      if (holders === 0) this.#idle.set(keys[i], true)
    }
  }

  /** The blocks of an answer stay for the next turn. */
  #keep(keys) {
    for (const key of keys) {
      if (this.#free === 0 || this.#cached.has(key)) continue
      this.#free--
      this.#cached.set(key, 0)
      this.#idle.set(key, true)
    }
  }
}
