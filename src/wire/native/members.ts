import { type DialectMembers, FREE_MEMBERS } from '../../policy/dialect-members.ts'
import type { CacheTime } from '../../policy/price.ts'
import { Fact, isKnown } from '../fast/known-value.ts'
import { type MarkedTexts, wholeTexts } from '../fast/marked-texts.ts'
import { Findings } from '../findings.ts'
import { fieldName, isObject, type JsonObject } from '../json-safety.ts'
import { isFree } from '../spelling.ts'

/** The parts of a body that a backend of its dialect gets only if its pool asks for them. */
export interface ReadMembers {
  /** Members that the dialect does not define, each listed once by its path, such as `input.content.uuid`; bounded. */
  readonly unknown: readonly string[]
  /** Whether there are any, including those whose value is null. */
  readonly hasUnknown: boolean
  /** The path of the first URL that a backend would fetch. */
  readonly address?: string
  /** The longest time for which its marks ask the backend to keep the prompt. */
  readonly cacheTime?: CacheTime
}

/** The terms for reading a body: its long texts, and the names that some pool passes on. */
export interface MemberTerms {
  readonly texts: Pick<MarkedTexts, 'read' | 'startsWith'>
  readonly passed: ReadonlySet<string>
}

/** Reads the members of a body; refuses a URL that no backend may fetch. */
export function readMembers(body: JsonObject, known: DialectMembers, terms: MemberTerms, found: Findings): ReadMembers {
  const reader = new MemberReader(known, terms, found)
  reader.readBody(body, name => unremarkable(name, body[name], known))
  const { unknown, hasUnknown, address, cacheTime } = reader
  return { unknown, hasUnknown, ...(address !== undefined && { address }), ...(cacheTime && { cacheTime }) }
}

/** Cache marks in a value that has nothing else of interest. */
interface Unremarkable {
  readonly cacheTime: CacheTime | undefined
}

/** Members by dialect and name, since a value may also be another member. */
const UNREMARKABLE = new WeakMap<DialectMembers, Map<string, Fact<Unremarkable | 'no'>>>()

/** The cache marks in a known value, if it holds nothing else of interest; undefined if it does, or is unknown. */
function unremarkable(name: string, value: unknown, known: DialectMembers): Unremarkable | undefined {
  if (!isKnown(value) || !known.top.has(name)) return undefined
  const fact = factOf(known, name)
  const kept = fact.of(value) ?? readAlone(name, value, known)
  fact.keep(value, kept)
  return kept === 'no' ? undefined : kept
}

function factOf(known: DialectMembers, name: string): Fact<Unremarkable | 'no'> {
  const facts = UNREMARKABLE.get(known) ?? new Map<string, Fact<Unremarkable | 'no'>>()
  UNREMARKABLE.set(known, facts)
  const fact = facts.get(name) ?? new Fact<Unremarkable | 'no'>()
  facts.set(name, fact)
  return fact
}

function readAlone(name: string, value: unknown, known: DialectMembers): Unremarkable | 'no' {
  const found = new Findings()
  const reader = new MemberReader(known, { texts: wholeTexts, passed: new Set() }, found)
  reader.readBody({ [name]: value })
  const { hasUnknown, address, cacheTime } = reader
  return hasUnknown || address !== undefined || !found.isEmpty ? 'no' : { cacheTime }
}

class MemberReader {
  hasUnknown = false
  address: string | undefined
  cacheTime: CacheTime | undefined
  readonly #top: Kinds
  readonly #below: Kinds
  readonly #terms: MemberTerms
  readonly #found: Findings
  /** Names and indexes from the top to the current object. */
  readonly #path: (string | number)[] = []
  readonly #passed: string[] = []
  #lost: Findings | undefined
  /** The depth of passed-on members around the current object: everything in them belongs to them. */
  #inPassed = 0

  constructor(known: DialectMembers, terms: MemberTerms, found: Findings) {
    this.#top = kindsOf(known.top)
    this.#below = kindsOf(known.below)
    this.#terms = terms
    this.#found = found
  }

  get unknown(): readonly string[] {
    return [...new Set(this.#passed), ...(this.#lost?.lost ?? [])]
  }

  /** Members whose contents `known` gives are not searched. */
  readBody(body: JsonObject, known: (name: string) => Unremarkable | undefined = () => undefined): void {
    let rest = body
    for (const name in body) {
      const read = known(name)
      if (!read) continue
      rest = { ...rest, [name]: undefined }
      if (read.cacheTime) this.#readMark({ ttl: read.cacheTime })
    }
    this.#readObject(rest, this.#top)
  }

  #readObject(object: JsonObject, kinds: Kinds): void {
    for (const name in object) {
      const kind = kinds.get(name)
      if (kind !== 'plain') this.#readMember(name, object, kind)
      else {
        const value = object[name]
        if (typeof value === 'object' && value !== null) this.#readBelow(name, value)
      }
    }
  }

  #readMember(name: string, object: JsonObject, kind: Kind | undefined): void {
    const value = object[name]
    if (kind === 'free') return
    if (!kind && this.#inPassed === 0) this.#readUnknown(name, value)
    else if (typeof value === 'string') this.#readText(name, value, object, kind)
    else if (typeof value === 'object' && value !== null) {
      if (kind === 'mark') this.#readMark(value as JsonObject)
      if (kind !== 'input' || !isFree(name, object)) this.#readBelow(name, value)
    }
  }

  #readBelow(step: string | number, value: object): void {
    this.#path.push(step)
    if (!Array.isArray(value)) this.#readObject(value as JsonObject, this.#below)
    else
      for (let i = 0; i < value.length; i++) {
        const item = value[i]
        if (typeof item === 'object' && item !== null) this.#readBelow(i, item)
      }
    this.#path.pop()
  }

