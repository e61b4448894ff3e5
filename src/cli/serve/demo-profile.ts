import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configDir, readJsonFile, writePrivate } from '../../operator/session-file.ts'
import { CommandFailed } from '../../server/failure.ts'
import { isObject } from '../../wire/json-safety.ts'

/** The demo of a folder, for the commands that are run there while it lives. */
export interface DemoProfile {
  /** The process that serves it. */
  readonly pid: number
  /** Its main file, absolute. */
  readonly config: string
  /** The values of that file's variables. */
  readonly env: Readonly<Record<string, string>>
  /** The folder that goes when it ends. */
  readonly state: string
}

const CONFIG = 'config.yaml'

/** One file for each folder, so that two demos do not write the same one. */
const fileOf = (folder: string): string =>
  join(configDir(), 'demos', `${createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16)}.json`)

/** Keeps the profile until `removeDemo`. Fails with CommandFailed where it cannot be written. */
export const saveDemo = (folder: string, profile: DemoProfile): void =>
  writePrivate(fileOf(folder), { version: 1, folder: resolve(folder), ...profile })

/** Removes the profile of a folder, unless it is another demo's by now. */
export function removeDemo(folder: string, pid: number): void {
  if (profileIn(folder)?.pid === pid) rmSync(fileOf(folder), { force: true })
}

/** The demo of a folder that lives; undefined without one. */
function demoIn(folder: string): DemoProfile | undefined {
  const profile = profileIn(folder)
  return profile && isAlive(profile) ? profile : undefined
}

/** The demo of a folder that was killed, and could not clear up. */
export function deadDemoIn(folder: string): DemoProfile | undefined {
  const profile = profileIn(folder)
  return profile && !isAlive(profile) ? profile : undefined
}

/**
 * The configuration that a command works on. In the folder of a running demo this is the demo's file, with its
 * variables, if the command names it, or names no file and there is no config.yaml.
 */
export function configHere(file: string, isDefault: boolean): string {
  const demo = demoIn(process.cwd())
  if (!demo) return file
  const isMeant = isDefault ? !existsSync(CONFIG) : resolve(file) === demo.config
  if (!isMeant) return file
  Object.assign(process.env, demo.env)
  return demo.config
}

function profileIn(folder: string): DemoProfile | undefined {
  try {
    const file = readJsonFile(fileOf(folder))
    return isProfile(file) ? file : undefined
  } catch (error) {
    // Not for this user, or broken: commands do without the demo then.
    if (error instanceof CommandFailed) return undefined
    throw error
  }
}

const isProfile = (value: unknown): value is DemoProfile =>
  isObject(value) &&
  typeof value.pid === 'number' &&
  typeof value.config === 'string' &&
  typeof value.state === 'string' &&
  isObject(value.env) &&
  Object.values(value.env).every(text => typeof text === 'string')

function isAlive({ pid, state }: DemoProfile): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process lives, and belongs to another user.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return existsSync(state)
}
