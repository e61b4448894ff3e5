/** How one answer ended: `well`, `failed`, or `left` where its client went away or a request took its slot. */
export type CompanionEnd = 'well' | 'failed' | 'left'

/** One of the two answers to a request that was copied. Times are milliseconds since it was sent, counts are tokens. */
export interface AnswerFacts {
  readonly end: CompanionEnd
  /** Until its first token. Absent where it was no stream. */
  readonly firstMs?: number
  /** Until its end. */
  readonly ms?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** As chats call it: `stop`, `length`, `tool_calls`, `content_filter`. */
  readonly finish?: string
  /** Whether its text is JSON. Absent where the request did not ask for that, or nobody could tell. */
  readonly isJson?: boolean
}

/** A request and its copy, as the row of the copy has them. */
export interface MirrorFacts {
  /** The pool that served the request. */
  readonly pool: string
  readonly original: AnswerFacts
  readonly copy: AnswerFacts
}

/** The texts of a row that have these facts: those of the copy begin with `copy_`. */
export const mirrorTexts = ({ pool, original, copy }: MirrorFacts): Readonly<Record<string, string>> => ({
  pool,
  ...textsOf(original, ''),
  ...textsOf(copy, 'copy_'),
})

function textsOf(facts: AnswerFacts, prefix: string): Record<string, string> {
  const { end, firstMs, ms, inputTokens, outputTokens, finish, isJson } = facts
  const all = { end, first_ms: firstMs, ms, input: inputTokens, output: outputTokens, finish, json: isJson }
  const known = Object.entries(all).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [prefix + name, String(value)]))
}

/** The facts in the texts of a row. Texts of a newer gateway may have more. */
export const readMirrorTexts = (texts: Readonly<Record<string, string>>): MirrorFacts => ({
  pool: texts.pool ?? '',
  original: factsIn(texts, ''),
  copy: factsIn(texts, 'copy_'),
})

function factsIn(texts: Readonly<Record<string, string>>, prefix: string): AnswerFacts {
  const text = (name: string) => texts[prefix + name]
  const number = (name: string) => (text(name) === undefined ? undefined : Number(text(name)))
  const end = text('end')
  const numbers = {
    firstMs: number('first_ms'),
    ms: number('ms'),
    inputTokens: number('input'),
    outputTokens: number('output'),
  }
  const finish = text('finish')
  const json = text('json')
  return {
    end: end === 'well' || end === 'failed' ? end : 'left',
    ...(Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)) as typeof numbers),
    ...(finish !== undefined && { finish }),
    ...(json !== undefined && { isJson: json === 'true' }),
  } as AnswerFacts
}
