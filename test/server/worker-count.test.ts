import { expect, it } from 'vitest'
import type { Settings } from '../../src/config/settings.ts'
import { workerCount } from '../../src/server/worker-count.ts'

const settings = (workers: number | 'auto', kind: 'embedded' | 'redis') =>
  ({ server: { workers }, store: { kind } }) as unknown as Settings

it('auto is one process below four cores, leaves a core to the embedded store, and is four on Redis', () => {
  const cores = [1, 2, 3, 4, 8, 16]
  expect(cores.map(each => workerCount(settings('auto', 'embedded'), each))).toEqual([1, 1, 1, 3, 7, 15])
  expect(cores.map(each => workerCount(settings('auto', 'redis'), each))).toEqual([1, 1, 1, 4, 4, 4])
})

it('a number is what it says, whatever the machine has', () => {
  expect(workerCount(settings(3, 'embedded'), 1)).toBe(3)
})
