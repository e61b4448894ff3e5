import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atEndOfTurn, endOfTurn } from '../../src/gateway/turn.ts'

test('those who wait for the end of one turn take each of their steps together, in the order in which they came', async () => {
  const steps: string[] = []
  const walk = async (name: string) => {
    await endOfTurn()
    steps.push(`${name} first`)
    await undefined
    steps.push(`${name} second`)
  }

  await Promise.all([walk('a'), walk('b'), walk('c')])

  expect(steps).toEqual(['a first', 'b first', 'c first', 'a second', 'b second', 'c second'])
})

test('a later caller waits for the end of another turn', async () => {
  const first = endOfTurn()
  await first

  expect(endOfTurn()).not.toBe(first)
  await endOfTurn()
})

test('items given during a turn are handed on once, in order, at its end', async () => {
  const handed: (readonly number[])[] = []
  const give = atEndOfTurn<number>(all => handed.push(all))

  give(1)
  give(2)
  await undefined
  expect(handed).toEqual([])
  await setImmediate()
  expect(handed).toEqual([[1, 2]])

  give(3)
  await setImmediate()
  expect(handed).toEqual([[1, 2], [3]])
})

test('an item given while others are handed on waits for the next turn', async () => {
  const handed: (readonly number[])[] = []
  const give = atEndOfTurn<number>(all => {
    handed.push(all)
    if (handed.length === 1) give(2)
  })

  give(1)
  await setImmediate()
  await setImmediate()

  expect(handed).toEqual([[1], [2]])
})
