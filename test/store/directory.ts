import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type EmbeddedStore, openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { clockAt, NOON } from './fixtures.ts'

export const { now } = clockAt(NOON)

export async function newDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'store-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

export async function openHere(path: string): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({ path, now })
  onTestFinished(() => store.close())
  return store
}

/** The files as a crash at this moment would leave them. */
export async function crash(path: string): Promise<EmbeddedStore> {
  const copy = join(await newDirectory(), 'copy')
  await mkdir(copy)
  await cp(join(path, 'data.mdb'), join(copy, 'data.mdb'))
  return openHere(copy)
}
