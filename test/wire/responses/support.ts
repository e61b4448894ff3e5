import type { ChatOfDialect, ReadTerms, WriterTerms } from '../../../src/wire/client-dialect.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { responses } from '../../../src/wire/responses/client.ts'
import { wholeTexts } from '../../support/whole-texts.ts'

const NOTHING: ReadTerms = { texts: wholeTexts, passes: true, thinks: () => false, isHosted: () => false }

/** A request as a chat; it throws where the request is denied. */
export function read(body: JsonObject, terms: Partial<ReadTerms> = {}): ChatOfDialect {
  const result = responses.read(body, { ...NOTHING, ...terms })
  if ('denial' in result) throw new Error(JSON.stringify(result.denial))
  return result
}

/** Why a request is denied where no backend speaks Responses; it throws where it is served. */
export function denialOf(body: JsonObject, terms: Partial<ReadTerms> = {}): Refusal {
  const result = responses.read(body, { ...NOTHING, ...terms })
  if ('denial' in result) return { field: '', problem: '', ...result.denial }
  if (!result.onlyNative) throw new Error(JSON.stringify(result.chat))
  return { code: 'VALIDATION_ERROR', ...result.onlyNative }
}

interface Refusal {
  readonly code: string
  readonly field: string
  readonly problem: string
  readonly reason?: string
}

/** Counts what is random. */
export function writerTerms(): WriterTerms {
  let count = 0
  return {
    requestId: 'req_1',
    created: 1_700_000_000,
    model: 'pool-model',
    inputTokens: 25,
    newId: () => `n${++count}`,
  }
}

export const NO_USAGE = { inputTokens: 0, outputTokens: 0 }

export interface SentEvent extends JsonObject {
  readonly type: string
}

/** The data of events, each of which has to be named as its type is, and whether the marker of the end stands behind them. */
export function eventsIn(text: string): { readonly events: readonly SentEvent[]; readonly isDone: boolean } {
  const blocks = text.split('\n\n')
  if (blocks.pop() !== '') throw new Error('the last event is not whole')
  const isDone = blocks.at(-1) === 'data: [DONE]'
  const events = (isDone ? blocks.slice(0, -1) : blocks).map(block => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
    const event = JSON.parse(data ?? '')
    if (event.type !== name) throw new Error(`${name} has the data of ${event.type}`)
    return event
  })
  return { events, isDone }
}

/** The value with its identifiers numbered per prefix, in order of appearance. */
export function numbered<T>(value: T): T {
  const numbers = new Map<string, number>()
  const known = new Map<string, string>()
  const text = JSON.stringify(value).replaceAll(/"(resp|msg|rs|fc|ctc|call)_n\d+"/g, (id, prefix) => {
    const count = known.has(id) ? 0 : (numbers.get(prefix) ?? 0) + 1
    if (count > 0) {
      numbers.set(prefix, count)
      known.set(id, `"${prefix}_${count}"`)
    }
    return known.get(id) ?? id
  })
  return JSON.parse(text)
}
