import { acceptsOf } from '../../policy/accepts.ts'
import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { ChatModel, HostedTool, Millis, Pool } from '../../policy/config.ts'
import type { Claims } from '../../policy/decision.ts'
import { takesMarks } from '../../policy/dialect.ts'
import type { ChatAsk } from '../../policy/facts.ts'
import { sizeRound } from '../../policy/sizing.ts'
import { callsOf, type ToolCalls, toolsWorst } from '../../policy/tools.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { type HostedChat, textBytes } from '../../wire/openai/hosted-chat.ts'
import type { EngineTerms } from '../../wire/openai/request.ts'
import { afterTurn, type Turn } from '../../wire/tools/turn.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { Spent } from '../admission/admit.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { recordOverrun } from '../admission/overrun.ts'
import { settlementOf, spentWith } from '../admission/settlement.ts'
import type { Work } from '../attempt/outcome.ts'
import type { Call } from '../call.ts'
import { KeptSlot } from '../pools/kept-slot.ts'
import type { ToolDefinition } from '../ports.ts'
import type { InferencePorts } from '../request.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Expenses } from '../upstream/expenses.ts'
import { backendOf } from '../upstream/failover-ports.ts'
import { runCalls } from './run.ts'

/** The terms of a request with hosted tools. */
export interface RoundsTerms {
  readonly hosted: HostedChat
  readonly definitions: ReadonlyMap<string, ToolDefinition>
}

const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 }
/** The work of a round that is over, or not yet begun. */
export const NO_WORK: Work = { usage: NO_USAGE }

const NO_TOOLS: ReadonlyMap<string, HostedTool> = new Map()

/** The rounds of one answer with hosted tools: what the model is sent next, and what the request holds for it. */
export class Rounds {
  readonly startedAt: Millis
  /** The slot that it keeps while tools run, at a pool with a queue. */
  readonly slot = new KeptSlot()
  readonly hosted: HostedChat
  readonly call: Call
  /** As the request was admitted: its headers say this. */
  readonly first: LeasedCall
  readonly #gateway: InferencePorts
  readonly #definitions: RoundsTerms['definitions']
  readonly #tools: ReadonlyMap<string, HostedTool>
  readonly #made: Record<string, number> = {}
  readonly #paid: Record<string, number> = {}
  readonly #messages: JsonObject[] = []
  readonly #model: ChatModel
  readonly #request: ChatAsk
  readonly #cap: number
  #admitted: LeasedCall
  #number = 0
  readonly #over: { readonly admitted: LeasedCall; readonly pool: Pool; readonly work: Work }[] = []
  /** Those that the model may call in the present round. */
  #offered: ReadonlyMap<string, HostedTool>

  constructor(gateway: InferencePorts, call: Call, admitted: LeasedCall, { hosted, definitions }: RoundsTerms) {
    const { model, tools = [] } = admitted.decision
    if (model.kind !== 'chat' || admitted.request.kind !== 'chat') throw new Error('only chats have hosted tools')
    this.startedAt = gateway.clock.elapsed()
    this.hosted = hosted
    this.#gateway = gateway
    // Headers are those of the admission, whatever later rounds hold.
    this.call = { ...call, kept: this.slot, trying: (_round, pool) => call.trying(admitted, pool) }
    this.#definitions = definitions
    this.#tools = new Map(tools.map(tool => [tool.name, tool]))
    this.#model = model
    this.#request = admitted.request
    this.#cap = admitted.hold.output
    this.first = admitted
    this.#admitted = admitted
    this.#offered = this.#tools
  }

  /** The request's hold, and its charges so far. */
  get admitted(): LeasedCall {
    return this.#admitted
  }

