import { afterEach, expect, it } from 'vitest'
import { call, says, Tools } from './fixture.ts'

let tools: Tools
afterEach(() => tools.close())

async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(setImmediate)
}

it.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('an answer with hosted tools, %s, keeps its slot between its rounds, while others wait', async (_name, form) => {
  tools = await Tools.start({ fields: { onprem: 'max_concurrent: 1, queue: { timeout: 300s, before_next: 300s }' } })
  let letTool = () => {}
  tools.search.always(async (_received, response) => {
    await new Promise<void>(resolve => {
      letTool = resolve
    })
    response.end('{}')
  })
  tools.backend.next(
    says({ content: null, calls: [call('search', { q: 'a' })] }),
    says({ content: 'First.' }),
    says({ content: 'Second.' }),
  )
  const first = tools.answer(form)
  await until(() => tools.search.calls.length === 1)
  const second = tools.test.chat(tools.key, {})
  const { slots } = tools.test.gateway.app.pools.of('onprem')
  await until(() => slots.waiting === 1)
  expect([slots.taken, tools.rounds.length]).toEqual([1, 1])
  letTool()

  expect((await first).content).toBe('First.')
  expect(await (await second).text()).toContain('Second.')
  await until(() => slots.taken === 0)
  expect(slots.waiting).toBe(0)
})

it('the wait for a slot takes nothing of limits.tool_time', async () => {
  tools = await Tools.start({
    fields: { onprem: 'max_concurrent: 1, queue: { timeout: 300s, before_next: 300s }' },
    yaml: 'limits: { tool_time: 10s }',
  })
  let letFirst = () => {}
  tools.backend.next(
    async exchange => {
      await new Promise<void>(resolve => {
        letFirst = resolve
      })
      await says({ content: 'First.' })(exchange)
    },
    says({ content: null, calls: [call('search', { q: 'a' })] }),
    says({ content: 'Second.' }),
  )
  const first = tools.test.chat(tools.key, {})
  await until(() => tools.backend.requests.length === 1)
  const second = tools.answer({})
  const { slots } = tools.test.gateway.app.pools.of('onprem')
  await until(() => slots.waiting === 1)
  tools.test.clock.advance(60_000)
  letFirst()
  await (await first).text()

  expect((await second).content).toBe('Second.')
  expect(tools.search.calls).toHaveLength(1)
  expect(tools.rounds.map(({ tools: offered }) => offered?.length)).toEqual([undefined, 1, 1])
})
