import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lengthened } from '../../src/gateway/growing-numbers.ts'

it('an array that grows keeps every number, and is never longer than its most', () => {
  const most = 5000
  fc.assert(
    fc.property(fc.array(fc.nat(most - 1), { minLength: 1 }), places => {
      let numbers = new Float64Array()
      for (const place of places) {
        numbers = lengthened(Float64Array, numbers, { length: place + 1, most })
        numbers[place] = place
      }

      expect(numbers.length).toBeLessThanOrEqual(most)
      for (const place of places) expect(numbers[place]).toBe(place)
    }),
  )
})

it('writing one number after the other copies the array a few times', () => {
  let numbers = new Float64Array()
  const arrays = new Set<Float64Array>()
  for (let length = 1; length <= 100_000; length++) {
    numbers = lengthened(Float64Array, numbers, { length, most: 100_000 })
    arrays.add(numbers)
  }

  expect(arrays.size).toBeLessThan(10)
})
