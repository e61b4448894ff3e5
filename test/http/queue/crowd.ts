import { expect } from 'vitest'
import type { TestPools } from '../../support/gateway.ts'
import { Queued, until } from './fixture.ts'

const SLOTS = 4
const SMALL = 20
/** Requests of the flood that are answered between those of two small accounts. */
const APART = 3

/**
 * One account with so many requests beside 20 with one, while a part of its clients leaves. Requests end when the test lets
 * them, so that a service time is as many ends as there are slots.
 */
export async function floodBesideSmall(flood: number, more: Partial<TestPools> = {}): Promise<void> {
  const queue = `queue: { max: 1000, of_account: 1000, timeout: 1h }`
  const site = await Queued.start(`max_concurrent: ${SLOTS}, ${queue}`, more)
  const { gate, test } = site
  try {
    const keys = await Promise.all(Array.from({ length: SMALL }, (_, n) => test.key('pro', `small_${n}`)))
    let over = 0
    const asked = Array.from({ length: flood }, (_, n) => {
      const leave = new AbortController()
      const answer = site.ask('flood', { signal: leave.signal, stream: n % 3 === 0 })
      return {
        leave,
        ends: answer
          .then(each => each.text())
          .catch(() => 'left')
          .finally(() => over++),
      }
    })
    await until(() => site.slots.waiting === flood - SLOTS)
    const waits: number[] = []
    const small = keys.map(async (key, n) => {
      const answer = await site.ask(`small_${n}`, { key })
      expect(answer.status).toBe(200)
      await answer.text()
    })
    // Those with one request come all at once, behind the flood.
    await until(() => site.slots.waiting === flood - SLOTS + SMALL)
    const before = gate.asked.length
    const leaving = asked.filter((_, n) => (n * 7) % 5 < 2)
    for (let ended = 1; gate.asked.slice(before).filter(each => each !== 'flood').length < SMALL; ended++) {
      if (ended % APART === 0) leaving.pop()?.leave.abort()
      const [came, slots] = [gate.asked.length, gate.open]
      gate.letOne()
      await test.clock.during(until(() => gate.asked.length > came || gate.open < slots - 1))
      for (const each of gate.asked.slice(came)) if (each !== 'flood') waits.push(ended)
    }
    // Alone the last of them begins once all but one for each slot have ended; one service time more is one end for each slot.
    expect(Math.max(...waits)).toBeLessThanOrEqual(SMALL - SLOTS + SLOTS)
    for (const { leave } of leaving) leave.abort()
    await test.clock.during(gate.letAllUntil(() => over === flood && site.load.every(each => each === 0)))
    await Promise.all([...small, ...asked.map(({ ends }) => ends)])
    const used = await Promise.all([site.key, ...keys].map(key => site.usedBy(key)))
    expect(used.reduce((sum, each) => sum + each)).toBe(await site.charged())
    expect(site.load).toEqual([0, 0])
  } finally {
    await site.close()
  }
}
