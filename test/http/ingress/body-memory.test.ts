import { describe, expect, it, vi } from 'vitest'
import type { Settings } from '../../../src/config/settings.ts'
import { BodyMemory, bodyMemoryBytes, type HeldBody } from '../../../src/http/ingress/body-memory.ts'

const MB = 1_000_000
const refusal = ({ denial }: HeldBody) => (denial && 'of' in denial ? denial.of : undefined)

describe('the memory of bodies that are under way', () => {
  const open = (memory: BodyMemory, account: string, address: string, bytes: number) => {
    const body = memory.open({ account, address })
    body.add(bytes)
    return body
  }

  it('is at most half taken by one account, from however many addresses', () => {
    const memory = new BodyMemory(() => 100 * MB)
    const bodies = Array.from({ length: 7 }, (_, n) => open(memory, 'greedy', `127.0.0.${n}`, 10 * MB))

    expect(bodies.map(refusal)).toEqual([...Array.from({ length: 5 }), 'account_bodies', 'account_bodies'])
    expect(memory.total).toBe(50 * MB)
  })

  it('is at most half taken by one address, with however many accounts', () => {
    const memory = new BodyMemory(() => 100 * MB)
    const bodies = Array.from({ length: 6 }, (_, n) => open(memory, `account ${n}`, '127.0.0.1', 10 * MB))

    expect(bodies.map(refusal)).toEqual([...Array.from({ length: 5 }), 'address_bodies'])
  })

  it('is taken back from the account that has the most, once there is no more', () => {
    const memory = new BodyMemory(() => 100 * MB)
    const most = [open(memory, 'most', 'a', 25 * MB), open(memory, 'most', 'b', 15 * MB)]
    const less = [open(memory, 'less', 'c', 30 * MB), open(memory, 'least', 'd', 29 * MB)]
    const heard = vi.fn()
    for (const body of most) body.onRefused = heard
    const small = open(memory, 'small', 'e', 2 * MB)

    expect(heard.mock.calls).toEqual([[{ code: 'OVERLOADED', of: 'bodies' }]])
    expect([...most, ...less, small].map(refusal)).toEqual(['bodies', undefined, undefined, undefined, undefined])
    expect(memory.total).toBe(76 * MB)
  })

  it('never takes back what is complete', () => {
    const memory = new BodyMemory(() => 100 * MB)
    const complete = [open(memory, 'a', 'a', 45 * MB), open(memory, 'b', 'b', 45 * MB)]
    for (const body of complete) body.complete()
    const late = open(memory, 'c', 'c', 11 * MB)

    expect([...complete, late].map(refusal)).toEqual([undefined, undefined, 'bodies'])
  })

  it('counts what came, not what was announced, and nothing of what is over', () => {
    const memory = new BodyMemory(() => 100 * MB)
    const bodies = Array.from({ length: 1000 }, () => memory.open({ account: 'a', address: 'b' }))
    expect(memory.total).toBe(0)

    for (const body of bodies) body.add(1)
    expect(memory.total).toBe(1000)

    for (const body of bodies) {
      body.complete()
      body.release()
      body.release()
      body.add(5)
    }
    expect(memory.total).toBe(0)
  })

  it('says once that it is nearly empty where much was in it', () => {
    const emptied = vi.fn()
    const memory = new BodyMemory(() => 200 * MB, emptied)
    const bodies = Array.from({ length: 8 }, (_, n) => open(memory, `${n}`, `${n}`, 10 * MB))
    for (const body of bodies.slice(0, 6)) body.release()
    expect(emptied).not.toHaveBeenCalled()

    for (const body of bodies) body.release()
    expect(emptied).toHaveBeenCalledTimes(1)
  })

  const settings = (bodyMemory?: number, bodyBytes = 10 * MB) =>
    ({ limits: { bodyBytes, bodyMemoryBytes: bodyMemory } }) as Settings

  it.each([
    ['what the files say', settings(40 * MB), 1000 * MB, 40 * MB],
    ['a quarter of what the process may use', settings(), 512 * MB, 128 * MB],
    ['no more than 256 MB without a word', settings(), 24_000 * MB, 256 * MB],
    ['room for two of the largest', settings(), 40 * MB, 20 * MB],
    ['room for two of the largest, however large', settings(undefined, 500 * MB), 1000 * MB, 1000 * MB],
  ])('is %s', (_, of, memory, bytes) => {
    expect(bodyMemoryBytes(of, memory)).toBe(bytes)
  })
})
