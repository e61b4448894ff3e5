import { describe, expect, it } from 'vitest'
import { stream, streamThenHang } from '../../support/backend.ts'
import { breaks, INTERRUPTED, LATE_OUTAGE, Reader, SAID } from '../support/broken.ts'
import { afterSilence, exhausted } from '../support/rig.ts'
import { type Sdk, sum } from './sdk.ts'

export function streamScenarios({ rig, OpenAI, client, helpers }: Sdk): void {
  describe('a stream', () => {
    it('says what the whole answer says, in chunks of one choice each', async () => {
      const whole = await client().chat.completions.create(sum)

      let text = ''
      const finishes = []
      for await (const chunk of await client().chat.completions.create({ ...sum, stream: true })) {
        const [choice] = chunk.choices
        if (!choice) throw new Error('a chunk without a choice')
        expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'test-model' })
        expect(chunk.usage ?? null).toBeNull()
        text += choice.delta.content ?? ''
        if (choice.finish_reason) finishes.push(choice.finish_reason)
      }

      expect(text).toBe(whole.choices[0]?.message.content)
      expect(finishes).toEqual(['stop'])
    })

    it('ends with its usage when that was asked for', async () => {
      const options = { ...sum, stream: true as const, stream_options: { include_usage: true } }
      const chunks = []
      for await (const chunk of await client().chat.completions.create(options)) chunks.push(chunk)

      expect(chunks.at(-1)).toMatchObject({
        choices: [],
        usage: { prompt_tokens: 10, completion_tokens: 33, total_tokens: 43 },
      })
      expect(chunks.filter(({ usage }) => usage)).toHaveLength(1)
    })

    it('gives its headers before its first chunk', async () => {
      const { data, response } = await client()
        .chat.completions.create({ ...sum, stream: true })
        .withResponse()

      expect(response.headers.get('x-svc-upstream')).toBe('onprem')
      expect(response.headers.get('x-svc-quota-plan')).toBe('pro')
      expect(response.headers.get('x-request-id')).toMatch(/^req_/)
      for await (const _chunk of data);
    })

    it('is collected by the helper as the whole answer would be', async () => {
      const whole = await client().chat.completions.create(sum)
      const runner = helpers().stream({ ...sum, stream_options: { include_usage: true } })

      expect(await runner.finalContent()).toBe(whole.choices[0]?.message.content)
      expect(await runner.totalUsage()).toMatchObject({ total_tokens: 43 })
    })

    it('streams every choice that was asked for', async () => {
      const { choices } = await helpers()
        .stream({ ...sum, n: 2 })
        .finalChatCompletion()

      expect(choices.map(({ message }) => message.content?.includes('42'))).toEqual([true, true])
    })

    it('ends for the backend too when its reader leaves', async () => {
      rig.backend.next(streamThenHang({ chunks: ['Hel', 'lo'] }))

      for await (const chunk of await client().chat.completions.create({ ...sum, stream: true }))
        if (chunk.choices[0]?.delta.content) break

      await rig.test.clock.during(rig.backend.clientGone(1), 100)
      expect(await rig.test.logged(1)).toMatchObject([{ status: 499 }])
    })
  })

  describe('a stream that begins before its backend has said a word', () => {
    const read = async (reader: Reader) => {
      for await (const { choices } of await client().chat.completions.create({ ...sum, stream: true }))
        reader.add(choices[0]?.delta.content ?? '')
    }

    it('says what the backend says in the end, and nothing of the silence', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, stream({ chunks: ['Hel', 'lo'] })))

      await read(reader)

      expect(reader.text).toBe(SAID)
    })

    it('throws what became of it, and is not tried again', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, exhausted))
      const error = await read(reader).catch((thrown: unknown) => thrown)

      expect(error).toBeInstanceOf(OpenAI.APIError)
      expect(error).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', type: 'server_error', error: LATE_OUTAGE })
      expect(reader.text).toBe('')
      expect(await rig.calls()).toMatchObject([{ status: 200, code: 'UPSTREAMS_EXHAUSTED' }])
    })
  })

  describe.each(breaks)('a stream that $name after its first content', ({ behaviour }) => {
    it('throws after what was said, and is not tried again', async () => {
      const reader = new Reader()
      rig.backend.next(behaviour(reader.read))
      const { data, request_id } = await client()
        .chat.completions.create({ ...sum, stream: true })
        .withResponse()
      const error = await (async () => {
        for await (const { choices } of data) reader.add(choices[0]?.delta.content ?? '')
      })().catch((thrown: unknown) => thrown)

      expect(error).toBeInstanceOf(OpenAI.APIError)
      expect(error).toMatchObject({ ...INTERRUPTED, error: INTERRUPTED })
      expect(reader.text).toBe(SAID)
      const calls = await rig.calls()
      expect(calls).toMatchObject([{ status: 200, requestId: request_id }])
      expect(calls[0]?.interrupted).toBeTruthy()
    })

    it('fails in the helper', async () => {
      const reader = new Reader()
      rig.backend.next(behaviour(reader.read))
      const runner = helpers().stream(sum)
      runner.on('content', delta => reader.add(delta))

      await expect(runner.finalChatCompletion()).rejects.toMatchObject(INTERRUPTED)
      expect(reader.text).toBe(SAID)
    })
  })
}
