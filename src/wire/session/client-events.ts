import { type Denial, type Denied, invalid } from '../../policy/denial.ts'
import { REALTIME_EVENTS, REALTIME_MEMBERS, RESPONSES_EVENT } from '../../policy/dialect-members.ts'
import type { MarkedTexts } from '../fast/marked-texts.ts'
import { Findings, isAbsent } from '../findings.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { refuseKept } from '../native/kept-at-provider.ts'
import { readMembers } from '../native/members.ts'
import { providerToolsIn } from '../native/provider-tools.ts'
import { parseEvent } from '../openai/body.ts'
import { responsesNative } from '../responses/native.ts'
import { itemNotFound, refuseState } from '../responses/state.ts'
import { idIn } from './usage.ts'

/** The terms of a session's admission. */
export interface SessionScope {
  /** Whether a client means the model of the session by this name. */
  readonly isOwnModel: (name: string) => boolean
  /** The backend's name for the model. */
  readonly backendModel: string
  /** Tools that the backend may run itself. */
  readonly providerTools: readonly string[]
  /** Members beyond those of its events that it may be sent. */
  readonly passes: readonly string[]
  /** Whether it may be sent addresses to fetch something from. */
  readonly fetches: boolean
  /** Whether each event that asks for a response is to have an id, by which its backend says that it has refused it. */
  readonly namesAsks: boolean
}

/** The outcome of a client's message. */
export type ReadMessage = { readonly eventId?: string } & (
  | { readonly denial: Denial }
  /** `asks` is whether it asks for a response. */
  | { readonly bytes: Buffer; readonly asks: boolean }
)

/**
 * Reads what a client says in a session over WebSocket, where it is an event of OpenAI's Realtime or Responses: a JSON object.
 * A member that would have the backend work with another model, run a tool of its own, or read the operator's account is
 * refused, as it is of a request, wherever in the event it stands and whatever type the event has. Everything else passes as it is.
 */
export class ClientEvents {
  readonly #scope: SessionScope
  /** Responses of this session, the latest last. */
  readonly #responses = new Set<string>()
  #count = 0
  #goesOn = false

  constructor(scope: SessionScope) {
    this.#scope = scope
  }

  /** Whether its client speaks Responses, and may refer to what is to be heard of the backend. */
  get goesOn(): boolean {
    return this.#goesOn
  }

  /** Remembers the response that an event of the backend is about: its client may go on from there. */
  hear({ response }: JsonObject): void {
    const id = idIn(asObject(response).id)
    if (id === '') return
    this.#responses.delete(id)
    this.#responses.add(id)
    if (this.#responses.size <= RESPONSES_KEPT) return
    const [first = ''] = this.#responses
    this.#responses.delete(first)
  }

  /** For a message that `isEvent`. */
  read(bytes: Buffer): ReadMessage {
    const parsed = parseEvent(bytes)
    if ('denial' in parsed) return { denial: ofEvent(parsed) }
    const { body, texts, written, misspelt } = parsed
    const said = typeof body.event_id === 'string' ? idIn(texts.read(body.event_id)) : undefined
    const asks = body.type === 'response.create'
    const isRequest = asks && isResponses(body)
    const denial = misspelt?.denial ?? this.#refusalOf(body, texts, isRequest)
    if (denial) return { denial, ...(said !== undefined && { eventId: said }) }
    if (isRequest) this.#goesOn = true
    const given = asks && !isRequest && said === undefined && this.#scope.namesAsks && `event_gateway_${this.#count++}`
    const changes = {
      ...this.#named(body),
      ...(isRequest && withoutStore(body)),
      ...(given && { event_id: given }),
    }
    const eventId = said ?? (given || undefined)
    // The backend might take the other value of a duplicate name.
    const isAsSent = written !== undefined && Object.keys(changes).length === 0
    return {
      ...(eventId !== undefined && { eventId }),
      asks,
      bytes: isAsSent ? bytes : texts.json({ ...body, ...changes }),
    }
  }

  #refusalOf(event: JsonObject, texts: MarkedTexts, isRequest: boolean): Denial | undefined {
    for (const [name, part] of partsOf(event)) {
      const denied = this.#denialOf(part, texts, name !== '' ? 'realtime' : isRequest ? 'responses' : 'event')
      if (denied) return below(name, denied)
    }
    return this.#unweighed(event, texts, isRequest)?.denial
  }

