import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answers, chunksOf, completionOf, request } from '../../wire/messages/answers.ts'
import { messageOf } from '../../wire/messages/blocks-of-events.ts'
import { eventsOf, NO_USAGE, read, writerTerms } from '../../wire/messages/support.ts'

const headers = { 'content-type': 'text/event-stream' }

/** A client whose every request is answered so. */
const clientOf = (body: string, type = headers['content-type']) =>
  new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: async () => new Response(body, { headers: { 'content-type': type } }),
  })

const params: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'svc-core',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hi' }],
}

const writer = () => read(request).writer(writerTerms())

export function writtenScenarios(): void {
  it('gathers the message from a stream in any order', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async answer => {
        const writing = writer()
        const text =
          chunksOf(answer)
            .map(chunk => writing.chunk(chunk))
            .join('') + writing.end(NO_USAGE)
        const message = messageOf(eventsOf(text))
        const gathered = await clientOf(text).messages.stream(params).finalMessage()
        expect(gathered.content).toMatchObject(message.content as object[])
        expect(gathered).toMatchObject({ stop_reason: message.stop_reason, usage: message.usage as object })
      }),
      { numRuns: 200 },
    )
  })

  it('reads a whole message', async () => {
    await fc.assert(
      fc.asyncProperty(answers, async answer => {
        const message = writer().whole(completionOf(answer), NO_USAGE)
        const read = await clientOf(JSON.stringify(message), 'application/json').messages.create(params)
        expect(read).toMatchObject(message)
      }),
      { numRuns: 50 },
    )
  })

  it('throws what a stream fails with', async () => {
    const writing = writer()
    const begun = writing.chunk({ choices: [{ index: 0, delta: { content: 'a' } }] })
    const text = begun + writing.fail({ message: 'It broke.', type: 'server_error', code: 'x' })
    await expect(clientOf(text).messages.stream(params).finalMessage()).rejects.toThrow(/It broke\./)
  })
}
