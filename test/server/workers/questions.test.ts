import { expect, it } from 'vitest'
import { Questions } from '../../../src/server/workers/questions.ts'

const opened = () => {
  let at = 0
  const questions = new Questions(() => at)
  const passes = (ms: number) => {
    at += ms
  }
  return { questions, passes }
}

it('of three workers that want to know, the first asks, and the others get what it found', async () => {
  const { questions } = opened()
  const [first, second, third] = [0, 1, 2].map(slot => questions.claim(slot, 'onprem a chat'))
  expect(await first).toBeUndefined()

  questions.found(0, 'onprem a chat', { kind: 'fails' })

  expect(await Promise.all([second, third])).toEqual([{ kind: 'fails' }, { kind: 'fails' }])
})

it('what was found stands for five seconds', async () => {
  const { questions, passes } = opened()
  await questions.claim(0, 'onprem a chat')
  questions.found(0, 'onprem a chat', { kind: 'serves' })
  passes(4999)
  expect(await questions.claim(1, 'onprem a chat')).toEqual({ kind: 'serves' })

  passes(1)

  expect(await questions.claim(1, 'onprem a chat')).toBeUndefined()
})

it('each replica and kind of request has a question of its own', async () => {
  const { questions } = opened()
  await questions.claim(0, 'onprem a chat')

  expect(await questions.claim(1, 'onprem b chat')).toBeUndefined()
})

it('where the worker that asks ends, those that wait learn nothing, and the next one asks', async () => {
  const { questions } = opened()
  await questions.claim(0, 'onprem a chat')
  const waits = questions.claim(1, 'onprem a chat')

  questions.end(0)

  expect(await waits).toEqual({ kind: 'unknown' })
  expect(await questions.claim(1, 'onprem a chat')).toBeUndefined()
})
