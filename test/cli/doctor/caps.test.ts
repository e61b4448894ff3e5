import { expect, it } from 'vitest'
import { answer, type Behaviour } from '../../support/backend.ts'
import { filesOf, foundOfPools, script, startReplica } from './site.ts'

/** A replica that keeps to these names of the cap, and answers twenty words under any other. */
async function keeping(...names: readonly string[]) {
  const whole: Behaviour = exchange => {
    const { body } = exchange.seen
    const cap = names.map(name => body[name]).find(value => typeof value === 'number')
    const tokens = typeof cap === 'number' ? Math.min(20, cap) : 20
    const usage = { prompt_tokens: 9, completion_tokens: tokens, total_tokens: 9 + tokens }
    return answer({ content: 'one '.repeat(tokens), usage })(exchange)
  }
  return script(await startReplica(), { whole })
}

const foundAt = async (url: string, pool = '') => {
  const [found] = await foundOfPools(filesOf([url], { pool }))
  return found
}

it('a replica that keeps to both names of the cap is fine', async () => {
  const { url } = await keeping('max_tokens', 'max_completion_tokens')
  const found = await foundAt(url)

  expect(found).toMatchObject({ state: 'ok' })
  expect(found?.text).not.toContain('ignores')
})

it('a replica that ignores one of the names that it is told by is fine, and the other is named', async () => {
  const { url } = await keeping('max_tokens')
  const found = await foundAt(url)

  expect(found).toMatchObject({ state: 'ok' })
  expect(found?.text).toContain('ignores max_completion_tokens')
})

it('a replica that ignores the only name that it is told by is a problem, with the name that it keeps to', async () => {
  const { url } = await keeping('max_tokens')
  const found = await foundAt(url, ', cap: max_completion_tokens')

  expect(found).toMatchObject({ state: 'problem', hint: expect.stringContaining('write `cap: max_tokens`') })
  expect(found?.text).toContain('ignores max_completion_tokens: its answers have no cap')
})

it('a replica that ignores every name of the cap is a problem', async () => {
  const { url } = await keeping()
  const found = await foundAt(url)

  expect(found).toMatchObject({ state: 'problem' })
  expect(found?.text).toContain('ignores max_tokens and max_completion_tokens')
})
