import fc from 'fast-check'
import type { OpenAI } from 'openai'
import { expect, it } from 'vitest'
import { answers, requests, streamOf } from '../../wire/responses/answers.ts'
import { eventsIn, read, writerTerms } from '../../wire/responses/support.ts'

/** Responses as they are written, read by one major of the SDK. */
export async function writtenResponseScenarios(name: string): Promise<void> {
  const { OpenAI: Client } = (await import(name)) as typeof import('openai')
  /** A client whose every request is answered so. */
  const clientOf = (text: string): OpenAI =>
    new Client({
      apiKey: 'k',
      maxRetries: 0,
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    })
  const stream = (text: string) => clientOf(text).responses.stream({ model: 'svc-core', input: 'x' })

  it('gathers the response from a stream in any order', async () => {
    await fc.assert(
      fc.asyncProperty(requests, answers, async (body, { chunks }) => {
        const text = streamOf(body, chunks)
        const { response } = eventsIn(text).events.at(-1) as { response: { output: object[] } }
        const reading = stream(text)
        let said = ''
        reading.on('response.output_text.delta', ({ delta }) => {
          said += delta
        })
        const { output } = await reading.finalResponse()

        expect(bare(output)).toEqual(bare(response.output))
        expect(said).toBe(textOf(response.output))
      }),
      { numRuns: 200 },
    )
  })

  it('gathers the same without the last event', async () => {
    await fc.assert(
      fc.asyncProperty(requests, answers, async (body, { chunks }) => {
        const { events } = eventsIn(streamOf(body, chunks))
        const { response } = events.at(-1) as { response: { output: object[] } }
        const text = events.slice(0, -1).map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

        expect(bare((await stream(text.join('')).finalResponse()).output)).toEqual(bare(response.output))
      }),
      { numRuns: 200 },
    )
  })

  it('tells why a stream failed', async () => {
    const writer = read({ input: 'x', stream: true }).writer(writerTerms())
    const begun = writer.chunk({ choices: [{ delta: { content: 'a' } }] })
    const text = begun + writer.fail({ message: 'It broke.', type: 'server_error', code: 'UPSTREAMS_EXHAUSTED' })

    const failed: unknown[] = []
    const reading = stream(text).on('response.failed', event => failed.push(event))
    await reading.done()

    expect(failed).toMatchObject([{ response: { status: 'failed', error: { message: 'It broke.' } } }])
  })
}

/** Texts and calls only: older majors collect no status, and nothing of an event that explains an incomplete answer. */
const bare = (output: readonly object[]): object[] =>
  output.map(item => {
    const { type, name, arguments: args, content } = item as Record<string, unknown>
    const texts = Array.isArray(content) && type === 'message' ? content.map(part => part.text ?? part.refusal) : []
    return { type, name, args, texts }
  })

const textOf = (output: readonly object[]): string =>
  bare(output)
    .flatMap(item => (item as { texts: string[] }).texts)
    .join('')