  #readUnknown(name: string, value: unknown): void {
    this.hasUnknown = true
    if (value === null) return
    const full = dotted([...this.#path, name])
    if (!this.#terms.passed.has(full)) {
      this.#lost ??= new Findings()
      this.#lost.lose(full)
    } else {
      this.#passed.push(full)
      this.#inPassed++
      if (typeof value === 'object') this.#readBelow(name, value)
      this.#inPassed--
    }
  }

  #readText(name: string, value: string, object: JsonObject, kind: Kind | undefined): void {
    if (kind === 'address' || (kind === 'bytes' && this.#isAddressed(value))) this.#readAddress(name, value, object)
  }

  #readMark({ ttl }: JsonObject): void {
    this.cacheTime = ttl === '1h' ? '1h' : (this.cacheTime ?? '5m')
  }

  #readAddress(name: string, value: string, object: JsonObject): void {
    const { texts } = this.#terms
    if (texts.startsWith(value, 'data:') || this.#isEcho(name, object)) return
    const field = fieldName([...this.#path, name].map(String))
    if (!FETCHED.test(texts.read(value))) {
      this.#found.refuse(field, 'must be a data: or https: address', 'invalid_value')
    } else if (!this.#isOfServer(name)) this.address ??= field
  }

  /** Whether a URL replaces the bytes of a file. */
  #isAddressed(value: string): boolean {
    return SCHEMES.some(scheme => this.#terms.texts.startsWith(value, scheme))
  }

  /** URLs that a service found: they come from an earlier answer, and are not fetched again. */
  #isEcho(name: string, { type }: JsonObject): boolean {
    if (name !== 'url') return false
    const names = this.#path.filter(step => typeof step === 'string')
    if (names.some(step => ECHOING.has(step))) return true
    const above = names.at(-1)
    return typeof type === 'string' && ECHOES.has(type) && (above === 'content' || above === 'action')
  }

  /** The URL of an MCP server, which `provider_tools` of a pool allows. */
  #isOfServer(name: string): boolean {
    return name === 'server_url' || this.#path[0] === 'mcp_servers'
  }
}

/**
 * The search in a member: for nothing, a URL, a URL in place of a file's bytes, a cache mark, or arguments that may be
 * its input. `free` members are skipped.
 */
type Kind = 'plain' | 'address' | 'bytes' | 'mark' | 'input' | 'free'
type Kinds = ReadonlyMap<string, Kind>

/** One look-up per member of a body, instead of one per kind. */
function kindsOf(names: ReadonlySet<string>): Kinds {
  const made = kinds.get(names) ?? new Map([...names].map(name => [name, kindOf(name)]))
  kinds.set(names, made)
  return made
}

const kinds = new WeakMap<ReadonlySet<string>, Kinds>()

function kindOf(name: string): Kind {
  if (FREE_MEMBERS.has(name)) return 'free'
  if (ADDRESSES.has(name)) return 'address'
  if (name === 'file_data') return 'bytes'
  if (name === 'cache_control') return 'mark'
  return name === 'input' ? 'input' : 'plain'
}

/** A body, or part of it, without members that its dialect does not define, except those that a pool passes on. */
export function withoutUnknown(body: JsonObject, known: DialectMembers, passed: readonly string[]): JsonObject {
  const { top, below } = known
  const passes = new Set(passed)
  return knownIn(body, { known: top, below, passes, path: [] })
}

interface Keeping {
  readonly known: ReadonlySet<string>
  readonly below: ReadonlySet<string>
  readonly passes: ReadonlySet<string>
  /** Names from the top. */
  readonly path: readonly string[]
}

/** The known members of an object; the object itself if it has no others. */
function knownIn(object: JsonObject, { known, below, passes, path }: Keeping): JsonObject {
  let isSame = true
  const kept: Record<string, unknown> = {}
  for (const name in object) {
    const value = object[name]
    const inner = [...path, name]
    if (known.has(name)) {
      kept[name] = isFree(name, object) ? value : knownBelow(value, { known: below, below, passes, path: inner })
      if (kept[name] !== value) isSame = false
    } else if (value !== null && passes.has(dotted(inner))) kept[name] = value
    else isSame = false
  }
  return isSame ? object : kept
}

function knownBelow(value: unknown, keeping: Keeping): unknown {
  if (isObject(value)) return knownIn(value, keeping)
  if (!Array.isArray(value)) return value
  const items = value.map(item => knownBelow(item, keeping))
  return items.some((item, i) => item !== value[i]) ? items : value
}

/** `["input", 0, "content", 1, "uuid"]` is `input.content.uuid`. */
const dotted = (path: readonly (string | number)[]): string => path.filter(step => typeof step === 'string').join('.')

const ADDRESSES: ReadonlySet<string> = new Set(['url', 'image_url', 'file_url', 'video_url', 'audio_url', 'server_url'])

const SCHEMES = ['http:', 'https:', 'file:']
const FETCHED = /^https?:\/\//i

/** Members that list what a tool found or saw. */
const ECHOING: ReadonlySet<string> = new Set(['sources', 'outputs', 'tabs', 'state_changes'])
const ECHOES: ReadonlySet<string> = new Set([
  ...['web_search_result', 'web_fetch_result', 'open_page', 'find_in_page', 'find'],
])
