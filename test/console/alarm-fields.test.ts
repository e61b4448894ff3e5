import { expect, it } from 'vitest'
import { partsOf } from '../../console/src/admin/alarm-fields.ts'

it.each([
  ['bySeconds', 1_900_800, 'by', '22 days'],
  ['bySeconds', -5400, 'by', '-1.5 hours'],
  ['inMs', 250, 'in', '250 milliseconds'],
  ['lagMs', 1000, 'lag', '1 second'],
  ['ms', 61_000, '', '1 minute'],
  ['heapPercent', 91, 'heap', '91%'],
  ['dropped', 12_000, 'dropped', '12,000'],
  ['requestId', 'req_01', 'request id', 'req_01'],
  ['error', 'Error: 5 Seconds', 'error', 'Error: 5 Seconds'],
  ['persistent', false, 'persistent', 'false'],
] as const)('%s %s of an alarm reads "%s %s"', (name, value, words, shown) => {
  expect(partsOf(name, value)).toEqual([words, shown])
})