  /** The beginnings of the present round's prompt. */
  get sketch(): PromptSketch | undefined {
    return this.call.wire.sketch?.(this.#messages)
  }

  bodyFor(pool: Pool, engine: EngineTerms): Buffer {
    const { model, caps, provider } = pool
    const offered = new Map([...this.#offered.keys()].flatMap(name => this.#definition(name)))
    const round = { number: this.#number, messages: this.#messages, offered }
    const { decision, hold } = this.#admitted
    const { facts } = provider
    const marks = takesMarks(pool)
    const terms = { model, output: hold.output, caps, facts, marks, ...engine, accepts: acceptsOf(decision.model) }
    return this.hosted.bodyFor(terms, round)
  }

  /** The present round is over: from here on it is a part of what the request costs. */
  ended(pool: Pool, work: Work): void {
    this.#over.push({ admitted: this.#admitted, pool, work })
    recordOverrun(this.#gateway, this.#admitted, pool, work)
    this.#admitted = { ...this.#admitted, spent: spentWith(this.#admitted, work) }
    this.#checkpoint(pool)
  }

  /**
   * Runs what the model called and takes another round. False when there can be none: the account has no more to
   * spend, the answer is as long as it may be, or the client left.
   */
  async next(turn: Turn, pool: Pool, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted || !this.#sized || this.#offered.size === 0) return false
    const offered = this.#timeLeft > 0 ? this.#offered : NO_TOOLS
    const terms = { offered, made: this.#made, paid: this.#paid, time: this.#timeLeft, signal }
    const results = await runCalls(this.#gateway, turn.calls, terms)
    this.#admitted = { ...this.#admitted, spent: this.#spent }
    if (signal.aborted) return false
    this.#messages.push(...afterTurn(turn, results, this.#number))
    this.#number++
    this.#offered = this.#stillOffered
    return this.#extend(pool)
  }

  /** The client gets no answer and pays nothing: the cost of its rounds is recorded behind as many failures. */
  wasted(failures: number): void {
    const { settings } = this.#gateway
    const settingsOf = (pool: Pool) => backendOf(settings, pool)
    for (const [index, { admitted, pool, work }] of this.#over.entries()) {
      const expenses = new Expenses({ ...this.#gateway, settingsOf }, admitted, failures)
      expenses.record({ pool, cause: 'a later round failed', work }, index + 1)
    }
  }

  /** Holds what the next round may take. */
  async #extend(pool: Pool): Promise<boolean> {
    const { hold, decision, lease } = this.#admitted
    const claims = this.#claims
    if (!claims) return false
    const soFar = settlementOf(this.#admitted, pool, NO_WORK)
    try {
      const extended = await this.#gateway.store.holds.extend({ hold, round: hold.round + 1, soFar, claims })
      if ('denial' in extended || extended.outcome === 'ended') return false
      this.#admitted = { ...this.#admitted, hold: extended.hold, decision: { ...decision, claims } }
      lease.extended(extended.hold)
      return true
    } catch (error) {
      // A round that the store cannot admit is not spent; the answer so far is the client's.
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }

  /** The size of another round, with the messages so far as its prompt; undefined when too little output is left. */
  get #sized(): ReturnType<typeof sizeRound> {
    const request = {
      ...this.#request,
      messages: this.#request.messages + this.#messages.length,
      textBytes: this.#request.textBytes + textBytes(this.#messages),
    }
    return sizeRound(this.#model, request, this.#left)
  }

  get #claims(): Claims | undefined {
    const { claims } = this.#admitted.decision
    const sized = this.#sized
    if (!sized) return undefined
    const { input, output } = sized
    const items = toolsWorst([...this.#offered.values()], this.#made)
    return { ...claims, input, spend: { ...claims.spend, items }, output }
  }

  /** None in the last round. */
  get #stillOffered(): ReadonlyMap<string, HostedTool> {
    const isLast = this.#number + 1 >= this.#gateway.settings.limits.toolRounds
    if (isLast || this.#timeLeft <= 0) return NO_TOOLS
    return new Map([...this.#tools].filter(([name, { maxCalls }]) => callsOf(this.#made, name) < maxCalls))
  }

  get #timeLeft(): Millis {
    const { ms: queued } = this.#admitted.queued
    return this.#gateway.settings.limits.toolTime - (this.#gateway.clock.elapsed() - this.startedAt - queued)
  }

  /** Output tokens: the cap is one for all rounds. */
  get #left(): number {
    return this.#cap - this.#spent.outputTokens
  }

  get #calls(): ToolCalls {
    return Object.fromEntries(Object.entries(this.#paid).filter(([, calls]) => calls > 0))
  }

  /** With the calls that are running. */
  get #spent(): Spent {
    return { ...NO_USAGE, estimated: false, ...this.#admitted.spent, calls: this.#calls }
  }

  #definition(name: string): [string, ToolDefinition][] {
    const definition = this.#definitions.get(name)
    return definition ? [[name, definition]] : []
  }

  /** From here until the next round speaks, a crash charges no less than what was spent. */
  #checkpoint(pool: Pool): void {
    const { lease, ...admitted } = this.#admitted
    lease.speaking(() => settlementOf({ ...admitted, spent: this.#spent }, pool, NO_WORK))
  }
}
