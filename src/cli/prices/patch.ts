import { createTwoFilesPatch } from 'diff'
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'
import { shownPrice } from '../show/shown-policy.ts'
import type { Drift } from './drift.ts'

/** A patch of files, and the differences that it leaves out: an anchor or a price by cache time is changed by hand. */
export interface PricePatch {
  readonly text: string
  readonly byHand: readonly Drift[]
}

/** Writes the provider's prices into the files that `read` returns: a unified diff that `git apply` takes. */
export function pricePatch(drifts: readonly Drift[], read: (file: string) => string): PricePatch {
  const byHand: Drift[] = []
  const files = [...new Set(drifts.map(({ at }) => at.file))]
  const patches = files.map(file => {
    const text = read(file)
    const document = parseDocument(text)
    const edits = drifts.flatMap(drift => {
      if (drift.at.file !== file) return []
      const edit = editOf(drift, document.getIn(pathOf(drift), true), text)
      if (!edit) byHand.push(drift)
      return edit ?? []
    })
    const next = edited(text, edits)
    return next === text ? '' : createTwoFilesPatch(`a/${file}`, `b/${file}`, text, next)
  })
  return { text: patches.join(''), byHand }
}

const pathOf = ({ section, name }: Drift) => [section, name, section === 'pools' ? 'cost_usd_per_1m' : 'usd_per_1m']

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Sets one rate of a price: in its place, or behind the rates that stand before it. */
function editOf({ rate, listed }: Drift, price: unknown, text: string): Edit | undefined {
  if (!isMap(price) || price.anchor) return undefined
  const value = price.get(rate, true)
  if (isScalar(value) && value.range && !value.anchor)
    return { from: value.range[0], to: value.range[1], text: String(shownPrice(listed)) }
  if (value !== undefined) return undefined
  return insertion(price, `${rate}: ${shownPrice(listed)}`, text)
}

function insertion(price: YAMLMap, member: string, text: string): Edit | undefined {
  const last = price.items.at(-1)
  const [key, value] = [last?.key, last?.value]
  if (!isScalar(key) || !key.range || !isScalar(value) || !value.range) return undefined
  const at = value.range[1]
  if (price.flow) return { from: at, to: at, text: `, ${member}` }
  const line = text.lastIndexOf('\n', key.range[0]) + 1
  const end = text.indexOf('\n', at)
  const below = end === -1 ? text.length : end
  return { from: below, to: below, text: `\n${text.slice(line, key.range[0])}${member}` }
}

/** The text with all edits. Insertions at one place stand in the order of the rates. */
function edited(text: string, edits: readonly Edit[]): string {
  let result = text
  for (const { from, to, text: put } of edits.toReversed().sort((a, b) => b.from - a.from))
    result = result.slice(0, from) + put + result.slice(to)
  return result
}
