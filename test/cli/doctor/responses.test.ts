import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkKeptRoom, roomOfDisk, roomOfRedis } from '../../../src/cli/doctor/check-responses.ts'
import type { ResponseSettings } from '../../../src/config/settings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const upTo = (maxBytesTotal: number): ResponseSettings => ({
  keep: 3_600_000,
  keys: [],
  maxBytes: 16e6,
  maxResponses: 1000,
  maxBytesTotal,
  guests: false,
})

it('room in Redis is what maxmemory leaves beside everything that is no kept response', () => {
  const room = roomOfRedis({ most: 500e6, used: 300e6, kept: 250e6 })

  expect(checkKeptRoom(upTo(450e6), room)).toBeUndefined()
  expect(checkKeptRoom(upTo(1e9), room)).toMatchObject({
    state: 'warning',
    text: 'kept responses may use 1GB, but Redis, with maxmemory 500MB, has room for only 450MB',
  })
})

it('a Redis that has more than it may has room for nothing', () => {
  expect(checkKeptRoom(upTo(1e6), roomOfRedis({ most: 50e6, used: 60e6, kept: 0 }))?.text).toMatch(/room for only 0B$/)
})

it('nothing is said where no responses are kept, or Redis has no maxmemory', () => {
  expect(checkKeptRoom(undefined, roomOfRedis({ most: 1, used: 0, kept: 0 }))).toBeUndefined()
  expect(checkKeptRoom(upTo(1e12), roomOfRedis(undefined))).toBeUndefined()
})

it('room on a disk is what is free of it, and what the store has already', async () => {
  const directory = temporaryFolder('kept-room')
  const before = await roomOfDisk(join(directory, 'store'), directory)
  expect(before.bytes).toBeGreaterThan(0)
  expect(checkKeptRoom(upTo(1e18), before)).toMatchObject({
    state: 'warning',
    hint: expect.stringMatching(/^Give the store/),
  })

  writeFileSync(join(directory, 'data.mdb'), '')
  // A sparse file takes nothing of what is free.
  truncateSync(join(directory, 'data.mdb'), 1e12)
  expect((await roomOfDisk(directory, directory)).bytes).toBeGreaterThan(1e12)
})
