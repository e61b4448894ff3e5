import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gzipSync } from 'node:zlib'
import type { Door } from '../../wire/console/boot.ts'
import type { Form } from '../listener/content-coding.ts'

/** The web console as the build left it. */
export interface BuiltConsole {
  /** The HTML of each door, before anything of a deployment is filled in. */
  readonly pages: ReadonlyMap<Door, string>
  /** Files by name. */
  readonly files: ReadonlyMap<string, ConsoleFile>
  /** Changes with every byte of it. */
  readonly build: string
}

/** A file that pages load. */
export interface ConsoleFile {
  readonly type: string
  readonly etag: string
  /** The doors whose pages load it: no other one serves it. */
  readonly doors: readonly Door[]
  /** Its name changes with its bytes, so that a copy never grows stale. */
  readonly isImmutable: boolean
  /** It is sent compressed to whom takes that. */
  readonly isCompressed: boolean
  readonly bytesIn: (form: Form) => Buffer
}

let built: BuiltConsole | undefined

/** Reads it once. Undefined where it was not built: what follows later is found then. */
export function builtConsole(): BuiltConsole | undefined {
  built ??= readBuilt()
  return built
}

/** The folder in the package, whether this module runs as source or as built. */
const FOLDER = new URL('../../../dist/console/', import.meta.url)

/** As scripts/console.js writes it. */
interface Manifest {
  readonly build: string
  readonly pages: readonly Door[]
  readonly files: Readonly<Record<string, ManifestFile>>
}

interface ManifestFile {
  readonly type: string
  readonly etag: string
  readonly doors: readonly Door[]
  readonly immutable: boolean
  /** It lies there in brotli alone, with the ending `.br`. */
  readonly compressed: boolean
}

function readBuilt(): BuiltConsole | undefined {
  const manifest = readManifest()
  if (!manifest) return undefined
  const read = (name: string) => readFileSync(new URL(name, FOLDER))
  const files = Object.entries(manifest.files).map(([name, { type, etag, doors, immutable, compressed }]) => {
    const bytesIn = compressed ? formsOf(read(`${name}.br`)) : always(read(name))
    const file: ConsoleFile = { type, etag, doors, isImmutable: immutable, isCompressed: compressed, bytesIn }
    return [name, file] as const
  })
  const pages = manifest.pages.map(name => [name, read(`${name}.html`).toString()] as const)
  return { pages: new Map(pages), files: new Map(files), build: manifest.build }
}

/** The package has one form of a file, so as to be small. The others take a millisecond or two when they are first asked for. */
function formsOf(br: Buffer): ConsoleFile['bytesIn'] {
  const known = new Map<Form, Buffer>([['br', br]])
  const bytesIn = (form: Form): Buffer => {
    const bytes = known.get(form) ?? (form === 'gzip' ? gzipSync(bytesIn('identity')) : brotliDecompressSync(br))
    known.set(form, bytes)
    return bytes
  }
  return bytesIn
}

const always = (bytes: Buffer) => () => bytes

function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
