import { expect, it } from 'vitest'
import { UnderWay } from '../../src/gateway/lifetimes.ts'

it('a waiter learns when the last running request has ended', async () => {
  const underWay = new UnderWay()
  await underWay.none()
  underWay.begin()
  underWay.begin()
  let isOver = false
  const over = underWay.none().then(() => {
    isOver = true
  })

  underWay.end()
  await Promise.resolve()
  expect(isOver).toBe(false)
  underWay.end()
  await over
})
