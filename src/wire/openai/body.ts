import { isUtf8 } from 'node:buffer'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Elides, Written } from '../fast/body-pass.ts'
import type { KnownSpans } from '../fast/known-span.ts'
import { addSpans, putKnown } from '../fast/known-spans.ts'
import { MarkedTexts, wholeTexts } from '../fast/marked-texts.ts'
import { ElidedStrings, isCostly, type Outline, readOutline, type Texts } from '../fast/outline.ts'
import { isWithout } from '../fast/without.ts'
import { encodingOf, parse } from '../json-bytes.ts'
import { fieldName, Inspection, isObject, type JsonObject } from '../json-safety.ts'
import { refuseMisspelt } from '../spelling.ts'

/** A body, wrapped: it may hold a `denial` of its own, and must not be taken for one. */
export interface ParsedBody {
  readonly body: JsonObject
}

/** A body without the long texts of its messages or its input, which only a backend reads: to parse them would be most of the work. */
export interface OutlinedBody {
  /** Marks replace them. */
  readonly outline: JsonObject
  readonly texts: Texts
  /** The body as it was sent, where every reader takes it as this one does. */
  readonly written: Written | undefined
}

/** A body in Responses or Messages, without long texts of what was said. */
export interface DialectBody extends ParsedBody {
  /** Marks replace them. */
  readonly texts: MarkedTexts
  readonly written: Written | undefined
}

/** Parses a request body that must be a JSON object. If a name occurs twice, the last value wins (RFC 8259). */
export function parseBody(bytes: Buffer): ParsedBody | Denied {
  const read = readObject(bytes, 'none')
  return 'denial' in read ? read : { body: read.object }
}

/**
 * Parses a body whose Responses and Messages texts may be left out. It refuses the bodies that `parseBody` refuses. `spans` are the
 * values that its account sent before.
 */
export function parseDialect(bytes: Buffer, spans?: KnownSpans): DialectBody | Denied {
  const parsed = parseEvent(bytes, spans)
  return 'denial' in parsed ? parsed : (parsed.misspelt ?? parsed)
}

/** Parses an event of a session. A refusal names the event even where a name in it is misspelt. */
export function parseEvent(bytes: Buffer, spans?: KnownSpans): (DialectBody & Pick<ReadObject, 'misspelt'>) | Denied {
  const read = readAnyObject(bytes, 'dialects', spans)
  if ('denial' in read) return read
  const { object, outline, misspelt } = read
  const texts = new MarkedTexts(bytes, outline.elided, outline.isMarkable)
  return { body: object, texts, written: writtenOf(bytes, read), misspelt }
}

/** Parses JSON that the gateway wrote, without the long texts of its `input`; undefined where it is none. */
export function parseOwn(bytes: Buffer): { readonly value: unknown; readonly texts: MarkedTexts } {
  const encoding = encodingOf(bytes)
  const outline = readOutline(bytes, encoding, allowed('dialects'))
  // It may have more than a body of today.
  if (typeof outline === 'string') return { value: parse(bytes.toString(encoding)), texts: wholeTexts }
  return { value: parse(outline.text), texts: new MarkedTexts(bytes, outline.elided, outline.isMarkable) }
}

/** Parses a chat whose long texts may be left out. It refuses the bodies that `parseBody` refuses. */
export const outlineBody = (bytes: Buffer, spans?: KnownSpans): OutlinedBody | Denied => outlined(bytes, 'chat', spans)

/** Parses an embeddings body, whose input may be hundreds of thousands of token ids. */
export const outlineEmbeddings = (bytes: Buffer): OutlinedBody | Denied => outlined(bytes, 'embeddings')

function outlined(bytes: Buffer, elides: Elides, spans?: KnownSpans): OutlinedBody | Denied {
  const read = readObject(bytes, elides, spans)
  if ('denial' in read) return read
  const { object, outline } = read
  return { outline: object, texts: new ElidedStrings(bytes, outline.elided), written: writtenOf(bytes, read) }
}

/** A chat that our own code made of a body with these texts, as if it had been parsed. */
export const outlineOf = (chat: JsonObject, texts: MarkedTexts = wholeTexts): OutlinedBody => ({
  outline: chat,
  texts: texts.ofChat(chat),
  written: undefined,
})

/** The parser keeps one of two equal names. */
const writtenOf = (bytes: Buffer, { names, outline }: ReadObject): Written | undefined =>
  names === outline.names && !outline.notSpliceable && !isWithout('body-view')
    ? { bytes, members: outline.members }
    : undefined

/**
 * Whether it would take more than a few milliseconds to parse a body, with some texts left out. Nothing of it
 * is parsed for that, and what is found is not looked for again when the body is parsed next.
 */
export function isCostlyBody(bytes: Buffer, elides: Elides, spans?: KnownSpans): boolean {
  const encoding = encodingOf(bytes)
  examined = { bytes, encoding }
  return isCostly(bytes, encoding, allowed(elides), spans)
}

/** The body that was looked at last, which is mostly parsed next. A WeakMap of all of them would cost each collection. */
let examined: { readonly bytes: Buffer; readonly encoding: 'latin1' | 'utf8' } | undefined

/** Keeps nothing of it: it may be large. */
function encodingExamined(bytes: Buffer): 'latin1' | 'utf8' {
  const encoding = examined?.bytes === bytes ? examined.encoding : encodingOf(bytes)
  examined = undefined
  return encoding
}

/** A parsed object and the number of names in it. */
interface ReadObject {
  readonly object: JsonObject
  readonly names: number
  readonly outline: Outline
  /** Why it is refused where a name in it is a known one in other letters. */
  readonly misspelt: Denied | undefined
}

const allowed = (elides: Elides): Elides => (isWithout('body-view') ? 'none' : elides)

/** The object that a body must be, with each name as it is known. */
function readObject(bytes: Buffer, elides: Elides, spans?: KnownSpans): ReadObject | Denied {
  const read = readAnyObject(bytes, elides, spans)
  return 'denial' in read ? read : (read.misspelt ?? read)
}

function readAnyObject(bytes: Buffer, elides: Elides, spans?: KnownSpans): ReadObject | Denied {
  const encoding = encodingExamined(bytes)
  const outline = readOutline(bytes, encoding, allowed(elides), spans)
  if (typeof outline === 'string') return invalid('body', outline)
  // Each wrong byte would become a character that the client did not send.
  if (encoding === 'utf8' && !isUtf8(bytes)) return invalid('body', 'is not UTF-8')
  let object: unknown
  try {
    object = JSON.parse(outline.text)
  } catch {
    // The parser's text quotes the body: not for a log, and of no use to the sender.
    return invalid('body', bytes.length === 0 ? 'is empty; send a JSON object' : 'is not valid JSON')
  }
  if (!isObject(object)) return invalid('body', 'must be a JSON object')
  // Only escapes make half a character.
  const inspection = new Inspection(outline.hasHexEscape)
  const flaw = inspection.flawIn(object)
  if (flaw) return invalid(fieldName(flaw.path), flaw.problem)
  const known = putKnown(object, outline.known)
  const names = inspection.names + known.names
  const misspelt = inspection.misspells || known.misspells ? refuseMisspelt(object) : undefined
  const isPlain = !misspelt && names === outline.names && !outline.notSpliceable
  if (spans && isPlain && outline.isMarkable) addSpans(bytes, object, outline, spans)
  return { object, names, outline, misspelt }
}
