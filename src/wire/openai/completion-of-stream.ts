import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { OpenCalls } from '../open-calls.ts'
import type { Steps } from '../steps.ts'
import { eventObjects } from './event-objects.ts'

/** The whole completion that a stream of chunks amounts to, as whole events of the public form. */
export function* completionOfStream(events: string): Steps<JsonObject> {
  const completion = new Completion()
  let at = 0
  for (const chunk of eventObjects(events)) {
    if (++at % EVENTS_AT_ONCE === 0) yield
    completion.take(chunk)
  }
  return completion.whole
}

/** So many are read in some milliseconds, also with alternatives to each token. */
const EVENTS_AT_ONCE = 200

/** Joins the chunks of a stream into a completion. */
class Completion {
  #about: JsonObject = {}
  readonly #choices = new Map<number, Choice>()

  take({ choices, ...about }: JsonObject): void {
    // All chunks have the id and the time of the first one.
    const { id = about.id, created = about.created } = this.#about
    this.#about = { ...this.#about, ...about, id, created }
    for (const each of Array.isArray(choices) ? choices.filter(isObject) : []) {
      const index = typeof each.index === 'number' ? each.index : 0
      const choice = this.#choices.get(index) ?? new Choice()
      this.#choices.set(index, choice)
      choice.take(each)
    }
  }

  get whole(): JsonObject {
    const { usage, ...about } = this.#about
    const choices = [...this.#choices].sort(([a], [b]) => a - b).map(([index, choice]) => ({ index, ...choice.whole }))
    return Object.assign({}, about, { object: 'chat.completion', choices }, isObject(usage) && { usage })
  }
}

class Choice {
  #rest: JsonObject = {}
  #finish: unknown = null
  readonly #logprobs = new Joined()
  readonly #message = new Joined()
  readonly #calls = new OpenCalls(() => new Call())

  take({ index: _index, delta, finish_reason: finish, logprobs, ...rest }: JsonObject): void {
    this.#rest = { ...this.#rest, ...rest }
    if (typeof finish === 'string' && finish !== '') this.#finish = finish
    this.#logprobs.take(asObject(logprobs))
    const { tool_calls: calls, function_call: called, ...said } = asObject(delta)
    this.#message.take(said)
    if (isObject(called)) this.#message.take({ function_call: called })
    for (const part of Array.isArray(calls) ? calls.filter(isObject) : []) this.#calls.of(part).take(part)
  }

  get whole(): JsonObject {
    const logprobs = this.#logprobs.whole
    const { role: _role, content = this.#calls.any ? null : '', ...said } = this.#message.whole
    const calls = this.#calls.all.map(({ whole }) => whole)
    return {
      message: { role: 'assistant', content, refusal: null, ...said, ...(calls.length > 0 && { tool_calls: calls }) },
      // Clients that check schemas expect both members, which streams leave out.
      logprobs: Object.keys(logprobs).length > 0 ? logprobs : null,
      finish_reason: this.#finish,
      ...this.#rest,
    }
  }
}

/** A call of a tool, of which each part brings some letters. */
class Call {
  readonly #about: Record<string, unknown> = {}
  readonly #function = new Joined()

  get id(): unknown {
    return this.#about.id
  }

  get name(): unknown {
    return this.#function.whole.name
  }

  take({ index: _index, function: called, ...about }: JsonObject): void {
    for (const name in about) if (about[name] !== null && about[name] !== '') this.#about[name] = about[name]
    this.#function.take(asObject(called))
  }

  get whole(): JsonObject {
    return { type: 'function', ...this.#about, function: { arguments: '', ...this.#function.whole } }
  }
}

/** Members that come in pieces: texts and lists go on, objects are joined, and of anything else the last one holds. */
class Joined {
  readonly #texts = new Map<string, string[]>()
  readonly #members: Record<string, unknown> = {}

  take(members: JsonObject): void {
    for (const name in members) this.#add(name, members[name])
  }

  get whole(): JsonObject {
    const texts = [...this.#texts].map(([name, pieces]) => [name, pieces.join('')])
    return Object.assign({}, this.#members, Object.fromEntries(texts))
  }

  #add(name: string, value: unknown): void {
    const before = this.#members[name]
    if (value === null || value === undefined) this.#members[name] ??= value
    else if (typeof value === 'string' && !WHOLE.has(name)) this.#addText(name, value)
    else if (Array.isArray(value)) this.#members[name] = Array.isArray(before) ? appended(before, value) : [...value]
    else if (isObject(value)) this.#members[name] = joined(before, value)
    else this.#members[name] = value
  }

  #addText(name: string, text: string): void {
    const texts = this.#texts.get(name)
    if (texts) texts.push(text)
    else this.#texts.set(name, [text])
  }
}

/** Appends to a list that we own. */
function appended(list: unknown[], more: readonly unknown[]): unknown[] {
  for (const item of more) list.push(item)
  return list
}

/** Members whose text comes at once. */
const WHOLE: ReadonlySet<string> = new Set(['role', 'id', 'type'])

function joined(before: unknown, value: JsonObject): JsonObject {
  const both = new Joined()
  both.take(asObject(before))
  both.take(value)
  return both.whole
}
