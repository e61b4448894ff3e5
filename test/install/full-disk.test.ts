import { describe, expect, it } from 'vitest'
import { type Disk, expectKeepsReadOnly, expectSurvives, mayMountDisks } from '../support/full-disk.ts'

const FILLINGS = 2

describe.skipIf(!mayMountDisks)('an embedded store whose disk fills up under load', () => {
  it.each<[Disk, number]>([
    ['tmpfs', 1],
    ['tmpfs', 2],
    ['ext4', 1],
    ['ext4', 2],
  ])('on %s with %i workers answers 503, serves again once there is room, and loses no row', async (disk, workers) => {
    expect(await expectSurvives(disk, workers, FILLINGS)).toContain(`${FILLINGS} fillings`)
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
