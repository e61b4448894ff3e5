import type { ConfigFile } from './check/schema.ts'
import { type Disk, textDisk } from './read/disk.ts'
import type { Union } from './read/merge.ts'
import { mayReadLike } from './read/reads.ts'
import type { Secrets } from './resolve/resolve.ts'
import { type FileText, type Loaded, Secret } from './settings.ts'

/** Files in which every check found nothing wrong, as plain data: it can go from one thread to another. */
export interface Examined extends Omit<Loaded, 'config' | 'settings'> {
  readonly main: ConfigFile
  readonly union: Union
  readonly secrets: SecretTexts
  /** Absolute: where the main file lies. */
  readonly directory: string
  readonly revision: string
}

/** Secrets in the clear: an object of class Secret would arrive empty in another thread. Nothing prints them. */
interface SecretTexts {
  readonly pools: ReadonlyMap<string, string>
  readonly tools: ReadonlyMap<string, string>
  readonly guests: readonly string[]
  readonly metrics: string | undefined
  readonly traces: ReadonlyMap<string, string>
}

export const textsOfSecrets = ({ pools, tools, guests, seeing }: Secrets): SecretTexts => ({
  pools: revealed(pools),
  tools: revealed(tools),
  guests: guests.map(secret => secret.reveal()),
  metrics: seeing.metrics?.reveal(),
  traces: revealed(seeing.traces),
})

export const secretsOfTexts = ({ pools, tools, guests, metrics, traces }: SecretTexts): Secrets => ({
  pools: hidden(pools),
  tools: hidden(tools),
  guests: guests.map(text => new Secret(text)),
  seeing: { ...(metrics !== undefined && { metrics: new Secret(metrics) }), traces: hidden(traces) },
})

const revealed = (secrets: ReadonlyMap<string, Secret>): ReadonlyMap<string, string> =>
  new Map([...secrets].map(([name, secret]) => [name, secret.reveal()]))

const hidden = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, Secret> =>
  new Map([...texts].map(([name, text]) => [name, new Secret(text)]))

/** Files that are not on the disk: those of an apply. Plain data. */
export interface Candidate {
  readonly files: readonly FileText[]
  /** Where they would lie. Absolute. */
  readonly directory: string
  /** Which variables and files of secrets they may read; without it all of them. */
  readonly mayRead?: Readonly<Parameters<typeof mayReadLike>>
}

/** The disk that has the files of a candidate. */
export function diskOf({ files, directory, mayRead }: Candidate): Disk {
  const disk = textDisk(files, directory)
  return mayRead ? { ...disk, mayRead: mayReadLike(...mayRead) } : disk
}
