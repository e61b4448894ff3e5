import { access, constants, lstat, readFile, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Change } from '../../adapters/config-files/journal.ts'
import { type Disk, machineDisk, textDisk } from '../../config/read/disk.ts'
import { glob } from '../../config/read/glob.ts'
import type { FileText } from '../../config/settings.ts'
import { refusal } from './refusals.ts'

interface Candidate {
  readonly texts: readonly FileText[]
  /** Patterns of its main file. */
  readonly includes: readonly string[]
}

/** The changes on the disk after which a load from there gives the candidate. Rejects with Refused. */
export async function needed(
  { texts, includes }: Candidate,
  serving: readonly FileText[],
  directory: string,
): Promise<Change> {
  const served = textsByName(serving)
  const found = strays(texts, includes, directory)
  const unknown = found.filter(file => !served.has(file))
  if (unknown.length > 0)
    throw refusal(`an \`include\` of the candidate would also take ${unknown.join(', ')} from the disk of the gateway`)
  const gone = found.map(file => ({ file, served: served.get(file), next: undefined }))
  const next = texts.map(({ file, text }) => ({ file, served: served.get(file), next: text }))
  const change = await changeOn(directory, [...next, ...gone])
  if (typeof change === 'string') throw refusal(change)
  return change
}

/** The change that puts the serving files back in their places. */
export function undoing({ write, remove }: Change, serving: readonly FileText[]): Change {
  const served = textsByName(serving)
  const changed = [...write.map(({ file }) => file), ...remove]
  return {
    write: changed.flatMap(file => {
      const text = served.get(file)
      return text === undefined ? [] : [{ file, text }]
    }),
    remove: changed.filter(file => !served.has(file)),
  }
}

const textsByName = (files: readonly FileText[]): ReadonlyMap<string, string> =>
  new Map(files.map(({ file, text }) => [file, text]))

/** A file that is to change: its text that serves, and its next text. Undefined where there is no file. */
interface Changing {
  readonly file: string
  readonly served: string | undefined
  readonly next: string | undefined
}

/** The changes that the disk needs, or why they cannot be made. Files that already are as they should be stay untouched. */
async function changeOn(directory: string, changing: readonly Changing[]): Promise<Change | string> {
  const write: FileText[] = []
  const remove: string[] = []
  for (const { file, served, next } of changing) {
    const path = resolve(directory, file)
    const text = await textAt(path)
    if (text === next) continue
    const fault =
      (await faultAt(directory, file, { serves: served !== undefined, read: text !== undefined })) ??
      notServed(file, text, served)
    if (fault !== undefined) return fault
    if (next === undefined) remove.push(file)
    else write.push({ file, text: next })
  }
  return { write, remove }
}

/** A text on the disk that never served is an operator's unfinished work: it is not overwritten. */
function notServed(file: string, text: string | undefined, served: string | undefined): string | undefined {
  if (text === undefined || text === served) return undefined
  if (served === undefined) return `${file} exists with another content and is not in use: move it away first`
  return `${file} was changed on the gateway's disk and is not in use: run svcctl reload, or restore it`
}

async function faultAt(
  directory: string,
  file: string,
  { serves, read }: { readonly serves: boolean; readonly read: boolean },
): Promise<string | undefined> {
  const path = resolve(directory, file)
  const there = await lstat(path).catch(() => undefined)
  if (there?.isSymbolicLink()) return `${file} is a symbolic link: ${ELSEWHERE}`
  if (there && !there.isFile()) return `${file} is not a file`
  if (there && !read) return `${file} cannot be read by the gateway`
  const folder = await folderOf(path)
  // A link on the way would lead out of the directory.
  const plain = join(await realpath(directory), relative(directory, folder))
  const real = await realpath(folder).catch(() => undefined)
  if (real === undefined || (real !== plain && !serves)) return `${file} is behind a symbolic link`
  const writable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  return writable ? undefined : `${folder} cannot be written by the gateway: ${ELSEWHERE}`
}

const ELSEWHERE = 'change the files at their source, then run svcctl reload'

/** The nearest existing directory above a path. */
async function folderOf(path: string): Promise<string> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const there = await lstat(folder).catch(() => undefined)
    if (there || folder === dirname(folder)) return folder
  }
}

/** As a load reads it: without a byte order mark. Undefined where there is no text to be had. */
async function textAt(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readFile(path))
  } catch {
    return undefined
  }
}

/** Files that the disk has and a candidate has not, which its includes would take if its files lay in the directory. */
function strays(files: readonly FileText[], includes: readonly string[], directory: string): readonly string[] {
  const texts = textDisk(files, directory)
  // Thousands of patterns look into the same directory.
  const listed = new Map<string, ReturnType<Disk['list']>>()
  const both: Disk = {
    ...machineDisk,
    list: path => {
      const entries = listed.get(path) ?? [...entriesOf(texts, path), ...entriesOf(machineDisk, path)]
      listed.set(path, entries)
      return entries
    },
  }
  const known = new Set(files.map(({ file }) => file))
  const found = includes.flatMap(pattern => glob(pattern, directory, both)).map(path => relative(directory, path))
  return [...new Set(found)].filter(file => !known.has(file))
}

function entriesOf(disk: Disk, path: string): ReturnType<Disk['list']> {
  try {
    return disk.list(path)
  } catch {
    return []
  }
}
