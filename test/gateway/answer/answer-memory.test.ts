import { describe, expect, it } from 'vitest'
import type { Settings } from '../../../src/config/settings.ts'
import { AnswerMemory, answerMemoryBytes, type HeldAnswer } from '../../../src/gateway/answer/memory.ts'
import { VirtualClock } from '../../support/clock.ts'

const MB = 1_000_000
const refusal = ({ denial }: HeldAnswer) => (denial?.code === 'OVERLOADED' ? denial.of : undefined)
const endOfTurn = () => new Promise(resolve => setImmediate(resolve))

describe('the memory for answers', () => {
  const setUp = (limit = 100 * MB, emptied?: () => void) => {
    const clock = new VirtualClock(0)
    const memory = new AnswerMemory(() => limit, clock, emptied)
    /** An answer that its client reads slowly. */
    const unread = (account: string, address: string, bytes: number) => {
      const answer = memory.open({ account, address })
      answer.holdOrEnd(bytes)
      return answer
    }
    /** An answer that a backend sends, as far as there is room. */
    const arriving = (account: string, address: string) => {
      const answer = memory.open({ account, address })
      const seen = { answer, wentOn: 0 }
      const send = (bytes: number) => answer.arrives(bytes, () => seen.wentOn++)
      return { ...seen, seen, send }
    }
    return { clock, memory, unread, arriving }
  }

  it('is at most half taken by one account, from however many addresses', () => {
    const { memory, unread } = setUp()
    const answers = Array.from({ length: 7 }, (_, n) => unread('greedy', `127.0.0.${n}`, 10 * MB))

    expect(answers.map(refusal)).toEqual([
      ...Array.from({ length: 5 }, () => undefined),
      'account_answers',
      'account_answers',
    ])
    expect(memory.total).toBe(50 * MB)
  })

  it('is at most half taken by one address: of its accounts, the one with the most loses the oldest answer', () => {
    const { unread } = setUp()
    const most = [unread('most', 'here', 20 * MB), unread('most', 'here', 10 * MB)]
    const others = [unread('other', 'here', 15 * MB), unread('third', 'here', 6 * MB)]

    expect(most.map(refusal)).toEqual(['address_answers', undefined])
    expect(others.map(refusal)).toEqual([undefined, undefined])
  })

  it('always has room for an account with little: the one with the most loses an answer', () => {
    const { memory, unread } = setUp()
    const most = [unread('most', 'a', 30 * MB), unread('most', 'b', 18 * MB)]
    const less = [unread('less', 'c', 40 * MB), unread('paying', 'd', 13 * MB)]

    expect([...most, ...less].map(refusal)).toEqual(['answers', undefined, undefined, undefined])
    expect(memory.total).toBe(71 * MB)
  })

  it('takes one answer of an account that is larger than its half', () => {
    const { unread } = setUp()

    expect(refusal(unread('a', 'a', 67 * MB))).toBeUndefined()
  })

  it('has answers of one account that arrive together wait for the first, and lets them go on as it is read', async () => {
    const { arriving } = setUp()
    const all = Array.from({ length: 4 }, () => arriving('a', 'a'))
    const [first, ...rest] = all
    if (!first) throw new Error('no answer')
    // A quarter of all memory is where it gets tight for one account.
    expect(all.map(({ send }) => send(8 * MB))).toEqual([true, true, true, false])
    expect(first.send(22 * MB)).toBe(true)
    expect(rest.map(({ send }) => send(9 * MB))).toEqual([false, false, false])

    first.answer.arrived()
    await endOfTurn()
    // The next one is the first now.
    expect(all.map(({ seen }) => seen.wentOn)).toEqual([0, 1, 0, 0])
    first.answer.release()
    await endOfTurn()
    expect(all.map(({ seen }) => seen.wentOn)).toEqual([0, 1, 0, 0])
    expect(rest[0]?.send(20 * MB)).toBe(true)
    rest[0]?.answer.release()
    await endOfTurn()
    expect(all.map(({ seen }) => seen.wentOn)).toEqual([0, 1, 1, 1])
    expect(all.map(({ answer }) => refusal(answer))).toEqual([undefined, undefined, undefined, undefined])
  })

  it('keeps the room of an answer that nobody can drop now: of the others, the account with the most loses one', () => {
    const { memory, unread } = setUp()
    const sealed = unread('most', 'a', 40 * MB)
    sealed.onEnded = undefined
    const others = [unread('second', 'b', 35 * MB), unread('third', 'c', 20 * MB)]
    expect(refusal(unread('small', 'd', 10 * MB))).toBeUndefined()

    expect([sealed, ...others].map(refusal)).toEqual([undefined, 'answers', undefined])
    expect(memory.total).toBe(70 * MB)
  })

  it('counts what is kept beside an answer with it, also while it is read', async () => {
    const { memory, arriving } = setUp()
    const { answer, send } = arriving('a', 'a')
    answer.holdBeside(MB)
    send(2 * MB)
    expect(memory.total).toBe(3 * MB)
    answer.copies(() => {}, 5 * MB)
    await endOfTurn()
    expect(memory.total).toBe(2 * 3 * MB + 5 * MB)
    answer.arrived()
    expect(memory.total).toBe(3 * MB)
    answer.holdBeside(0)
    answer.hold(0)
    expect(memory.total).toBe(0)
  })

  it('ends an answer that waits while nothing of its account is read for 5 s', () => {
    const { clock, memory, unread, arriving } = setUp()
    const read = [unread('a', 'a', 20 * MB), unread('a', 'b', 25 * MB)]
    const { answer, send } = arriving('a', 'c')
    let heard = 0
    answer.onEnded = () => heard++
    expect(send(10 * MB)).toBe(false)
    clock.advance(4000)
    read[0]?.hold(19 * MB)
    clock.advance(4000)
    expect(refusal(answer)).toBeUndefined()

    clock.advance(1000)
    expect([refusal(answer), heard, memory.total]).toEqual(['account_answers', 1, 44 * MB])
  })

  it('never keeps a small answer of one account waiting for a large one of another', () => {
    const { arriving } = setUp()
    const large = Array.from({ length: 6 }, (_, n) => arriving('large', `${n}`))
    for (const { send } of large) send(10 * MB)

    expect(arriving('small', 'elsewhere').send(2 * MB)).toBe(true)
  })

  it('counts an answer twice while it is read, and has it wait for room before that', async () => {
    const { memory, unread, arriving } = setUp()
    const held = unread('a', 'a', 12 * MB)
    const first = arriving('a', 'a')
    const second = arriving('a', 'a')
    expect([first.send(6 * MB), second.send(6 * MB)]).toEqual([true, true])

    let read = 0
    second.answer.copies(() => read++)
    await endOfTurn()
    expect([read, memory.total]).toEqual([0, 24 * MB])
    held.release()
    await endOfTurn()
    expect([read, memory.total]).toEqual([1, 18 * MB])
    second.answer.arrived()
    expect(memory.total).toBe(12 * MB)
  })

  it('always has room to read the answer that came first, and no other beyond its limit', async () => {
    const { memory, arriving } = setUp()
    const [first, second] = [arriving('a', 'a'), arriving('b', 'b')]
    expect([first.send(29 * MB), second.send(20 * MB)]).toEqual([true, true])

    const read: string[] = []
    second.answer.copies(() => read.push('second'))
    first.answer.copies(() => read.push('first'))
    expect([read, memory.total]).toEqual([['first'], 78 * MB])
    first.answer.release()
    await endOfTurn()
    expect([read, memory.total]).toEqual([['first', 'second'], 40 * MB])
  })

  it('lets the large answers of many accounts at one address arrive one after the other, and ends none', async () => {
    const { memory, arriving } = setUp()
    const waiting = Array.from({ length: 12 }, (_, n) => ({ ...arriving(`${n}`, 'here'), bytes: 0, read: false }))
    let most = 0
    const goesOn = (one: (typeof waiting)[number]) => {
      if (one.answer.isWaiting || one.read) return
      one.bytes += MB
      if (one.bytes <= 20 * MB) return void one.send(one.bytes)
      one.answer.copies(() => {
        most = Math.max(most, memory.total)
        one.read = true
        one.answer.release()
      })
    }
    for (let turns = 0; waiting.some(({ read }) => !read); turns++) {
      if (turns > 2000) throw new Error('they wait for each other')
      for (const one of waiting) goesOn(one)
      most = Math.max(most, memory.total)
      await endOfTurn()
    }

    expect(waiting.map(({ answer }) => refusal(answer))).toEqual(waiting.map(() => undefined))
    expect(most).toBeLessThanOrEqual((50 + 20 + 12) * MB)
  })

  it('ends the answers of who has more once one with less has waited for 5 s', () => {
    const { clock, unread, arriving } = setUp()
    const slow = arriving('slow', 'a')
    expect(slow.send(10 * MB)).toBe(true)
    const most = unread('most', 'b', 60 * MB)
    const { answer, send } = arriving('less', 'c')
    expect(send(35 * MB)).toBe(false)

    clock.advance(5000)
    expect([refusal(most), refusal(answer)]).toEqual(['answers', undefined])
  })

  it('counts what answers take by now, and nothing of what is over', () => {
    const { memory } = setUp()
    const answers = Array.from({ length: 1000 }, () => memory.open({ account: 'a', address: 'b' }))
    for (const answer of answers) expect(answer.hold(1000)).toBe(true)
    for (const answer of answers) answer.hold(10)
    expect(memory.total).toBe(10_000)

    for (const answer of answers) {
      answer.release()
      answer.release()
      answer.hold(5)
    }
    expect(memory.total).toBe(0)
  })

  it('is never exceeded, whoever asks for however much in whatever order', () => {
    const { memory, arriving, unread } = setUp(20 * MB)
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    const sent = Array.from({ length: 60 }, () => ({
      ...arriving(`${random(9)}`, `${random(5)}`),
      bytes: 0,
      waits: false,
    }))
    for (let step = 0; step < 5000; step++) {
      const one = sent[random(sent.length)]
      if (one && !one.waits && one.bytes < 3 * MB) {
        one.bytes += 65_536
        one.waits = !one.send(one.bytes)
      }
      if (step % 50 === 0) unread(`${random(9)}`, `${random(5)}`, random(MB))
      // The bytes that a backend sent before it was paused have arrived.
      expect(memory.total).toBeLessThanOrEqual(20 * MB + 60 * 65_536)
    }
  })

  const settings = (answerMemory?: number) => ({ limits: { answerMemoryBytes: answerMemory } }) as Settings

  it.each([
    ['what the files say', settings(400 * MB), 1000 * MB, 1, 400 * MB],
    ['a quarter of what the process may use', settings(), 800 * MB, 1, 200 * MB],
    ['no more than 256 MB without a word', settings(), 24_000 * MB, 1, 256 * MB],
    ['shared by processes', settings(), 24_000 * MB, 2, 128 * MB],
    ['room for the largest answer, however many processes there are', settings(), 24_000 * MB, 8, 67_108_864],
  ])('is %s', (_, of, memory, processes, bytes) => {
    expect(answerMemoryBytes(of, memory, processes)).toBe(bytes)
  })
})
