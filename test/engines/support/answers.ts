/** A client's reading of one chat answer, whole or streamed. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly finish: string | null
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
  /** The code of an error, also in the middle of a stream. */
  readonly error?: string
  readonly isDone: boolean
}

interface Choice {
  readonly index: number
  readonly message?: Said
  readonly delta?: Said
  readonly finish_reason: string | null
}

interface Said {
  readonly content?: string | null
  readonly tool_calls?: readonly { readonly index?: number; readonly function: { name?: string; arguments?: string } }[]
}

interface Body {
  readonly choices?: readonly Choice[]
  readonly usage?: Answer['usage']
  readonly error?: string | { readonly code?: string; readonly message?: string }
  readonly code?: string
}

/** Reads an answer: of several choices the first. */
export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const datas = isStream ? dataOf(text) : [text]
  const bodies = datas.filter(data => data !== '[DONE]').map(data => JSON.parse(data) as Body)
  const choices = bodies.flatMap(({ choices: all = [] }) => all.filter(isFirst))
  const said = choices.map(({ message, delta }) => message ?? delta ?? {})
  const usage = bodies.findLast(body => body.usage)?.usage
  const error = bodies.map(errorIn).find(each => each !== undefined)
  return {
    status: response.status,
    text: said.map(({ content }) => content ?? '').join(''),
    finish: choices.findLast(({ finish_reason }) => finish_reason !== null)?.finish_reason ?? null,
    calls: callsIn(said),
    isDone: isStream ? datas.includes('[DONE]') : response.ok,
    ...(usage && { usage }),
    ...(error !== undefined && { error }),
  }
}

const errorIn = ({ code, error }: Body): string | undefined =>
  code ?? (typeof error === 'object' ? (error.code ?? error.message) : error)

function callsIn(said: readonly Said[]): Answer['calls'] {
  const calls: { name: string; arguments: string }[] = []
  for (const { tool_calls: parts = [] } of said)
    for (const [at, { index = at, function: called }] of parts.entries()) {
      const call = calls[index] ?? { name: '', arguments: '' }
      calls[index] = {
        name: call.name + (called.name ?? ''),
        arguments: call.arguments + (called.arguments ?? ''),
      }
    }
  return calls
}

const isFirst = ({ index }: Choice): boolean => index === 0

const dataOf = (events: string): string[] =>
  events.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []))

/** Reads a stream until so many events came, and what comes after them once `then` has run. */
export async function readSome(response: Response, events: number, then: () => unknown): Promise<string> {
  let text = ''
  let hasRun = false
  for await (const bytes of response.body ?? []) {
    text += Buffer.from(bytes).toString()
    if (hasRun || dataOf(text).length < events) continue
    hasRun = true
    await then()
  }
  return text
}
