import { type FileHandle, open } from 'node:fs/promises'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import { lookAt } from './look.ts'

/**
 * Allocates the holes of a file that no process has open, such as a copy by `cp --sparse` or `tar -S`: the disk could be full
 * when they are written. Reads the file only where it has holes. Rejects with StoreUnavailable where the disk is full.
 */
export async function fillHoles(path: string): Promise<void> {
  // Elsewhere a file that is compressed takes fewer blocks, and an allocated one is of no use.
  if (!lookAt(path).writesInPlace) return
  const file = await open(path, 'r+')
  try {
    const { size, blocks } = await file.stat()
    if (blocks * STAT_BLOCK >= size) return
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let at = 0; at < size; at += CHUNK_BYTES) await fillChunk(file, chunk, at)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && FULL.has(error.code))) throw error
    throw new StoreUnavailable(`the disk of the store is full, and ${path} has holes`, { cause: error })
  } finally {
    await file.close()
  }
}

/** Writes zeros over blocks of zeros, which changes nothing that can be read. */
async function fillChunk(file: FileHandle, chunk: Buffer, at: number): Promise<void> {
  const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
  for (let from = 0; from < bytesRead; from += BLOCK_BYTES) {
    const block = chunk.subarray(from, Math.min(from + BLOCK_BYTES, bytesRead))
    if (block.equals(ZERO_BLOCK.subarray(0, block.length))) await file.write(block, 0, block.length, at + from)
  }
}

/** LMDB maps its file of readers into memory: writing to a hole of it on a full disk would end the process. */
export async function allocateReaders(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    if (size < READERS_BYTES) await file.truncate(0)
    if (size < READERS_BYTES) await file.write(Buffer.alloc(READERS_BYTES))
  } finally {
    await file.close()
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The least that file systems allocate, as a rule. */
const BLOCK_BYTES = 4096
/** More than LMDB gives it, so that it takes the file as it is. */
const READERS_BYTES = 4 * BLOCK_BYTES

/** The unit of `blocks`, on every system. */
const STAT_BLOCK = 512
const CHUNK_BYTES = 2 ** 20
const ZERO_BLOCK = Buffer.alloc(BLOCK_BYTES)
