import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { faults } from './long/faults.ts'

const root = resolve(import.meta.dirname, '..')

// test/long/faults.test.ts seeds them, one after the other, which takes minutes.
it.each(faults)('the sources say in one place what the fault changes: $what', ({ file, from }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2)
})
