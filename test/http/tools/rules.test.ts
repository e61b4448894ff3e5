import { afterEach, describe, expect, it } from 'vitest'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { saysJson } from '../../support/door.ts'
import { DOLLAR, limitPlan, limitsOf } from '../../support/limit-rules.ts'
import { call, says, Tools } from './fixture.ts'

let tools: Tools

afterEach(() => tools.close())

describe.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('an answer with hosted tools, %s,', (_name, form) => {
  it.each<[string, LimitRule, number]>([
    ['US dollars', { measure: 'usd', most: 0.04 * DOLLAR, per: 'day', of: 'key' }, 0.005_039],
    ['prompt tokens', { measure: 'input_tokens', most: 20_000, per: 'hour', of: 'key' }, 9],
    ['tokens of a model', { measure: 'tokens', most: 20_000, per: '7d', model: 'svc-core' }, 12],
  ])(
    'ends with length where a limit of %s has no room for another round, and pays for what was said',
    async (_what, rule, used) => {
      // 31 KB of result are held as as many tokens.
      tools = await Tools.start({ tool: ', max_result: 32KB' })
      limitPlan(tools.test, 'pro', [rule])
      tools.search.next(saysJson('x'.repeat(31_000)))
      tools.backend.next(says({ content: 'So far. ', calls: [call('search', { q: 'a' })] }), says({ content: 'More.' }))

      expect(await tools.answer({ ...form, max_tokens: 500 })).toMatchObject({ content: 'So far. ', finish: 'length' })

      expect(tools.rounds).toHaveLength(1)
      expect(await limitsOf(tools.test, tools.key)).toMatchObject([{ used, held: 0 }])
    },
  )

  it('counts all of its rounds, and as one request', async () => {
    tools = await Tools.start()
    limitPlan(tools.test, 'pro', [
      { measure: 'requests', most: 1, per: 'day', of: 'key' },
      { measure: 'concurrent', most: 1, of: 'key' },
      { measure: 'output_tokens', most: 20_000, per: 'day' },
      { measure: 'input_tokens', most: 20_000, per: 'day' },
    ])
    tools.backend.next(says({ content: null, calls: [call('search', { q: 'a' })] }), says({ content: 'Done.' }))

    expect(await tools.answer({ ...form, max_tokens: 500 })).toMatchObject({ content: 'Done.', finish: 'stop' })

    expect(await limitsOf(tools.test, tools.key)).toMatchObject([
      { measure: 'output_tokens', used: 6, held: 0 },
      { measure: 'input_tokens', used: 18, held: 0 },
      { measure: 'requests', used: 1, held: 0 },
      { measure: 'concurrent', used: 0, held: 0 },
    ])
  })
})
