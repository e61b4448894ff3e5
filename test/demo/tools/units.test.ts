import fc from 'fast-check'
import { expect, test } from 'vitest'
import { convert } from '../../../demo/src/tools/convert.ts'
import { kinds, symbolsOf, unitOf } from '../../../demo/src/tools/units.ts'

test.each([
  [5, 'miles', 'km', '5 mi = 8.04672 km'],
  [1, 'light-year', 'astronomical units', '1 ly = 63241.0770843 au'],
  [6, 'feet', 'inches', '6 ft = 72 in'],
  [150, 'lbs', 'kilograms', '150 lb = 68.0388555 kg'],
  [1, 'stone', 'pounds', '1 st = 14 lb'],
  [2, 'US gallons', 'litres', '2 gal = 7.570823568 l'],
  [2, 'gallons', 'liters', '2 gal = 7.570823568 l'],
  [3, 'teaspoons', 'tbsp', '3 tsp = 1 tbsp'],
  [250, 'ML', 'fl. oz.', '250 ml = 8.45350567546 fl oz'],
  [100, 'kilometers per hour', 'mph', '100 km/h = 62.1371192237 mph'],
  [10, 'knots', 'kph', '10 kn = 18.52 km/h'],
  [32, '°F', '°C', '32 °F = 0 °C'],
  [20, 'degrees Celsius', 'fahrenheit', '20 °C = 68 °F'],
  [-40, 'deg C', 'F', '-40 °C = -40 °F'],
  [0, 'kelvin', 'C', '0 K = -273.15 °C'],
  [90, 'mins', 'hours', '90 min = 1.5 h'],
  [1, 'week', 'days', '1 week = 7 d'],
  [8, 'Mb', 'MB', '8 Mbit = 1 MB'],
  [1, 'gb', 'mb', '1 GB = 1000 MB'],
  [1, 'GiB', 'kibibytes', '1 GiB = 1048576 KiB'],
])('%d %s are converted to %s: %s', (amount, from, to, text) => {
  const converted = convert({ amount, from, to })

  expect('text' in converted ? converted.text : undefined).toBe(text)
})

test('every unit converts to every other of its kind and back, and to none of another', () => {
  const unit = fc.constantFrom(...kinds.flatMap(kind => symbolsOf(kind).split(', ')))
  const amount = fc.double({ min: 1, max: 1000, noNaN: true })
  fc.assert(
    fc.property(unit, unit, amount, (from, to, wanted) => {
      const there = convert({ amount: wanted, from, to })
      const same = unitOf(from)?.kind === unitOf(to)?.kind
      expect('amount' in there).toBe(same)
      if (!('amount' in there)) return
      const back = convert({ amount: there.amount, from: to, to: from })
      expect('amount' in back ? back.amount : Number.NaN).toBeCloseTo(wanted, 6)
    }),
  )
})

test.each([
  [{ amount: 5, from: 'furlongs', to: 'km' }, 'the unit "furlongs" is not known; known are lengths (m, nm, '],
  [{ amount: 5, from: 'km', to: 'constructor' }, 'the unit "constructor" is not known'],
  [{ amount: 5, from: 'km', to: 'kg' }, 'km is a unit of lengths and kg one of masses: km converts to m, nm, '],
  [{ amount: 1e308, from: 'ly', to: 'nm' }, '1e+308 ly is more than can be calculated'],
  [{ amount: '5', from: 'mi', to: 'km' }, 'the body must be {"amount": number'],
  [null, 'the body must be'],
])('%j is refused with what is known: %s', (body, start) => {
  const refused = convert(body)

  expect('error' in refused && refused.error.slice(0, start.length)).toBe(start)
})
