import { expect, it } from 'vitest'
import { remembered } from '../../src/gateway/lifetimes.ts'

it('a thing is made once for its name, and again once more names than are remembered were asked for', () => {
  const made: string[] = []
  const of = remembered(2, name => {
    made.push(name)
    return name.toUpperCase()
  })

  expect(['a', 'a', 'b', 'a', 'c', 'c', 'a'].map(of)).toEqual(['A', 'A', 'B', 'A', 'C', 'C', 'A'])
  expect(made).toEqual(['a', 'b', 'c', 'a'])
})
