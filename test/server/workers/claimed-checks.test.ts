import { expect, it } from 'vitest'
import { ClaimedChecks } from '../../../src/server/workers/claimed-checks.ts'

const opened = () => {
  let at = 0
  const checks = new ClaimedChecks(() => at)
  const passes = (ms: number) => {
    at += ms
  }
  return { checks, passes }
}

it('the first of three workers runs a health check, and the others get its verdict', async () => {
  const { checks } = opened()
  const [first, second, third] = [0, 1, 2].map(slot => checks.claim(slot, 'onprem a chat'))
  expect(await first).toBeUndefined()

  checks.found(0, 'onprem a chat', { kind: 'fails' })

  expect(await Promise.all([second, third])).toEqual([{ kind: 'fails' }, { kind: 'fails' }])
})

it('a verdict holds for five seconds', async () => {
  const { checks, passes } = opened()
  await checks.claim(0, 'onprem a chat')
  checks.found(0, 'onprem a chat', { kind: 'serves' })
  passes(4999)
  expect(await checks.claim(1, 'onprem a chat')).toEqual({ kind: 'serves' })

  passes(1)

  expect(await checks.claim(1, 'onprem a chat')).toBeUndefined()
})

it('each replica and kind of request has a check of its own', async () => {
  const { checks } = opened()
  await checks.claim(0, 'onprem a chat')

  expect(await checks.claim(1, 'onprem b chat')).toBeUndefined()
})

it('if the worker that runs a check dies, those that wait learn nothing, and the next one runs it', async () => {
  const { checks } = opened()
  await checks.claim(0, 'onprem a chat')
  const waits = checks.claim(1, 'onprem a chat')

  checks.end(0)

  expect(await waits).toEqual({ kind: 'unknown' })
  expect(await checks.claim(1, 'onprem a chat')).toBeUndefined()
})
