import type { ChatMessage } from '@llamaindex/core/llms'
import { tool } from '@llamaindex/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LOOKED_UP, lookup, mixed, SUM, type ToolRig } from '../support/tool-rig.ts'
import type { LlamaIndex } from './sdk.ts'

/** It wants something to run of each tool. Hosted ones must never get there. */
const listed = (ran: string[]) =>
  ['svc_echo', 'svc_search', 'locate'].map(name =>
    tool({
      name,
      description: `The tool ${name}`,
      parameters: z.object({}).passthrough(),
      execute: () => {
        ran.push(name)
        return 'Oslo'
      },
    }),
  )

/** In streams it takes calls only where no text comes before them, whoever serves it. */
const quietly = mixed.map((said, round) => (round < 2 ? { ...said, content: null } : said))

export function hostedToolScenarios({ llm }: LlamaIndex, rig: ToolRig): void {
  const question: ChatMessage = { role: 'user', content: 'Is it raining?' }

  describe.each([
    ['whole', false],
    ['streamed', true],
  ])('an answer with hosted tools, %s,', (way, streamed) => {
    const exec = async (messages: ChatMessage[], ran: string[], apiKey = rig.key) => {
      const model = llm({ apiKey, additionalChatOptions: streamed ? { stream_options: { include_usage: true } } : {} })
      const request = { messages, tools: listed(ran) }
      if (!streamed) return (await model.exec(request)).newMessages
      const { stream, newMessages } = await model.exec({ ...request, stream: true })
      for await (const _piece of stream);
      return newMessages()
    }

    it('is one ordinary message', async () => {
      rig.says(...lookup('svc_echo', 'svc_search'))
      const ran: string[] = []

      const [answer, ...others] = await exec([question], ran)

      expect(answer).toMatchObject({ role: 'assistant', content: LOOKED_UP })
      expect([others, ran]).toEqual([[], []])
      expect(rig.mcp.calls).toMatchObject([{ tool: 'echo', args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'weather' }])
      expect(await rig.calls()).toHaveLength(1)
    })

    it('calls tools of the client in between, which the SDK runs', async () => {
      rig.says(...quietly)
      const ran: string[] = []

      const turns = await exec([question], ran)
      const [answer] = await exec([question, ...turns], ran)

      expect(ran).toEqual(['locate'])
      expect(answer?.content).toBe('Ah. It snows.')
      expect(rig.mcp.calls).toMatchObject([{ args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'Oslo' }])
      expect(await rig.calls()).toMatchObject([{ tools: { echo: 1 } }, { tools: { search: 1 } }])
    })

    it('with a tool outside the plan is an error of type plan_limit that is not tried again', async () => {
      const asked = exec([question], [], await rig.test.key('free', `free ${way}`))

      await expect(asked).rejects.toMatchObject({
        status: 429,
        type: 'plan_limit',
        message: expect.stringMatching(/free .*hosted tool search/),
      })
      expect(await rig.calls()).toMatchObject([{ status: 429 }])
    })
  })

  it('an answer with hosted tools has the usage of all rounds', async () => {
    rig.says(...lookup('svc_echo', 'svc_search'))

    const { raw } = await llm().chat({ messages: [question], tools: listed([]) })

    expect(raw).toMatchObject({ usage: SUM, choices: [{ finish_reason: 'stop' }] })
  })
}
