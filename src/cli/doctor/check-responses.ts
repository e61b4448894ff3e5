import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisMemory } from '../../adapters/redis/inspect.ts'
import type { ResponseSettings } from '../../config/settings.ts'
import type { Finding } from '../../gateway/doctor/finding.ts'

/** The room of a store for kept responses, with those that it has. */
export interface KeptRoom {
  readonly bytes: number
  /** Where the bytes are: the end of a sentence. */
  readonly where: string
  readonly hint: string
}

/** Whether the store has room for all responses that may be kept. Undefined where it has. */
export function checkKeptRoom(
  responses: ResponseSettings | undefined,
  room: KeptRoom | undefined,
): Finding | undefined {
  if (!responses || !room || responses.maxBytesTotal <= room.bytes) return undefined
  const most = roundedSize(responses.maxBytesTotal)
  return {
    check: 'responses',
    subject: 'responses.max_bytes_total',
    state: 'warning',
    text: `kept responses may use ${most}, but ${room.where} has room for only ${roundedSize(Math.max(0, room.bytes))}`,
    hint: `${room.hint}, or lower responses.max_bytes_total: a store without room refuses every request.`,
  }
}

/** Everything else that a Redis has now is taken to stay. */
export const roomOfRedis = (memory: RedisMemory | undefined): KeptRoom | undefined =>
  memory && {
    bytes: memory.most - (memory.used - memory.kept),
    where: `Redis, with maxmemory ${roundedSize(memory.most)},`,
    hint: 'Raise maxmemory',
  }

/** `existing` is the directory of the store, or the nearest one above it. All of a store is taken to be kept responses, which only a running gateway could tell. */
export async function roomOfDisk(directory: string, existing: string): Promise<KeptRoom> {
  const { bavail, bsize } = await statfs(existing)
  const size = await stat(join(directory, 'data.mdb')).then(
    file => file.size,
    () => 0,
  )
  return { bytes: bavail * bsize + size, where: `the disk of ${directory}`, hint: 'Give the store a larger disk' }
}

/** In the largest unit of which there is one, with one digit behind the point. */
function roundedSize(bytes: number): string {
  const [unit, name] = UNITS.find(([each]) => bytes >= each) ?? [1, 'B']
  return `${Math.floor((10 * bytes) / unit) / 10}${name}`
}

const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'KB'],
] as const
