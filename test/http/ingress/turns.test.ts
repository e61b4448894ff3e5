import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/http/ingress/turns.ts'

/** A clock of which time passes only where a test says so. */
function clockOf() {
  const timers: { at: number; run: () => void }[] = []
  const clock = {
    now: 0,
    elapsed: () => clock.now,
    after: (time: number, run: () => void) => {
      const timer = { at: clock.now + time, run }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0)
    },
    /** The time passes, and whatever is due runs, with a turn of the event loop after each. */
    advance: async (ms: number) => {
      const end = clock.now + ms
      await endOfTurn()
      for (;;) {
        const due = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!due) break
        timers.splice(timers.indexOf(due), 1)
        clock.now = Math.max(clock.now, due.at)
        due.run()
        await endOfTurn()
      }
      clock.now = Math.max(clock.now, end)
    },
  }
  return clock
}

const endOfTurn = () => new Promise(resolve => setImmediate(resolve))

describe('the turns in which bodies are read', () => {
  const setUp = () => {
    const clock = clockOf()
    const turns = new Turns(clock)
    const read: string[] = []
    const reading = (name: string, took: number) => () => {
      read.push(`${name} ${clock.now}`)
      clock.now += took
    }
    return { clock, turns, read, reading }
  }

  it('does no step of what was dropped, and keeps nothing of it', async () => {
    const { clock, turns, read } = setUp()
    function* steps(name: string): Generator<undefined, string, undefined> {
      for (;;) {
        read.push(name)
        clock.now += 5
        yield
      }
    }
    const reading = turns.beginSteps('a', steps('a'))
    const next = turns.beginSteps('a', steps('next'))
    reading.drop()
    next.drop()
    await clock.advance(1000)

    expect(read).toEqual(['a'])
    expect(await Promise.all([reading.done, next.done])).toEqual([undefined, undefined])
  })

  it('reads what takes little as it comes', () => {
    const { turns, read, reading } = setUp()
    for (const name of ['a', 'b', 'c']) void turns.run(name, 'small', reading(name, 1))

    expect(read).toEqual(['a 0', 'b 1', 'c 2'])
  })

  it('goes on with a costly body in the next turn of the event loop, and its account rests for both parts', async () => {
    const { clock, turns, read, reading } = setUp()
    void turns.run('a', 'costly', reading('parse', 20)).then(() => turns.run('a', 'going on', reading('check', 10)))
    void turns.run('a', 'costly', reading('next', 20))
    for (let turn = 0; turn < 4; turn++) await endOfTurn()
    await clock.advance(500)

    // 20 ms, then 10 ms without a rest between them, and three times as long of rest.
    expect(read).toEqual(['parse 0', 'check 20', 'next 110'])
  })

  it('lets the event loop go on once some ms were read in one turn of it', async () => {
    const { turns, read, reading } = setUp()
    for (const name of ['a', 'b', 'c']) void turns.run(name, 'small', reading(name, 5))
    expect(read).toEqual(['a 0', 'b 5'])

    await endOfTurn()
    expect(read).toEqual(['a 0', 'b 5', 'c 10'])
  })

  it('reads costly bodies of one account a quarter of the time, and of all accounts half of it', async () => {
    const { clock, turns, read, reading } = setUp()
    for (let n = 0; n < 4; n++) void turns.run('a', 'costly', reading('a', 20))
    await clock.advance(1000)
    expect(read).toEqual(['a 0', 'a 80', 'a 160', 'a 240'])

    for (const name of ['b', 'c', 'd']) void turns.run(name, 'costly', reading(name, 20))
    await clock.advance(1000)
    expect(read.slice(4)).toEqual(['b 1020', 'c 1060', 'd 1100'])
  })

  it('reads the first costly body of an account before the sixtieth of another', async () => {
    const { clock, turns, read, reading } = setUp()
    for (let n = 0; n < 60; n++) void turns.run('hostile', 'costly', reading('hostile', 20))
    void turns.run('honest', 'costly', reading('honest', 6))
    await clock.advance(100)

    expect(read.slice(0, 2)).toEqual(['hostile 0', 'honest 40'])
  })

  it('reads what takes little though costly bodies wait', async () => {
    const { clock, turns, read, reading } = setUp()
    for (let n = 0; n < 3; n++) void turns.run('hostile', 'costly', reading('costly', 20))
    await endOfTurn()
    void turns.run('honest', 'small', reading('honest', 1))
    expect(read).toEqual(['costly 0', 'honest 20'])

    await clock.advance(1000)
    expect(read.filter(each => each.startsWith('costly'))).toHaveLength(3)
  })

  it('passes on what reading says, and that it failed', async () => {
    const { turns } = setUp()

    expect(await turns.run('a', 'costly', () => 7)).toBe(7)
    await expect(
      turns.run('a', 'small', () => {
        throw new Error('broken')
      }),
    ).rejects.toThrow('broken')
  })

  it('gives one account one turn for a costly body at a time, in order', async () => {
    const { turns } = setUp()
    const order: number[] = []
    const first = await turns.take('a')
    const others = [1, 2].map(n => turns.take('a').then(over => [order.push(n), over] as const))
    const other = await turns.take('b')
    other()
    await endOfTurn()
    expect(order).toEqual([])

    first()
    first()
    const [, second] = await (others[0] ?? expect.unreachable())
    await endOfTurn()
    expect(order).toEqual([1])
    second()
    await others[1]
    expect(order).toEqual([1, 2])
  })

  it('blames those whose bodies take the time, and nobody where they take little', async () => {
    const { clock, turns, reading } = setUp()
    for (const name of ['a', 'b', 'honest']) void turns.run(name, 'costly', reading(name, 6))
    await clock.advance(1000)
    expect(['a', 'honest', undefined].map(name => turns.blames(name))).toEqual(['none', 'none', 'none'])

    for (let n = 0; n < 60; n++) for (const name of ['a', 'b']) void turns.run(name, 'costly', reading(name, 30))
    await clock.advance(6000)
    expect(['a', 'b', 'honest', 'new', undefined].map(name => turns.blames(name))).toEqual([
      'it',
      'it',
      'others',
      'others',
      'others',
    ])
    expect([turns.isBusy('a'), turns.isBusy('honest')]).toEqual([true, false])

    await clock.advance(60_000)
    expect(turns.blames('a')).toBe('none')
  })
})
