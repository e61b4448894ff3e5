import { ago, moment } from '../config/check/formats.ts'
import { unitOf } from '../config/check/units.ts'
import type { Config, EpochMs } from '../policy/config.ts'
import { ZERO_USD } from '../policy/nano-usd.ts'
import type { Headers } from '../wire/openai/signals.ts'
import { type CaseKind, type Path, pathOf, shortBody } from './endpoints.ts'
import type { Case, TestsFile, Usage as WrittenUsage } from './file.ts'
import { NO_USAGE, type PoolFault, type Scenario, type Usage, type Who } from './scenario.ts'

/** What a case, or a command line, says of a request and its world. Its texts are in order. */
export type Situation = Omit<Case, 'name' | 'expect' | 'now'> & { readonly now?: EpochMs }

/** The moment of tests that name none. */
export const SOME_DAY: EpochMs = Date.UTC(2026, 0, 1, 12)

/** The request that a situation describes; undefined when it names no sender and there is no default plan. */
export function scenarioOf(config: Config, situation: Situation): Scenario | undefined {
  const { now = SOME_DAY, usage, pools, headers, request } = situation
  const who = whoOf(config, situation)
  return (
    who && {
      at: now,
      who,
      ...sentBy(config, situation),
      headers: lowNames({ ...headers, ...request?.headers }),
      usage: usageOf(usage),
      pools: new Map(Object.entries(pools ?? {}).flatMap(([name, state]) => faultOf(name, state))),
    }
  )
}

export const SPOKEN = ['chat', 'chat_tokens', 'input', 'prompt', 'request'] as const

type Given = NonNullable<TestsFile['given']>

/** A case with what is given; what it says itself takes the place of that, field by field. */
export function situationOf(config: Config, given: Given, own: Omit<Case, 'name' | 'expect'>): Situation {
  const { chat, ...rest } = given
  const speaks = SPOKEN.some(field => own[field] !== undefined)
  // A model that takes no chat has a text of its own kind.
  const isChat = kindOf(config, own.model ?? given.model) === 'chat'
  const said = speaks || chat === undefined || !isChat ? {} : { chat }
  const { plan: _plan, ...anybody } = rest
  const { now, ...merged } = { ...(own.auth === undefined ? rest : anybody), ...said, ...own }
  const at = now === undefined ? undefined : readMoment(now)
  return { ...merged, ...(at !== undefined && { now: at }) }
}

function whoOf(config: Config, { plan, auth }: Situation): Who | undefined {
  if (auth !== undefined) return { authorization: auth === 'none' ? undefined : `Bearer ${auth}` }
  const found = plan === undefined ? config.defaultPlan : config.plans.get(plan)
  return found && { plan: found }
}

function sentBy(config: Config, situation: Situation): { readonly path: Path; readonly body: Buffer } {
  const { request, stream, max_tokens: maxTokens } = situation
  if (request) {
    const { path = pathOf.chat, body } = request
    return { path, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
  }
  const { kind, text } = saidBy(config, situation)
  const model = situation.model === 'none' ? undefined : situation.model
  const capped = kind === 'chat' && maxTokens !== undefined && { maxTokens: unitOf('count', maxTokens) }
  const streamed = kind === 'chat' && stream !== undefined && { stream }
  return {
    path: pathOf[kind],
    body: shortBody({ kind, text, ...(model !== undefined && { model }), ...capped, ...streamed }),
  }
}

const HELLO = 'Hello'
/** As routes count them; one more is the role of the message. */
const TOKEN = 'bla '

/** Where nothing is said, the model tells what it is for. */
function saidBy(
  config: Config,
  { chat, chat_tokens: tokens, input, prompt, model }: Situation,
): { kind: CaseKind; text: string } {
  if (input !== undefined) return { kind: 'embedding', text: input }
  if (prompt !== undefined) return { kind: 'image', text: prompt }
  if (chat !== undefined) return { kind: 'chat', text: chat }
  if (tokens !== undefined) return { kind: 'chat', text: TOKEN.repeat(unitOf('count', tokens) - 1) }
  return { kind: kindOf(config, model), text: HELLO }
}

/** The kind of request for a name. An unknown name means a chat; so does one that only pass-through routes serve, which a chat is refused. */
function kindOf({ models, aliases }: Config, name: string | undefined): CaseKind {
  const found = name === undefined ? undefined : (models.get(name) ?? aliases.get(name)?.model)
  return found === undefined || found.kind === 'passthrough' ? 'chat' : found.kind
}

function usageOf(written: WrittenUsage = {}): Usage {
  const { minute = {}, day = {}, month_usd, reserved_usd, concurrent, guests_usd } = written
  const count = (value: string | number | undefined) => (value === undefined ? 0 : unitOf('count', value))
  const usd = (value: number | undefined) => (value === undefined ? ZERO_USD : unitOf('usd', value))
  return {
    minute: {
      requests: count(minute.requests),
      tokens: count(minute.tokens),
      age: minute.oldest === undefined ? NO_USAGE.minute.age : (ago.read(minute.oldest) ?? 0),
    },
    day: count(day.requests),
    month: usd(month_usd),
    held: usd(reserved_usd),
    underWay: count(concurrent),
    guests: usd(guests_usd),
  }
}

const faultOf = (name: string, state: 'up' | PoolFault): readonly [string, PoolFault][] =>
  state === 'up' ? [] : [[name, state]]

/** A moment as a file or a command line writes it; undefined when it is none. */
export const readMoment = (text: string): EpochMs | undefined => moment.read(text)

const lowNames = (headers: Readonly<Record<string, string>>): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