  /** Members that such an event does not have, and addresses: those of other protocols are not known here. */
  #unweighed(event: JsonObject, texts: MarkedTexts, isRequest: boolean): Denied | undefined {
    if (typeof event.type !== 'string' || !REALTIME_EVENTS.has(event.type)) return undefined
    const { passes, fetches } = this.#scope
    const found = new Findings()
    const terms = { texts, passed: new Set(passes) }
    const { unknown, address } = readMembers(event, isRequest ? RESPONSES_EVENT : REALTIME_MEMBERS, terms, found)
    const stranger = unknown.find(name => !passes.includes(name))
    if (stranger !== undefined) found.refuse(stranger, 'is not accepted here', 'unsupported_parameter')
    if (address !== undefined && !fetches) found.refuse(address, NOT_FETCHED, 'unsupported_value')
    return found.denied
  }

  /** The members of an event that name the model, with the name that its backend knows. */
  #named(event: JsonObject): JsonObject {
    const model = this.#scope.backendModel
    const named: Record<string, unknown> = {}
    for (const [name, part] of partsOf(event)) {
      if (isAbsent(part.model) || part.model === model) continue
      if (name === '') named.model = model
      else named[name] = { ...part, model }
    }
    return named
  }

  #denialOf(part: JsonObject, texts: MarkedTexts, of: 'realtime' | 'responses' | 'event'): Denied | undefined {
    const { isOwnModel, backendModel, providerTools } = this.#scope
    const found = new Findings()
    const model = found.text('model', part.model)
    const name = model === undefined ? backendModel : texts.read(model)
    if (name !== backendModel && !isOwnModel(name)) found.refuse('model', OTHER_MODEL)
    const tools = providerToolsIn(part).filter(tool => !providerTools.includes(tool))
    if (tools.length > 0) found.refuse('tools', `${tools.join(', ')} cannot be used here`, 'unsupported_value')
    // Other protocols use these names for other things.
    if (of === 'event') refuseKept({ ...part, prompt: undefined }, found)
    else this.#refuseState(part, texts, of, found)
    return found.denied
  }

  #refuseState(part: JsonObject, texts: MarkedTexts, of: 'realtime' | 'responses', found: Findings): void {
    const { conversation, previous_response_id: previous, service_tier: tier, input } = part
    refuseKept(part, found)
    const known = typeof previous === 'string' && this.#responses.has(idIn(texts.read(previous)))
    refuseState(
      {
        ...part,
        // Those of Realtime: the conversation of the session, and none.
        conversation: of === 'realtime' && (conversation === 'auto' || conversation === 'none') ? null : conversation,
        previous_response_id: known ? undefined : previous,
      },
      found,
    )
    if (of === 'responses' && Array.isArray(input)) refuseReferences(input, found)
    if (!isAbsent(tier) && tier !== 'auto' && tier !== 'default')
      found.refuse('service_tier', 'must be one of "auto", "default"', 'unsupported_value')
  }
}

const NOT_FETCHED = 'is not fetched; send the content as a data: URL'

const OTHER_MODEL = 'is not the model of this session; open another session for it'

/** Where an event says something of a session or a response: Realtime in a member, Responses at the top. */
const partsOf = (event: JsonObject): readonly (readonly [string, JsonObject])[] =>
  [['session', event.session] as const, ['response', event.response] as const, ['', event] as const].flatMap(
    ([name, part]) => (isObject(part) ? [[name, part] as const] : []),
  )

/** The replacements in a request, so that no backend keeps it. */
function withoutStore(body: JsonObject): JsonObject {
  const { store, stream: _always, ...replaced } = responsesNative.replaced(body)
  return body.store === store ? replaced : { store, ...replaced }
}

/** OpenAI itself keeps one for each connection. */
const RESPONSES_KEPT = 64

/** Whether an event that asks for a response is a Responses request: Realtime's have all members in `response`. */
const isResponses = (event: JsonObject): boolean => Object.keys(event).some(name => !OF_REALTIME.has(name))

const OF_REALTIME: ReadonlySet<string> = new Set(['type', 'event_id', 'response'])

/** Refuses references of items: the backend would look them up in the operator's account. */
function refuseReferences(input: readonly unknown[], found: Findings): void {
  for (const [index, item] of input.entries()) {
    const { type, id } = asObject(item)
    if (type === 'item_reference') found.refuseAs(itemNotFound(`input[${index}]`, String(id)))
  }
}

function below(name: string, { denial }: Denied): Denial {
  return name !== '' && 'field' in denial && denial.field !== undefined
    ? { ...denial, field: `${name}.${denial.field}` }
    : denial
}

/** Turns a denial of a body into one of an event, which is to a session what a body is to a request. */
const ofEvent = ({ denial }: Denied): Denial =>
  'field' in denial && denial.field === 'body' && 'problem' in denial ? invalid('event', denial.problem).denial : denial

/**
 * Whether a message may be an event to some reader: a text that begins as an object does, or bytes that begin and end so, in
 * whatever encoding. Neither text nor sound is looked at any further.
 */
export function isEvent(bytes: Buffer, isText: boolean): boolean {
  const first = nextOf(bytes, 0, 1)
  if (bytes[first] !== OPEN) return false
  if (isText) return true
  const second = bytes[nextOf(bytes, first + 1, 1)]
  return (second === QUOTE || second === CLOSE) && bytes[nextOf(bytes, bytes.length - 1, -1)] === CLOSE
}

/** The next place of a byte that says something, in one direction. */
function nextOf(bytes: Buffer, from: number, step: 1 | -1): number {
  let at = from
  while (BLANK[bytes[at] ?? OPEN]) at += step
  return at
}

const OPEN = 0x7b
const CLOSE = 0x7d
const QUOTE = 0x22
/** Blanks of any reader, the marks of byte order, and what UTF-16 and UTF-32 have between ASCII. */
const BLANK = new Uint8Array(256)
for (const byte of [0, 9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0xbb, 0xbf, 0xc2, 0xef, 0xfe, 0xff]) BLANK[byte] = 1
