/** The outcome of a request with a known right answer. Only the last kind is a fault. */
export type Verdict =
  | 'whole'
  /** A stream that was cut after a part of the right text, and says so. */
  | 'interrupted'
  /** A stream that brought no text but an error. */
  | 'exhausted'
  /** An error before anything else. */
  | 'refused'
  | `wrong: ${string}`

export interface Answer {
  readonly stream: boolean
  /** 0 when the connection broke before an answer began. */
  readonly status: number
  readonly body: string
  /** Whether the body came to its end. */
  readonly ended: boolean
}

/** The pieces of a text that no other request shares and that shows a piece which is missing, doubled or misplaced. */
export const piecesOf = (says: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${says}.${n}ñ€😀 `)

export function verdictOf(answer: Answer, right: string): Verdict {
  const { status, ended, body, stream } = answer
  if (status === 0) return 'wrong: no answer'
  if (!ended) return `wrong: cut without a word after ${quote(body)}`
  if (status === 200 && stream) return verdictOfStream(body, right)
  const value = parsed(body)
  if (value === undefined) return `wrong: ${status} without JSON: ${quote(body)}`
  if (status !== 200) return 'error' in value || 'code' in value ? 'refused' : `wrong: ${status} ${quote(body)}`
  const text = textOf(value, 'message')
  return text === right ? 'whole' : `wrong: ${quote(text)} in place of ${quote(right)}`
}

function verdictOfStream(body: string, right: string): Verdict {
  const data = body.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []))
  const last = body.endsWith('\n\n') ? (data.pop() ?? '') : ''
  const values = data.map(parsed)
  const text = values.map(value => textOf(value ?? {}, 'delta')).join('')
  if (values.some(value => value === undefined || 'error' in value)) return `wrong: not an event in ${quote(body)}`
  if (last === '[DONE]') return text === right ? 'whole' : `wrong: a clean end after ${quote(text)}`
  if (!('error' in (parsed(last) ?? {}))) return `wrong: no end after ${quote(body)}`
  if (!right.startsWith(text)) return `wrong: interrupted after ${quote(text)}`
  return text === '' ? 'exhausted' : 'interrupted'
}

/** The content of the first choice, or nothing. */
function textOf(value: object, field: 'message' | 'delta'): string {
  const { choices = [] } = value as { choices?: Record<string, { content?: string | null }>[] }
  return choices[0]?.[field]?.content ?? ''
}

/** A JSON object, or nothing. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // The verdict says so.
    return undefined
  }
}

const quote = (text: string): string => JSON.stringify(text.slice(-200))
