import { expect, it } from 'vitest'
import { type Disk, expectSurvives, mayMountDisks } from '../support/full-disk.ts'
import { sizeOf } from './harness/size.ts'

const FILLINGS = sizeOf('FILLINGS', 40, 4)

it.each<[Disk, number]>([
  ['tmpfs', 1],
  ['tmpfs', 2],
  ['ext4', 1],
  ['ext4', 2],
])(
  `${FILLINGS} fillings of the disk of an embedded store by four, on %s with %i workers, end no process and lose no row`,
  async (disk, workers) => {
    expect(mayMountDisks, 'mounts a disk, so it needs root').toBe(true)
    console.log(await expectSurvives(disk, workers, Math.ceil(FILLINGS / 4)))
  },
)
