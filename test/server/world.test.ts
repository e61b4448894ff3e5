import { once } from 'node:events'
import { expect, it } from 'vitest'
import { within, world } from '../../src/server/world.ts'
import { socketPair, standStill } from '../support/socket-pair.ts'

it('a timer of the clock finds what was received before it was due, also where the process stood still', async () => {
  const [here, there] = await socketPair()
  const events: string[] = []
  here.on('data', () => events.push('answer'))
  const isOver = new Promise<void>(resolve => {
    world.clock.after(1, () => {
      events.push('timer')
      resolve()
    })
  })
  there.write('answer')
  standStill(20)

  await isOver

  expect(events).toEqual(['answer', 'timer'])
})

it('an event that arrived while the process was stalled counts as in time', async () => {
  const [here, there] = await socketPair()
  const inTime = within(8, once(here, 'data'))
  there.write('answer')
  standStill(50)

  expect(await inTime).toBe(true)
})

it('an event that never arrives is not in time', async () => {
  expect(await within(8, new Promise(() => {}))).toBe(false)
})
