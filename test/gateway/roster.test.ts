import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { type Listed, Roster } from '../../src/gateway/lifetimes.ts'

class Guest implements Listed {
  place = -1
  readonly luggage = new Array<number>(LUGGAGE_BYTES / 8).fill(0.5)
}

const LUGGAGE_BYTES = 32_768

/** Collects the young generation alone; how much of the heap is in use after it. */
function collectYoung(): number {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  collect({ type: 'minor' })
  return process.memoryUsage().heapUsed
}

test('has what was added and not removed, whatever the order', () => {
  const roster = new Roster<Guest>()
  const guests = Array.from({ length: 5 }, () => new Guest())
  for (const guest of guests) roster.add(guest)
  const [first, second, third, fourth, last] = guests as [Guest, Guest, Guest, Guest, Guest]

  roster.remove(second)
  roster.remove(last)
  roster.remove(first)

  expect(roster.size).toBe(2)
  expect(new Set(roster.all)).toEqual(new Set([third, fourth]))
})

test('to remove what is not there changes nothing', () => {
  const roster = new Roster<Guest>()
  const [there, gone] = [new Guest(), new Guest()]
  roster.add(there)
  roster.add(gone)
  roster.remove(gone)

  roster.remove(gone)
  roster.remove(new Guest())

  expect(roster.all).toEqual([there])
})

test('all is what was there when it was asked for', () => {
  const roster = new Roster<Guest>()
  const guest = new Guest()
  roster.add(guest)
  const all = roster.all

  roster.remove(guest)

  expect(all).toEqual([guest])
  expect(roster.all).toEqual([])
})

test('entries that came and went are freed by young-generation collections alone', () => {
  const roster = new Roster<Guest>()
  const [rounds, each] = [20, 100]
  const pass = () => {
    let under: Guest[] = []
    for (let count = 0; count < each; count++) {
      const guest = new Guest()
      roster.add(guest)
      under.push(guest)
      if (under.length === 10) {
        for (const one of under) roster.remove(one)
        under = []
      }
    }
  }
  pass()
  const before = collectYoung()
  for (let round = 0; round < rounds; round++) {
    pass()
    collectYoung()
  }

  expect(collectYoung() - before).toBeLessThan((rounds * each * LUGGAGE_BYTES) / 10)
})
