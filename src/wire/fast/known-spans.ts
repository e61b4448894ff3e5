import { Inspection, type JsonObject } from '../json-safety.ts'
import type { KnownMember, Member } from './body-pass.ts'
import type { KnownSpan, KnownSpans } from './known-span.ts'
import { isKnown, know } from './known-value.ts'
import { countsIn, type Outline } from './outline.ts'

/** A smaller value takes no longer to read than to look for. */
const LEAST_BYTES = 2048

/** Texts are left out of these, so that their values have marks in them. wasm/outline.ts knows them too. */
const SAID: ReadonlySet<string> = new Set(['messages', 'input', 'system', 'instructions'])

/** Puts known values in the place of their marks; says what an inspection of them would have found. */
export function putKnown(
  object: JsonObject,
  known: readonly KnownMember[],
): { readonly names: number; readonly misspells: boolean } {
  const filled = object as Record<string, unknown>
  let names = 0
  let misspells = false
  for (const [index, { name, span }] of known.entries()) {
    // The last value holds if a name stands twice.
    if (filled[name] !== `\0${index}`) continue
    filled[name] = span.value
    names += span.parsedNames
    misspells ||= span.misspells
  }
  return { names, misspells }
}

/** Adds the large values of a body to those that are known, once they come again. No name of the body stands twice. */
export function addSpans(bytes: Buffer, object: JsonObject, { members }: Outline, spans: KnownSpans): void {
  for (const member of members) {
    if (member.end - member.start < LEAST_BYTES) continue
    const name = bytes.toString('utf8', member.nameStart, member.nameEnd)
    const value = object[name]
    if (typeof value !== 'object' || value === null || isKnown(value) || SAID.has(name)) continue
    const { from, to } = withoutBlanks(bytes, member)
    if (!spans.wants(bytes, from, to)) continue
    const span = spanOf(bytes.subarray(from, to), value)
    if (span) spans.add(span)
  }
}

function spanOf(written: Buffer, value: object): KnownSpan | undefined {
  // A buffer of the pool would keep its neighbours alive too.
  const bytes = Buffer.allocUnsafeSlow(written.length)
  written.copy(bytes)
  const counts = countsIn(bytes)
  const inspection = new Inspection(false)
  if (!counts || inspection.flawIn(value)) return undefined
  const { names: parsedNames, misspells } = inspection
  return { bytes, value: know(value), ...counts, parsedNames, misspells }
}

function withoutBlanks(bytes: Buffer, { start, end }: Member): { readonly from: number; readonly to: number } {
  let [from, to] = [start, end]
  while (isBlank(bytes[from])) from++
  while (isBlank(bytes[to - 1])) to--
  return { from, to }
}

const isBlank = (byte: number | undefined): boolean => byte !== undefined && byte <= 0x20
