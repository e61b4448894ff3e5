import { expect, it } from 'vitest'
import { Turns } from '../../../src/http/ingress/turns.ts'
import { isShed } from '../../../src/http/listener/shed.ts'

/** Two seconds of reading by one account, and nearly nothing by others. */
function busy(): Turns {
  let now = 0
  const turns = new Turns({ elapsed: () => now, after: () => () => {} })
  void turns.run('honest', 'small', () => {
    now += 1
  })
  void turns.run('hostile', 'small', () => {
    now += 2000
  })
  return turns
}

it.each([
  ['nobody while there is little to do', 0, []],
  ['the account whose bodies are the cause, in place of guests', 1, ['hostile']],
  ['the same, in place of everybody', 2, ['hostile']],
  ['everybody, once the memory is nearly gone', 3, ['honest', 'hostile', 'a guest', 'a new guest']],
] as const)('shedding refuses %s', (_, level, refused) => {
  const app = { shedding: () => level, turns: busy() }
  const asking = [
    ['honest', 'developer', 'honest'],
    ['hostile', 'developer', 'hostile'],
    ['a guest', 'guest', 'guest'],
    ['a new guest', 'guest', undefined],
  ] as const

  expect(asking.filter(([, kind, account]) => isShed(app, kind, account)).map(([name]) => name)).toEqual(refused)
})

it('shedding refuses the account whose bodies took a burst of half a second to receive, and nobody else', () => {
  const turns = new Turns({ elapsed: () => 0, after: () => () => {} })
  turns.charge('hostile', 500)
  const app = { shedding: () => 2, turns }

  expect(isShed(app, 'guest', 'hostile')).toBe(true)
  expect(isShed(app, 'developer', 'honest')).toBe(false)
})
