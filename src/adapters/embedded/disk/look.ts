import { accessSync, constants, statfsSync } from 'node:fs'

/** The state of the disk that has a file. */
export interface DiskLook {
  /** Bytes that this user may still write; infinite where the file system does not say. */
  readonly free: number
  /** Below this many free bytes the disk counts as full. */
  readonly margin: number
  /** True if overwriting an allocated block never allocates another one. */
  readonly writesInPlace: boolean
  readonly isReadOnly: boolean
}

/** Looks at the disk of a file, in a few microseconds. A disk that cannot be asked has room: its writes say otherwise. */
export function lookAt(path: string): DiskLook {
  try {
    const { type, bsize, blocks, bavail } = statfsSync(path)
    const isKnown = blocks > 0
    return {
      free: isKnown ? bavail * bsize : Number.POSITIVE_INFINITY,
      margin: isKnown ? Math.min(MOST_MARGIN, (blocks * bsize) / 50) : 0,
      writesInPlace: IN_PLACE.has(type),
      isReadOnly: isReadOnly(path),
    }
  } catch {
    return { free: Number.POSITIVE_INFINITY, margin: 0, writesInPlace: false, isReadOnly: false }
  }
}

function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS'
  }
}

/** ext2 to ext4, XFS and tmpfs, as `statfs` numbers them on Linux. */
const IN_PLACE: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x01021994])

/** A fiftieth of a small disk. */
const MOST_MARGIN = 16 * 2 ** 20
