import { expect, it } from 'vitest'
import { answer, type Behaviour, status } from '../../support/backend.ts'
import { filesOf, foundOfPools, script, startReplica } from './site.ts'

const USAGE = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }

/** A replica that refuses these fields, and the role `developer` where it is among them. */
async function refusing(...names: readonly string[]) {
  const whole: Behaviour = exchange => {
    const { body } = exchange.seen
    const field = names.find(name => Object.hasOwn(body, name))
    const isOfDeveloper = JSON.stringify(body.messages).includes('"developer"')
    if (field !== undefined) return status(400, { error: { message: `property '${field}' is unsupported` } })(exchange)
    if (isOfDeveloper && names.includes('developer'))
      return status(400, { error: { message: 'Unexpected message role.' } })(exchange)
    return answer({ content: 'ok', usage: USAGE })(exchange)
  }
  return script(await startReplica(), { whole })
}

const foundAt = async (url: string, pool = '') => {
  const [found] = await foundOfPools(filesOf([url], { pool }))
  return found
}

it('a replica that refuses what clients send is a warning, with what to write into the pool', async () => {
  const { url } = await refusing('seed', 'prompt_cache_key', 'developer')
  const found = await foundAt(url)

  expect(found).toMatchObject({ state: 'warning' })
  expect(found?.text).toContain('refuses the role developer, seed, prompt_cache_key, unlike its profile')
  expect(found?.hint).toContain('Write `provider: { developer_role: false, drops: [seed, prompt_cache_key] }` in')
})

it('a replica that refuses what its profile says is fine', async () => {
  const { url } = await refusing('prompt_cache_key', 'developer')
  const found = await foundAt(url, ', provider: { developer_role: false, drops: [prompt_cache_key] }')

  expect(found).toMatchObject({ state: 'ok' })
})
