import { type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LOOKED_UP, lookup, mixed, type ToolRig } from '../support/tool-rig.ts'
import type { LangChain } from './sdk.ts'

const SUM = { input_tokens: 27, output_tokens: 9, total_tokens: 36 }

/** Its agents run what a message calls: hosted tools, of which none is in a message, need no more than a schema. */
const listed = ['svc_echo', 'svc_search'].map(name => ({
  type: 'function' as const,
  function: { name, parameters: {} },
}))
const locate = tool(() => 'Oslo', {
  name: 'locate',
  description: 'Where the user is',
  schema: z.object({ unit: z.string() }),
})

export function hostedToolScenarios({ chat }: LangChain, rig: ToolRig): void {
  describe.each([
    ['whole', false],
    ['streamed', true],
  ])('an answer with hosted tools, %s,', (way, streamed) => {
    const question = new HumanMessage('Is it raining?')
    const ask = async (turns: Parameters<ReturnType<typeof chat>['invoke']>[0], apiKey = rig.key) => {
      const model = chat({ apiKey }).bindTools([...listed, locate])
      return streamed ? collected(await model.stream(turns)) : model.invoke(turns)
    }

    it('is one ordinary message', async () => {
      rig.says(...lookup('svc_echo', 'svc_search'))

      const answer = await ask([question])

      expect(answer.content).toBe(LOOKED_UP)
      expect(answer.tool_calls).toEqual([])
      expect(answer.usage_metadata).toMatchObject(SUM)
      expect(answer.response_metadata).toMatchObject({ model_name: 'test-model', finish_reason: 'stop' })
      expect(rig.mcp.calls).toMatchObject([{ tool: 'echo', args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'weather' }])
      expect(await rig.calls()).toHaveLength(1)
    })

    it('calls tools of the client in between', async () => {
      rig.says(...mixed)

      const first = await ask([question])
      expect(first.content).toBe('Let me think. Where are you? ')
      expect(first.tool_calls).toMatchObject([{ name: 'locate', args: { unit: 'city' }, id: 'c3' }])
      const result = new ToolMessage({ content: await locate.invoke({ unit: 'city' }), tool_call_id: 'c3' })
      const second = await ask([question, first, result])

      expect(second.content).toBe('Ah. It snows.')
      expect(second.tool_calls).toEqual([])
      expect(rig.search.calls).toEqual([{ q: 'Oslo' }])
      expect(await rig.calls()).toMatchObject([{ tools: { echo: 1 } }, { tools: { search: 1 } }])
    })

    it('with a tool outside the plan is an error of type plan_limit that is not tried again', async () => {
      const asked = ask([question], await rig.test.key('free', `free ${way}`))

      await expect(asked).rejects.toMatchObject({
        status: 429,
        type: 'plan_limit',
        message: expect.stringMatching(/free .*hosted tool search/),
      })
      expect(await rig.calls()).toMatchObject([{ status: 429 }])
    })
  })
}

async function collected(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined
  for await (const chunk of chunks) whole = whole?.concat(chunk) ?? chunk
  if (!whole) throw new Error('an empty stream')
  return whole
}
