import { type Denied, invalid } from '../../policy/denial.ts'
import { joinTexts, type MarkedTexts } from '../../wire/fast/marked-texts.ts'
import { MAX_VALUES } from '../../wire/fast/outline.ts'
import { asObject, type JsonObject } from '../../wire/json-safety.ts'
import { type ItemReference, itemsOf, type References } from '../../wire/responses/kept-items.ts'
import { keptItemNotFound, keptResponseNotFound } from '../../wire/responses/state.ts'
import { oneStep } from '../../wire/steps.ts'
import type { KeptResponse, Reading } from './kept-responses.ts'

/** A body that brings all that was said, in place of one that refers to some of it. */
export interface Expanded {
  readonly body: JsonObject
  /** Marks replace them in the body. */
  readonly texts: MarkedTexts
  /** The ids of the items that it got, oldest first. */
  readonly items: readonly string[]
  /** Bytes that it has more than the client sent, roughly. */
  readonly addedBytes: number
}

/** Reads the responses that an account may refer to. */
export interface Keeper {
  read(account: string, id: string, reading: Reading): Promise<KeptResponse | Denied | undefined>
  readByItem(account: string, item: string, reading: Reading): Promise<KeptResponse | Denied | undefined>
}

/** The account that asks, and how much a body of it may have. */
export interface Asking {
  /** As `keeperOf` names it. */
  readonly account: string
  readonly reading: Reading
  /** The long texts of the body that asks. */
  readonly texts: MarkedTexts
  /** Bytes of the body that asks. */
  readonly bytes: number
  readonly limitBytes: number
}

/** Puts the kept items in the place of what refers to them. */
export async function expand(
  keeper: Keeper,
  body: JsonObject,
  references: References,
  asking: Asking,
): Promise<Expanded | Denied> {
  const { previous, items } = references
  const { account, reading } = asking
  const before = previous === undefined ? undefined : await keeper.read(account, previous, reading)
  if (before && 'denial' in before) return before
  if (previous !== undefined && !before) return keptResponseNotFound(previous)
  const found = await resolve(keeper, items, asking)
  if ('denial' in found) return found
  const work = oneStep(() => joined(body, references, { before, found }, asking))
  return reading.work((before?.bytes ?? 0) + found.bytes, work)
}

/** The kept responses that a request refers to. */
interface Kept {
  readonly before: KeptResponse | undefined
  readonly found: Resolved
}

/** The body with kept items in the place of what refers to them, where all of it is no more than one body may be. */
function joined(
  body: JsonObject,
  { previous, items: references }: References,
  { before, found }: Kept,
  { texts: ownTexts, bytes, limitBytes }: Asking,
): Expanded | Denied {
  const { previous_response_id: _, ...rest } = body
  const own = itemsOf(body.input)
  // The reader says what is wrong with it.
  if (!own) return { body: rest, texts: ownTexts, items: [], addedBytes: 0 }
  const ids = new Map(references.map(({ place, id }) => [place, id]))
  // Each as often as it is referred to, before any of it is put together.
  const sizes = new Map([...found.items].map(([id, { items, texts }]) => [id, texts.jsonSizeOf(items)]))
  let referred = 0
  for (const id of ids.values()) referred += sizes.get(id) ?? 0
  if (referred > limitBytes) return invalid('input', tooLong(limitBytes), TOO_LONG)
  const { texts, put } = joinTexts([
    ...(before ? [before.texts] : []),
    ...Array.from(found.items.values(), item => item.texts),
    ownTexts,
  ])
  const replaced = own.flatMap((item, place): readonly unknown[] => {
    const id = ids.get(place)
    const kept = id === undefined ? undefined : found.items.get(id)
    if (id === undefined) return [put(item, ownTexts)]
    return kept ? kept.items.map(each => put(each, kept.texts)) : []
  })
  const input = [...(before ? before.said.map(item => put(item, before.texts)) : []), ...replaced]
  const addedBytes = (before?.bytes ?? 0) + Math.max(found.bytes, referred)
  const field = previous === undefined ? 'input' : 'previous_response_id'
  if (addedBytes + bytes > limitBytes && texts.jsonSizeOf(input) > limitBytes)
    return invalid(field, tooLong(limitBytes), TOO_LONG)
  if (valuesIn(input, MAX_VALUES) > MAX_VALUES) return invalid(field, TOO_MANY_VALUES, TOO_LONG)
  return {
    body: { ...asObject(put(rest, ownTexts)), input },
    texts,
    items: [...(before?.items ?? []), ...ids.values()],
    addedBytes,
  }
}

const TOO_LONG = 'context_length_exceeded'
const tooLong = (limitBytes: number): string =>
  `The conversation so far and this input have more than ${limitBytes} bytes together: start a new conversation with a summary.`

const TOO_MANY_VALUES = `The conversation so far and this input have more than ${MAX_VALUES} values together: start a new conversation with a summary.`

/** Values in a parsed JSON, itself among them; the count stops once there are more than `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    count += valuesIn(inner, most - count)
    if (count > most) return count
  }
  return count
}

interface Resolved {
  /** Items by id; an item that means nothing to a backend has an empty list. */
  readonly items: ReadonlyMap<string, FoundItem>
  readonly bytes: number
}

interface FoundItem extends Pick<KeptResponse, 'texts'> {
  readonly items: readonly JsonObject[]
}

/** The newest response mostly has all items: each one that is read is looked through for the others. */
async function resolve(
  keeper: Keeper,
  references: readonly ItemReference[],
  { account, reading, limitBytes }: Asking,
): Promise<Resolved | Denied> {
  const items = new Map<string, FoundItem>()
  if (references.length > MOST_REFERENCES)
    return invalid('input', `must refer to at most ${MOST_REFERENCES} kept items`, 'invalid_value')
  const wanted = new Set(references.map(({ id }) => id))
  let [bytes, read] = [0, 0]
  for (const { id, place } of references.toReversed()) {
    if (items.has(id)) continue
    // The newest one mostly has all that is wanted.
    if (bytes > 2 * limitBytes) return invalid('input', tooLong(limitBytes), TOO_LONG)
    if (++read > MOST_READ)
      return invalid('input', `must refer to items of at most ${MOST_READ} responses: send them whole`, 'invalid_value')
    const kept = await keeper.readByItem(account, id, reading)
    if (kept && 'denial' in kept) return kept
    if (!kept) return keptItemNotFound(`input[${place}]`, id)
    addItems(kept, wanted, items)
    if (!items.has(id)) return keptItemNotFound(`input[${place}]`, id)
    bytes += kept.bytes
  }
  return { items, bytes }
}

function addItems(kept: KeptResponse, wanted: ReadonlySet<string>, found: Map<string, FoundItem>): void {
  const { texts } = kept
  for (const [id, items] of itemsIn(kept)) if (wanted.has(id)) found.set(id, { items, texts })
}

/** Each item of a response for a backend, by id; nothing for those of which only the id is left. */
function itemsIn({ items, said }: KeptResponse): ReadonlyMap<string, readonly JsonObject[]> {
  const found = new Map<string, readonly JsonObject[]>(items.map(id => [id, []]))
  for (const item of said) if (typeof item.id === 'string') found.set(item.id, [item])
  return found
}

/** Items that one request may refer to. */
const MOST_REFERENCES = 1024
/** Responses that are read for one request, each of which may be as large as a request. */
const MOST_READ = 32
