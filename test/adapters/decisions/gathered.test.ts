import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Lines } from '../../../src/adapters/decisions/rotation.ts'

const line = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map(code => String.fromCharCode(code)),
  maxLength: 200,
})

it('lines are taken whole and in their order, as many as fit into the room but one at least', () => {
  // Used again after each clearing, as the log does.
  const gathered = new Lines()
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), fc.array(fc.nat(2000), { minLength: 1 }), (texts, rooms) => {
      gathered.clear()
      const lines = texts.map(text => `${text}\n`)
      for (const each of lines) gathered.add(each)
      expect([gathered.count, gathered.length]).toEqual([lines.length, lines.join('').length])

      for (let from = 0, turn = 0; from < gathered.count; turn++) {
        const room = rooms[turn % rooms.length] ?? 0
        const { bytes, count } = gathered.fitting(from, room)
        expect(bytes.toString('latin1')).toBe(lines.slice(from, from + count).join(''))
        expect(count === 1 || bytes.length <= room).toBe(true)
        const next = lines[from + count]
        expect(next === undefined || bytes.length + next.length > room).toBe(true)
        from += count
      }
    }),
  )
})

it('lines that are longer than the room they began with are kept, all of them', () => {
  const gathered = new Lines()
  const long = `${'x'.repeat(300_000)}\n`
  for (let turn = 0; turn < 8; turn++) gathered.add(long)

  expect(gathered.fitting(0, Number.POSITIVE_INFINITY).bytes.toString('latin1')).toBe(long.repeat(8))
  gathered.clear()
  gathered.add('short\n')
  expect(gathered.fitting(0, 0).bytes.toString('latin1')).toBe('short\n')
})
