/** Sixty words, which every healthy provider answers with. */
export const TEXT =
  'A gateway stands between those who ask and those who answer so it has to be honest when one of them fails ' +
  'It waits as long as waiting helps and not a second longer It asks another provider before the client notices ' +
  'It never sells half an answer as whole and it leaves alone whoever asked it for a pause'
export const WORDS: readonly string[] = TEXT.split(' ')

export interface CallTerms {
  readonly port: number
  readonly key: string
  readonly model: string
  /** A client that waits longer hangs. */
  readonly seconds: number
  readonly stream: boolean
}

/** A careful client's reading of an answer. */
export interface Call {
  readonly outcome: 'success' | 'error' | 'hang'
  readonly text: string
  readonly model: string
  readonly hasUsage: boolean
  readonly seconds: number
}

interface Chunk {
  readonly model?: string
  readonly usage?: object | null
  readonly error?: unknown
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string }
    readonly message?: { readonly content?: string }
  }[]
}

export async function callChat({ port, key, model, seconds, stream }: CallTerms): Promise<Call> {
  const begun = performance.now()
  const after = () => (performance.now() - begun) / 1000
  const failed = (outcome: 'error' | 'hang'): Call => ({
    ...{ outcome, text: '', model: '', hasUsage: false },
    seconds: after(),
  })
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        ...(stream && { stream, stream_options: { include_usage: true } }),
        messages: [{ role: 'user', content: 'Say in sixty words what a gateway is for.' }],
      }),
      signal: AbortSignal.timeout(seconds * 1000),
    })
    const body = await response.text()
    if (response.status !== 200) return failed('error')
    const chunks = stream ? chunksIn(body) : [JSON.parse(body) as Chunk]
    // An error inside a stream is an error, whatever came before.
    if (chunks.some(({ error }) => error !== undefined)) return failed('error')
    const pieces = chunks.flatMap(({ choices = [] }) => choices.map(({ delta, message }) => delta ?? message))
    return {
      outcome: 'success',
      text: pieces.map(piece => piece?.content ?? '').join(''),
      model: chunks.find(each => each.model !== undefined)?.model ?? '',
      hasUsage: chunks.some(({ usage }) => usage),
      seconds: after(),
    }
  } catch (error) {
    return failed(error instanceof DOMException && error.name === 'TimeoutError' ? 'hang' : 'error')
  }
}

/** Events up to the marker; what cannot be read is left out, as SDKs that are lenient do. */
function chunksIn(body: string): Chunk[] {
  const data = body.split('\n').flatMap(line => (line.startsWith('data: ') ? [line.slice(6)] : []))
  const end = data.indexOf('[DONE]')
  return (end === -1 ? data : data.slice(0, end)).flatMap(each => {
    try {
      return [JSON.parse(each) as Chunk]
    } catch {
      return []
    }
  })
}
