import { describe, expect, it } from 'vitest'
import { canFailDisks } from '../support/failing-disk.ts'
import {
  canMake,
  type Disk,
  expectKeepsReadOnly,
  expectSurvives,
  expectSurvivesErrors,
  mayMountDisks,
} from '../support/full-disk.ts'

const FILLINGS = 2

describe.skipIf(!mayMountDisks)('an embedded store whose disk fills up under load', () => {
  describe.each<[Disk, number]>([
    ['tmpfs', 1],
    ['tmpfs', 2],
    ['ext4', 1],
    ['ext4', 2],
    ['xfs', 1],
    ['xfs', 2],
  ])('on %s with %i workers', (disk, workers) => {
    it.skipIf(!canMake(disk))('answers 503, serves again once there is room, and loses no row', async () => {
      expect(await expectSurvives(disk, workers, FILLINGS)).toContain(`${FILLINGS} fillings`)
    })
  })
})

describe.skipIf(!mayMountDisks)('an embedded store whose disk becomes read-only under load', () => {
  it.each([1, 2])(
    'loses no row that was acknowledged with %i workers, and the next start names the cause',
    async workers => {
      expect(await expectKeepsReadOnly(workers)).toContain('served')
    },
  )
})

describe.skipIf(!canFailDisks)('an embedded store whose disk answers EIO under load', () => {
  it.each([
    ['writes', 1],
    ['writes', 2],
    ['reads', 1],
    ['reads', 2],
  ] as const)(
    'to %s loses no row that was acknowledged with %i workers, and the next start names the cause',
    async (what, workers) => {
      expect(await expectSurvivesErrors(what, workers)).toContain('served')
    },
  )
})
