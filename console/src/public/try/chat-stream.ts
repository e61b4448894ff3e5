import { ApiProblem, askResponse, wordsIn } from '../../shared/api.ts'
import { boot } from '../../shared/boot.ts'
import { eachText } from '../../shared/stream.ts'

/** The facts of an answer beside its text. */
export interface AnswerFacts {
  readonly requestId?: string | undefined
  readonly pool?: string | undefined
  readonly route?: string | undefined
  /** From the question to its first text, and to its end. */
  readonly firstMs?: number | undefined
  readonly totalMs?: number | undefined
  readonly tokens?: { readonly input: number; readonly output: number } | undefined
  /** Exact, in US dollars. */
  readonly usd?: string | undefined
}

interface Heard {
  readonly onText: (text: string) => void
  readonly onThought: (text: string) => void
  readonly onFacts: (facts: AnswerFacts) => void
}

/**
 * Asks and reads on to the end of the stream, behind the event that closes it: who leaves there has left an answer that
 * was not over yet. Rejects with an ApiProblem where it is refused or breaks off.
 */
export async function streamChat(body: object, heard: Heard, signal: AbortSignal): Promise<void> {
  const begunAt = performance.now()
  const since = () => Math.round(performance.now() - begunAt)
  const asked = { ...body, stream: true, stream_options: { include_usage: true } }
  const response = await askResponse('/v1/chat/completions', asked, signal)
  heard.onFacts(headerFacts(response))
  let firstMs: number | undefined
  let problem: ApiProblem | undefined
  await eachText(response, /\r?\n/, line => {
    if (!line.startsWith('data:')) return
    const data = line.slice('data:'.length).trim()
    const event: StreamEvent = data === '[DONE]' ? {} : JSON.parse(data)
    if (event.error !== undefined) problem = problemIn(event, response)
    if (hear(event, heard) && firstMs === undefined) {
      firstMs = since()
      heard.onFacts({ firstMs })
    }
  })
  heard.onFacts({ totalMs: since() })
  if (problem) throw problem
}

/** Whether there was some text in it. */
function hear({ choices, usage }: StreamEvent, { onText, onThought, onFacts }: Heard): boolean {
  if (usage) onFacts({ tokens: { input: usage.prompt_tokens, output: usage.completion_tokens } })
  const { content, reasoning_content, reasoning } = choices?.[0]?.delta ?? {}
  const thought = reasoning_content ?? reasoning
  if (thought) onThought(thought)
  if (content) onText(content)
  return Boolean(thought || content)
}

export const headerFacts = ({ headers }: Response): AnswerFacts => ({
  requestId: headers.get('x-request-id') ?? undefined,
  pool: headers.get(`x-${boot.brand}-upstream`) ?? undefined,
  route: headers.get(`x-${boot.brand}-smart-route`) ?? undefined,
})

interface StreamEvent {
  readonly error?: unknown
  readonly choices?: readonly [
    {
      readonly delta?: {
        readonly content?: string | null
        readonly reasoning_content?: string | null
        readonly reasoning?: string | null
      }
    }?,
  ]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
}

function problemIn(event: StreamEvent, { headers }: Response): ApiProblem {
  const { code } = Object(event.error)
  return new ApiProblem({
    status: 200,
    code: typeof code === 'string' ? code : '',
    message: wordsIn(event).message ?? '',
    requestId: headers.get('x-request-id') ?? undefined,
  })
}
